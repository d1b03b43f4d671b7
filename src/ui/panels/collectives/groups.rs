//! What process groups are for, one line a group: as the trace tells or as the user says, and what that hides
//! behind. A menu says otherwise; findings and the table follow.

use super::super::super::controls::weak;
use super::super::super::theme::{SMALL_GAP, Theme};
use crate::metrics::{CommGroupRow, Parallelism};
use crate::session::{Action, Picked};
use egui::{Align, ComboBox, Label, Layout, RichText, Role, Ui, WidgetInfo, vec2};

/// More groups than this are found by the filter.
const MOST: usize = 24;
const LINE: f32 = 24.0;
const NAME: f32 = 64.0;
const MENU: f32 = 92.0;
const AIR: f32 = 6.0;

/// Shows the groups of the rows, in their order.
pub(super) fn ui(
    ui: &mut Ui,
    theme: &Theme,
    rows: Picked<'_, CommGroupRow>,
    out: &mut Vec<Action>,
) {
    let mut groups: Vec<&CommGroupRow> = Vec::new();
    for row in rows.iter() {
        if row.group.is_some() && !groups.iter().any(|known| known.group == row.group) {
            groups.push(row);
        }
    }
    if groups.is_empty() {
        return;
    }
    ui.add_space(SMALL_GAP);
    ui.label(
        weak(
            theme,
            "What process groups are for, and what they can hide behind",
        )
        .small(),
    )
    .on_hover_text(
        "DP: data parallel, FSDP: sharded data parallel, TP: tensor, PP: pipeline, EP: experts. \
             What you choose is kept with the session, and findings follow it.",
    );
    for row in groups.iter().take(MOST) {
        if let Some(name) = row.group.as_deref() {
            line(ui, theme, name, row, out);
        }
    }
    if groups.len() > MOST {
        let words = format!("… and {} more: filter to see them", groups.len() - MOST);
        ui.label(weak(theme, words).small());
    }
}

fn line(ui: &mut Ui, theme: &Theme, name: &str, row: &CommGroupRow, out: &mut Vec<Action>) {
    let middle = Layout::left_to_right(Align::Center);
    let width = ui.available_width();
    let evidence = row.parallelism_evidence().unwrap_or_default();
    ui.allocate_ui_with_layout(vec2(width, LINE), middle, |ui| {
        ui.spacing_mut().item_spacing.x = AIR;
        ui.allocate_ui_with_layout(vec2(NAME, LINE), middle, |ui| {
            ui.set_min_width(NAME);
            let text = RichText::new(format!("group {name}"))
                .size(12.0)
                .color(theme.text);
            let label = ui.add(Label::new(text).truncate());
            if let Some(description) = row.description.as_deref() {
                label.on_hover_text(description);
            }
        });
        menu(ui, name, row, evidence, out);
        let hides = row.parallelism().map_or("", Parallelism::hides_behind);
        let words = match (hides, row.typed) {
            ("", _) => evidence.to_owned(),
            (hides, _) => format!("behind {hides}"),
        };
        let label = ui.add(Label::new(weak(theme, words).small()).wrap());
        label.on_hover_text(format!("Why: {evidence}.\n{}", sentence(hides)));
    });
}

/// The menu with which the user says what a group is for.
fn menu(ui: &mut Ui, name: &str, row: &CommGroupRow, evidence: &str, out: &mut Vec<Action>) {
    let shown = row.parallelism().unwrap_or(Parallelism::Unknown);
    let told = row.told.as_ref();
    let told = told.map_or(Parallelism::Unknown, |label| label.parallelism);
    let mark = if row.typed.is_some() { " (typed)" } else { "" };
    let text = format!("{}{mark}", shown.name());
    let mut say = |said| {
        let group = name.to_owned();
        out.push(Action::LabelGroup { group, said });
    };
    let combo = ComboBox::from_id_salt(("group", name))
        .selected_text(&text)
        .width(MENU)
        .show_ui(ui, |ui| {
            let words = format!("as the trace tells: {}", told.name());
            if ui.selectable_label(row.typed.is_none(), words).clicked() {
                say(None);
            }
            for of in Parallelism::ALL {
                let chosen = row.typed == Some(of);
                let item = ui.selectable_label(chosen, of.name());
                let item = match of.hides_behind() {
                    "" => item,
                    hides => item.on_hover_text(format!("hides behind {hides}")),
                };
                if item.clicked() {
                    say(Some(of));
                }
            }
        });
    combo.response.widget_info(|| {
        let title = format!("What group {name} is for");
        let mut info = WidgetInfo::labeled(Role::ComboBox, true, title);
        info.current_text_value = Some(text.clone());
        info
    });
    combo.response.on_hover_text(evidence);
}

fn sentence(hides: &str) -> String {
    match hides {
        "" => "What it can hide behind is not known.".to_owned(),
        hides => format!("It can hide behind {hides}."),
    }
}
