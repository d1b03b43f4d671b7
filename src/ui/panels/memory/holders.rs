//! What holds the memory at the peak: living blocks by the op that allocated them.

use super::super::super::controls::{byte_size, counted, weak};
use super::super::super::theme::Theme;
use crate::metrics::{Holding, MemoryRow, holdings};
use crate::session::Session;
use crate::trace::{MemoryTrack, Rank, Trace};
use egui::{CollapsingHeader, Label, RichText, Ui};
use std::sync::Arc;

/// More ops than this are summed up.
const LISTED: usize = 8;

/// Shows the list, closed until somebody opens it: every event up to the peak is looked at.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    theme: &Theme,
    (trace, rank, memory): (&Trace, &Rank, &MemoryTrack),
    row: &MemoryRow,
) {
    let figures = row.figures.as_ref();
    let Some((event, peak)) = figures.and_then(|f| Some((f.peak_event?, f.peak))) else {
        return;
    };
    CollapsingHeader::new("What holds the peak")
        .id_salt("holders")
        .show(ui, |ui| {
            let key = (session.generation, rank.id, memory.place, event);
            let found = super::cached(ui.ctx(), "holders", key, || {
                holdings(trace, rank, memory, event).map(Arc::<[Holding]>::from)
            });
            let Some(found) = found else {
                let words = "It cannot be told: the file has no addresses of blocks.";
                ui.add(Label::new(weak(theme, words)).wrap());
                return;
            };
            let say = |ui: &mut Ui, words: String| {
                ui.add(Label::new(RichText::new(words).size(12.0)).wrap());
            };
            for held in found.iter().take(LISTED) {
                let op = held.op.as_deref().unwrap_or("outside of any op");
                say(ui, line(op, held.bytes, held.blocks));
            }
            let rest = found.get(LISTED..).unwrap_or_default();
            if !rest.is_empty() {
                let bytes = rest.iter().map(|held| held.bytes).sum();
                let blocks = rest.iter().map(|held| held.blocks).sum();
                say(ui, line("other ops", bytes, blocks));
            }
            let known: i128 = found.iter().map(|held| held.bytes).sum();
            let before = byte_size(i128::from(peak) - known);
            say(ui, format!("from before the recording: {before}"));
        });
}

fn line(op: &str, bytes: i128, blocks: u64) -> String {
    let blocks = counted(blocks, "block", "blocks");
    format!("{op}: {} in {blocks}", byte_size(bytes))
}
