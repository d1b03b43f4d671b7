//! The head of the allocator's view: which device and moment, the figures, and what was odd.

use super::super::controls::{Weight, counted, icon_button, mono, text_button, weak};
use super::super::icon::Icon;
use super::super::panels::csv_buttons;
use super::super::theme::Theme;
use super::moment_words;
use super::words::{exact, mib};
use crate::export::snapshot::DEVICE_COLUMNS;
use crate::session::{
    Action, CsvPanel, Moment, Session, SnapshotAction, SnapshotTable, Together, file_name,
};
use crate::snapshot::{Device, Note};
use egui::{
    Align, ComboBox, FontId, Label, Layout, Popup, RichText, Role, Sense, Ui, WidgetInfo, vec2,
};

/// Width of one figure.
const TILE: f32 = 112.0;

/// Shows it.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        // As high as its buttons, whether they are there or not.
        ui.set_min_height(26.0);
        ui.spacing_mut().item_spacing.x = 8.0;
        devices(ui, session, out);
        moment(ui, session, theme, out);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if icon_button(ui, theme, Icon::Cross, "Close the snapshot").clicked() {
                out.push(Action::Snapshot(SnapshotAction::Close));
            }
            notes(ui, session, theme);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                window(ui, session, theme, out);
                name(ui, session, theme);
            });
        });
    });
    if let Together::Apart(why) = session.together() {
        ui.add(Label::new(weak(theme, why).small()).wrap());
    }
    match session.snapshot.shown_moment() {
        Some((moment, is_current)) => {
            let faded = theme.faded();
            figures(ui, if is_current { theme } else { &faded }, moment, out);
        }
        None => {
            ui.label(weak(theme, "Replaying the allocator…"));
        }
    }
}

fn name(ui: &mut Ui, session: &Session, theme: &Theme) {
    if let Some(open) = &session.snapshot.open {
        let text = weak(theme, file_name(&open.path)).small();
        let took = session.snapshot.took.unwrap_or_default().as_secs_f64();
        let hover = format!("{}\nloaded in {took:.2} s", open.path.display());
        ui.add(Label::new(text).truncate()).on_hover_text(hover);
    }
}

fn devices(ui: &mut Ui, session: &Session, out: &mut Vec<Action>) {
    let allocator = &session.snapshot;
    let Some((open, device, _)) = allocator.focused() else {
        return;
    };
    let words = |device: &Device| format!("GPU {}", device.id);
    let combo = ComboBox::from_id_salt("device of the snapshot")
        .selected_text(words(device))
        .width(76.0)
        .show_ui(ui, |ui| {
            for (place, other) in open.snapshot.devices.iter().enumerate() {
                let segments = u64::try_from(other.segments.len()).unwrap_or(u64::MAX);
                let events = u64::try_from(other.events.len()).unwrap_or(u64::MAX);
                let text = format!(
                    "{}: {}, {}",
                    words(other),
                    counted(segments, "segment", "segments"),
                    counted(events, "event", "events")
                );
                if ui
                    .selectable_label(place == allocator.device, text)
                    .clicked()
                {
                    out.push(Action::Snapshot(SnapshotAction::Device(place)));
                }
            }
        });
    combo.response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::ComboBox, true, "Device of the snapshot");
        info.current_text_value = Some(words(device));
        info
    });
}

fn moment(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let allocator = &session.snapshot;
    let Some(at) = allocator.moment else {
        ui.label("At the end of the recording")
            .on_hover_text("Figures and blocks are those of the snapshot itself. Click the history to look at another moment.");
        return;
    };
    ui.label(RichText::new(format!("At {}", moment_words(session, at))))
        .on_hover_text(format!(
            "@{} ns; blocks and figures are replayed from the recording",
            at.0
        ));
    if text_button(ui, theme, None, "End", Weight::Normal)
        .on_hover_text("Back to the end of the recording (Esc)")
        .clicked()
    {
        out.push(Action::Snapshot(SnapshotAction::Moment(None)));
    }
}

fn window(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    let Some(window) = session.snapshot_window() else {
        return;
    };
    let words = format!(
        "{} – {}",
        moment_words(session, window.start()),
        moment_words(session, window.end()),
    );
    let (rect, _) = ui.allocate_exact_size(vec2(14.0, 14.0), Sense::hover());
    Icon::Range.paint(ui.painter(), rect, theme.text_weak);
    ui.label(mono(words).small()).on_hover_text(format!(
        "@{} to @{} ns",
        window.start().0,
        window.end().0
    ));
    if icon_button(ui, theme, Icon::Cross, "Clear the snapshot's window").clicked() {
        out.push(Action::Snapshot(SnapshotAction::ClearWindow));
    }
}

/// A badge that opens the list of what was odd.
fn notes(ui: &mut Ui, session: &Session, theme: &Theme) {
    let Some((open, _, recorded)) = session.snapshot.focused() else {
        return;
    };
    let moment = session.snapshot.shown_moment();
    let notes: Vec<&Note> = open
        .snapshot
        .notes
        .all()
        .iter()
        .chain(recorded.history.notes.all())
        .chain(moment.map_or(&[][..], |(moment, _)| moment.notes()))
        .filter(|note| note.count > 0)
        .collect();
    if notes.is_empty() {
        return;
    }
    let count = u64::try_from(notes.len()).unwrap_or(u64::MAX);
    let words = counted(count, "note", "notes");
    let button = text_button(ui, theme, Some(Icon::Info), &words, Weight::Normal);
    Popup::menu(&button).show(|ui| {
        ui.set_max_width(460.0);
        for note in notes {
            let text = format!(
                "{} {}",
                super::super::controls::count(note.count),
                note.kind.sentence()
            );
            ui.add(Label::new(RichText::new(text).size(12.5)).wrap());
            let first = format!("first: {}", note.first);
            ui.add(Label::new(weak(theme, first).small()).wrap());
            ui.add_space(4.0);
        }
    });
}

/// The columns that are shown as figures.
const FIGURES: [&str; 8] = [
    "reserved_bytes",
    "allocated_bytes",
    "awaiting_free_bytes",
    "active_bytes",
    "inactive_split_bytes",
    "releasable_bytes",
    "internal_waste_bytes",
    "largest_free_bytes",
];

fn figures(ui: &mut Ui, theme: &Theme, moment: &Moment, out: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
        for name in FIGURES {
            let column = DEVICE_COLUMNS.iter().find(|c| c.head.name == name);
            let Some(column) = column else { continue };
            let number = (column.get)(&moment.row).number();
            let bytes = number.and_then(|(bytes, _)| u64::try_from(bytes).ok());
            let (title, hover) = (column.head.title, column.head.definition);
            tile(ui, theme, title, bytes.unwrap_or(0), hover);
        }
        let panel = CsvPanel::Snapshot(SnapshotTable::Devices);
        csv_buttons(ui, theme, "Allocator", panel, out);
    });
}

/// One figure: the word above, the bytes below.
fn tile(ui: &mut Ui, theme: &Theme, word: &str, bytes: u64, hover: &str) {
    let (rect, response) = ui.allocate_exact_size(vec2(TILE, 38.0), Sense::hover());
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::Cell, true, word);
        info.current_text_value = Some(mib(bytes));
        info
    });
    let painter = ui.painter();
    painter.rect_filled(rect, 4.0, theme.panel);
    let at = rect.left_top() + vec2(8.0, 5.0);
    let (small, large) = (FontId::proportional(11.0), FontId::monospace(13.0));
    painter.text(at, egui::Align2::LEFT_TOP, word, small, theme.text_weak);
    let at = rect.left_bottom() + vec2(8.0, -5.0);
    painter.text(at, egui::Align2::LEFT_BOTTOM, mib(bytes), large, theme.text);
    response.on_hover_text(format!("{}\n\n{hover}", exact(bytes)));
}
