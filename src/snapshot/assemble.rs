//! From the records of a file to the [`Snapshot`]: devices, segments and blocks in order, settings,
//! annotations.

use super::events::{Clock, Events};
use super::keys::Key;
use super::pickle::Value;
use super::records::{Dict, Items, NO_TIME, RawSegment, Records};
use super::tables::TextId;
use super::{
    Annotation, Block, BlockState, Device, NoteKind, Pool, PoolId, PoolSize, Segment, Settings,
    Snapshot, check,
};
use crate::time::Ns;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::mem;

/// Puts a snapshot together; `None` where the value is none.
pub(super) fn assemble(mut records: Records, root: Value) -> Option<Snapshot> {
    let mut snapshot = Snapshot::default();
    let segments = if let Value::List(_) = root {
        // Old versions dumped nothing but the segments.
        let items = records.take_items(root)?;
        let first = items.rest.first().copied();
        let first = first.and_then(|first| records.dict_of(first));
        if !items.events.is_empty() || !matches!(first, None | Some(Dict::Segment(_))) {
            return None;
        }
        items
    } else {
        let segments = records.field(root, Key::Segments)?;
        let items = records.take_items(segments)?;
        snapshot.settings = settings(&mut records, root);
        snapshot.annotations = annotations(&mut records, root);
        items
    };
    let traces = traces(&mut records, root);
    put_segments(&mut snapshot, &mut records, &segments);
    put_devices(&mut snapshot, &mut records, traces);
    snapshot.texts = mem::take(&mut records.texts);
    snapshot.frames = mem::take(&mut records.frames);
    snapshot.stacks = mem::take(&mut records.stacks);
    snapshot.notes = mem::take(&mut records.notes);
    check::check(&mut snapshot);
    Some(snapshot)
}

fn bad(records: &mut Records, what: &str) {
    records
        .notes
        .add(NoteKind::BadRecord, 1, || what.to_owned());
}

/// The events of each device that has any, by number.
fn traces(records: &mut Records, root: Value) -> BTreeMap<i64, Events> {
    let mut traces = BTreeMap::new();
    let lists = records
        .field(root, Key::DeviceTraces)
        .and_then(|list| records.take_items(list))
        .unwrap_or_default();
    let all = mem::take(&mut records.events);
    let whole = 0..u32::try_from(all.len()).unwrap_or(u32::MAX);
    let mut all = Some(all);
    for (device, list) in (0_i64..).zip(lists.rest) {
        let Some(items) = records.take_items(list) else {
            bad(records, &format!("the events of device {device}"));
            continue;
        };
        let mut events = Events::default();
        if items.events == whole && items.rest.is_empty() {
            events = all.take().unwrap_or_default();
        } else if let Some(all) = &all {
            copy_events(records, all, &items, &mut events, device);
        }
        if !events.is_empty() {
            put_in_order(records, &mut events, device);
            traces.insert(device, events);
        }
    }
    traces
}

fn copy_events(
    records: &mut Records,
    all: &Events,
    items: &Items,
    events: &mut Events,
    device: i64,
) {
    let mut copy = |number: u32| {
        let event = usize::try_from(number).ok().and_then(|n| all.get(n));
        if let Some(event) = event {
            events.push(event);
        }
    };
    for number in items.events.clone() {
        copy(number);
    }
    for item in &items.rest {
        match records.dict_of(*item) {
            Some(Dict::Event(number)) => copy(number),
            Some(Dict::Bad) => {}
            _ => bad(records, &format!("an event of device {device}")),
        }
    }
}

/// No event before the one that stands before it.
fn put_in_order(records: &mut Records, events: &mut Events, device: i64) {
    let times = events.times_mut();
    let without = times.iter().filter(|time| **time == NO_TIME).count();
    if without > 0 {
        let without = u64::try_from(without).unwrap_or(u64::MAX);
        records
            .notes
            .add(NoteKind::NoTimes, without, || format!("device {device}"));
        for (time, order) in times.iter_mut().zip(0..) {
            *time = Ns(order);
        }
        events.clock = Clock::Order;
        return;
    }
    let mut latest = Ns::MIN;
    for (place, time) in times.iter_mut().enumerate() {
        if *time < latest {
            records.notes.add(NoteKind::TimesOutOfOrder, 1, || {
                format!("event {place} of device {device}")
            });
            *time = latest;
        }
        latest = *time;
    }
}

fn put_segments(snapshot: &mut Snapshot, records: &mut Records, items: &Items) {
    let mut seen = FxHashSet::default();
    let mut raw: Vec<RawSegment> = Vec::new();
    for item in &items.rest {
        match records.dict_of(*item) {
            Some(Dict::Segment(number)) if !seen.insert(number) => {
                records.notes.add(NoteKind::RepeatedSegment, 1, || {
                    format!("segment {}", raw.len())
                });
            }
            Some(Dict::Segment(number)) => {
                let segment = usize::try_from(number).ok();
                raw.extend(segment.and_then(|n| records.segments.get(n)));
            }
            Some(Dict::Bad) => {}
            _ => bad(records, "a segment"),
        }
    }
    raw.sort_by_key(|s| (s.device, s.address));
    for raw in raw {
        let place = snapshot.segments.len();
        let from = snapshot.blocks.len();
        put_blocks(snapshot, records, &raw, place);
        let end = snapshot.blocks.len();
        let of = snapshot.blocks.get_mut(from..).unwrap_or(&mut []);
        of.sort_by_key(|block| block.address);
        let segment = Segment {
            pool: pool(records, &raw),
            address: raw.address,
            size: raw.total,
            is_expandable: raw.is_expandable,
            stack: raw.stack,
            blocks: from..end,
        };
        check::segment(
            &mut records.notes,
            &segment,
            of,
            (raw.allocated, raw.active),
        );
        snapshot.segments.push(segment);
    }
}

fn pool(records: &mut Records, raw: &RawSegment) -> Pool {
    let kind = raw.kind.map(|kind| records.texts.get(kind));
    let size = match kind {
        Some("small") => PoolSize::Small,
        _ => PoolSize::Large,
    };
    let id = match *records.tuple_items(raw.pool) {
        [a, b] => {
            let (a, b) = (records.unsigned(a), records.unsigned(b));
            PoolId(a.unwrap_or(0), b.unwrap_or(0))
        }
        _ => PoolId::COMMON,
    };
    Pool {
        device: raw.device,
        size,
        stream: raw.stream,
        id,
    }
}

fn put_blocks(snapshot: &mut Snapshot, records: &mut Records, raw: &RawSegment, place: usize) {
    let items = records.take_items(raw.blocks).unwrap_or_default();
    // Old versions give no addresses: blocks follow one another.
    let mut next = raw.address;
    for item in items.rest {
        let block = match records.dict_of(item) {
            Some(Dict::Block(number)) => {
                let number = usize::try_from(number).ok();
                number.and_then(|n| records.blocks.get(n)).copied()
            }
            Some(Dict::Bad) => None,
            _ => {
                bad(
                    records,
                    &format!("a block of the segment at {:#x}", raw.address),
                );
                None
            }
        };
        let Some(block) = block else {
            continue;
        };
        let address = block.address.unwrap_or(next);
        next = address.saturating_add(block.size);
        snapshot.blocks.push(Block {
            address,
            size: block.size,
            // A free block still states what its last owner asked for.
            requested: match block.state {
                BlockState::Free => 0,
                _ => block.requested.unwrap_or(block.size),
            },
            state: block.state,
            stack: block.stack,
            segment: place,
        });
    }
}

fn put_devices(snapshot: &mut Snapshot, records: &mut Records, traces: BTreeMap<i64, Events>) {
    let mut devices: BTreeMap<i64, Device> = BTreeMap::new();
    for (id, events) in traces {
        devices.entry(id).or_default().events = events;
    }
    let mut from = 0;
    for of in snapshot
        .segments
        .chunk_by(|a, b| a.pool.device == b.pool.device)
    {
        let id = of.first().map_or(0, |segment| segment.pool.device);
        devices.entry(id).or_default().segments = from..from + of.len();
        from += of.len();
    }
    if devices.is_empty() && records.segments.is_empty() {
        devices.entry(0).or_default();
    }
    snapshot.devices = devices
        .into_iter()
        .map(|(id, device)| Device { id, ..device })
        .collect();
}

fn settings(records: &mut Records, root: Value) -> Settings {
    let Some(of) = records.field(root, Key::Settings) else {
        return Settings::default();
    };
    let text = records.field(of, Key::Conf).and_then(Records::text_of);
    let conf = text.map(|text| records.texts.get(text).to_owned());
    let max_split_size = match records.field(of, Key::MaxSplitSize) {
        Some(Value::Int(..0)) | None => None,
        Some(value) => records.unsigned(value).filter(|size| *size < u64::MAX),
    };
    let expandable_segments = match records.field(of, Key::ExpandableSegments) {
        Some(Value::Bool(yes)) => Some(yes),
        _ => None,
    };
    let garbage_collection_threshold = match records.field(of, Key::GarbageCollection) {
        Some(Value::Float(part)) => Some(part),
        _ => None,
    };
    let pairs = records
        .field(of, Key::Roundup)
        .map(|of| records.pairs(of).to_vec())
        .unwrap_or_default();
    let mut roundup: Vec<(u64, u64)> = pairs
        .into_iter()
        .filter_map(|(size, parts)| {
            let size = records.texts.get(Records::text_of(size)?).parse().ok()?;
            let parts = records.unsigned(parts)?;
            (parts > 0).then_some((size, parts))
        })
        .collect();
    roundup.sort_unstable();
    Settings {
        conf,
        max_split_size,
        expandable_segments,
        garbage_collection_threshold,
        roundup_power2_divisions: roundup,
    }
}

fn annotations(records: &mut Records, root: Value) -> Vec<Annotation> {
    let items = records
        .field(root, Key::Annotations)
        .and_then(|list| records.take_items(list))
        .unwrap_or_default();
    let word = |records: &Records, of, key| {
        let value = records.field(of, key);
        value.and_then(Records::text_of)
    };
    let mut annotations = Vec::with_capacity(items.rest.len());
    for of in items.rest {
        let Some(name) = word(records, of, Key::Name) else {
            bad(records, "an annotation");
            continue;
        };
        let device = records.field(of, Key::Device);
        let time = records.field(of, Key::TimeUs);
        annotations.push(Annotation {
            name,
            stage: word(records, of, Key::Stage).unwrap_or(TextId::EMPTY),
            device: device.and_then(|id| records.signed(id)).unwrap_or(0),
            time: time.and_then(|time| records.instant(time)),
        });
    }
    annotations
}
