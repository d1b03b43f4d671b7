//! The curves: least and greatest value of every column of pixels, so that no peak is lost.

use super::Plot;
use crate::memory::Curve;
use crate::session::Recorded;
use crate::time::Window;
use crate::timeline::View;
use egui::epaint::Mesh;
use egui::{Color32, Painter, Rect, Shape, Stroke, pos2};

/// The least and the greatest value of a column.
type Column = Option<(i64, i64)>;

/// The bytes at the top of the plot: the most that is on screen, with some air.
pub(super) fn top(recorded: &Recorded, view: View, width: f64) -> i64 {
    let shown = view.visible(width);
    let most = |curve: &Curve| curve.extremes(shown).map_or(0, |e| e.max.bytes);
    let history = &recorded.history;
    let most = most(&history.reserved).max(most(&history.requested)).max(4);
    // Room for the legend.
    most.saturating_add(most / 4)
}

/// Where lines stand: multiples of a power of two, since bytes are told by those; five at most.
pub(super) fn steps(top: i64) -> Vec<i64> {
    let mut step = 1_i64;
    while top / step > 5 {
        step = step.saturating_mul(2);
    }
    (0..=top / step).map(|at| at * step).collect()
}

/// The values of a curve in every column; nothing where it says nothing.
fn columns(curve: &Curve, view: View, width: f64) -> Vec<Column> {
    let Some(extent) = curve.extent() else {
        return Vec::new();
    };
    (0..View::columns(width))
        .map(|column| {
            let column = view.column(column);
            if column.end() <= extent.start() || column.start() > extent.end() {
                return None;
            }
            // Below a nanosecond a column may be empty: it shows the value of its instant.
            let window = if column.is_empty() {
                Window::new(column.start(), column.start() + crate::time::DurNs(1))
            } else {
                column
            };
            let found = curve.extremes(window)?;
            Some((found.min.bytes, found.max.bytes))
        })
        .collect()
}

/// Draws baseline, allocated and reserved.
pub(super) fn paint(painter: &Painter, plot: &Plot<'_>) {
    let width = f64::from(plot.area.width());
    let (theme, history) = (plot.theme, &plot.recorded.history);
    let allocated = columns(&history.requested, plot.view, width);
    let strong = theme.allocated;
    fill(painter, plot, &allocated, strong, theme.dimmed(strong));
    if history.baseline > 0 {
        let base = i64::try_from(history.baseline).unwrap_or(i64::MAX);
        // No more than is allocated: what is older may be freed in the recording.
        let old: Vec<Column> = allocated
            .iter()
            .map(|c| c.map(|(min, _)| (min.min(base), min.min(base))))
            .collect();
        fill(
            painter,
            plot,
            &old,
            theme.blended(theme.host, 0.8),
            theme.host,
        );
    }
    outline(painter, plot, &columns(&history.reserved, plot.view, width));
}

/// Fills each column up to its least value strongly, and on to its greatest lightly.
fn fill(painter: &Painter, plot: &Plot<'_>, columns: &[Column], strong: Color32, light: Color32) {
    let mut mesh = Mesh::with_texture(super::super::super::plain::texture(painter.ctx()));
    let bottom = plot.area.bottom();
    let mut x = plot.area.left();
    for column in columns {
        if let Some((min, max)) = column {
            let (low, high) = (plot.y(*min), plot.y(*max));
            let bar = |from: f32, to: f32| Rect::from_min_max(pos2(x, from), pos2(x + 1.0, to));
            super::super::super::plain::add(&mut mesh, bar(low, bottom), strong);
            if high < low {
                super::super::super::plain::add(&mut mesh, bar(high, low), light);
            }
        }
        x += 1.0;
    }
    painter.add(Shape::mesh(mesh));
}

/// A line through the greatest values, down to the least one of each column.
fn outline(painter: &Painter, plot: &Plot<'_>, columns: &[Column]) {
    let stroke = Stroke::new(1.5, plot.theme.reserved);
    let mut points = Vec::new();
    let mut x = plot.area.left();
    for column in columns {
        if let Some((min, max)) = column {
            points.push(pos2(x, plot.y(*max)));
            if min < max {
                points.push(pos2(x, plot.y(*min)));
            }
            points.push(pos2(x + 1.0, plot.y(if min < max { *min } else { *max })));
        } else if points.len() > 1 {
            painter.add(Shape::line(std::mem::take(&mut points), stroke));
        }
        x += 1.0;
    }
    if points.len() > 1 {
        painter.add(Shape::line(points, stroke));
    }
}
