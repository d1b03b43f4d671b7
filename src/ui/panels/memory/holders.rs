//! What holds the memory at the peak: living blocks by the op that allocated them.

use super::super::super::controls::{byte_size, counted, weak};
use super::super::super::theme::Theme;
use crate::metrics::MemoryRow;
use crate::session::{Action, Session, ShownHolders};
use crate::trace::MemoryTrack;
use egui::{CollapsingHeader, Label, RichText, Ui};

/// More ops than this are summed up.
const LISTED: usize = 8;

/// Shows the list, closed until somebody opens it: every event up to the peak is looked at.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    memory: &MemoryTrack,
    row: &MemoryRow,
    out: &mut Vec<Action>,
) {
    if row.figures.as_ref().and_then(|f| f.peak_event).is_none() {
        return;
    }
    let is_open = session.memory.holders_open;
    let head = CollapsingHeader::new("What holds the peak")
        .id_salt("holders")
        .open(Some(is_open))
        .show(ui, |ui| match session.shown_holders() {
            Some(shown) => list(ui, theme, memory, &shown),
            None => {
                ui.label(weak(theme, "Following every block…"));
            }
        });
    if head.header_response.clicked() {
        out.push(Action::ShowHolders { open: !is_open });
    }
}

fn list(ui: &mut Ui, theme: &Theme, memory: &MemoryTrack, shown: &ShownHolders<'_>) {
    let Some(found) = shown.holders else {
        let words = "It cannot be told: the file has no addresses of blocks.";
        ui.add(Label::new(weak(theme, words)).wrap());
        return;
    };
    // What is of another window looks like it.
    let color = if shown.is_current {
        theme.text
    } else {
        theme.faded().text
    };
    let say = |ui: &mut Ui, words: String| {
        let words = RichText::new(words).size(12.0).color(color);
        ui.add(Label::new(words).wrap());
    };
    if !shown.is_current {
        say(ui, "Of another window; following every block…".to_owned());
    }
    for held in found.iter().take(LISTED) {
        let op = held.op.as_deref().unwrap_or("outside of any op");
        say(ui, line(op, held.bytes, held.blocks));
    }
    let rest = found.get(LISTED..).unwrap_or_default();
    if !rest.is_empty() {
        let bytes = rest.iter().map(|held| held.bytes).sum();
        let blocks = rest.iter().map(|held| held.blocks).sum();
        say(ui, line("other ops", bytes, blocks));
    }
    let Some((_, peak)) = memory.allocated.point(shown.event) else {
        return;
    };
    let known: i128 = found.iter().map(|held| held.bytes).sum();
    let before = byte_size(i128::from(peak) - known);
    say(ui, format!("from before the recording: {before}"));
}

fn line(op: &str, bytes: i128, blocks: u64) -> String {
    let blocks = counted(blocks, "block", "blocks");
    format!("{op}: {} in {blocks}", byte_size(bytes))
}
