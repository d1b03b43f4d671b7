//! The map of ranks by steps: a line for each device, a column for each step, the colour a figure.
//!
//! The colours are one small texture, a texel a step, kept while nothing of it changes: a hundred
//! ranks of a thousand steps are one rectangle in each frame.

use super::super::super::controls::{mono, weak};
use super::super::super::plain;
use super::super::super::theme::{Theme, UNTINTED};
use crate::metrics::report::{self, Cell, Table};
use crate::metrics::{GridFigure, StepCell, StepGrid};
use crate::session::{Action, Session, StepGridKey, ThemeChoice};
use egui::{
    Align2, Color32, ColorImage, FontId, Pos2, Rect, Response, Role, Sense, Stroke, StrokeKind,
    TextureHandle, TextureOptions, Ui, WidgetInfo, pos2, vec2,
};

/// Room for the numbers of the ranks.
const GUTTER: f32 = 44.0;
/// Least and most width of a step, and height of a line.
const WIDTHS: (f32, f32) = (3.0, 26.0);
const HEIGHTS: (f32, f32) = (4.0, 14.0);
/// Height that lines share before they scroll.
const HEIGHT: f32 = 220.0;
/// Distance between two numbers; of lower lines only every few have one.
const NUMBER: f32 = 10.0;
/// Parts of the legend's bar.
const SHADES: u8 = 32;

/// What a picture of the map follows from.
#[derive(Clone, Copy, PartialEq)]
struct Key {
    of: StepGridKey,
    figure: GridFigure,
    theme: ThemeChoice,
}

/// The map as a texture, and the ends of its scale.
#[derive(Clone)]
struct Picture {
    key: Key,
    texture: TextureHandle,
    ends: Option<(Cell, Cell)>,
}

/// Where the cells are on screen.
struct Place {
    cells: Rect,
    size: egui::Vec2,
}

/// Shows the map, its legend and the choice of the figure.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    choice(ui, session, out);
    let Some((of, grid)) = session.shown_step_grid() else {
        ui.label(weak(theme, "Measuring the steps…").small());
        return;
    };
    if grid.labels.is_empty() {
        ui.label(weak(theme, "No steps in these ranks").small());
        return;
    }
    let picture = picture(
        ui,
        Key {
            of,
            figure: session.ranks.figure,
            theme: theme.choice,
        },
        grid,
        theme,
    );
    legend(ui, theme, &picture);
    for (shown, left_out, what) in [
        (grid.labels.len(), grid.left_out, "steps"),
        (grid.devices.len(), grid.devices_left_out, "devices"),
    ] {
        if left_out > 0 {
            let words = format!("The first {shown} of {} {what}", shown + left_out);
            ui.label(weak(theme, words).small());
        }
    }
    egui::ScrollArea::both()
        .id_salt("map of ranks by steps")
        .max_height(HEIGHT + 12.0)
        .auto_shrink([true, true])
        .show(ui, |ui| cells(ui, session, grid, &picture, theme, out));
}

/// Which figure the map shows.
fn choice(ui: &mut Ui, session: &Session, out: &mut Vec<Action>) {
    let columns = report::columns(Table::Steps);
    ui.horizontal_wrapped(|ui| {
        for figure in GridFigure::ALL {
            let chosen = session.ranks.figure == figure;
            let column = columns.iter().find(|c| c.head.name == figure.column());
            let hover = column.map_or("", |c| c.head.definition);
            let response = ui.selectable_label(chosen, figure.label());
            if response.on_hover_text(hover).clicked() && !chosen {
                out.push(Action::MapSteps { figure });
            }
        }
    });
}

/// The picture of a key: that of the frame before, or made anew.
fn picture(ui: &Ui, key: Key, grid: &StepGrid, theme: &Theme) -> Picture {
    let id = egui::Id::unique("map of ranks by steps");
    let last = ui.ctx().data(|d| d.get_temp::<Picture>(id));
    if let Some(picture) = last.filter(|p| p.key == key) {
        return picture;
    }
    let ends = grid.ends(key.figure);
    let image = image(grid, key.figure, ends.as_ref(), theme);
    let options = TextureOptions::NEAREST;
    let picture = Picture {
        key,
        texture: ui.ctx().load_texture("ranks by steps", image, options),
        ends,
    };
    ui.ctx().data_mut(|d| d.insert_temp(id, picture.clone()));
    picture
}

/// A texel for each step of each device; see-through where there is no value.
fn image(
    grid: &StepGrid,
    figure: GridFigure,
    ends: Option<&(Cell, Cell)>,
    theme: &Theme,
) -> ColorImage {
    let (width, height) = (grid.labels.len(), grid.devices.len());
    let mut pixels = Vec::with_capacity(width.saturating_mul(height));
    for device in 0..height {
        for step in 0..width {
            let share = grid
                .get(device, step)
                .and_then(|cell| share(&figure.of(cell), ends?));
            pixels.push(share.map_or(Color32::TRANSPARENT, |share| theme.heat(share)));
        }
    }
    ColorImage::new([width, height], pixels)
}

/// Where a value stands between the ends of the scale; in the middle where these are one.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a number becomes a colour"
)]
fn share(value: &Cell, (least, most): &(Cell, Cell)) -> Option<f32> {
    let number = |cell: &Cell| cell.number().map(|(n, _)| n);
    let (value, least, most) = (number(value)?, number(least)?, number(most)?);
    if least == most {
        return Some(0.5);
    }
    Some(((value - least) as f64 / (most - least) as f64).clamp(0.0, 1.0) as f32)
}

fn words(figure: GridFigure, cell: &Cell) -> String {
    let unit = match figure {
        GridFigure::Hidden => "%",
        _ => "µs",
    };
    cell.text()
        .map_or_else(|| "n/a".to_owned(), |text| format!("{text} {unit}"))
}

/// The scale with its ends.
fn legend(ui: &mut Ui, theme: &Theme, picture: &Picture) {
    let Some((least, most)) = &picture.ends else {
        ui.label(weak(theme, "No step has this figure").small());
        return;
    };
    let figure = picture.key.figure;
    let (least, most) = (words(figure, least), words(figure, most));
    ui.horizontal(|ui| {
        ui.label(mono(&least).small().color(theme.text_weak));
        let (bar, response) = ui.allocate_exact_size(vec2(96.0, 10.0), Sense::hover());
        let part = bar.width() / f32::from(SHADES);
        for i in 0..SHADES {
            let left = bar.left() + part * f32::from(i);
            let area = Rect::from_min_size(pos2(left, bar.top()), vec2(part, bar.height()));
            let share = f32::from(i) / f32::from(SHADES - 1);
            plain::fill(ui.painter(), area, theme.heat(share));
        }
        let name = format!("Scale from {least} to {most}");
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
        response.on_hover_text(
            "The least and the most of the steps that the capture did not cut; those that it cut may lie outside",
        );
        ui.label(mono(&most).small().color(theme.text_weak));
        ui.label(weak(theme, "blank: none").small())
            .on_hover_text("The rank has no such step, or the figure is a ratio of nothing");
    });
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand cells at most")]
fn cells(
    ui: &mut Ui,
    session: &Session,
    grid: &StepGrid,
    picture: &Picture,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    let (steps, devices) = (grid.labels.len() as f32, grid.devices.len() as f32);
    let room = (ui.available_width() - GUTTER - 2.0).max(1.0);
    let size = vec2(
        (room / steps).floor().clamp(WIDTHS.0, WIDTHS.1),
        (HEIGHT / devices).floor().clamp(HEIGHTS.0, HEIGHTS.1),
    );
    let whole = vec2(GUTTER + size.x * steps, size.y * devices);
    let (area, response) = ui.allocate_exact_size(whole, Sense::click());
    let place = Place {
        cells: area.with_min_x(area.left() + GUTTER),
        size,
    };
    let figure = picture.key.figure;
    let name = format!("Ranks by steps: {}", figure.label());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
    plain::fill(ui.painter(), place.cells, theme.canvas);
    let all = Rect::from_min_max(Pos2::ZERO, pos2(1.0, 1.0));
    let painter = ui.painter();
    painter.image(picture.texture.id(), place.cells, all, UNTINTED);
    let frame = Stroke::new(1.0, theme.line_strong);
    painter.rect_stroke(place.cells, 0.0, frame, StrokeKind::Outside);
    numbers(ui, session, grid, theme, &place, area.left());
    mark_current(ui, session, grid, theme, &place);
    let at = |pos: Pos2| place.at(pos, grid);
    if let Some((device, step)) = response.interact_pointer_pos().and_then(at)
        && response.clicked()
    {
        go_to(grid, device, step, out);
    }
    if let Some((device, step)) = response.hover_pos().and_then(at) {
        hover(response, grid, device, step, figure);
    }
}

impl Place {
    /// The line and column under a point.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "inside of the cells, so not negative"
    )]
    fn at(&self, pos: Pos2, grid: &StepGrid) -> Option<(usize, usize)> {
        if !self.cells.contains(pos) {
            return None;
        }
        let part = (pos - self.cells.min) / self.size;
        let (device, step) = (part.y as usize, part.x as usize);
        (device < grid.devices.len() && step < grid.labels.len()).then_some((device, step))
    }

    #[expect(clippy::cast_precision_loss, reason = "a few thousand cells at most")]
    fn cell(&self, device: usize, step: usize) -> Rect {
        let corner = vec2(step as f32, device as f32) * self.size;
        Rect::from_min_size(self.cells.min + corner, self.size)
    }
}

/// How many lines share one number, so that numbers do not touch.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a small positive number"
)]
fn numbered_every(height: f32) -> usize {
    (NUMBER / height.max(1.0)).ceil().clamp(1.0, NUMBER) as usize
}

/// The ranks at the left, as many as there is room for.
fn numbers(ui: &Ui, session: &Session, grid: &StepGrid, theme: &Theme, place: &Place, left: f32) {
    let every = numbered_every(place.size.y);
    let several = grid
        .devices
        .windows(2)
        .any(|w| matches!(w, [a, b] if a.0 == b.0));
    let focused = session.focused().map(|(r, d)| (r.id, d.id));
    for (i, (rank, device)) in grid.devices.iter().enumerate().step_by(every) {
        let y = place.cell(i, 0).center().y;
        if !ui.clip_rect().y_range().contains(y) {
            continue;
        }
        let text = if several {
            format!("{}/{}", rank.0, device.0)
        } else {
            rank.0.to_string()
        };
        let color = if focused == Some((*rank, *device)) {
            theme.text
        } else {
            theme.text_weak
        };
        let font = FontId::monospace(9.5);
        let at = pos2(left + GUTTER - 5.0, y);
        ui.painter()
            .text(at, Align2::RIGHT_CENTER, text, font, color);
    }
}

/// A frame around the step that is the window, on the device in focus.
fn mark_current(ui: &Ui, session: &Session, grid: &StepGrid, theme: &Theme, place: &Place) {
    let focused = session.focused().map(|(r, d)| (r.id, d.id));
    let device = grid.devices.iter().position(|d| Some(*d) == focused);
    let current = session.current_step;
    let step = grid.labels.iter().position(|l| Some(*l) == current);
    if let (Some(device), Some(step)) = (device, step) {
        let cell = place.cell(device, step);
        let (wide, narrow) = (
            Stroke::new(3.0, theme.canvas),
            Stroke::new(1.5, theme.selection),
        );
        for stroke in [wide, narrow] {
            ui.painter()
                .rect_stroke(cell, 0.0, stroke, StrokeKind::Outside);
        }
    }
}

/// Makes a step of a device the window, if it has it.
fn go_to(grid: &StepGrid, device: usize, step: usize, out: &mut Vec<Action>) {
    let found = (grid.devices.get(device), grid.labels.get(step));
    if let (Some(&(rank, id)), Some(&label), Some(_)) = (found.0, found.1, grid.get(device, step)) {
        out.push(Action::ShowDevice { rank, device: id });
        out.push(Action::GoToStep {
            rank,
            device: id,
            label,
        });
    }
}

fn hover(response: Response, grid: &StepGrid, device: usize, step: usize, figure: GridFigure) {
    let (Some((rank, gpu)), Some(label)) = (grid.devices.get(device), grid.labels.get(step)) else {
        return;
    };
    let says = |cell: &StepCell| {
        let cut = if cell.partial {
            ", cut by the capture"
        } else {
            ""
        };
        let value = words(figure, &figure.of(cell));
        format!(
            "{}: {value}{cut}\nClick to make it the window",
            figure.label()
        )
    };
    let figures = grid.get(device, step);
    let figures = figures.map_or_else(|| "no such step".to_owned(), says);
    response.on_hover_text_at_pointer(format!(
        "Rank {}, GPU {}, step {label}\n{figures}",
        rank.0, gpu.0
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::DurNs;

    #[test]
    fn values_become_shares_of_the_scale() {
        let us = |n| Cell::Time(DurNs(n));
        let scale = (us(100), us(300));
        for (value, wanted) in [(100, 0.0), (200, 0.5), (300, 1.0), (0, 0.0), (900, 1.0)] {
            assert_eq!(share(&us(value), &scale), Some(wanted), "{value}");
        }
        assert_eq!(share(&us(7), &(us(7), us(7))), Some(0.5));
        assert_eq!(share(&Cell::Percent(None), &scale), None);
    }

    #[test]
    fn low_lines_share_a_number() {
        let every = [14.0, 10.0, 9.0, 5.0, 4.0, 0.0].map(numbered_every);
        assert_eq!(every, [1, 1, 2, 2, 3, 10]);
    }
}
