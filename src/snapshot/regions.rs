//! The segments of a device while its recording is taken back, event by event.

use super::events::{Action, Event};
use super::rounding::{LARGE_SEGMENT, SMALL_SEGMENT, page};
use super::{Device, Pool, PoolId, PoolSize, Segment, Snapshot};
use std::collections::BTreeMap;

/// Segments by address, without blocks.
pub(super) struct Segments(BTreeMap<u64, Segment>);

impl Segments {
    pub(super) fn at_end(snapshot: &Snapshot, device: &Device) -> Self {
        let segments = snapshot.segments_of(device).iter();
        Self(segments.map(|s| (s.address, s.clone())).collect())
    }

    /// All of them by address.
    pub(super) fn all(&self) -> impl Iterator<Item = &Segment> {
        self.0.values()
    }

    /// Takes one event back; `false` where that is not possible.
    pub(super) fn undo(&mut self, event: &Event, device: i64) -> bool {
        match event.action {
            Action::SegmentAlloc => {
                let there = self.0.get(&event.address).map(|s| s.size);
                there == Some(event.size) && self.0.remove(&event.address).is_some()
            }
            Action::SegmentFree => self.put(event, device, false),
            Action::SegmentMap => self.cut(event),
            Action::SegmentUnmap => self.put(event, device, true),
            _ => true,
        }
    }

    /// Puts memory back: a segment, or a range of an expandable one, which joins what it touches of its
    /// own stream. Events do not state pools. That of a neighbour is taken, else one is inferred: the
    /// common one, small or large by the size.
    fn put(&mut self, event: &Event, device: i64, is_expandable: bool) -> bool {
        let Some(end) = event.address.checked_add(event.size) else {
            return false;
        };
        if event.size == 0 {
            return false;
        }
        let mut segment = Segment {
            pool: Pool {
                device,
                size: size_of_pool(event.size, is_expandable),
                stream: event.stream,
                id: PoolId::COMMON,
            },
            address: event.address,
            size: event.size,
            is_expandable,
            stack: event.stack,
            blocks: 0..0,
        };
        let touches = |s: &Segment| {
            is_expandable
                && s.is_expandable
                && s.pool.stream == event.stream
                && event.size.is_multiple_of(page(s.pool.size))
        };
        let before = self.0.range(..end).next_back().map(|(_, s)| s.clone());
        if let Some(before) = &before {
            let its_end = before.address.saturating_add(before.size);
            if its_end > event.address {
                return false;
            }
            if its_end == event.address && touches(before) {
                self.0.remove(&before.address);
                segment.address = before.address;
                segment.size = segment.size.saturating_add(before.size);
                segment.pool = before.pool;
            }
        }
        let has_joined = segment.address != event.address;
        let behind = self.0.get(&end).filter(|s| touches(s));
        let behind = behind.filter(|s| !has_joined || s.pool == segment.pool);
        if let Some(behind) = behind.cloned() {
            self.0.remove(&end);
            segment.size = segment.size.saturating_add(behind.size);
            segment.pool = behind.pool;
        }
        self.0.insert(segment.address, segment);
        true
    }

    /// Takes a range out of an expandable segment; what is left of it on either side stays.
    fn cut(&mut self, event: &Event) -> bool {
        let Some(of) = self
            .0
            .range(..=event.address)
            .next_back()
            .map(|(_, s)| s.clone())
        else {
            return false;
        };
        let (Some(end), Some(its_end)) = (
            event.address.checked_add(event.size),
            of.address.checked_add(of.size),
        ) else {
            return false;
        };
        if end > its_end || !of.is_expandable || of.pool.stream != event.stream {
            return false;
        }
        self.0.remove(&of.address);
        for (from, to) in [(of.address, event.address), (end, its_end)] {
            if from < to {
                self.0.insert(
                    from,
                    Segment {
                        address: from,
                        size: to - from,
                        ..of.clone()
                    },
                );
            }
        }
        true
    }
}

/// Which pool memory of this size was probably taken for. Expandable segments of the large pool change
/// by 20 MiB, those of the small one by 2 MiB.
fn size_of_pool(size: u64, is_expandable: bool) -> PoolSize {
    let is_large = if is_expandable {
        size.is_multiple_of(LARGE_SEGMENT)
    } else {
        size > SMALL_SEGMENT
    };
    if is_large {
        PoolSize::Large
    } else {
        PoolSize::Small
    }
}
