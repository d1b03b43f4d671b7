//! The history of the allocator: reserved and allocated bytes over time, with what is older than the
//! recording, marks of the program and the times that memory ran out. A click looks at a moment, a drag
//! brushes a window.

mod curves;
mod input;

use super::super::controls::weak;
use super::super::theme::Theme;
use super::words::{mib, mib_signed};
use super::{moment_words, site_lines};
use crate::session::{Action, Recorded, Session, SnapshotAction};
use crate::snapshot::{Annotation, Clock, Oom};
use crate::time::{Ns, Window};
use crate::timeline::{View, ruler};
use egui::{
    Align2, FontId, Label, Pos2, Rangef, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2,
    vec2,
};

/// Height of the ticks of time.
const TICKS: f32 = 18.0;
/// Width of the labels of bytes.
const LABELS: f32 = 74.0;
/// How near the pointer must be to a mark.
const NEAR: f32 = 5.0;

/// What the plot is drawn from.
struct Plot<'a> {
    session: &'a Session,
    theme: &'a Theme,
    recorded: &'a Recorded,
    annotations: Vec<(&'a Annotation, Ns)>,
    view: View,
    /// Where curves are drawn.
    area: Rect,
    /// The bytes at the top.
    top: i64,
}

impl Plot<'_> {
    #[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
    fn x(&self, at: Ns) -> f32 {
        let x = self.view.x_of(at);
        self.area.left() + x.clamp(-1e4, 1e5) as f32
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "a place on the screen"
    )]
    fn y(&self, bytes: i64) -> f32 {
        let share = bytes as f64 / self.top.max(1) as f64;
        self.area.bottom() - (share.clamp(0.0, 1.0) as f32) * self.area.height()
    }

    fn px(&self, at: Pos2) -> f64 {
        f64::from(at.x - self.area.left())
    }

    fn span(&self, window: Window) -> Rangef {
        Rangef::new(self.x(window.start()), self.x(window.end()))
    }
}

/// Shows it.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    height: f32,
    out: &mut Vec<Action>,
) {
    let Some((open, device, recorded)) = session.snapshot.focused() else {
        return;
    };
    if recorded.history.extent.is_none() {
        let words = "No history was recorded; call torch.cuda.memory._record_memory_history() before the job to see bytes over time and who allocated them.";
        ui.add(Label::new(weak(theme, words)).wrap());
        return;
    }
    let (all, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::click_and_drag());
    let name = "History of the allocator";
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, name));
    let mut area = all;
    area.min.x += LABELS;
    area.max.y -= TICKS;
    let width = f64::from(area.width());
    let known = &session.snapshot;
    // An action asks for another frame, so only what is new is told.
    if known.view.is_none() || (known.view_width - width).abs() >= 0.5 {
        out.push(Action::Snapshot(SnapshotAction::Width(width)));
    }
    let Some(view) = session.snapshot.view else {
        return;
    };
    let marks = open.snapshot.annotations.iter();
    let plot = Plot {
        session,
        theme,
        recorded,
        annotations: marks
            .filter(|mark| mark.device == device.id)
            .filter_map(|mark| Some((mark, mark.time?)))
            .collect(),
        view,
        area,
        top: curves::top(recorded, view, width),
    };
    let painter = ui.painter().clone();
    painter.rect_filled(area, 0.0, theme.panel);
    axis(ui, &plot, all);
    let cut = painter.with_clip_rect(area);
    curves::paint(&cut, &plot);
    marks_of(&cut, &plot);
    window(&cut, &plot);
    legend(ui, &plot);
    let dragging = input::handle(ui, &plot, &response, out);
    if !dragging {
        hover(&plot, &cut, response);
    }
}

/// Lines and labels of bytes, and ticks of time.
fn axis(ui: &Ui, plot: &Plot<'_>, all: Rect) {
    let theme = plot.theme;
    let painter = ui.painter();
    let font = FontId::monospace(10.5);
    for bytes in curves::steps(plot.top) {
        let y = plot.y(bytes).round() + 0.5;
        painter.hline(plot.area.x_range(), y, Stroke::new(1.0, theme.line));
        let align = if bytes == 0 {
            Align2::RIGHT_BOTTOM
        } else {
            Align2::RIGHT_CENTER
        };
        let at = pos2(plot.area.left() - 6.0, y);
        painter.text(at, align, mib_signed(bytes), font.clone(), theme.text_weak);
    }
    let origin = plot.recorded.history.extent.map_or(Ns(0), Window::start);
    let is_order = plot
        .session
        .snapshot
        .focused()
        .is_some_and(|(_, device, _)| device.events.clock == Clock::Order);
    if is_order {
        let words = "by the number of the event: the file has no times";
        let at = pos2(plot.area.left(), all.bottom());
        painter.text(at, Align2::LEFT_BOTTOM, words, font, theme.text_weak);
        return;
    }
    let ruler = ruler::ticks(&plot.view, f64::from(plot.area.width()), origin);
    let cut = painter.with_clip_rect(Rect::from_min_max(plot.area.min, all.max));
    for tick in &ruler.ticks {
        let x = (plot.area.left() + tick.x).round() + 0.5;
        let bottom = plot.area.bottom();
        let stroke = Stroke::new(1.0, theme.line_strong);
        cut.vline(x, Rangef::new(bottom, bottom + 4.0), stroke);
        if let Some(label) = &tick.label {
            let at = pos2(x + 3.0, all.bottom());
            let galley = cut.layout_no_wrap(label.clone(), font.clone(), theme.text_weak);
            let place = Align2::LEFT_BOTTOM.anchor_size(at, galley.size());
            // A label is told whole or not at all.
            if place.right() <= all.right() {
                cut.galley(place.min, galley, theme.text_weak);
            }
        }
    }
}

/// Marks of the program, times that memory ran out, and the moment that is looked at.
fn marks_of(painter: &egui::Painter, plot: &Plot<'_>) {
    let (theme, area) = (plot.theme, plot.area);
    for (_, at) in &plot.annotations {
        let x = plot.x(*at).round() + 0.5;
        painter.vline(x, area.y_range(), Stroke::new(1.0, theme.annotation));
    }
    for oom in &plot.recorded.ooms {
        let x = plot.x(oom.time).round() + 0.5;
        painter.vline(x, area.y_range(), Stroke::new(1.5, theme.error));
        let (top, size) = (area.top(), 5.0);
        let points = vec![
            pos2(x - size, top),
            pos2(x + size, top),
            pos2(x, top + 2.0 * size),
        ];
        painter.add(egui::Shape::convex_polygon(
            points,
            theme.error,
            Stroke::NONE,
        ));
    }
    if let Some(at) = plot.session.snapshot.moment {
        let x = plot.x(at).round() + 0.5;
        painter.vline(x, area.y_range(), Stroke::new(2.0, theme.selection));
    }
}

/// The window: what lies outside of it is shaded.
fn window(painter: &egui::Painter, plot: &Plot<'_>) {
    let Some(window) = plot.session.snapshot_window() else {
        return;
    };
    let (theme, area) = (plot.theme, plot.area);
    let span = plot.span(window);
    let (from, to) = (
        span.min.clamp(area.left(), area.right()),
        span.max.clamp(area.left(), area.right()),
    );
    let side =
        |from: f32, to: f32| Rect::from_min_max(pos2(from, area.top()), pos2(to, area.bottom()));
    painter.rect_filled(side(area.left(), from), 0.0, theme.window_shade);
    painter.rect_filled(side(to, area.right()), 0.0, theme.window_shade);
    for x in [span.min, span.max] {
        painter.vline(x, area.y_range(), Stroke::new(1.5, theme.window_edge));
    }
}

/// What the colours mean, at the left top of the curves.
fn legend(ui: &Ui, plot: &Plot<'_>) {
    let theme = plot.theme;
    let painter = ui.painter();
    let font = FontId::proportional(11.5);
    let mut entries = vec![
        ("reserved", theme.reserved, true),
        ("allocated (requested bytes)", theme.allocated, false),
    ];
    if plot.recorded.history.baseline > 0 {
        entries.push(("older than the recording", theme.host, false));
    }
    if !plot.recorded.ooms.is_empty() {
        entries.push(("out of memory", theme.error, false));
    }
    let mut x = plot.area.left() + 10.0;
    let y = plot.area.top() + 12.0;
    for (words, color, is_line) in entries {
        let galley = painter.layout_no_wrap(words.to_owned(), font.clone(), theme.text);
        let ground = Rect::from_min_size(pos2(x - 5.0, y - 9.0), galley.size() + vec2(26.0, 4.0));
        painter.rect_filled(ground, 3.0, theme.panel);
        if is_line {
            painter.hline(x..=x + 10.0, y, Stroke::new(2.0, color));
        } else {
            let square = Rect::from_center_size(pos2(x + 5.0, y), vec2(9.0, 9.0));
            painter.rect_filled(square, 2.0, color);
        }
        let width = galley.size().x;
        painter.galley(
            pos2(x + 15.0, y - galley.size().y / 2.0),
            galley,
            theme.text,
        );
        x += width + 32.0;
    }
}

/// What lies under the pointer.
fn hover(plot: &Plot<'_>, painter: &egui::Painter, response: Response) {
    let Some(at) = response.hover_pos().filter(|at| plot.area.contains(*at)) else {
        return;
    };
    let stroke = Stroke::new(1.0, plot.theme.text_weak);
    painter.vline(at.x.round() + 0.5, plot.area.y_range(), stroke);
    let near = |time: Ns| (plot.x(time) - at.x).abs() <= NEAR;
    let words = if let Some(oom) = plot.recorded.ooms.iter().find(|oom| near(oom.time)) {
        oom_words(plot.session, oom)
    } else {
        let time = plot.view.time_at(plot.px(at));
        let mut lines = vec![moment_words(plot.session, time)];
        lines.extend(value_lines(plot.session, plot.recorded, time));
        let marks = plot.annotations.iter().filter(|(_, at)| near(*at));
        for (mark, at) in marks.take(4) {
            lines.push(mark_words(plot.session, mark, *at));
        }
        lines.join("\n")
    };
    response.on_hover_text_at_pointer(words);
}

/// The values of an instant.
pub(in crate::ui) fn value_lines(session: &Session, recorded: &Recorded, time: Ns) -> Vec<String> {
    let history = &recorded.history;
    let mut lines = Vec::new();
    let mut value = |name: &str, bytes: Option<i64>| {
        if let Some(bytes) = bytes {
            lines.push(format!("{name} {}", mib_signed(bytes)));
        }
    };
    value("reserved", history.reserved.value_at(time));
    value(
        "allocated (requested bytes)",
        history.requested.value_at(time),
    );
    if let Some(kernel) = session.kernel_beside(time) {
        lines.push(format!("kernel: {kernel}"));
    }
    lines.push("click: blocks of this moment".to_owned());
    lines
}

fn mark_words(session: &Session, mark: &Annotation, at: Ns) -> String {
    let texts = |id| {
        let open = session.snapshot.open.as_deref();
        open.map_or("", |open| open.snapshot.texts.get(id))
    };
    format!(
        "{} {} at {}",
        texts(mark.name),
        texts(mark.stage),
        moment_words(session, at)
    )
}

/// Why memory ran out, and what to try.
pub(in crate::ui) fn oom_words(session: &Session, oom: &Oom) -> String {
    let mut lines = vec![
        format!("out of memory at {}", moment_words(session, oom.time)),
        format!(
            "a block of {} was asked for; the driver had {}",
            mib(oom.block),
            mib(oom.device_free)
        ),
        oom.reason.sentence().to_owned(),
    ];
    if let Some((open, ..)) = session.snapshot.focused() {
        let advice = oom.reason.advice(&open.snapshot.settings);
        lines.extend(advice.iter().map(|a| format!("• {a}")));
    }
    lines.extend(site_lines(session, oom.stack, 3));
    lines.join("\n")
}
