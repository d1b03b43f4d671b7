//! The selected block: what it is, and the stack that allocated it.

use crate::session::{Action, Session, SnapshotAction};
use crate::snapshot::{Block, BlockState, Layout};
use crate::ui::allocator::words::exact;
use crate::ui::controls::{icon_button, mono, weak};
use crate::ui::icon::Icon;
use crate::ui::theme::Theme;
use egui::{Align, Frame, Grid, Label, Layout as Place, Margin, Panel, RichText, ScrollArea, Ui};

/// Shows it at the right, while a block is selected.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    layout: Layout<'_>,
    out: &mut Vec<Action>,
) {
    let Some(address) = session.snapshot.selected else {
        return;
    };
    Panel::right("selected block")
        .resizable(true)
        .default_size(360.0)
        .size_range(220.0..=640.0)
        .frame(Frame::NONE.inner_margin(Margin::symmetric(12, 2)))
        .show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.label(RichText::new("Selected block").strong());
                ui.with_layout(Place::right_to_left(Align::Center), |ui| {
                    if icon_button(ui, theme, Icon::Cross, "Select no block").clicked() {
                        out.push(Action::Snapshot(SnapshotAction::Select(None)));
                    }
                    if icon_button(ui, theme, Icon::Copy, "Copy the address").clicked() {
                        let text = format!("{address:#x}");
                        out.push(Action::CopyText { text });
                    }
                });
            });
            let block = layout.block_at(address);
            if let Some(block) = block.and_then(|at| layout.blocks.get(at)) {
                facts(ui, session, theme, layout, block);
            } else {
                let words = format!("At this moment nothing is mapped at {address:#x}.");
                ui.add(Label::new(weak(theme, words)).wrap());
            }
        });
}

fn facts(ui: &mut Ui, session: &Session, theme: &Theme, layout: Layout<'_>, block: &Block) {
    let segment = layout.segments.get(block.segment);
    let mut facts = vec![
        ("State", block.state.label().to_owned()),
        ("Address", format!("{:#x}", block.address)),
        ("Size", exact(block.size)),
    ];
    if block.state != BlockState::Free {
        facts.push(("Requested", exact(block.requested)));
    }
    if let Some(segment) = segment {
        let pool = segment.pool;
        let private = if pool.id.is_private() {
            format!(", private pool {}.{}", pool.id.0, pool.id.1)
        } else {
            String::new()
        };
        facts.push(("Stream", format!("{}{private}", pool.stream)));
        facts.push((
            "Segment",
            format!("{:#x}, {}", segment.address, exact(segment.size)),
        ));
    }
    Grid::new("facts of the block")
        .num_columns(2)
        .spacing([10.0, 2.0])
        .show(ui, |ui| {
            for (name, value) in facts {
                ui.label(weak(theme, name).small());
                ui.add(Label::new(mono(value).size(11.5)).wrap());
                ui.end_row();
            }
        });
    ui.add_space(4.0);
    stack(ui, session, theme, block);
}

/// The stack, innermost frame first; what is not of the program is dimmed.
fn stack(ui: &mut Ui, session: &Session, theme: &Theme, block: &Block) {
    let Some(open) = session.snapshot.open.as_deref() else {
        return;
    };
    let snapshot = &open.snapshot;
    let frames = snapshot.stacks.get(block.stack);
    if frames.is_empty() {
        ui.label(weak(theme, "No stack was recorded for it."));
        return;
    }
    let title = match block.state {
        BlockState::Free => "Last used by",
        _ => "Allocated by",
    };
    ui.label(weak(theme, format!("{title}, innermost first")).small());
    ScrollArea::vertical()
        .id_salt("stack of the block")
        .auto_shrink([false, false])
        .show(ui, |ui| {
            for id in frames {
                let Some(frame) = snapshot.frames.get(*id) else {
                    continue;
                };
                let color = if open.sites.is_of_program(*id) {
                    theme.text
                } else {
                    theme.text_weak
                };
                let words = snapshot.frame_words(frame);
                let text = mono(&words).size(11.0).color(color);
                ui.add(Label::new(text).truncate()).on_hover_text(words);
            }
        });
}
