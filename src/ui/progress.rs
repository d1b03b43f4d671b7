//! How far a load is, with a button to stop it.

use super::controls::{Weight, count, counted, mono, size, text_button, weak};
use super::icon::Icon;
use super::theme::{GAP, Theme};
use crate::ingest::{Phase, Progress, Speed};
use crate::session::{Action, CompareAction, Load, Session, SnapshotAction, file_name};
use egui::{
    Align, Align2, Area, Frame, Id, Layout, Margin, Order, Role, Sense, Stroke, Ui, WidgetInfo,
    vec2,
};

/// Width of the card.
const WIDTH: f32 = 420.0;

/// Shows the card over everything while a load runs. The screen below stays usable.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let of_other = || session.compare.as_ref()?.other.load.as_ref();
    let (load, cancel) = match (&session.load, of_other()) {
        (Some(load), _) => (load, Action::CancelLoad),
        (None, Some(load)) => (load, Action::Compare(CompareAction::CancelLoad)),
        (None, None) => match &session.snapshot.load {
            Some(load) => (load, Action::Snapshot(SnapshotAction::CancelLoad)),
            None => return,
        },
    };
    let (anchor, offset) = if session.trace.is_some() || session.snapshot.open.is_some() {
        (Align2::CENTER_BOTTOM, vec2(0.0, -40.0))
    } else {
        (Align2::CENTER_CENTER, vec2(0.0, 0.0))
    };
    Area::new(Id::unique("loading"))
        .order(Order::Foreground)
        .anchor(anchor, offset)
        .show(ui.ctx(), |ui| {
            Frame::NONE
                .fill(theme.panel)
                .stroke(Stroke::new(1.0, theme.line_strong))
                .corner_radius(8.0)
                .inner_margin(Margin::symmetric(18, 14))
                .shadow(ui.visuals().window_shadow)
                .show(ui, |ui| {
                    ui.set_width(WIDTH);
                    card(ui, load, theme, cancel, out);
                });
        });
}

fn card(ui: &mut Ui, load: &Load, theme: &Theme, cancel: Action, out: &mut Vec<Action>) {
    let name = match load.paths.as_slice() {
        [] => String::new(),
        [one] => file_name(one),
        [first, rest @ ..] => format!("{} and {} more", file_name(first), rest.len()),
    };
    let title = match cancel {
        Action::Compare(_) => format!("Loading {name} to compare with"),
        _ => format!("Loading {name}"),
    };
    ui.horizontal(|ui| {
        ui.add(egui::Label::new(egui::RichText::new(title).strong()).truncate());
    });
    if !load.options.is_whole() {
        let words = load.options.words().join(", ");
        ui.add(egui::Label::new(weak(theme, words).small()).truncate());
    }
    ui.add_space(GAP / 2.0);
    let progress = load.progress.clone().unwrap_or_default();
    bar(ui, theme, share(&progress));
    ui.add_space(2.0);
    ui.horizontal(|ui| {
        ui.label(weak(theme, progress.phase().label()));
        ui.label(mono(numbers(&progress)).color(theme.text_weak).small());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if text_button(ui, theme, Some(Icon::Cross), "Cancel", Weight::Normal).clicked() {
                out.push(cancel);
            }
        });
    });
    let speed = progress.speed().map(|s| speed_words(&s));
    ui.label(
        mono(speed.unwrap_or_default())
            .color(theme.text_weak)
            .small(),
    );
}

/// The part that is done; `None` while the total is not known.
#[expect(clippy::cast_precision_loss, reason = "a bar of a few hundred pixels")]
fn share(progress: &Progress) -> Option<f32> {
    let total = progress.total_bytes();
    match progress.phase() {
        Phase::Surveying | Phase::Reading if total > 0 => {
            Some((progress.done_bytes() as f32 / total as f32).clamp(0.0, 1.0))
        }
        Phase::Listing | Phase::Surveying | Phase::Reading => None,
        Phase::Indexing | Phase::Done => Some(1.0),
    }
}

fn numbers(progress: &Progress) -> String {
    let mut parts = Vec::new();
    if progress.total_bytes() > 0 {
        parts.push(format!(
            "{} of {}",
            size(progress.done_bytes()),
            size(progress.total_bytes())
        ));
    }
    if progress.events() > 0 {
        parts.push(counted(progress.events(), "event", "events"));
    }
    parts.join(" · ")
}

/// `812.3 MB/s · 2 400 000 events/s · about 3 s left`
fn speed_words(speed: &Speed) -> String {
    let mut parts = vec![
        format!("{}/s", size(speed.text_bytes)),
        // The last digits would only flicker.
        format!("{} events/s", count(speed.events / 10_000 * 10_000)),
    ];
    if let Some(left) = speed.left_words() {
        parts.push(format!("about {left}"));
    }
    parts.join(" · ")
}

fn bar(ui: &mut Ui, theme: &Theme, share: Option<f32>) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 6.0), Sense::hover());
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::ProgressIndicator, true, "Loading");
        info.value = share.map(|s| f64::from(s) * 100.0);
        info
    });
    let painter = ui.painter();
    painter.rect_filled(rect, 3.0, theme.raised);
    let mut filled = rect;
    filled.set_width(rect.width() * share.unwrap_or(0.04));
    painter.rect_filled(filled, 3.0, theme.accent);
}
