//! What a trace is compared with, in a session file.

use super::lanes::StoredLanes;
use crate::session::Session;
use crate::time::DurNs;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The second trace and how it stands to the first. What is loaded of it is what is loaded of the first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::session) struct StoredCompare {
    pub(in crate::session) paths: Vec<PathBuf>,
    /// The shift between times that are told from either origin; none where it was not chosen yet.
    shift_ns: Option<i64>,
    lanes: StoredLanes,
    scroll: f32,
}

impl StoredCompare {
    pub(in crate::session) fn of(paths: Vec<PathBuf>, offset: DurNs, other: &Session) -> Self {
        Self {
            paths,
            shift_ns: Some(offset.0),
            lanes: StoredLanes::of(other.lanes.toggled().iter(), &other.lanes.arranged),
            scroll: other.scroll_y,
        }
    }

    /// The same way to look at what these paths hold.
    pub(in crate::session) fn with_paths(self, paths: Vec<PathBuf>) -> Self {
        Self { paths, ..self }
    }

    pub(in crate::session) fn offset(&self) -> Option<DurNs> {
        // No two times of traces are farther apart.
        let held = |ns: i64| DurNs(ns.clamp(i64::MIN / 2, i64::MAX / 2));
        self.shift_ns.map(held)
    }

    /// Puts the lanes as they were.
    pub(in crate::session) fn restore(&self, other: &mut Session) {
        for lane in self.lanes.toggled() {
            other.lanes.toggle(lane);
        }
        other.lanes.arranged = self.lanes.arranged();
        other.scroll_y = self.scroll.max(0.0);
    }
}
