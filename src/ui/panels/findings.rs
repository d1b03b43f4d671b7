//! What keeps the focused device from its work: one finding below the other, the gravest first, each
//! with the time at stake, what to try and an event to look at.
//!
//! Every word and digit is of the table of findings, which the command line and the files have, too.

use super::super::controls::{count as count_of, grouped, mono, weak};
use super::super::theme::{SMALL_GAP, Theme};
use super::table::right;
use super::verdict::figure::{badge, evidence, in_words};
use super::verdict::judged_section;
use crate::metrics::{Finding, FindingSeverity, Ratio};
use crate::session::{Action, Section, Session};
use egui::{Color32, FontId, Label, Layout, RichText, Role, Ui, WidgetInfo, vec2};

/// Widths of the columns before the title and behind the time.
const SEVERITY: f32 = 56.0;
const BADGE: f32 = 62.0;
const AIR: f32 = 6.0;

/// Shows the section.
pub(super) fn section(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    judged_section(
        ui,
        session,
        theme,
        Section::Findings,
        out,
        |ui, theme, (_, judged), out| list(ui, theme, &judged.findings, out),
    );
}

fn list(ui: &mut Ui, theme: &Theme, findings: &[Finding], out: &mut Vec<Action>) {
    if findings.is_empty() {
        let words = "No rule fits here. That does not mean that there is nothing: see where the \
                     window goes under Breakdown and Idle.";
        ui.add(Label::new(weak(theme, words)).wrap());
        return;
    }
    let words = "Time at stake is what could be won at most; none is counted twice.";
    ui.add(Label::new(weak(theme, words).small()).wrap());
    ui.add_space(2.0);
    for finding in findings {
        one(ui, theme, finding, out);
        ui.add_space(SMALL_GAP);
    }
}

fn one(ui: &mut Ui, theme: &Theme, finding: &Finding, out: &mut Vec<Action>) {
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        let top_down = Layout::top_down(egui::Align::Min);
        ui.allocate_ui_with_layout(vec2(SEVERITY, 0.0), top_down, |ui| {
            ui.set_width(SEVERITY);
            let (ink, is_strong) = severity_ink(theme, finding.severity);
            let text = RichText::new(finding.severity.name()).size(12.0).color(ink);
            ui.label(if is_strong { text.strong() } else { text });
        });
        let title = RichText::new(&finding.title).size(12.0).color(theme.text);
        ui.add(Label::new(title).wrap());
    });
    below(ui, |ui| at_stake(ui, theme, finding));
    let small = |text: String, color: Color32| RichText::new(text).size(11.0).color(color);
    if !finding.note.is_empty() {
        let note = small(in_words(&finding.note), theme.text_weak);
        below(ui, |ui| {
            ui.add(Label::new(note).wrap());
        });
    }
    if !finding.advice.is_empty() {
        let advice = small(format!("Try: {}", finding.advice), theme.text);
        below(ui, |ui| {
            ui.add(Label::new(advice).wrap());
        });
    }
    if let Some(event) = &finding.evidence {
        below(ui, |ui| {
            evidence(ui, theme, (finding.rank, event), &finding.title, out);
        });
    }
}

/// What stands below a title, under it.
fn below(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.add_space(SEVERITY);
        ui.spacing_mut().item_spacing.x = AIR;
        contents(ui);
    });
}

/// The time, what it rests on, and where it comes from.
fn at_stake(ui: &mut Ui, theme: &Theme, finding: &Finding) {
    let value = match finding.held {
        // Memory is at stake, and no time.
        Some(held) => format!("{} µs held", held.waits.us3()),
        None => format!("{} µs", finding.at_stake.us3()),
    };
    let text = RichText::new(grouped(&value)).font(FontId::monospace(12.0));
    let response = ui.label(text.color(theme.text).strong());
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::Cell, true, &finding.title);
        info.current_text_value = Some(value.clone());
        info
    });
    let room = (ui.available_width() - BADGE - AIR).max(0.0);
    ui.allocate_ui_with_layout(vec2(room, 0.0), Layout::top_down(egui::Align::Min), |ui| {
        ui.set_width(room);
        let text = mono(rests_on(finding)).size(10.5).color(theme.text_weak);
        ui.add(Label::new(text).truncate());
    });
    right(ui, BADGE, |ui| badge(ui, theme, finding.source));
}

/// Graver ones stand out; severity is a word, never a colour alone.
fn severity_ink(theme: &Theme, severity: FindingSeverity) -> (Color32, bool) {
    match severity {
        FindingSeverity::High => (theme.warning, true),
        FindingSeverity::Medium => (theme.text, true),
        FindingSeverity::Low => (theme.text, false),
        FindingSeverity::Info => (theme.text_weak, false),
    }
}

/// Time of a step, number of events and share, as far as there are any.
fn rests_on(finding: &Finding) -> String {
    let mut parts = Vec::new();
    if let Some(time) = finding.per_step {
        parts.push(format!("{} µs a step", grouped(&time.us3())));
    }
    if let Some(bytes) = finding.held.and_then(|held| held.bytes) {
        parts.push(format!("{} bytes", count_of(bytes)));
    }
    parts.push(format!("n = {}", count_of(finding.count)));
    if let Some(share) = finding.coverage.map(Ratio::percent4) {
        parts.push(format!("covers {share} %"));
    }
    parts.join(" · ")
}
