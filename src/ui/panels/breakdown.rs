//! Temporal breakdown of the focused device: compute, non-compute and idle, and what the GPU's
//! duty consists of.

use super::super::controls::Figure;
use super::super::theme::Theme;
use super::bar::{self, Part};
use super::{Figures, Shown, figure, missing, window_line};
use crate::metrics::report::{self, Table};
use crate::metrics::{self, Ratio};
use crate::session::{Action, Session};
use egui::Ui;

/// Shows the section.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    figures: &Figures<'_>,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    window_line(ui, figures, theme);
    if let Some(s) = &figures.row.figures {
        let parts = five_parts(s.five_way(), theme);
        bar::ui(ui, theme, "Five-way split", s.kernel_time, &parts);
    }
    let rows = [
        Shown::main("kernel_time_us"),
        Shown::main("kernel_run_time_us"),
        Shown::part("compute_time_us", theme.computation).with_share("compute_percent"),
        Shown::part("non_compute_time_us", theme.exposed_comm).with_share("non_compute_percent"),
        Shown::part("idle_time_us", theme.idle).with_share("idle_percent"),
        Shown::main("kernels"),
    ];
    for row in &rows {
        figure(ui, figures, theme, row);
    }
    duty(ui, figures, theme);
    suspicious(ui, session, figures, theme, out);
    super::compat::ui(ui, session, theme, out);
}

/// The parts of the five-way split with their names and colours.
pub(super) fn five_parts(times: [crate::time::DurNs; 5], theme: &Theme) -> [Part; 5] {
    let [compute_only, overlap, exposed_comm, exposed_memory, idle] = times;
    [
        ("compute only", theme.computation, compute_only),
        ("overlap", theme.overlap, overlap),
        ("exposed communication", theme.exposed_comm, exposed_comm),
        ("exposed memory", theme.memory, exposed_memory),
        ("idle", theme.idle, idle),
    ]
    .map(|(name, color, time)| Part { name, color, time })
}

/// The duty, always split: communication that spins must not pass for work.
fn duty(ui: &mut Ui, figures: &Figures<'_>, theme: &Theme) {
    let columns = report::columns(Table::Streams);
    let head = |name: &str| columns.iter().find(|c| c.head.name == name).map(|c| c.head);
    let split = figures
        .row
        .figures
        .as_ref()
        .map(metrics::Summary::duty_split);
    let rows: [(&str, Option<Ratio>, egui::Color32); 3] = [
        (
            "computation_percent",
            split.and_then(|s| s.computation),
            theme.computation,
        ),
        (
            "communication_only_percent",
            split.and_then(|s| s.communication_only),
            theme.exposed_comm,
        ),
        (
            "memory_only_percent",
            split.and_then(|s| s.memory_only),
            theme.memory,
        ),
    ];
    ui.add_space(4.0);
    ui.label(super::weak(theme, "Duty, split by what ran"));
    for (name, ratio, color) in rows {
        let Some(head) = head(name) else { continue };
        let (share, reason) = match ratio {
            Some(ratio) => (format!("{} %", ratio.percent4()), String::new()),
            None => missing(figures),
        };
        let word = match name {
            "computation_percent" => "Duty: computation",
            "communication_only_percent" => "Duty: communication only",
            _ => "Duty: memory only",
        };
        Figure {
            color: Some(color),
            indent: 14.0,
            word,
            value: String::new(),
            share,
            hover: format!(
                "{}{reason}",
                head.definition.replace("of the stream", "of the device")
            ),
            strong: false,
        }
        .show(ui, theme);
    }
    let Some(head) = head("duration_sum_us") else {
        return;
    };
    let (value, reason) = match &figures.row.figures {
        Some(s) => (format!("{} µs", s.duration_sum.us3()), String::new()),
        None => missing(figures),
    };
    Figure {
        color: None,
        indent: 0.0,
        word: "Sum of durations (not time)",
        value,
        share: String::new(),
        hover: format!("{}{reason}", head.definition),
        strong: true,
    }
    .show(ui, theme);
}

/// The switch for suspicious kernels with both totals, where the device has any.
fn suspicious(
    ui: &mut Ui,
    session: &Session,
    figures: &Figures<'_>,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    let window = figures.row.figures.as_ref().map(|s| s.window);
    let Some(totals) = window.and_then(|w| metrics::run_totals(figures.device, w)) else {
        return;
    };
    ui.add_space(4.0);
    let mut clip = session.settings.clip_suspicious;
    let response = ui.checkbox(&mut clip, "Clip suspicious kernels").on_hover_text(
        "Some kernels run over many later kernels of their own stream, which a stream cannot do. \
         Clipped, each ends at the next start on its stream.",
    );
    if response.changed() {
        out.push(Action::SetClip { clip });
    }
    for (word, time) in [
        ("Busy as recorded", totals.as_recorded),
        ("Busy with suspicious clipped", totals.clipped),
    ] {
        Figure {
            color: None,
            indent: 22.0,
            word,
            value: format!("{} µs", time.us3()),
            share: String::new(),
            hover: String::new(),
            strong: false,
        }
        .show(ui, theme);
    }
}
