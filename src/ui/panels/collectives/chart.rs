//! Wait and transfer of each collective as stacked bars, in the order of the table. Waiting is not
//! transfer: a kernel that came early holds its stream until the last rank is there.

use super::super::picture::Picture;
use super::super::steps::{marks, nice_step};
use crate::metrics::CollectiveRow;
use crate::session::{Action, Picked};
use crate::time::DurNs;
use crate::ui::theme::Theme;
use egui::{Color32, FontId, Rangef, Role, Ui, WidgetInfo};
use egui_plot::{AxisHints, Bar, BarChart, Plot, PlotUi};

const HEIGHT: f32 = 96.0;
/// More bars than this cannot be told apart.
const MOST_BARS: usize = 120;

/// Draws the chart; nothing where no collective is told apart into wait and transfer.
pub(super) fn ui(
    ui: &mut Ui,
    theme: &Theme,
    rows: Picked<'_, CollectiveRow>,
    out: &mut Vec<Action>,
) {
    let told = |row: &&CollectiveRow| row.across.known().is_some();
    let shown: Vec<&CollectiveRow> = rows.iter().take(MOST_BARS).filter(told).collect();
    if shown.is_empty() {
        return;
    }
    let picture = Picture {
        words: "Transfer, and wait on top of it, where ranks are compared; in the order of the table",
        name: "wait and transfer",
        stem: "overlane-wait-and-transfer",
    };
    let transfer = bars("transfer", theme.communication, &shown, |row| {
        row.across.transfer()
    });
    let wait = bars("wait", theme.exposed_comm, &shown, |row| row.across.wait());
    let wait = wait.stack_on(&[&transfer]);
    let axis = AxisHints::new_y()
        .tick_label_font(FontId::monospace(10.0))
        .tick_label_color(theme.text_weak)
        .label_spacing(Rangef::new(1.0, 2.0))
        .formatter(|mark, _| format!("{} µs", mark.value));
    let plot = Plot::new("wait and transfer")
        .height(HEIGHT)
        .show_background(false)
        .show_axes([false, true])
        .show_grid([false, true])
        .grid_color(theme.line)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_x(false)
        .show_y(false)
        .y_grid_spacer(|input| marks(input.bounds, nice_step(input.bounds.1 / 3.0)))
        .custom_y_axes(vec![axis]);
    let draw = |plot: &mut PlotUi<'_>| {
        plot.bar_chart(transfer);
        plot.bar_chart(wait);
        plot.pointer_coordinate().map(|at| at.x)
    };
    let response = picture.show(ui, theme, out, |ui| plot.show(ui, draw));
    response.response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::Image, true, "Wait and transfer");
        info.current_text_value = Some(format!("{} bars", shown.len()));
        info
    });
    let under = response.inner.and_then(|x| shown.get(place(x)?));
    if let Some(row) = under.filter(|_| response.response.clicked()) {
        out.push(Action::GoTo { slice: row.slice });
    }
}

fn bars(
    name: &'static str,
    color: Color32,
    rows: &[&CollectiveRow],
    part: impl Fn(&CollectiveRow) -> Option<DurNs>,
) -> BarChart {
    let bars = rows.iter().zip(0_u32..).map(|(row, x)| {
        let part = part(row).unwrap_or_default();
        let title = format!("{}: {name} {} µs", row.kind_label(), part.us3());
        Bar::new(f64::from(x), microseconds(part))
            .width(0.8)
            .fill(color)
            .name(title)
    });
    BarChart::new(name, bars.collect()).element_formatter(Box::new(|bar, _| bar.name.clone()))
}

#[expect(clippy::cast_precision_loss, reason = "a height in pixels")]
fn microseconds(time: DurNs) -> f64 {
    time.0 as f64 / 1e3
}

/// The bar over a place on the axis.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "guarded: a small number of bars"
)]
fn place(x: f64) -> Option<usize> {
    (x > -0.5 && x < 1e6).then(|| x.round().max(0.0) as usize)
}
