//! The snapshot in a session file: where it is, and how it was looked at; and the session that is kept
//! of one that is opened alone.

use super::{AsBefore, FitForm, InkBy, SiteSort, SnapshotEffect, SnapshotTab};
use crate::metrics::SortOrder;
use crate::session::file::Span;
use crate::session::{Effect, Recall, Session, SessionFile};
use crate::snapshot::GroupBy;
use crate::time::{Ns, Window};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A snapshot that was open. Choices stand by their names; a name that is not known is as at the start.
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
    /// What is shown below the history.
    tab: String,
    /// What colours of blocks tell.
    ink: String,
    /// The size that was asked to fit, and what the driver has free, as typed.
    request: String,
    driver: String,
    /// The column that call sites are sorted by.
    sort: String,
    descending: bool,
    /// What call sites are grouped by: `site` or `stack`.
    group: String,
    with_native: bool,
    filter: String,
}

/// Columns of call sites by their names.
const SORTS: [(SiteSort, &str); 4] = [
    (SiteSort::Bytes, "bytes"),
    (SiteSort::Count, "count"),
    (SiteSort::Largest, "largest"),
    (SiteSort::Site, "site"),
];

/// One that is brought back.
fn brought(stored: &StoredSnapshot) -> AsBefore {
    AsBefore {
        stored: stored.clone(),
        is_reload: false,
    }
}

impl Session {
    /// What is kept of the snapshot.
    pub(in crate::session) fn stored_snapshot(&self) -> Option<StoredSnapshot> {
        let (open, device, _) = self.snapshot.focused()?;
        let absolute = std::path::absolute(&open.path);
        let allocator = &self.snapshot;
        let sites = &allocator.sites;
        let sort = SORTS.iter().find(|(by, _)| *by == sites.sorting.by);
        Some(StoredSnapshot {
            path: absolute.unwrap_or_else(|_| open.path.clone()),
            device: device.id,
            moment_ns: allocator.moment.map(|at| at.0),
            window: allocator.own_window.map(Into::into),
            in_front: self.shows_allocator(),
            tab: allocator.tab.title().to_owned(),
            ink: allocator.ink.title().to_owned(),
            request: allocator.fit.size.clone(),
            driver: allocator.fit.driver.clone(),
            sort: sort.map_or("", |(_, name)| *name).to_owned(),
            descending: sites.sorting.order == SortOrder::Descending,
            group: match sites.by {
                GroupBy::Site => "site",
                GroupBy::Stack => "stack",
            }
            .to_owned(),
            with_native: !sites.only_python,
            filter: sites.filter.text.clone(),
        })
    }

    /// Opens the snapshot that stood beside the trace the last time.
    pub(in crate::session) fn snapshot_waiting(&mut self) -> Vec<Effect> {
        let next = self.snapshot.next.take();
        next.map_or_else(Vec::new, |stored| self.reopen_snapshot(&stored))
    }

    /// Opens a snapshot that was open the last time, unless one is there.
    pub(in crate::session) fn reopen_snapshot(&mut self, stored: &StoredSnapshot) -> Vec<Effect> {
        if self.brings_named_back(stored) {
            return Vec::new();
        }
        let allocator = &self.snapshot;
        if allocator.open.is_some()
            || allocator.load.is_some()
            || stored.path.as_os_str().is_empty()
        {
            return Vec::new();
        }
        let effects = self.open_snapshot(stored.path.clone());
        self.snapshot.as_before = Some(brought(stored));
        if let Some(load) = &mut self.snapshot.load {
            load.recall = Recall::None;
        }
        effects
            .into_iter()
            .filter(|e| !matches!(e, Effect::Snapshot(SnapshotEffect::Recall { .. })))
            .collect()
    }

    /// Where the snapshot was named together with the trace, it is being read or there already, and
    /// looked at as the last time.
    fn brings_named_back(&mut self, stored: &StoredSnapshot) -> bool {
        let is_same = |path: &Path| std::path::absolute(path).is_ok_and(|p| p == stored.path);
        let allocator = &mut self.snapshot;
        if allocator.with_trace.take() != Some(self.generation) {
            return false;
        }
        if let Some(load) = &allocator.load {
            if load.paths.iter().any(|path| is_same(path)) {
                allocator.as_before = Some(brought(stored));
            }
        } else if allocator.open.as_ref().is_some_and(|o| is_same(&o.path)) {
            self.bring_snapshot_back(stored);
        }
        true
    }

    /// Takes in the session that was kept of a snapshot that is opened alone.
    pub(in crate::session) fn recall_snapshot(
        &mut self,
        generation: u64,
        found: Option<Box<SessionFile>>,
    ) {
        let allocator = &mut self.snapshot;
        if let Some(load) = allocator
            .load
            .as_mut()
            .filter(|l| l.generation == generation)
        {
            if load.recall == Recall::Asked {
                load.recall = found.map_or(Recall::None, Recall::Found);
            }
        } else if generation == allocator.generation
            && allocator.recalled != generation
            && self.trace.is_none()
            && self.load.is_none()
        {
            // Reading it was faster.
            allocator.recalled = generation;
            if let Some(file) = found {
                self.bring_kept_back(&file);
            }
        }
    }

    /// Looks at the snapshot that was just opened alone as a kept session says.
    pub(super) fn bring_kept_back(&mut self, file: &SessionFile) {
        if let Some(stored) = &file.snapshot {
            self.bring_snapshot_back(stored);
        }
    }

    /// Whether a snapshot is open alone, and how it was looked at the last time is back.
    pub(in crate::session) fn keeps_snapshot(&self) -> bool {
        let allocator = &self.snapshot;
        self.trace.is_none()
            && allocator.open.is_some()
            && allocator.recalled == allocator.generation
    }

    /// Looks at the snapshot as the last time, where that still fits.
    pub(super) fn bring_snapshot_back(&mut self, stored: &StoredSnapshot) {
        let allocator = &mut self.snapshot;
        allocator.is_in_front = stored.in_front;
        let devices = allocator.open.iter().flat_map(|o| &o.snapshot.devices);
        let place = devices.enumerate().find(|(_, d)| d.id == stored.device);
        if let Some((place, _)) = place {
            allocator.device = place;
            allocator.view = None;
        }
        let tab = SnapshotTab::ALL
            .into_iter()
            .find(|t| t.title() == stored.tab);
        allocator.tab = tab.unwrap_or(allocator.tab);
        let ink = InkBy::ALL.into_iter().find(|ink| ink.title() == stored.ink);
        allocator.ink = ink.unwrap_or(allocator.ink);
        if !stored.request.is_empty() {
            let form = FitForm {
                size: stored.request.clone(),
                driver: stored.driver.clone(),
                ..FitForm::default()
            };
            allocator.fit = form.understood();
        }
        let sites = &mut allocator.sites;
        if let Some((by, _)) = SORTS.into_iter().find(|(_, name)| *name == stored.sort) {
            sites.sorting.by = by;
            sites.sorting.order = if stored.descending {
                SortOrder::Descending
            } else {
                SortOrder::Ascending
            };
        }
        sites.by = if stored.group == "stack" {
            GroupBy::Stack
        } else {
            GroupBy::Site
        };
        sites.only_python = !stored.with_native;
        sites.set_filter(stored.filter.clone());
        let extent = allocator.extent();
        let inside = |at: &Ns| extent.is_some_and(|e| e.contains(*at));
        allocator.moment = stored.moment_ns.map(Ns).filter(inside);
        let fits =
            |w: &Window| extent.is_some_and(|e| w.clip(e).is_some_and(|both| !both.is_empty()));
        allocator.own_window = stored.window.map(Window::from).filter(fits);
        self.fit_history();
    }
}
