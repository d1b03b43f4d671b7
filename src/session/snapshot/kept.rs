//! The snapshot in a session file: where it is, and how it was looked at.

use crate::session::file::Span;
use crate::session::{Effect, Session};
use crate::time::{Ns, Window};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A snapshot that was open.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::session) struct StoredSnapshot {
    pub(in crate::session) path: PathBuf,
    /// The number of the device.
    device: i64,
    /// The moment; none is the end.
    moment_ns: Option<i64>,
    window: Option<Span>,
    /// Whether it was in front of the timeline.
    in_front: bool,
}

impl Session {
    /// What is kept of the snapshot.
    pub(in crate::session) fn stored_snapshot(&self) -> Option<StoredSnapshot> {
        let (open, device, _) = self.snapshot.focused()?;
        let absolute = std::path::absolute(&open.path);
        Some(StoredSnapshot {
            path: absolute.unwrap_or_else(|_| open.path.clone()),
            device: device.id,
            moment_ns: self.snapshot.moment.map(|at| at.0),
            window: self.snapshot.own_window.map(Into::into),
            in_front: self.shows_allocator(),
        })
    }

    /// Opens the snapshot that stood beside the trace the last time.
    pub(in crate::session) fn snapshot_waiting(&mut self) -> Vec<Effect> {
        let next = self.snapshot.next.take();
        next.map_or_else(Vec::new, |stored| self.reopen_snapshot(&stored))
    }

    /// Opens a snapshot that was open the last time, unless one is there.
    pub(in crate::session) fn reopen_snapshot(&mut self, stored: &StoredSnapshot) -> Vec<Effect> {
        let allocator = &self.snapshot;
        if allocator.open.is_some()
            || allocator.load.is_some()
            || stored.path.as_os_str().is_empty()
        {
            return Vec::new();
        }
        let effects = self.open_snapshot(stored.path.clone());
        self.snapshot.as_before = Some(stored.clone());
        effects
    }

    /// Looks at the snapshot as the last time, where that still fits.
    pub(super) fn bring_snapshot_back(&mut self, stored: &StoredSnapshot) {
        let allocator = &mut self.snapshot;
        allocator.is_in_front = stored.in_front;
        let devices = allocator.open.iter().flat_map(|o| &o.snapshot.devices);
        let place = devices.enumerate().find(|(_, d)| d.id == stored.device);
        if let Some((place, _)) = place {
            allocator.device = place;
        }
        let Some(extent) = allocator.extent() else {
            return;
        };
        let inside = |at: &Ns| extent.contains(*at);
        allocator.moment = stored.moment_ns.map(Ns).filter(inside);
        let window = stored.window.map(Window::from);
        allocator.own_window = window.filter(|w| w.clip(extent).is_some_and(|c| !c.is_empty()));
    }
}
