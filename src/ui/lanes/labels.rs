//! Names on slices, laid out once per name and width.

use super::Frame;
use crate::timeline::draw::SliceQuad;
use crate::trace::NameId;
use egui::text::{LayoutJob, TextWrapping};
use egui::{Color32, FontFamily, FontId, Galley, Painter, Rect, pos2};
use std::collections::HashMap;
use std::sync::Arc;

/// Narrower slices have no name: three or four letters must fit.
pub(super) const LEAST_PX: f32 = 40.0;
/// More names than this in one frame cost more than they tell.
pub(super) const MOST: usize = 2_000;
/// Widths are rounded down to a multiple of this, so that zooming does not lay out every frame.
const BUCKET_PX: f32 = 8.0;
/// How many layouts are kept.
const KEPT: usize = 8_192;
const FONT_PX: f32 = 10.5;
const AIR_PX: f32 = 4.0;

/// Layouts by name and width.
#[derive(Default)]
pub(super) struct Labels {
    generation: u64,
    pixels_per_point: f32,
    galleys: HashMap<(NameId, u16, bool), Arc<Galley>>,
}

impl Labels {
    /// Forgets everything when names or fonts may have changed.
    pub(super) fn keep_for(&mut self, generation: u64, pixels_per_point: f32) {
        let same = self.generation == generation
            && self.pixels_per_point.to_bits() == pixels_per_point.to_bits();
        if !same || self.galleys.len() > KEPT {
            self.galleys.clear();
            (self.generation, self.pixels_per_point) = (generation, pixels_per_point);
        }
    }

    /// Writes a slice's name into its visible part.
    pub(super) fn draw(
        &mut self,
        painter: &Painter,
        frame: &Frame<'_>,
        slice: &SliceQuad,
        cell: Rect,
    ) {
        let shown = cell
            .intersect(frame.tracks)
            .shrink2(egui::vec2(AIR_PX, 0.0));
        if shown.width() < LEAST_PX - 2.0 * AIR_PX || cell.height() < FONT_PX {
            return;
        }
        let room = (shown.width() / BUCKET_PX).floor().min(255.0);
        let is_gpu = slice.class.is_some();
        let galley = self
            .galleys
            .entry((slice.name, bucket(room), is_gpu))
            .or_insert_with(|| {
                let name = frame.trace.names.get(slice.name);
                let text = if is_gpu { short_name(name) } else { name };
                painter.layout_job(elided(
                    text,
                    FONT_PX,
                    Color32::PLACEHOLDER,
                    room * BUCKET_PX,
                ))
            });
        let y = cell.center().y - galley.size().y / 2.0;
        painter.galley(
            pos2(shown.left(), y.round()),
            Arc::clone(galley),
            frame.theme.text_on_slice,
        );
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 to 255"
)]
fn bucket(room: f32) -> u16 {
    room as u16
}

/// One line that ends in `…` where it does not fit.
pub(in crate::ui) fn elided(text: &str, size: f32, color: Color32, width: f32) -> LayoutJob {
    let font = FontId::new(size, FontFamily::Proportional);
    let mut job = LayoutJob::simple_singleline(text.to_owned(), font, color);
    job.wrap = TextWrapping::truncate_at_width(width);
    job
}

/// The part of a kernel's name that tells it apart: no return type, no namespaces, no template
/// arguments, no parameters.
pub(in crate::ui) fn short_name(name: &str) -> &str {
    let rest = name.strip_prefix("void ").unwrap_or(name);
    let end = rest
        .char_indices()
        .find(|&(i, c)| {
            (c == '<' || c == '(')
                && i > 0
                && !rest.get(i..).is_some_and(|r| r.starts_with("(anonymous"))
        })
        .map_or(rest.len(), |(i, _)| i);
    let base = rest.get(..end).unwrap_or(rest);
    let last = base.rsplit("::").next().unwrap_or(base).trim();
    if last.is_empty() { name } else { last }
}

#[cfg(test)]
mod tests {
    use super::short_name;

    #[test]
    fn kernel_names_are_cut_to_what_tells_them_apart() {
        for (name, short) in [
            (
                "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int, float)",
                "vectorized_elementwise_kernel",
            ),
            (
                "void at::native::(anonymous namespace)::softmax<float>(float*)",
                "softmax",
            ),
            (
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)",
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
            ),
            ("Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD"),
            ("<lambda>", "<lambda>"),
            ("", ""),
        ] {
            assert_eq!(short_name(name), short, "{name}");
        }
    }
}
