//! A stacked bar: parts of a whole side by side, each with a name and a share on hover.

use super::super::theme::Theme;
use crate::metrics::Ratio;
use crate::time::DurNs;
use egui::{Color32, CornerRadius, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

/// One part of a bar.
pub(super) struct Part {
    pub name: &'static str,
    pub color: Color32,
    pub time: DurNs,
}

/// Draws the bar. A whole of zero shows an empty one.
pub(super) fn ui(ui: &mut Ui, theme: &Theme, name: &str, whole: DurNs, parts: &[Part]) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 16.0), Sense::hover());
    let words: Vec<String> = parts
        .iter()
        .filter_map(|p| {
            Some(format!(
                "{} {} %",
                p.name,
                Ratio::new(p.time, whole)?.percent4()
            ))
        })
        .collect();
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::Image, true, name);
        info.current_text_value = Some(words.join(", "));
        info
    });
    ui.painter()
        .rect_filled(rect, CornerRadius::same(3), theme.raised);
    let mut x = rect.left();
    let pointer = response.hover_pos();
    let mut under = None;
    for part in parts {
        let width = rect.width() * share(part.time, whole);
        let place = Rect::from_min_max(
            pos2(x, rect.top()),
            pos2((x + width).min(rect.right()), rect.bottom()),
        );
        if width > 0.0 {
            // A sliver of a part that is there must be seen.
            let drawn = place.with_max_x(place.right().max(place.left() + 1.0));
            ui.painter()
                .rect_filled(drawn, CornerRadius::ZERO, part.color);
        }
        if pointer.is_some_and(|p| p.x >= place.left() && p.x < place.right()) {
            under = Some(part);
        }
        x += width;
    }
    if let Some(part) = under {
        let percent = Ratio::new(part.time, whole)
            .map(Ratio::percent4)
            .unwrap_or_default();
        response.on_hover_text(format!(
            "{}: {} µs, {percent} %",
            part.name,
            part.time.us3()
        ));
    }
    ui.add_space(3.0);
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a bar of a few hundred pixels"
)]
fn share(part: DurNs, whole: DurNs) -> f32 {
    if whole.0 <= 0 {
        0.0
    } else {
        (part.0 as f64 / whole.0 as f64) as f32
    }
}
