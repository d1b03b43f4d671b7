//! The times that memory ran out: why, and what to try; a click looks at the moment.

use super::super::controls::{Weight, mono, text_button, weak};
use super::super::icon::Icon;
use super::super::panels::csv_buttons;
use super::super::theme::Theme;
use super::words::{exact, mib};
use super::{moment_words, site_lines};
use crate::session::{Action, CsvPanel, Session, SnapshotAction, SnapshotTable};
use crate::snapshot::{Oom, Settings};
use egui::{Align, Frame, Label, Layout, Margin, RichText, ScrollArea, Ui};

/// Shows the list.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let Some((open, _, recorded)) = session.snapshot.focused() else {
        return;
    };
    if recorded.ooms.is_empty() {
        ui.label(weak(theme, "Memory never ran out in this recording."));
        return;
    }
    ui.horizontal(|ui| {
        let count = u64::try_from(recorded.ooms.len()).unwrap_or(u64::MAX);
        ui.label(super::super::controls::counted(count, "time", "times"));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let panel = CsvPanel::Snapshot(SnapshotTable::Oom);
            csv_buttons(ui, theme, "Out of memory", panel, out);
        });
    });
    ScrollArea::vertical()
        .id_salt("out of memory")
        .auto_shrink([false, false])
        .show(ui, |ui| {
            for oom in &recorded.ooms {
                card(ui, session, theme, oom, &open.snapshot.settings, out);
            }
        });
}

fn card(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    oom: &Oom,
    settings: &Settings,
    out: &mut Vec<Action>,
) {
    Frame::NONE
        .fill(theme.panel)
        .corner_radius(4.0)
        .inner_margin(Margin::symmetric(12, 8))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal(|ui| {
                let (rect, _) = ui.allocate_exact_size(egui::vec2(15.0, 15.0), egui::Sense::hover());
                Icon::Warning.paint(ui.painter(), rect, theme.error);
                let words = format!("A block of {} asked for, {} free at the driver", mib(oom.block), mib(oom.device_free));
                ui.label(RichText::new(words).strong()).on_hover_text(format!(
                    "block of {}\ndriver had {}",
                    exact(oom.block),
                    exact(oom.device_free)
                ));
                let when = moment_words(session, oom.time);
                let button = text_button(ui, theme, None, &format!("Go to {when}"), Weight::Normal);
                if button
                    .on_hover_text("Figures and blocks of that moment, replayed")
                    .clicked()
                {
                    out.push(Action::Snapshot(SnapshotAction::Moment(Some(oom.time))));
                }
            });
            let text = RichText::new(oom.reason.sentence()).color(theme.text);
            ui.add(Label::new(text).wrap());
            let facts = format!(
                "Then reserved {}, allocated {}, free in the request's pool {}, largest that the pool could serve {}.",
                mib(oom.totals.reserved),
                mib(oom.totals.allocated),
                mib(oom.free_in_pool),
                mib(oom.largest_in_pool),
            );
            ui.add(Label::new(weak(theme, facts)).wrap());
            ui.add_space(4.0);
            ui.label(weak(theme, "What to try"));
            for advice in oom.reason.advice(settings) {
                ui.add(Label::new(format!("• {advice}")).wrap());
            }
            let lines = site_lines(session, oom.stack, 4);
            if !lines.is_empty() {
                ui.add_space(4.0);
                ui.label(weak(theme, "Who asked"));
                for line in lines {
                    ui.add(Label::new(mono(line).small()).truncate());
                }
            }
        });
    ui.add_space(6.0);
}
