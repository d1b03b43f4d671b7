//! What the user does to lanes: hide, pin, move, rename.

use super::{Effect, Session, Tone, TraceHandle};
use crate::timeline::{Arranged, LaneKey};
use crate::trace::{DeviceId, RankId, StreamId};

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
    /// Puts the streams of a device that only replay graphs into few lanes, or gives each its own.
    TogglePacks(RankId, DeviceId),
    /// Gives all lanes their own names and places back, and shows all.
    ResetAll,
}

/// Which streams of a device can share lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packs {
    /// Number of the load.
    pub generation: u64,
    /// The rank.
    pub rank: RankId,
    /// The device.
    pub device: DeviceId,
    /// The streams of each lane.
    pub lanes: Vec<Vec<StreamId>>,
}

impl Session {
    pub(super) fn arrange_lanes(&mut self, action: LaneAction) -> Vec<Effect> {
        let Some(trace) = self.trace.clone() else {
            return Vec::new();
        };
        let known = self.lanes.known(&trace);
        let lanes = &mut self.lanes.arranged;
        match action {
            LaneAction::Hide(lane) => lanes.hide(lane),
            LaneAction::ShowHidden => lanes.hidden.clear(),
            LaneAction::TogglePin(lane) => lanes.toggle_pin(lane),
            LaneAction::MoveUp(lane) => lanes.shift(known, lane, false),
            LaneAction::MoveDown(lane) => lanes.shift(known, lane, true),
            LaneAction::Rename(lane, name) => lanes.rename(lane, &name),
            LaneAction::Reset(lane) => lanes.reset(known, lane),
            LaneAction::TogglePacks(rank, device) => {
                if lanes.packs.remove(&(rank, device)).is_none() {
                    // All kernels of the device are looked at.
                    return vec![Effect::PackStreams {
                        generation: self.generation,
                        trace: TraceHandle(trace),
                        rank,
                        device,
                    }];
                }
            }
            LaneAction::ResetAll => *lanes = Arranged::default(),
        }
        Vec::new()
    }

    pub(super) fn packs_arrive(&mut self, packs: Packs) {
        if packs.generation != self.generation {
            return;
        }
        if packs.lanes.is_empty() {
            self.say(
                Tone::Notice,
                "no two streams of this GPU that only replay graphs are free of overlap, so each keeps its lane",
            );
        } else {
            let device = (packs.rank, packs.device);
            self.lanes.arranged.packs.insert(device, packs.lanes);
        }
    }
}
