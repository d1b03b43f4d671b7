//! Allocated and reserved memory over the window, the peak marked.

use super::super::picture::Picture;
use crate::metrics::{MemoryRow, ProfilePiece, memory_profile};
use crate::session::Action;
use crate::time::{DurNs, Ns, Window};
use crate::trace::MemoryTrack;
use crate::ui::controls::byte_size;
use crate::ui::theme::Theme;
use egui::{Role, Ui, WidgetInfo};
use egui_plot::{AxisHints, HoverPosition, Line, MarkerShape, Plot, PlotPoints, PlotUi, Points};

const HEIGHT: f32 = 130.0;
/// More cannot be told apart at the width of the panel.
const PIECES: u32 = 360;

/// Draws the chart.
pub(super) fn ui(
    ui: &mut Ui,
    theme: &Theme,
    track: &MemoryTrack,
    (window, origin): (Window, Ns),
    row: &MemoryRow,
    out: &mut Vec<Action>,
) {
    let pieces = memory_profile(track, window, PIECES);
    let name = format!("Memory of {}", track.place.label());
    let picture = Picture {
        words: "MiB over ms since the start of the trace: filled allocated, the line reserved, the diamond the peak",
        name: "memory",
        stem: "overlane-memory",
    };
    let font = egui::FontId::monospace(10.5);
    let hints = |axis: AxisHints<'static>| {
        axis.tick_label_font(font.clone())
            .tick_label_color(theme.text_weak)
            .label_spacing(egui::Rangef::new(2.0, 6.0))
    };
    let plot = Plot::new("memory of the window")
        .height(HEIGHT)
        .show_background(false)
        .grid_color(theme.line)
        .include_y(0.0)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_x(false)
        .show_y(false)
        .custom_x_axes(vec![
            hints(AxisHints::new_x()).formatter(|mark, _| format!("{}", mark.value)),
        ])
        .custom_y_axes(vec![
            hints(AxisHints::new_y()).formatter(|mark, _| format!("{}", mark.value)),
        ])
        .label_formatter(|near| match near {
            HoverPosition::NearDataPoint {
                plot_name,
                position,
                ..
            } => Some(format!(
                "{plot_name}\n{:.3} ms\n{:.2} MiB",
                position.x, position.y
            )),
            HoverPosition::Elsewhere { .. } => None,
        });
    let peak = row.figures.as_ref().map(|f| (f.peak_at, f.peak));
    let draw = |plot: &mut PlotUi<'_>| {
        let allocated = line(&pieces, (window, origin), |p| Some(p.allocated));
        plot.line(
            Line::new("allocated", PlotPoints::new(allocated))
                .color(theme.allocated)
                .fill(0.0)
                .width(1.5),
        );
        let reserved = line(&pieces, (window, origin), |p| p.reserved);
        plot.line(
            Line::new("reserved", PlotPoints::new(reserved))
                .color(theme.reserved)
                .width(1.5),
        );
        if let Some((at, bytes)) = peak {
            let place = [milliseconds(at - origin), mebibytes(bytes)];
            plot.points(
                Points::new("peak", vec![place])
                    .color(theme.text)
                    .shape(MarkerShape::Diamond)
                    .radius(5.0),
            );
        }
    };
    let response = picture.show(ui, theme, out, |ui| plot.show(ui, draw));
    response.response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::Image, true, &name);
        info.current_text_value = peak.map(|p| format!("peak {}", byte_size(p.1.into())));
        info
    });
}

/// Up and down in each piece, so that both its least and its most are seen.
fn line(
    pieces: &[ProfilePiece],
    (window, origin): (Window, Ns),
    range: impl Fn(&ProfilePiece) -> Option<(i64, i64)>,
) -> Vec<[f64; 2]> {
    let mut points = Vec::with_capacity(2 * pieces.len() + 1);
    for piece in pieces {
        let Some((least, most)) = range(piece) else {
            continue;
        };
        let x = milliseconds(piece.at - origin);
        points.push([x, mebibytes(least)]);
        if most > least {
            points.push([x, mebibytes(most)]);
        }
    }
    if let Some([_, last]) = points.last().copied() {
        points.push([milliseconds(window.end() - origin), last]);
    }
    points
}

#[expect(clippy::cast_precision_loss, reason = "a place in a chart")]
fn milliseconds(time: DurNs) -> f64 {
    time.0 as f64 / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "a height in pixels")]
fn mebibytes(bytes: i64) -> f64 {
    bytes as f64 / 1_048_576.0
}
