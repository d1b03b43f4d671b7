//! The status bar: what is loaded, and how healthy it is.

use super::compare;
use super::controls::{counted, mono, size};
use super::icon::Icon;
use super::plain;
use super::theme::{STATUS_BAR, Theme};
use crate::metrics::{LeftOutPart, left_out_parts, moved_details, moved_phrases};
use crate::session::{Action, Overlay, Session, TraceSide};
use crate::trace::{Severity, Trace};
use egui::{
    Align, FontId, Frame, Layout, Margin, Panel, Rect, RichText, Role, Sense, Ui, WidgetInfo, pos2,
    vec2,
};
use std::collections::BTreeSet;

/// More ranks than this are not told of one by one.
const MOST_DETAILS: usize = 12;

/// Shows the bar.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let frame = Frame::NONE.inner_margin(Margin::symmetric(10, 0));
    Panel::bottom("status bar")
        .exact_size(STATUS_BAR)
        .resizable(false)
        .frame(frame)
        .show(ui, |ui| {
            plain::fill(ui.painter(), ui.clip_rect(), theme.panel);
            ui.horizontal_centered(|ui| {
                ui.spacing_mut().item_spacing.x = 18.0;
                let Some(trace) = &session.trace else {
                    ui.label(
                        mono(concat!("overlane ", env!("CARGO_PKG_VERSION")))
                            .color(theme.text_weak)
                            .small(),
                    );
                    return;
                };
                let other = session.other();
                let Some((other, of_other)) = other.and_then(|o| Some((o, o.trace.as_ref()?)))
                else {
                    facts(ui, session, trace, theme);
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        badge(ui, trace, None, theme, out);
                        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                            not_as_recorded(ui, trace, theme);
                        });
                    });
                    return;
                };
                side(ui, session, trace, TraceSide::A, theme, out);
                compare::of_other(out, |out| {
                    side(ui, other, of_other, TraceSide::B, theme, out);
                });
            });
        });
}

/// One of two traces: what fits beside the other one.
fn side(
    ui: &mut Ui,
    session: &Session,
    trace: &Trace,
    side: TraceSide,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    ui.spacing_mut().item_spacing.x = 8.0;
    compare::badge(ui, theme, side);
    let events = counted(trace.events, "event", "events");
    let bytes = u64::try_from(trace.heap_bytes()).unwrap_or(u64::MAX);
    let took = session.load_time.map_or_else(String::new, |took| {
        format!(", loaded in {:.2} s", took.as_secs_f64())
    });
    ui.label(mono(events).small().color(theme.text_weak))
        .on_hover_text(format!("{} in memory{took}", size(bytes)));
    badge(ui, trace, Some(side), theme, out);
    not_as_recorded(ui, trace, theme);
    ui.add_space(14.0);
}

fn facts(ui: &mut Ui, session: &Session, trace: &Trace, theme: &Theme) {
    let files = u64::try_from(trace.files.len()).unwrap_or(u64::MAX);
    let ranks = u64::try_from(trace.ranks.len()).unwrap_or(u64::MAX);
    let bytes = u64::try_from(trace.heap_bytes()).unwrap_or(u64::MAX);
    let on_disk: u64 = trace.files.iter().map(|f| f.bytes).sum();
    let mut facts = vec![
        (
            counted(trace.events, "event", "events"),
            "Events read, metadata included".to_owned(),
        ),
        (
            format!(
                "{}, {}",
                counted(files, "file", "files"),
                counted(ranks, "rank", "ranks")
            ),
            format!("{} on disk", size(on_disk)),
        ),
    ];
    if let Some(took) = session.load_time {
        facts.push((
            format!("loaded in {:.2} s", took.as_secs_f64()),
            "Reading and indexing".to_owned(),
        ));
    }
    facts.push((
        format!("{} in memory", size(bytes)),
        "Memory that the loaded trace takes".to_owned(),
    ));
    for (text, hover) in facts {
        ui.label(mono(text).small().color(theme.text_weak))
            .on_hover_text(hover);
    }
}

/// What is not in the trace by choice, and which ranks were moved: nobody must take a part for the
/// whole, or times for those of the files.
fn not_as_recorded(ui: &mut Ui, trace: &Trace, theme: &Theme) {
    let parts = left_out_parts(trace);
    let sentences: Vec<String> = parts.iter().map(LeftOutPart::sentence).collect();
    let moved = moved_phrases(trace);
    let mut texts = Vec::new();
    if !sentences.is_empty() {
        texts.push(format!("Partial: {}", sentences.join(" · ")));
    }
    if !moved.is_empty() {
        texts.push(format!("Clocks: {}", moved.join(" · ")));
    }
    if texts.is_empty() {
        return;
    }
    let text = RichText::new(texts.join("   "));
    let details = moved_details(trace);
    let more = details.len().saturating_sub(MOST_DETAILS);
    let hover = sentences.iter().map(String::as_str);
    let mut hover: Vec<&str> = hover
        .chain(details.into_iter().take(MOST_DETAILS))
        .collect();
    if more > 0 {
        hover.push("and more; see the health list");
    }
    ui.add(egui::Label::new(text.small().color(theme.accent)).truncate())
        .on_hover_text(hover.join("\n"));
}

/// How many issues of the worst severity there are; opens the list.
fn badge(
    ui: &mut Ui,
    trace: &Trace,
    side: Option<TraceSide>,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    let worst = trace.health.worst();
    let issues = trace.health.issues();
    let of_worst = || issues.iter().filter(|i| Some(i.kind.severity()) == worst);
    let n: u64 = of_worst().map(|i| i.count).sum();
    let (icon, text) = match worst {
        None => (Icon::Check, "healthy".to_owned()),
        // What is harmless is told by its kinds: a million events out of order are one note.
        Some(Severity::Info) => {
            let kinds: BTreeSet<_> = of_worst().map(|i| i.kind.name()).collect();
            let kinds = u64::try_from(kinds.len()).unwrap_or(u64::MAX);
            (Icon::Info, counted(kinds, "note", "notes"))
        }
        Some(Severity::ByChoice) => (Icon::Info, "partial by choice".to_owned()),
        Some(severity) => (
            Icon::Warning,
            format!("{} {}", super::controls::count(n), severity.label()),
        ),
    };
    let color = theme.severity_color(worst);
    let font = FontId::proportional(11.5);
    let galley = ui.painter().layout_no_wrap(text.clone(), font, color);
    let (rect, response) =
        ui.allocate_exact_size(vec2(galley.size().x + 30.0, 20.0), Sense::click());
    let name = match side {
        Some(side) => format!("Health of {}: {text}", side.label()),
        None => format!("Health: {text}"),
    };
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    if response.hovered() || response.has_focus() {
        ui.painter().rect_filled(rect, 4.0, theme.hovered);
    }
    let place = Rect::from_center_size(pos2(rect.left() + 12.0, rect.center().y), vec2(12.0, 12.0));
    icon.paint(ui.painter(), place, color);
    let y = rect.center().y - galley.size().y / 2.0;
    ui.painter()
        .galley(pos2(rect.left() + 22.0, y), galley, color);
    let hover = "What was repaired, left out or found odd in these files; click for the list";
    if response.on_hover_text(hover).clicked() {
        out.push(Action::ToggleOverlay {
            overlay: Overlay::Health,
        });
    }
}
