//! Opening a snapshot, taking it in, closing it.

use super::{Allocator, AsBefore, OpenSnapshot, SnapshotArrival, SnapshotEffect, SnapshotHandle};
use crate::ingest::LoadOptions;
use crate::session::{Effect, Load, Recall, Session, Tone, file_name};
use crate::snapshot::Device;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Whether a file is to be read as a snapshot: told by its name.
#[must_use]
fn is_snapshot_name(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy().to_lowercase());
    let name = name.unwrap_or_default();
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    let extension = plain.rsplit_once('.').map(|(_, extension)| extension);
    matches!(extension, Some("pickle" | "pkl"))
}

impl Session {
    /// Whether the allocator's view is what the middle of the screen shows.
    #[must_use]
    pub fn shows_allocator(&self) -> bool {
        self.snapshot.open.is_some() && (self.snapshot.is_in_front || self.trace.is_none())
    }

    /// Starts to read a snapshot; what is open stays until it is there.
    pub(in crate::session) fn open_snapshot(&mut self, path: PathBuf) -> Vec<Effect> {
        // Beside a trace, the trace's session says how it was looked at.
        let is_alone = self.trace.is_none();
        let allocator = &mut self.snapshot;
        allocator.last_load += 1;
        (allocator.as_before, allocator.with_trace) = (None, None);
        let generation = allocator.last_load;
        allocator.load = Some(Load {
            generation,
            paths: vec![path.clone()],
            options: LoadOptions::default(),
            progress: None,
            recall: if is_alone {
                Recall::Asked
            } else {
                Recall::None
            },
            notice: None,
        });
        self.path_box = None;
        let recall = is_alone.then(|| SnapshotEffect::Recall {
            generation,
            path: path.clone(),
        });
        let open = SnapshotEffect::Open { generation, path };
        let effects = recall.into_iter().chain([open]);
        effects.map(Effect::Snapshot).collect()
    }

    /// Takes the snapshots out of what is to be opened, and starts to read the first of them.
    pub(in crate::session) fn open_snapshots_of(
        &mut self,
        paths: &mut Vec<PathBuf>,
    ) -> Vec<Effect> {
        let (snapshots, rest): (Vec<PathBuf>, Vec<PathBuf>) =
            paths.drain(..).partition(|p| is_snapshot_name(p));
        *paths = rest;
        let mut snapshots = snapshots.into_iter();
        let Some(first) = snapshots.next() else {
            return Vec::new();
        };
        self.message = None;
        if snapshots.next().is_some() {
            let text = format!("one snapshot is shown at a time: {}", file_name(&first));
            self.say(Tone::Notice, text);
        }
        self.open_snapshot(first)
    }

    pub(in crate::session) fn snapshot_arrives(&mut self, arrival: SnapshotArrival) -> Vec<Effect> {
        match arrival {
            SnapshotArrival::LoadIsPickle { generation } => {
                let load = self.load.take_if(|l| l.generation == generation);
                let path = load.and_then(|load| load.paths.into_iter().next());
                self.reload_keeps = None;
                path.map_or_else(Vec::new, |path| self.open_snapshot(path))
            }
            SnapshotArrival::Started {
                generation,
                progress,
            } => {
                let load = self.snapshot.load.as_mut();
                if let Some(load) = load.filter(|l| l.generation == generation) {
                    load.progress = Some(progress);
                }
                Vec::new()
            }
            SnapshotArrival::Opened {
                generation,
                result,
                took,
            } => {
                let load = &mut self.snapshot.load;
                let Some(load) = load.take_if(|l| l.generation == generation) else {
                    return Vec::new();
                };
                match result {
                    Ok(open) => self.accept_snapshot(load, open, took),
                    Err(sentence) => {
                        // One that is brought back was not asked for.
                        let was = self.snapshot.as_before.take();
                        let was = was.filter(|was| !was.is_reload);
                        let tone = was.map_or(Tone::Error, |_| Tone::Notice);
                        self.say(tone, sentence);
                        Vec::new()
                    }
                }
            }
            SnapshotArrival::ChangedOnDisk { generation } => {
                let allocator = &mut self.snapshot;
                allocator.changed_on_disk |=
                    allocator.open.is_some() && generation == allocator.generation;
                Vec::new()
            }
            SnapshotArrival::Measured(answer) => {
                self.snapshot_measured(answer);
                Vec::new()
            }
        }
    }

    fn accept_snapshot(&mut self, load: Load, open: SnapshotHandle, took: Duration) -> Vec<Effect> {
        let SnapshotHandle(open) = open;
        let before = std::mem::take(&mut self.snapshot);
        let as_before = before.as_before;
        let generation = load.generation;
        let is_alone = self.trace.is_none() && self.load.is_none();
        // One that waits for a trace is not kept by itself if that fails: what is kept of it is not back.
        let waits = load.recall == Recall::Asked || self.load.is_some();
        self.settings.remember(std::slice::from_ref(&open.path));
        self.snapshot = Allocator {
            generation,
            took: Some(took),
            last_load: before.last_load,
            recalled: if waits { 0 } else { generation },
            with_trace: before.with_trace,
            // One that is brought back with a trace stays behind it.
            is_in_front: as_before.is_none(),
            // The device where most happened.
            device: busiest(&open),
            ink: before.ink,
            view_width: before.view_width,
            open: Some(open),
            ..Allocator::default()
        };
        if let Some(AsBefore { stored, is_reload }) = as_before {
            self.bring_snapshot_back(&stored);
            if is_reload {
                self.snapshot.view = before.view;
                self.snapshot.fit.place = before.fit.place;
                self.move_history(|view, limits| view.within(limits));
            }
        } else if let (true, Recall::Found(file)) = (is_alone, load.recall) {
            self.bring_kept_back(&file);
        }
        vec![Effect::SaveSettings]
    }

    /// Forgets the snapshot.
    pub(in crate::session) fn close_snapshot(&mut self) {
        self.snapshot = Allocator {
            last_load: self.snapshot.last_load,
            load: self.snapshot.load.take(),
            ..Allocator::default()
        };
    }
}

/// The device with the most reserved bytes; files name all of a machine.
fn busiest(open: &OpenSnapshot) -> usize {
    let bytes = |device: &Device| -> u128 {
        let segments = open.snapshot.segments_of(device).iter();
        segments.map(|s| u128::from(s.size)).sum()
    };
    let devices = open.snapshot.devices.iter().enumerate();
    devices
        .max_by_key(|(place, device)| {
            let events = device.events.len();
            (bytes(device), events, std::cmp::Reverse(*place))
        })
        .map_or(0, |(place, _)| place)
}
