//! What lies between two slices, in the details of the selected one.

use super::fact;
use crate::session::{Action, Session};
use crate::time::{DurNs, human_duration};
use crate::trace::{SliceRef, Trace};
use crate::ui::controls::weak;
use crate::ui::ellipsis;
use crate::ui::theme::Theme;
use egui::{RichText, Ui};

/// Characters of a name.
const NAME: usize = 44;

/// Shows the lines while something is measured.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    trace: &Trace,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    let Some(measured) = session.measured() else {
        return;
    };
    let found = measured.between;
    for (word, at) in [("Measured from", measured.first), ("to", measured.second)] {
        ui.label(weak(theme, word));
        slice(ui, session, trace, at, out);
        ui.end_row();
    }
    let overlap = if found.gap.0 < 0 {
        ", they overlap"
    } else {
        ""
    };
    fact(
        ui,
        theme,
        "End to start",
        format!("{}{overlap}", exact(found.gap)),
    );
    fact(ui, theme, "Start to start", exact(found.starts));
    fact(ui, theme, "End to end", exact(found.ends));
}

fn slice(ui: &mut Ui, session: &Session, trace: &Trace, at: SliceRef, out: &mut Vec<Action>) {
    let name = trace.slice(at).map_or("", |s| trace.names.get(s.name()));
    let text = RichText::new(ellipsis(name, NAME)).monospace();
    if session.selection == Some(at) {
        ui.label(text).on_hover_text("The selected slice");
    } else if ui.link(text).on_hover_text("Go to this slice").clicked() {
        out.push(Action::GoTo { slice: at });
    }
}

fn exact(length: DurNs) -> String {
    let (short, exact) = (human_duration(length), format!("{} µs", length.us3()));
    if short == exact {
        exact
    } else {
        format!("{short}  ({exact})")
    }
}
