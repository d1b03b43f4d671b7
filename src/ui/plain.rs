//! Plain rectangles that cost little where the CPU draws.
//!
//! egui fills with a texel of the texture of its fonts, which is read with smoothing: four texels and
//! three mixtures a pixel. A texture of one texel, read without, gives the same picture.

use super::theme::UNTINTED;
use egui::epaint::{Mesh, WHITE_UV};
use egui::{
    Color32, ColorImage, Context, Frame, Id, Painter, Rect, Shape, TextureHandle, TextureId,
    TextureOptions, Ui, UiBuilder, UiKind, UiStackInfo,
};

/// The texture of one white texel.
pub(super) fn texture(ctx: &Context) -> TextureId {
    let id = Id::unique("plain texture");
    let known: Option<TextureHandle> = ctx.data(|d| d.get_temp(id));
    let texture = known.unwrap_or_else(|| {
        let white = ColorImage::filled([1, 1], UNTINTED);
        let made = ctx.load_texture("plain", white, TextureOptions::NEAREST);
        ctx.data_mut(|d| d.insert_temp(id, made.clone()));
        made
    });
    texture.id()
}

/// Fills a rectangle.
pub(super) fn fill(painter: &Painter, area: Rect, color: Color32) {
    let mut mesh = Mesh::with_texture(texture(painter.ctx()));
    add(&mut mesh, area, color);
    painter.add(Shape::mesh(mesh));
}

/// Fills a panel and draws on it. What fades out at its edges, such as scrolled text, fades to the
/// colour of the panel.
pub(super) fn ground<R>(ui: &mut Ui, color: Color32, contents: impl FnOnce(&mut Ui) -> R) -> R {
    fill(ui.painter(), ui.clip_rect(), color);
    let frame = Frame::NONE.fill(color);
    let told = UiStackInfo::new(UiKind::Frame).with_frame(frame);
    let builder = UiBuilder::new().ui_stack_info(told);
    ui.scope_builder(builder, contents).inner
}

/// Adds a rectangle to a mesh with this texture.
pub(super) fn add(mesh: &mut Mesh, area: Rect, color: Color32) {
    mesh.add_rect_with_uv(area, Rect::from_min_max(WHITE_UV, WHITE_UV), color);
}
