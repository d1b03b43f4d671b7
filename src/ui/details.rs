//! Details of the selected slice, at the bottom: what the model knows at once, and the event's own
//! args as soon as they were read from the file.

mod links;
mod measure;

use super::compare;
use super::controls::{icon_button, mono, weak};
use super::icon::Icon;
use super::plain;
use super::theme::{GAP, SMALL_GAP, Theme};
use crate::session::{Action, CompareAction, Details, Session, TraceSide, Words};
use crate::time::{Ns, human_duration};
use crate::trace::{Rank, Slice, SliceRef, Trace};
use egui::{
    Align, Frame, Grid, Label, Layout, Margin, Panel, RichText, Role, ScrollArea, Spinner, Ui,
    WidgetInfo,
};

/// Shows the panel while a slice is selected; of two traces, that of the side where one was selected
/// last.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let Some(other) = session.other() else {
        return panel(ui, session, theme, false, out);
    };
    let both = session.selection.is_some() && other.selection.is_some();
    if session.other_is_selected() {
        compare::of_other(out, |out| panel(ui, other, theme, both, out));
    } else {
        panel(ui, session, theme, both, out);
    }
}

fn panel(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    on_both_sides: bool,
    out: &mut Vec<Action>,
) {
    let (Some(trace), Some(at)) = (&session.trace, session.selection) else {
        return;
    };
    let (Some(rank), Some(slice)) = (trace.rank(at.rank), trace.slice(at)) else {
        return;
    };
    let frame = Frame::NONE.inner_margin(Margin::symmetric(12, 6));
    Panel::bottom("details")
        .resizable(true)
        .default_size(196.0)
        .size_range(90.0..=480.0)
        .frame(frame)
        .show(ui, |ui| {
            plain::ground(ui, theme.panel, |ui| {
                ui.horizontal(|ui| {
                    sides(ui, session, theme, on_both_sides, out);
                    head(ui, trace, slice, theme, out);
                });
                ui.add_space(SMALL_GAP);
                let origin = session.origin().unwrap_or_default();
                ui.columns_const(|[left, right]| {
                    scroll(left, "facts", |ui| {
                        facts(ui, session, trace, rank, at, slice, origin, theme, out);
                    });
                    scroll(right, "args", |ui| args(ui, session, theme));
                });
            });
        });
}

/// Of which side the slice is; where one is selected on both, a click shows the other one.
fn sides(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    on_both_sides: bool,
    out: &mut Vec<Action>,
) {
    let Some(shown) = session.side() else {
        return;
    };
    for side in [TraceSide::A, TraceSide::B] {
        if side != shown && !on_both_sides {
            continue;
        }
        let response = compare::badge_with(ui, theme, side, side == shown);
        let name = format!("Slice selected in {}", side.label());
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, side == shown, &name));
        if response.on_hover_text(&name).clicked() && side != shown {
            out.push(Action::Compare(CompareAction::Side(side)));
        }
    }
}

fn scroll(ui: &mut Ui, id: &str, contents: impl FnOnce(&mut Ui)) {
    // Rows of text, not of buttons.
    ui.spacing_mut().interact_size.y = 16.0;
    ScrollArea::vertical()
        .id_salt(id)
        .auto_shrink([false, false])
        .show(ui, contents);
}

fn head(ui: &mut Ui, trace: &Trace, slice: Slice<'_>, theme: &Theme, out: &mut Vec<Action>) {
    let name = trace.names.get(slice.name());
    super::controls::swatch(ui, theme.slice_color(slice.class(), slice.category()));
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if icon_button(ui, theme, Icon::Cross, "Close details").clicked() {
            out.push(Action::ClearSelection);
        }
        if icon_button(ui, theme, Icon::Copy, "Copy the name").clicked() {
            out.push(Action::CopyText {
                text: name.to_owned(),
            });
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let text = RichText::new(name).monospace().strong();
            ui.add(Label::new(text).truncate().selectable(true))
                .on_hover_text(name);
        });
    });
}

#[expect(clippy::too_many_arguments, reason = "one call, all of it is shown")]
fn facts(
    ui: &mut Ui,
    session: &Session,
    trace: &Trace,
    rank: &Rank,
    at: SliceRef,
    slice: Slice<'_>,
    origin: Ns,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    Grid::new("facts")
        .num_columns(2)
        .spacing([GAP, 3.0])
        .min_col_width(96.0)
        .show(ui, |ui| {
            measure::ui(ui, session, trace, theme, out);
            let kind = match slice.class() {
                Some(class) => class.label().to_owned(),
                None => slice.category().label().to_owned(),
            };
            fact(ui, theme, "Class", kind);
            fact(ui, theme, "Where", place(rank, at));
            fact(
                ui,
                theme,
                "Start",
                format!(
                    "{}  (@{} ns)",
                    human_duration(slice.start() - origin),
                    slice.start().0
                ),
            );
            let (short, exact) = (
                human_duration(slice.dur()),
                format!("{} µs", slice.dur().us3()),
            );
            let duration = if short == exact {
                exact
            } else {
                format!("{short}  ({exact})")
            };
            fact(ui, theme, "Duration", duration);
            if let Some(collective) = rank.collective(at.slice) {
                let text = format!("{}, {}", collective.kind.label(), collective.source.label());
                fact(ui, theme, "Collective", text);
            }
            links::ui(ui, session, trace, rank, slice, theme, out);
            if let Some(found) = rank.suspicious.iter().find(|s| s.slice == at.slice) {
                let text = format!(
                    "runs over later kernels of its stream; {} µs at stake",
                    found.at_stake.us3()
                );
                fact(ui, theme, "Suspicious", text);
            }
        });
}

fn fact(ui: &mut Ui, theme: &Theme, word: &str, value: String) {
    ui.label(weak(theme, word));
    ui.add(Label::new(mono(value)).selectable(true).wrap());
    ui.end_row();
}

fn place(rank: &Rank, at: SliceRef) -> String {
    if let Some((device, stream)) = rank.stream_of(at.slice) {
        let name = stream
            .name
            .as_deref()
            .map(|n| format!(" ({n})"))
            .unwrap_or_default();
        return format!(
            "rank {}, GPU {}, stream {}{name}",
            rank.id.0, device.id.0, stream.id.0
        );
    }
    match rank.thread_of(at.slice) {
        Some(thread) => {
            let name = thread
                .name
                .as_deref()
                .map(|n| format!(" ({n})"))
                .unwrap_or_default();
            format!(
                "rank {}, process {}, thread {}{name}",
                rank.id.0, thread.pid, thread.tid
            )
        }
        None => format!("rank {}", rank.id.0),
    }
}

fn args(ui: &mut Ui, session: &Session, theme: &Theme) {
    match &session.details {
        Details::None => {}
        Details::Reading(_) => {
            ui.horizontal(|ui| {
                ui.add(Spinner::new().size(14.0));
                ui.label(weak(theme, "reading the event's args"));
            });
        }
        Details::Failed(_, sentence) => {
            ui.add(
                Label::new(RichText::new(sentence).color(theme.error))
                    .wrap()
                    .selectable(true),
            );
        }
        Details::Ready(_, Words { text, rule }) => {
            Grid::new("args")
                .num_columns(2)
                .spacing([GAP, 3.0])
                .min_col_width(120.0)
                .show(ui, |ui| {
                    if let Some(rule) = rule {
                        fact(ui, theme, "class decided by", rule.clone());
                    }
                    if !text.category.is_empty() {
                        fact(ui, theme, "category", text.category.clone());
                    }
                    for (key, value) in &text.args {
                        fact(ui, theme, key, value.clone());
                    }
                });
            if text.args.is_empty() {
                ui.label(weak(theme, "The event has no args."));
            }
        }
    }
}
