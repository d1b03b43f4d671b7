//! Steps of the focused device: the five-way split of each as a stacked chart, figures as a table,
//! and what is usual and worst; a click goes there.

mod chart;
mod stats;

pub(super) use chart::{marks, nice_step};

use super::super::theme::{SMALL_GAP, Theme};
use super::{Figures, table};
use crate::metrics::report::{self, Table};
use crate::metrics::{self, Query, Row, Selection};
use crate::session::{Action, Session, step_windows};
use crate::trace::{Basis, DeviceId, RankId};
use egui::Ui;
use std::sync::Arc;

/// More bars than this cannot be told apart.
const MAX_BARS: usize = 400;

/// The columns of the table of steps.
const CHOICES: [table::Choice; 9] = [
    ("step", "step"),
    ("kernel_time_us", "length µs"),
    ("compute_only_us", "compute µs"),
    ("overlap_time_us", "overlap µs"),
    ("exposed_comm_us", "exp. comm µs"),
    ("exposed_memory_us", "exp. mem µs"),
    ("idle_time_us", "idle µs"),
    ("kernels_launched", "launched"),
    ("partial", "partial"),
];

/// What the rows follow from. The window is not among it: each step has figures of its own.
#[derive(Clone, Copy, PartialEq)]
struct Key {
    generation: u64,
    rank: RankId,
    device: DeviceId,
    basis: Basis,
    clip: bool,
}

/// Shows the section.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    figures: &Figures<'_>,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    let Some(trace) = &session.trace else {
        return;
    };
    basis_choice(ui, session, out);
    let query = Query {
        selection: Selection::None,
        rank: Some(figures.rank.id),
        device: Some(figures.device.id),
        clip_suspicious: session.settings.clip_suspicious,
    };
    let basis = session.settings.basis;
    let key = Key {
        generation: session.generation,
        rank: figures.rank.id,
        device: figures.device.id,
        basis,
        clip: query.clip_suspicious,
    };
    let rows = cached(ui.ctx(), key, || metrics::step_rows(trace, &query, basis));
    if rows.len() > MAX_BARS {
        ui.label(super::weak(
            theme,
            format!("The first {MAX_BARS} of {} steps", rows.len()),
        ));
    }
    let shown = rows.get(..rows.len().min(MAX_BARS)).unwrap_or(&rows);
    if let Some(row) = chart::ui(ui, session, shown, theme, out) {
        go_to(row.step.as_deref(), figures, basis, out);
    }
    if rows.is_empty() {
        return;
    }
    ui.add_space(SMALL_GAP);
    if let Some(step) = stats::ui(ui, theme, &metrics::stats_of(&rows)) {
        go_to(Some(&step), figures, basis, out);
    }
    ui.add_space(SMALL_GAP);
    let current = session.current_step.map(|s| s.to_string());
    let is_current = |row: &Row| row.step.is_some() && row.step == current;
    let columns = report::columns(Table::Steps);
    ui.push_id("table of steps", |ui| {
        let clicked = table::ui(ui, theme, &columns, &CHOICES, &rows, is_current);
        if let Some(row) = clicked.and_then(|i| rows.get(i)) {
            go_to(row.step.as_deref(), figures, basis, out);
        }
    });
}

/// Makes the step of this label the window.
fn go_to(label: Option<&str>, figures: &Figures<'_>, basis: Basis, out: &mut Vec<Action>) {
    let steps = step_windows(figures.rank, figures.device, basis);
    let found = steps
        .iter()
        .find(|s| Some(s.label.to_string().as_str()) == label);
    out.extend(found.map(|step| Action::GoToStep {
        rank: figures.rank.id,
        device: figures.device.id,
        label: step.label,
    }));
}

/// The rows of a key: those of the frame before, or made anew.
fn cached(ctx: &egui::Context, key: Key, make: impl FnOnce() -> Vec<Row>) -> Arc<[Row]> {
    let id = egui::Id::unique("rows of the steps");
    let last = ctx.data(|d| d.get_temp::<(Key, Arc<[Row]>)>(id));
    if let Some((_, rows)) = last.filter(|(of, _)| *of == key) {
        return rows;
    }
    let rows: Arc<[Row]> = make().into();
    ctx.data_mut(|d| d.insert_temp(id, (key, Arc::clone(&rows))));
    rows
}

fn basis_choice(ui: &mut Ui, session: &Session, out: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        for (basis, word, hover) in [
            (
                Basis::Device,
                "On the device",
                "From the first computation kernel of the step to that of the next",
            ),
            (
                Basis::Host,
                "On the host",
                "The step's annotation on the CPU",
            ),
        ] {
            let chosen = session.settings.basis == basis;
            if ui
                .selectable_label(chosen, word)
                .on_hover_text(hover)
                .clicked()
                && !chosen
            {
                out.push(Action::SetBasis { basis });
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_made_anew_only_for_another_key() {
        let ctx = egui::Context::default();
        let key = Key {
            generation: 1,
            rank: RankId(0),
            device: DeviceId(0),
            basis: Basis::Device,
            clip: false,
        };
        let other = |change: fn(&mut Key)| {
            let mut other = key;
            change(&mut other);
            other
        };
        let keys = [
            key,
            key,
            other(|k| k.generation = 2),
            other(|k| k.rank = RankId(1)),
            other(|k| k.device = DeviceId(1)),
            other(|k| k.basis = Basis::Host),
            other(|k| k.clip = true),
            other(|k| k.clip = true),
        ];
        let mut made = 0;
        for key in keys {
            let _rows = cached(&ctx, key, || {
                made += 1;
                Vec::new()
            });
        }
        assert_eq!(made, 6);
    }
}
