//! The lanes in a session file.

use crate::session::lane_text::{lane_of_text, text_of};
use crate::timeline::{Arranged, LaneKey};
use crate::trace::StreamId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The lanes by their texts; the group of the ranks has an empty one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::session) struct StoredLanes {
    toggled: Vec<String>,
    hidden: Vec<String>,
    pinned: Vec<String>,
    order: BTreeMap<String, Vec<String>>,
    /// Streams that share lanes, by their device.
    packs: BTreeMap<String, Vec<Vec<i64>>>,
    names: BTreeMap<String, String>,
}

impl StoredLanes {
    pub(in crate::session) fn of<'a>(
        toggled: impl Iterator<Item = &'a LaneKey>,
        arranged: &'a Arranged,
    ) -> Self {
        let texts = |lanes: &[LaneKey]| lanes.iter().map(|l| text_of(*l)).collect();
        let group = |lane: &Option<LaneKey>| lane.map(text_of).unwrap_or_default();
        Self {
            toggled: toggled.map(|l| text_of(*l)).collect(),
            hidden: arranged.hidden.iter().map(|l| text_of(*l)).collect(),
            pinned: texts(&arranged.pinned),
            order: (arranged.order.iter())
                .map(|(of, list)| (group(of), texts(list)))
                .collect(),
            packs: (arranged.packs.iter())
                .map(|((rank, device), lanes)| {
                    let ids = |lane: &Vec<StreamId>| lane.iter().map(|s| s.0).collect();
                    let of = text_of(LaneKey::Device(*rank, *device));
                    (of, lanes.iter().map(ids).collect())
                })
                .collect(),
            names: (arranged.names.iter())
                .map(|(lane, name)| (text_of(*lane), name.clone()))
                .collect(),
        }
    }

    pub(in crate::session) fn toggled(&self) -> impl Iterator<Item = LaneKey> {
        self.toggled.iter().filter_map(|t| lane_of_text(t))
    }

    pub(in crate::session) fn arranged(&self) -> Arranged {
        let lanes = |texts: &[String]| texts.iter().filter_map(|t| lane_of_text(t)).collect();
        let group = |text: &str| match text {
            "" => Some(None),
            text => lane_of_text(text).map(Some),
        };
        let mut pinned: Vec<LaneKey> = Vec::new();
        for lane in self.pinned.iter().filter_map(|t| lane_of_text(t)) {
            if !pinned.contains(&lane) {
                pinned.push(lane);
            }
        }
        Arranged {
            hidden: self.hidden.iter().filter_map(|t| lane_of_text(t)).collect(),
            pinned,
            order: (self.order.iter())
                .filter_map(|(of, list)| Some((group(of)?, lanes(list))))
                .collect(),
            packs: (self.packs.iter())
                .filter_map(|(of, lanes)| {
                    let LaneKey::Device(rank, device) = lane_of_text(of)? else {
                        return None;
                    };
                    let ids = |lane: &Vec<i64>| lane.iter().map(|s| StreamId(*s)).collect();
                    Some(((rank, device), lanes.iter().map(ids).collect()))
                })
                .collect(),
            names: (self.names.iter())
                .filter_map(|(lane, name)| Some((lane_of_text(lane)?, name.clone())))
                .collect(),
        }
    }
}
