//! Whether overlap pays on the focused device: the verdict, where the window goes, and four checks with
//! their evidence.
//!
//! Every word and digit is one of `metrics::overlap_figures`, the list that the exported table has, too.

mod checks;
pub(super) mod figure;
mod scatter;
mod table;

use super::super::controls::weak;
use super::super::icon::Icon;
use super::super::theme::{SMALL_GAP, Theme};
use super::bar::{self, Part};
use super::{csv_buttons, mono, rows, window_words};
use crate::metrics::{OverlapAnalysis, OverlapFigure, Verdict};
use crate::session::{Action, JudgedOverlap, OverlapState, Section, Session, ShownOverlap};
use egui::{Color32, Label, RichText, Role, Sense, Ui, WidgetInfo};
use figure::Row;

/// Size of the verdict's word.
const WORD: f32 = 19.0;

/// Shows the section.
pub(super) fn section(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    judged_section(
        ui,
        session,
        theme,
        Section::Verdict,
        out,
        |ui, theme, judged, out| {
            let (analysis, figures) = judged;
            verdict(ui, theme, analysis.bottom.verdict, &figures.figures, out);
            account(ui, theme, analysis, &figures.figures, out);
            checks::ui(ui, session, theme, (analysis, &figures.figures), out);
        },
    );
}

/// What was judged, as the sections show it.
pub(super) type Judged<'a> = (&'a OverlapAnalysis, &'a JudgedOverlap);

/// A section over what was judged, with the words for when nothing is there yet. Its table can be
/// written once there is something.
pub(super) fn judged_section(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    section: Section,
    out: &mut Vec<Action>,
    show: impl FnOnce(&mut Ui, &Theme, Judged<'_>, &mut Vec<Action>),
) {
    let is_shown = matches!(session.shown_overlap(), OverlapState::Shown(_));
    super::section_with(
        ui,
        session,
        theme,
        section,
        out,
        |ui, out| contents(ui, session, theme, out, show),
        |ui, out| {
            if is_shown {
                csv_buttons(ui, theme, section.title(), section.csv(), out);
            }
        },
    );
}

fn contents(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    out: &mut Vec<Action>,
    show: impl FnOnce(&mut Ui, &Theme, Judged<'_>, &mut Vec<Action>),
) {
    let shown = match session.shown_overlap() {
        OverlapState::Reading => {
            ui.label(weak(theme, "Reading launch details from the files…"));
            return;
        }
        OverlapState::Judging => {
            ui.label(weak(theme, "Looking at the kernels of the window…"));
            return;
        }
        OverlapState::Shown(shown) => shown,
    };
    for sentence in session.launch_troubles() {
        let text = format!("launch details are missing: {sentence}");
        let text = RichText::new(text).small().color(theme.warning);
        ui.add(Label::new(text).wrap());
    }
    let Some(analysis) = &shown.judged.analysis else {
        let words = if shown.is_current {
            "No data: the rank recorded nothing in this window."
        } else {
            "Looking at the kernels of the window…"
        };
        ui.label(weak(theme, words));
        return;
    };
    // What is of another window looks like it.
    let faded;
    let theme = if shown.is_current {
        theme
    } else {
        faded = theme.faded();
        &faded
    };
    of_what(ui, session, theme, shown, analysis);
    show(ui, theme, (analysis, shown.judged), out);
}

/// Of which window the figures are, and of which traces.
fn of_what(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    shown: ShownOverlap<'_>,
    analysis: &OverlapAnalysis,
) {
    if shown.is_current {
        let origin = session.origin().unwrap_or_default();
        let words = format!("of {}", window_words(analysis.window, origin));
        ui.label(mono(words).small().color(theme.text_weak));
    } else {
        rows::older_window(ui, session, theme, Some(analysis.window));
    }
    if shown.has_baseline {
        let words = "Verdict on A. B is taken for the run without overlap: where fewer than five \
                     kernels ran alone here, those that ran alone in all of B count.";
        ui.add(Label::new(weak(theme, words).small()).wrap());
    }
    ui.add_space(2.0);
}

/// The word, what it means, and the bottom line.
fn verdict(
    ui: &mut Ui,
    theme: &Theme,
    verdict: Verdict,
    figures: &[OverlapFigure],
    out: &mut Vec<Action>,
) {
    let mut of_verdict = figures.iter().filter(|f| f.check == "verdict");
    let Some(first) = of_verdict.next() else {
        return;
    };
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(egui::vec2(22.0, 24.0), Sense::hover());
        icon(verdict).paint(ui.painter(), rect.shrink(2.0), theme.text);
        let word = figure::value(first);
        let response = ui.label(RichText::new(&word).size(WORD).strong().color(theme.text));
        response.widget_info(|| {
            let mut info = WidgetInfo::labeled(Role::Heading, true, "Verdict");
            info.current_text_value = Some(word.clone());
            info
        });
        figure::badge(ui, theme, first.source);
    });
    let sentence = RichText::new(figure::note(first)).color(theme.text);
    ui.add(Label::new(sentence).wrap());
    ui.add_space(SMALL_GAP);
    for row in of_verdict {
        Row::strong(row).show(ui, theme, out);
    }
    ui.add_space(SMALL_GAP);
}

/// Told apart by shape, never by colour: a verdict is no traffic light.
fn icon(verdict: Verdict) -> Icon {
    match verdict {
        Verdict::Effective => Icon::Check,
        Verdict::ContendedPays => Icon::Balance,
        Verdict::Harmful => Icon::Cross,
        Verdict::None(_) => Icon::Minus,
        Verdict::CannotTell(_) => Icon::Question,
    }
}

/// Where the window goes, and what lies between it and the ideal.
fn account(
    ui: &mut Ui,
    theme: &Theme,
    analysis: &OverlapAnalysis,
    figures: &[OverlapFigure],
    out: &mut Vec<Action>,
) {
    ui.label(weak(theme, "Where the window goes").small());
    let s = analysis.summary;
    let parts = [
        ("compute", theme.computation, s.comp),
        ("exposed communication", theme.exposed_comm, s.exposed_comm),
        ("exposed memory", theme.memory, s.exposed_memory),
        ("idle", theme.idle, s.idle_time),
    ]
    .map(|(name, color, time)| Part { name, color, time });
    bar::ui(ui, theme, "Where the window goes", s.kernel_time, &parts);
    for row in figures.iter().filter(|f| f.check == "account") {
        let shown = match part_color(theme, row.figure) {
            Some(color) => Row::part(row, color),
            None => Row::strong(row),
        };
        shown.show(ui, theme, out);
    }
    ui.add_space(SMALL_GAP);
}

fn part_color(theme: &Theme, figure: &str) -> Option<Color32> {
    match figure {
        "compute" => Some(theme.computation),
        "exposed_comm" => Some(theme.exposed_comm),
        "exposed_memory" => Some(theme.memory),
        "idle" => Some(theme.idle),
        "overlap" => Some(theme.overlap),
        _ => None,
    }
}
