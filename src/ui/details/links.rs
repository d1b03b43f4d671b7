//! What the selected slice is linked to: its launch call and op, or what it launched.

use super::fact;
use crate::session::{Action, Session};
use crate::time::{DurNs, human_duration};
use crate::trace::{Rank, Slice, SliceRef, Trace};
use crate::ui::controls::{counted, weak};
use crate::ui::ellipsis;
use crate::ui::theme::Theme;
use egui::{RichText, Ui};

/// Characters of a name that a link shows.
const NAME: usize = 48;

/// Shows the lines that apply.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    trace: &Trace,
    rank: &Rank,
    slice: Slice<'_>,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    let op = if slice.class().is_some() {
        if let Some(call) = launch_of(rank, slice) {
            ui.label(weak(theme, "Launched by"));
            ui.horizontal(|ui| {
                link(ui, trace, rank, (call, "Go to the launch call (L)"), out);
                delay(ui, theme, slice.start() - call.start());
            });
            ui.end_row();
        }
        rank.launching_op(slice.id())
    } else {
        launched(ui, session, trace, rank, slice, theme, out);
        rank.op_around(slice.id())
    };
    if let Some(op) = op.and_then(|id| rank.slices.get(id)) {
        ui.label(weak(theme, "Op"));
        link(ui, trace, rank, (op, "Go to the CPU op around it (O)"), out);
        ui.end_row();
    }
    if let Some(correlation) = slice.correlation() {
        fact(ui, theme, "Correlation", correlation.to_string());
    }
}

fn launch_of<'r>(rank: &'r Rank, kernel: Slice<'_>) -> Option<Slice<'r>> {
    rank.slices.get(rank.links.launch_of(kernel.id())?)
}

fn link(
    ui: &mut Ui,
    trace: &Trace,
    rank: &Rank,
    (to, hover): (Slice<'_>, &str),
    out: &mut Vec<Action>,
) {
    let name = ellipsis(trace.names.get(to.name()), NAME);
    if ui.link(name).on_hover_text(hover).clicked() {
        out.push(Action::GoTo {
            slice: SliceRef {
                rank: rank.id,
                slice: to.id(),
            },
        });
    }
}

/// From the start of the call to the start of the kernel. A negative one is linked all the same.
fn delay(ui: &mut Ui, theme: &Theme, delay: DurNs) {
    if delay < DurNs::ZERO {
        let text = format!("starts {} before its call", human_duration(DurNs(-delay.0)));
        ui.label(RichText::new(text).color(theme.warning))
            .on_hover_text(
                "The clocks of host and GPU do not agree, or the correlation id was used twice",
            );
    } else {
        ui.label(weak(theme, format!("{} before", human_duration(delay))))
            .on_hover_text("Launch delay: from the start of the call to the start here");
    }
}

/// What a host call put the GPU to, and what a clock around it does not see.
fn launched(
    ui: &mut Ui,
    session: &Session,
    trace: &Trace,
    rank: &Rank,
    slice: Slice<'_>,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    let Some(work) = session.launched else {
        return;
    };
    let first = rank.launched_inside(slice.id()).next();
    if let Some((_, kernel)) = first {
        ui.label(weak(theme, "Launched"));
        ui.horizontal(|ui| {
            link(
                ui,
                trace,
                rank,
                (kernel, "Go to the first of them (L)"),
                out,
            );
            if work.kernels > 1 {
                let more = crate::metrics::grouped(work.kernels - 1);
                ui.label(weak(theme, format!("and {more} more")));
            }
        });
        ui.end_row();
    }
    let words = format!(
        "busy {} for {}",
        human_duration(work.busy),
        counted(work.kernels, "kernel", "kernels")
    );
    fact(ui, theme, "On the GPU", words);
    let clock = format!(
        "{} on the host; the GPU was done {} after it returned",
        human_duration(work.host),
        human_duration(work.after_return)
    );
    ui.label(weak(theme, "A CPU clock"))
        .on_hover_text("What a timer around this call measures, and what it misses");
    ui.add(egui::Label::new(super::mono(clock)).selectable(true).wrap());
    ui.end_row();
}
