//! Lanes as short texts, for session files: `r0`, `r0/d1`, `r0/d1/s7`, `r0/t3`.

use crate::timeline::{Derived, LaneKey, MemoryLane};
use crate::trace::{DeviceId, MemoryPlace, RankId, StreamId};

/// The text of a lane.
#[must_use]
pub(super) fn text_of(lane: LaneKey) -> String {
    let rank = lane.rank().0;
    match lane {
        LaneKey::Rank(_) => format!("r{rank}"),
        LaneKey::Device(_, d) => format!("r{rank}/d{}", d.0),
        LaneKey::Derived(_, d, kind) => {
            format!("r{rank}/d{}/{}", d.0, kind.label().to_lowercase())
        }
        LaneKey::Stream(_, d, s) => format!("r{rank}/d{}/s{}", d.0, s.0),
        LaneKey::Extra(_, d, at) => format!("r{rank}/d{}/x{at}", d.0),
        LaneKey::Memory(_, MemoryLane::OfDevice(d)) => format!("r{rank}/d{}/allocator", d.0),
        LaneKey::Memory(_, MemoryLane::OfRank(place)) => {
            format!("r{rank}/m{}", place.device().0)
        }
        LaneKey::Snapshot(_, MemoryLane::OfDevice(d)) => format!("r{rank}/d{}/snapshot", d.0),
        LaneKey::Snapshot(_, MemoryLane::OfRank(place)) => {
            format!("r{rank}/m{}/snapshot", place.device().0)
        }
        LaneKey::Threads(_) => format!("r{rank}/threads"),
        LaneKey::Thread(_, at) => format!("r{rank}/t{at}"),
    }
}

/// The lane of a text; `None` for what no lane is called.
#[must_use]
pub(super) fn lane_of_text(text: &str) -> Option<LaneKey> {
    let mut parts = text.split('/');
    let rank = RankId(number(parts.next()?, 'r')?);
    let (second, third) = (parts.next(), parts.next());
    if parts.next().is_some() {
        return None;
    }
    let Some(second) = second else {
        return Some(LaneKey::Rank(rank));
    };
    if second == "threads" && third.is_none() {
        return Some(LaneKey::Threads(rank));
    }
    if let Some(at) = number(second, 't').filter(|_| third.is_none()) {
        return Some(LaneKey::Thread(rank, at));
    }
    if let Some(id) = number(second, 'm') {
        let lane = MemoryLane::OfRank(match id {
            -1 => MemoryPlace::Host,
            id => MemoryPlace::Device(DeviceId(id)),
        });
        return match third {
            None => Some(LaneKey::Memory(rank, lane)),
            Some("snapshot") => Some(LaneKey::Snapshot(rank, lane)),
            Some(_) => None,
        };
    }
    let device = DeviceId(number(second, 'd')?);
    let Some(third) = third else {
        return Some(LaneKey::Device(rank, device));
    };
    if third == "allocator" {
        return Some(LaneKey::Memory(rank, MemoryLane::OfDevice(device)));
    }
    if third == "snapshot" {
        return Some(LaneKey::Snapshot(rank, MemoryLane::OfDevice(device)));
    }
    let mut kinds = Derived::ALL.into_iter();
    if let Some(kind) = kinds.find(|k| k.label().eq_ignore_ascii_case(third)) {
        return Some(LaneKey::Derived(rank, device, kind));
    }
    if let Some(stream) = number(third, 's') {
        return Some(LaneKey::Stream(rank, device, StreamId(stream)));
    }
    number(third, 'x').map(|at| LaneKey::Extra(rank, device, at))
}

fn number<T: std::str::FromStr>(text: &str, letter: char) -> Option<T> {
    text.strip_prefix(letter)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_is_its_text() {
        let (rank, gpu) = (RankId(3), DeviceId(-1));
        let derived = Derived::ALL.map(|kind| LaneKey::Derived(rank, gpu, kind));
        let others = [
            LaneKey::Rank(rank),
            LaneKey::Device(rank, gpu),
            LaneKey::Stream(rank, gpu, StreamId(7)),
            LaneKey::Extra(rank, gpu, 2),
            LaneKey::Memory(rank, MemoryLane::OfDevice(gpu)),
            LaneKey::Memory(rank, MemoryLane::OfRank(MemoryPlace::Host)),
            LaneKey::Memory(rank, MemoryLane::OfRank(MemoryPlace::Device(DeviceId(4)))),
            LaneKey::Snapshot(rank, MemoryLane::OfDevice(gpu)),
            LaneKey::Snapshot(rank, MemoryLane::OfRank(MemoryPlace::Device(DeviceId(4)))),
            LaneKey::Threads(rank),
            LaneKey::Thread(rank, 11),
        ];
        for lane in derived.into_iter().chain(others) {
            assert_eq!(lane_of_text(&text_of(lane)), Some(lane), "{lane:?}");
        }
        for wrong in [
            "",
            "r",
            "rank0",
            "r0/",
            "r0/q",
            "r0/t1/s2",
            "r0/d0/s7/s8",
            "r0/m0/allocator",
            "r0/snapshot",
            "r-1",
        ] {
            assert_eq!(lane_of_text(wrong), None, "{wrong}");
        }
    }
}
