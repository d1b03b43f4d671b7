//! What the user does to lanes: hide, pin, move, rename.

use super::Session;
use crate::timeline::{Arranged, LaneKey};

/// What a view may ask of the lanes' arrangement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaneAction {
    /// Does not show a lane and what is in it any more.
    Hide(LaneKey),
    /// Shows every lane that was hidden.
    ShowHidden,
    /// Pins a lane to the top, or lets it go back.
    TogglePin(LaneKey),
    /// Moves a lane up among its siblings.
    MoveUp(LaneKey),
    /// Moves a lane down among its siblings.
    MoveDown(LaneKey),
    /// Names a lane; an empty text gives it back its own name.
    Rename(LaneKey, String),
    /// Gives a lane its own name and place back.
    Reset(LaneKey),
    /// Gives all lanes their own names and places back, and shows all.
    ResetAll,
}

impl Session {
    pub(super) fn arrange_lanes(&mut self, action: LaneAction) {
        let Some(trace) = self.trace.clone() else {
            return;
        };
        let lanes = &mut self.lanes.arranged;
        match action {
            LaneAction::Hide(lane) => lanes.hide(lane),
            LaneAction::ShowHidden => lanes.hidden.clear(),
            LaneAction::TogglePin(lane) => lanes.toggle_pin(lane),
            LaneAction::MoveUp(lane) => lanes.shift(&trace, lane, false),
            LaneAction::MoveDown(lane) => lanes.shift(&trace, lane, true),
            LaneAction::Rename(lane, name) => lanes.rename(lane, &name),
            LaneAction::Reset(lane) => lanes.reset(&trace, lane),
            LaneAction::ResetAll => *lanes = Arranged::default(),
        }
    }
}
