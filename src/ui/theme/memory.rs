//! The colours of memory: states of blocks, and kinds that have no order.

use super::Theme;
use crate::snapshot::BlockState;
use egui::Color32;

impl Theme {
    /// The colour of a block's state. Free blocks are drawn hollow and hatched in theirs.
    #[must_use]
    pub fn block_color(&self, state: BlockState) -> Color32 {
        match state {
            BlockState::Allocated => self.allocated,
            BlockState::AwaitingFree => self.communication,
            BlockState::Free => self.text_weak,
        }
    }

    /// One of a few colours that are far apart, for kinds that have no order; they come again where
    /// there are more kinds.
    #[must_use]
    pub fn kind_color(&self, kind: usize) -> Color32 {
        let colors = [
            self.computation,
            self.communication,
            self.memory,
            self.overlap,
            self.annotation,
            self.exposed_comm,
            self.good,
            self.found,
        ];
        let place = kind % colors.len();
        colors.get(place).copied().unwrap_or(self.annotation)
    }
}
