//! Saving a part of the window as a PNG: the next frame is read back, cut, and written where the user
//! says.

use super::App;
use crate::export;
use crate::session::{Arrival, PickOutcome, PictureArea};
use eframe::icon_data::IconDataExt as _;
use egui::{ColorImage, Context, IconData, Rect, Vec2, pos2};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

/// How long the frame may take, which is read back while the dialog is open.
const PATIENCE: Duration = Duration::from_secs(10);

impl App {
    /// Asks where to, and writes what this frame shows in an area.
    pub(super) fn save_picture(&self, ctx: &Context, area: PictureArea, suggested: &str) {
        let (send, receive) = channel::<Arc<ColorImage>>();
        // Nobody waits for it any more where the dialog was closed.
        ctx.request_screenshot(move |image| drop(send.send(image)));
        let pixels_per_point = ctx.pixels_per_point();
        let inputs = self.session.inputs();
        let dialog = self.picker.save(suggested, self.folder().as_deref());
        self.workers.await_dialog(dialog, move |outcome| {
            let path = match outcome {
                PickOutcome::Chosen(paths) => paths.into_iter().next(),
                PickOutcome::Dismissed => None,
                PickOutcome::Unavailable => {
                    let text = "the system has no dialog to save with; nothing was written";
                    return Arrival::Notice(text.to_owned());
                }
            };
            let Some(path) = path else {
                return Arrival::Notice("the picture was not saved".to_owned());
            };
            let image = receive.recv_timeout(PATIENCE).ok();
            let png = image.map_or_else(
                || Err("the window could not be read back".to_owned()),
                |image| png(&image, area, pixels_per_point),
            );
            let error = png.and_then(|png| write(&path, &png, &inputs)).err();
            Arrival::Written { path, error }
        });
    }
}

fn write(path: &Path, png: &[u8], inputs: &[PathBuf]) -> Result<(), String> {
    export::write_output(path, png, inputs).map_err(|e| e.to_string())
}

/// The part of an image as a PNG.
fn png(image: &ColorImage, area: PictureArea, pixels_per_point: f32) -> Result<Vec<u8>, String> {
    let [left, top, right, bottom] = area.edges().map(f32::from);
    let area = Rect::from_min_max(pos2(left, top), pos2(right, bottom));
    #[expect(clippy::cast_precision_loss, reason = "the size of a window")]
    let [width, height] = image.size.map(|n| n as f32);
    let whole = Vec2::new(width, height) / pixels_per_point.max(f32::MIN_POSITIVE);
    let area = area.intersect(Rect::from_min_size(pos2(0.0, 0.0), whole));
    if !area.is_positive() {
        return Err("what is to be saved is not on the screen".to_owned());
    }
    let part = image.region(&area, Some(pixels_per_point));
    let [width, height] = part.size.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    let picture = IconData {
        rgba: part.as_raw().to_vec(),
        width,
        height,
    };
    picture.to_png_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_window_becomes_a_picture_of_its_size() {
        let image = ColorImage::filled([40, 20], crate::ui::theme::UNTINTED);
        let size = |area, scale| {
            let png = png(&image, area, scale)?;
            let read = eframe::icon_data::from_png_bytes(&png).map_err(|e| e.to_string())?;
            Ok::<_, String>((read.width, read.height))
        };
        assert_eq!(size(PictureArea::new(2, 3, 12, 8), 1.0), Ok((10, 5)));
        assert_eq!(size(PictureArea::new(2, 3, 12, 8), 2.0), Ok((20, 10)));
        // What lies outside of the window is not in the picture.
        assert_eq!(size(PictureArea::new(30, 10, 90, 90), 1.0), Ok((10, 10)));
        assert!(size(PictureArea::new(50, 50, 90, 90), 1.0).is_err());
    }
}
