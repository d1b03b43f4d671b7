//! The dialog for opening with options: what of the files is to be loaded.

use super::controls::{Weight, mono, text_button, weak};
use super::icon::Icon;
use super::theme::{GAP, SMALL_GAP, Theme};
use crate::session::{Action, FormTrouble, OpenForm, OpenWhat, Overlay, PickWhat, Session};
use egui::{Align, Layout, RichText, Role, TextEdit, Ui, WidgetInfo};

const WIDTH: f32 = 560.0;
/// Width of the column of names.
const COLUMN: f32 = 88.0;

/// Shows the dialog while it is open.
pub(super) fn ui(ui: &mut Ui, session: &Session, theme: &Theme, out: &mut Vec<Action>) {
    if session.overlay != Some(Overlay::OpenOptions) {
        return;
    }
    let close = super::dialog(ui, theme, "Open with options", WIDTH, |ui| {
        ui.label(weak(
            theme,
            "What is left out makes loading faster and smaller. The status bar says what is missing \
             or moved, and a reload keeps these options.",
        ));
        ui.add_space(GAP);
        let mut form = session.open_form.clone();
        let trouble = form.options().err().unwrap_or_default();
        choices(ui, theme, &mut form);
        align(ui, theme, &mut form);
        ui.add_space(SMALL_GAP);
        fields(ui, theme, &mut form, &trouble);
        ui.add_space(GAP);
        buttons(ui, session, theme, trouble == FormTrouble::default(), out);
        if form != session.open_form {
            out.push(Action::EditOpenForm { form });
        }
    });
    if close {
        out.push(Action::ToggleOverlay {
            overlay: Overlay::OpenOptions,
        });
    }
}

fn choices(ui: &mut Ui, theme: &Theme, form: &mut OpenForm) {
    ui.add_enabled(
        !form.no_cpu_rows,
        egui::Checkbox::new(&mut form.no_python, "Without Python stacks"),
    );
    ui.label(weak(theme, "Figures stay the same.").small());
    ui.add_space(SMALL_GAP);
    ui.checkbox(&mut form.no_cpu_rows, "Without CPU rows");
    ui.add(
        egui::Label::new(
            weak(
                theme,
                "Operators, Python stacks and overhead. Launches, annotations and steps stay, so figures stay the same.",
            )
            .small(),
        )
        .wrap(),
    );
}

/// Where ranks lie in time.
fn align(ui: &mut Ui, theme: &Theme, form: &mut OpenForm) {
    ui.add_space(SMALL_GAP);
    ui.checkbox(&mut form.align_collectives, "Align ranks by collectives");
    let hint = "Clocks of ranks are set so that collectives end together. The health list says how far each was moved.";
    ui.add(egui::Label::new(weak(theme, hint).small()).wrap());
}

fn fields(ui: &mut Ui, theme: &Theme, form: &mut OpenForm, trouble: &FormTrouble) {
    let rows = [
        (
            "Ranks",
            &mut form.ranks,
            "all",
            "numbers such as 0,2,4-7, or patterns of file names such as *decode*",
            &trouble.ranks,
        ),
        (
            "Range",
            &mut form.range,
            "all",
            "such as 10ms..25ms from the start, or @NS..@NS; figures hold inside it",
            &trouble.range,
        ),
        (
            "Memory limit",
            &mut form.memory,
            "what is available",
            "such as 4GiB, or none",
            &trouble.memory,
        ),
        (
            "Move ranks",
            &mut form.shifts,
            "none",
            "such as 3=12.5us,4=-3ms: rank 3 later, rank 4 earlier",
            &trouble.shifts,
        ),
    ];
    for (name, text, empty, hint, trouble) in rows {
        // No grid: one that measures itself anew runs the frame twice, and a click with it.
        ui.horizontal(|ui| {
            in_column(ui, |ui| {
                ui.label(name);
            });
            let was = text.clone();
            let field = TextEdit::singleline(text)
                .font(egui::TextStyle::Monospace)
                .desired_width(f32::INFINITY)
                .margin(egui::vec2(8.0, 4.0))
                .hint_text(mono(empty));
            let response = ui.add(field);
            response.widget_info(|| WidgetInfo {
                label: Some(name.to_owned()),
                current_text_value: Some(was.clone()),
                ..WidgetInfo::new(Role::TextInput)
            });
        });
        ui.horizontal(|ui| {
            in_column(ui, |_| {});
            let line = match trouble {
                Some(sentence) => RichText::new(sentence).color(theme.error),
                None => weak(theme, hint),
            };
            ui.add(egui::Label::new(line.small()).wrap());
        });
    }
}

/// Something in the column of the names.
fn in_column(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    let size = egui::vec2(COLUMN, ui.spacing().interact_size.y);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.set_min_width(COLUMN);
        contents(ui);
    });
}

fn buttons(ui: &mut Ui, session: &Session, theme: &Theme, usable: bool, out: &mut Vec<Action>) {
    ui.add_enabled_ui(usable, |ui| {
        ui.horizontal(|ui| {
            let files = OpenWhat::Chosen(PickWhat::Files);
            let folder = OpenWhat::Chosen(PickWhat::Folder);
            let all = [
                ("Choose traces…", Some(Icon::Folder), files, Weight::Primary),
                ("Choose a folder…", None, folder, Weight::Normal),
                (
                    "Load again with these",
                    Some(Icon::Reload),
                    OpenWhat::Same,
                    Weight::Normal,
                ),
            ];
            for (name, icon, what, weight) in all {
                if what == OpenWhat::Same && session.trace.is_none() {
                    continue;
                }
                if text_button(ui, theme, icon, name, weight).clicked() {
                    out.push(Action::OpenWith { what });
                }
            }
        });
    });
}
