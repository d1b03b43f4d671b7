//! Lanes: which row a slice belongs to, the order of the columns that follows, and sub-rows.

use super::super::rank::{Device, Rank, Stream, Thread};
use super::super::{Category, DeviceId, StreamId};
use super::columns::Columns;
use super::partial::{Stop, go_on, sort_in_steps};
use super::rows::{RowKind, assign_all};
use super::{to_u32, to_usize};
use crate::time::DurNs;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

/// Process and thread of an event, as the file writes them (numbers and texts alike).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RowKey {
    /// Process.
    pub pid: String,
    /// Thread.
    pub tid: String,
}

/// The row that a slice belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// GPU work, with the key its metadata would use.
    Stream {
        /// The GPU.
        device: DeviceId,
        /// The queue on it.
        stream: StreamId,
        /// Process and thread of the events, for names only.
        key: RowKey,
    },
    /// A row on a GPU that is no GPU work: projected annotations, synchronisation records.
    Extra {
        /// The GPU.
        device: DeviceId,
        /// Process and thread of the events.
        key: RowKey,
        /// What stands on it.
        category: Category,
    },
    /// A thread of the host, or anything else.
    Thread(RowKey),
}

/// All lanes of a rank and the names that metadata gives them.
#[derive(Debug, Default)]
pub(super) struct LaneTable {
    ids: HashMap<Lane, u32>,
    lanes: Vec<Lane>,
    thread_names: HashMap<RowKey, String>,
    process_names: HashMap<String, String>,
}

impl LaneTable {
    pub(super) fn intern(&mut self, lane: Lane) -> u32 {
        if let Some(id) = self.ids.get(&lane) {
            return *id;
        }
        let id = to_u32(self.lanes.len());
        self.lanes.push(lane.clone());
        self.ids.insert(lane, id);
        id
    }

    /// The lanes by number.
    pub(super) fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// Takes over the names that later metadata gives.
    pub(super) fn absorb_names(&mut self, later: Self) {
        self.thread_names.extend(later.thread_names);
        self.process_names.extend(later.process_names);
    }

    pub(super) fn name_thread(&mut self, key: RowKey, name: &str) {
        self.thread_names.insert(key, name.trim().to_owned());
    }

    pub(super) fn name_process(&mut self, pid: &str, name: &str) {
        self.process_names
            .insert(pid.to_owned(), name.trim().to_owned());
    }

    /// Decides the order of the final columns: by lane, then start; astray slices last. `None` where
    /// the work is to be given up.
    pub(super) fn plan(&self, columns: &Columns, astray: &[bool], stop: Stop<'_>) -> Option<Plan> {
        // Streams that differ only in their metadata key are one stream.
        let mut places: Vec<Place> = self.lanes.iter().map(Place::of).collect();
        places.sort();
        places.dedup();
        let place_of: Vec<usize> = self
            .lanes
            .iter()
            .map(|lane| places.binary_search(&Place::of(lane)).unwrap_or(0))
            .collect();
        // Counted first, so that every list is allocated once.
        let mut counts = vec![0_usize; places.len()];
        for lane in &columns.lane {
            let place = place_of.get(to_usize(*lane));
            if let Some(count) = place.and_then(|p| counts.get_mut(*p)) {
                *count += 1;
            }
        }
        let mut members: Vec<Vec<u32>> = counts.into_iter().map(Vec::with_capacity).collect();
        let mut lost = Vec::new();
        for (i, (lane, astray)) in columns.lane.iter().zip(astray).enumerate() {
            let place = place_of
                .get(to_usize(*lane))
                .and_then(|p| members.get_mut(*p));
            match place {
                Some(place) if !astray => place.push(to_u32(i)),
                _ => lost.push(to_u32(i)),
            }
        }
        members
            .par_iter_mut()
            .zip(&places)
            .try_for_each(|(ids, place)| {
                go_on(stop)?;
                let start = |id: u32| columns.start.get(to_usize(id)).copied().unwrap_or_default();
                let dur = |id: u32| columns.dur.get(to_usize(id)).copied().unwrap_or_default();
                // Sorting is stable: equal times keep the file's order. On threads a parent that
                // starts with its child comes first.
                let is_thread = !matches!(place, Place::Stream(..));
                let key = |id: u32| {
                    let dur = if is_thread { dur(id) } else { DurNs::ZERO };
                    (start(id), Reverse(dur))
                };
                if !ids.is_sorted_by_key(|&id| key(id)) {
                    // Pairs that hold their key sort several times faster than look-ups.
                    let mut keyed: Vec<_> = ids.par_iter().map(|&id| (key(id), id)).collect();
                    sort_in_steps(&mut keyed, stop)?;
                    ids.clear();
                    ids.extend(keyed.into_iter().map(|k| k.1));
                }
                Some(())
            })?;
        let mut order = Vec::with_capacity(columns.len());
        let mut ranges = Vec::with_capacity(places.len());
        for ids in members {
            let from = to_u32(order.len());
            order.extend(ids);
            ranges.push(from..to_u32(order.len()));
        }
        let kept = to_u32(order.len());
        order.extend(lost);
        Some(Plan {
            order,
            kept,
            lanes: places.into_iter().zip(ranges).collect(),
        })
    }

    fn thread_name(&self, key: &RowKey) -> Option<String> {
        self.thread_names
            .get(key)
            .filter(|n| !n.is_empty())
            .cloned()
    }

    /// Names of streams; of several keys of one stream the first that has a name counts.
    fn stream_names(&self) -> HashMap<(DeviceId, StreamId), String> {
        let mut names = HashMap::new();
        for lane in &self.lanes {
            if let Lane::Stream {
                device,
                stream,
                key,
            } = lane
                && let Some(name) = self.thread_name(key)
            {
                names.entry((*device, *stream)).or_insert(name);
            }
        }
        names
    }
}

/// Where a lane stands among the others: streams by number, then extras, then threads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Stream(DeviceId, StreamId),
    Extra(DeviceId, Category, NumberFirst, NumberFirst),
    Thread(NumberFirst, NumberFirst),
}

/// Text that sorts by its number where it is one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NumberFirst(bool, i64, String);

impl NumberFirst {
    fn new(text: &str) -> Self {
        let number = text.parse().ok();
        Self(number.is_none(), number.unwrap_or(0), text.to_owned())
    }
}

impl Place {
    /// Kernels of one stream may overlap; what a thread does is nested.
    fn rows(&self) -> RowKind {
        match self {
            Self::Stream(..) => RowKind::FirstFree,
            Self::Extra(..) | Self::Thread(..) => RowKind::Nested,
        }
    }

    fn of(lane: &Lane) -> Self {
        match lane {
            Lane::Stream { device, stream, .. } => Self::Stream(*device, *stream),
            Lane::Extra {
                device,
                key,
                category,
            } => Self::Extra(
                *device,
                *category,
                NumberFirst::new(&key.pid),
                NumberFirst::new(&key.tid),
            ),
            Lane::Thread(key) => {
                Self::Thread(NumberFirst::new(&key.pid), NumberFirst::new(&key.tid))
            }
        }
    }
}

/// The order of the final columns, and which range of them each lane got.
#[derive(Debug)]
pub(super) struct Plan {
    order: Vec<u32>,
    kept: u32,
    lanes: Vec<(Place, Range<u32>)>,
}

impl Plan {
    /// For each final position the position in file order.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// For each position in file order the final one.
    pub(super) fn new_ids(&self) -> Vec<u32> {
        let mut ids = vec![0; self.order.len()];
        for (new, old) in self.order.iter().enumerate() {
            if let Some(slot) = ids.get_mut(to_usize(*old)) {
                *slot = to_u32(new);
            }
        }
        ids
    }

    pub(super) fn astray_range(&self) -> Range<u32> {
        self.kept..to_u32(self.order.len())
    }
}

/// Makes devices, streams and threads out of the planned lanes, and gives every slice its sub-row.
pub(super) fn place(rank: &mut Rank, table: &LaneTable, plan: &Plan, stop: Stop<'_>) -> Option<()> {
    let kinds: Vec<_> = plan
        .lanes
        .iter()
        .map(|(p, r)| (p.rows(), r.clone()))
        .collect();
    let counts = assign_all(&mut rank.slices, &kinds, stop)?;
    let mut stream_names = table.stream_names();
    for ((place, range), rows) in plan.lanes.iter().zip(counts) {
        if range.is_empty() {
            continue;
        }
        match place {
            Place::Stream(device, stream) => {
                let name = stream_names.remove(&(*device, *stream));
                let stream = Stream {
                    id: *stream,
                    name,
                    slices: range.clone(),
                    rows,
                    ..Stream::default()
                };
                add_stream(rank, *device, stream);
            }
            Place::Extra(device, _, pid, tid) => {
                let thread = thread(table, pid, tid, range, rows);
                // A device that only has such rows has no GPU work; its rows go to the threads.
                let at = rank.devices.binary_search_by_key(device, |d| d.id).ok();
                match at.and_then(|at| rank.devices.get_mut(at)) {
                    Some(device) => device.extras.push(thread),
                    None => rank.threads.push(thread),
                }
            }
            Place::Thread(pid, tid) => {
                let thread = thread(table, pid, tid, range, rows);
                rank.threads.push(thread);
            }
        }
    }
    Some(())
}

fn thread(
    table: &LaneTable,
    pid: &NumberFirst,
    tid: &NumberFirst,
    range: &Range<u32>,
    rows: u16,
) -> Thread {
    let key = RowKey {
        pid: pid.2.clone(),
        tid: tid.2.clone(),
    };
    Thread {
        name: table.thread_name(&key),
        process: table.process_names.get(&key.pid).cloned(),
        pid: key.pid,
        tid: key.tid,
        slices: range.clone(),
        rows,
    }
}

fn add_stream(rank: &mut Rank, id: DeviceId, stream: Stream) {
    // Streams come sorted by device.
    if let Some(device) = rank.devices.last_mut().filter(|d| d.id == id) {
        device.streams.push(stream);
        return;
    }
    let facts = rank.device_facts.iter().find(|d| d.id == id);
    rank.devices.push(Device {
        id,
        name: facts.and_then(|f| f.name.clone()),
        sms: facts.and_then(|f| f.sms),
        streams: vec![stream],
        ..Device::default()
    });
}
