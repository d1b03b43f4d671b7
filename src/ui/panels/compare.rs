//! The panel of two traces: the same figures in two columns, with what lies between them.
//!
//! Figures, digits and definitions are those of `metrics::report`; which windows they are of stands
//! at the top. The panels of one trace alone are a click away.

mod figures;
mod kernels;
mod memory;
mod tables;

use super::super::compare::{badge, of_other};
use super::super::theme::{SMALL_GAP, Theme};
use super::bar::{self, Part};
use super::{breakdown, csv_buttons, device_choice, sections, verdict, weak, window_words};
use crate::metrics::{self, Row, Summary};
use crate::session::{
    Action, CompareAction, Compared, CsvPanel, PanelOf, Section, Session, TraceSide,
};
use crate::time::DurNs;
use egui::{Label, Ui};

/// What a section needs to show figures of both devices.
struct Both<'a> {
    session: &'a Session,
    other: &'a Session,
    compared: Compared<'a>,
    a: Row,
    b: Row,
}

impl Both<'_> {
    fn sides(&self) -> [(TraceSide, &Session, &Row); 2] {
        [
            (TraceSide::A, self.session, &self.a),
            (TraceSide::B, self.other, &self.b),
        ]
    }
}

/// Shows the panel while two traces are compared.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    other: &Session,
    panel: PanelOf,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    ui.add_space(4.0);
    choice(ui, panel, out);
    ui.add_space(4.0);
    match panel {
        PanelOf::One(TraceSide::A) => sections(ui, session, theme, out),
        PanelOf::One(TraceSide::B) => of_other(out, |out| sections(ui, other, theme, out)),
        PanelOf::Both => both_sections(ui, session, other, theme, out),
    }
}

/// Whose figures are shown.
fn choice(ui: &mut Ui, panel: PanelOf, out: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        for (of, word, hover) in [
            (
                PanelOf::Both,
                "A and B",
                "Figures of both, with differences",
            ),
            (
                PanelOf::One(TraceSide::A),
                "A alone",
                "All panels of the first trace",
            ),
            (
                PanelOf::One(TraceSide::B),
                "B alone",
                "All panels of the second trace",
            ),
        ] {
            let button = ui.selectable_label(panel == of, word).on_hover_text(hover);
            if button.clicked() && panel != of {
                out.push(Action::Compare(CompareAction::Panel(of)));
            }
        }
    });
}

fn both_sections(
    ui: &mut Ui,
    session: &Session,
    other: &Session,
    theme: &Theme,
    out: &mut Vec<Action>,
) {
    let row = |session: &Session| {
        let (rank, device) = session.focused()?;
        let query = session.query();
        let clip = query.clip_suspicious;
        Some(metrics::device_row(rank, device, query.selection, clip))
    };
    let rows = row(session).zip(row(other));
    let (Some(compared), Some((a, b))) = (session.compared(), rows) else {
        ui.add_space(SMALL_GAP);
        let without = match (session.focused(), other.focused()) {
            (None, None) => "Neither trace has kernels, copies or fills",
            (None, _) => "Trace A has no kernels, copies or fills",
            _ => "Trace B has no kernels, copies or fills",
        };
        let text = format!("{without}, so there are no figures to compare.");
        ui.add(Label::new(weak(theme, text)).wrap());
        return;
    };
    let both = Both {
        session,
        other,
        compared,
        a,
        b,
    };
    head(ui, &both, theme, out);
    let rows = both.compared.figures();
    let figures_csv = CsvPanel::FigureDeltas;
    section(
        ui,
        session,
        theme,
        (Section::Breakdown, figures_csv),
        out,
        |ui, out| {
            split_bars(ui, &both, theme);
            suspicious(ui, &both, out);
            figures::ui(ui, theme, &both, &rows, figures::BREAKDOWN);
        },
    );
    section(
        ui,
        session,
        theme,
        (Section::Overlap, figures_csv),
        out,
        |ui, _| {
            overlap_bars(ui, &both, theme);
            figures::ui(ui, theme, &both, &rows, figures::OVERLAP);
        },
    );
    verdict::section(ui, session, theme, out);
    tables::devices(ui, session, theme, out);
    tables::steps(ui, session, theme, out);
    let kernels_csv = CsvPanel::KernelDeltas;
    section(
        ui,
        session,
        theme,
        (Section::Kernels, kernels_csv),
        out,
        |ui, out| {
            kernels::ui(ui, &both, theme, out);
        },
    );
    // What the table of A and B exports has no memory; that of each side alone has.
    super::section_with(
        ui,
        session,
        theme,
        Section::Memory,
        out,
        |ui, _| memory::ui(ui, &both, theme),
        |_, _| {},
    );
    ui.add_space(SMALL_GAP);
}

/// A section as those of one trace, open or closed with them, but with a table of its own.
fn section(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    (section, panel): (Section, CsvPanel),
    out: &mut Vec<Action>,
    body: impl FnOnce(&mut Ui, &mut Vec<Action>),
) {
    let name = section.title();
    super::section_with(ui, session, theme, section, out, body, |ui, out| {
        csv_buttons(ui, theme, name, panel, out);
    });
}

/// Which devices and which windows are compared, each told from its own origin.
fn head(ui: &mut Ui, both: &Both<'_>, theme: &Theme, out: &mut Vec<Action>) {
    for (side, session, row) in both.sides() {
        let Some((rank, device)) = session.focused() else {
            continue;
        };
        ui.horizontal(|ui| {
            badge(ui, theme, side);
            match side {
                TraceSide::A => device_choice(ui, session, rank, device, "Device", out),
                TraceSide::B => of_other(out, |out| {
                    device_choice(ui, session, rank, device, "Device of B", out);
                }),
            }
        });
        window_of(ui, side, session, row, theme);
    }
    if both.session.current_step.is_some() && both.other.current_step.is_none() {
        let text = "B has no such step, so the window of A is compared, moved by the shift.";
        ui.add(Label::new(weak(theme, text).small()).wrap());
    }
}

fn window_of(ui: &mut Ui, side: TraceSide, session: &Session, row: &Row, theme: &Theme) {
    let origin = session.origin().unwrap_or_default();
    let step = session.current_step.map(|step| format!("step {step}, "));
    let (text, hover) = match row.window {
        Some(window) => (
            format!(
                "{}{}",
                step.unwrap_or_default(),
                window_words(window, origin)
            ),
            format!("@{} to @{} ns", window.start().0, window.end().0),
        ),
        None => ("no window".to_owned(), String::new()),
    };
    let text = match row.figures {
        Some(_) => text,
        None => format!("{text}: no data"),
    };
    let label = Label::new(super::mono(text).small().color(theme.text_weak)).truncate();
    let response = ui.add(label).on_hover_text(hover);
    let name = format!("Window of {}", side.label());
    response.widget_info(|| {
        let mut info = egui::WidgetInfo::labeled(egui::Role::Cell, true, &name);
        info.current_text_value = Some(response_text(session, row));
        info
    });
    ui.add_space(2.0);
}

/// The window in words, for whoever does not see the line.
fn response_text(session: &Session, row: &Row) -> String {
    let origin = session.origin().unwrap_or_default();
    let window = row.window.map(|w| window_words(w, origin));
    window.unwrap_or_else(|| "no window".to_owned())
}

/// A bar for each side, one below the other.
fn bars(
    ui: &mut Ui,
    both: &Both<'_>,
    theme: &Theme,
    name: &str,
    parts: impl Fn(&Summary) -> (DurNs, Vec<Part>),
) {
    for (side, _, row) in both.sides() {
        let Some(summary) = &row.figures else {
            continue;
        };
        let (whole, parts) = parts(summary);
        ui.horizontal_top(|ui| {
            badge(ui, theme, side);
            let name = format!("{name}, {}", side.label());
            // The air below the bar is meant downwards.
            ui.vertical(|ui| bar::ui(ui, theme, &name, whole, &parts));
        });
    }
    ui.add_space(2.0);
}

fn split_bars(ui: &mut Ui, both: &Both<'_>, theme: &Theme) {
    bars(ui, both, theme, "Five-way split", |s| {
        let parts = breakdown::five_parts(s.five_way(), theme);
        (s.kernel_time, parts.into_iter().collect())
    });
}

/// The switch for suspicious kernels, where either device has any; it is of both.
fn suspicious(ui: &mut Ui, both: &Both<'_>, out: &mut Vec<Action>) {
    let has_any = |(_, session, _): (TraceSide, &Session, &Row)| {
        (session.focused()).is_some_and(|(rank, _)| !rank.suspicious.is_empty())
    };
    if !both.sides().into_iter().any(has_any) {
        return;
    }
    let mut clip = both.session.settings.clip_suspicious;
    let hover = "Some kernels run over many later kernels of their own stream, which a stream cannot \
                 do. Clipped, each ends at the next start on its stream, in both traces.";
    let response = ui.checkbox(&mut clip, "Clip suspicious kernels");
    if response.on_hover_text(hover).changed() {
        out.push(Action::SetClip { clip });
    }
}

fn overlap_bars(ui: &mut Ui, both: &Both<'_>, theme: &Theme) {
    bars(ui, both, theme, "Communication", |s| {
        (
            s.comm,
            super::overlap::parts(s, theme).into_iter().collect(),
        )
    });
}
