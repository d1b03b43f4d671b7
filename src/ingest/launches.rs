//! Reading how GPU work was launched from the files of a trace that was loaded.

use super::event_walk::{EventWalk, file_of};
use super::{Cancel, IngestError, chrome_json};
use crate::time::parse_i64;
use crate::trace::{
    Category, LaunchDetails, LaunchShape, Rank, RankId, RankLaunches, SliceId, StreamId,
    StreamWait, Trace,
};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Reads launch shapes, input shapes of launching ops and waits between streams, ranks in parallel.
///
/// Each file is read once more from its beginning to its end. A file that cannot be read any more,
/// or has changed, is told among the errors of the result.
#[must_use]
pub fn read_launches(trace: &Trace, cancel: &Cancel) -> LaunchDetails {
    let of_rank = |rank: &Rank| -> Result<(RankId, RankLaunches), IngestError> {
        Ok((rank.id, of_rank(trace, rank, cancel)?))
    };
    let mut details = LaunchDetails::default();
    for result in trace.ranks.par_iter().map(of_rank).collect::<Vec<_>>() {
        match result {
            Ok((rank, launches)) => details.insert(rank, launches),
            Err(error) => details.errors.push(error.to_string()),
        }
    }
    details
}

fn of_rank(trace: &Trace, rank: &Rank, cancel: &Cancel) -> Result<RankLaunches, IngestError> {
    let wanted = wanted(trace, rank);
    let (mut shapes, mut dims, mut waits) = (Vec::new(), Vec::new(), Vec::new());
    let walk = EventWalk::open(rank, file_of(trace, rank)?, wanted.into_iter())?;
    walk.each(cancel, |events| {
        let told: Vec<(SliceId, Told)> = events
            .par_iter()
            .filter_map(|(id, event)| Some((*id, told(rank, *id, event)?)))
            .collect();
        for (id, told) in told {
            match told {
                Told::Shape(shape) => shapes.push((id, shape)),
                Told::Dims(text) => dims.push((id, text)),
                Told::Wait(wait) => waits.push(wait),
            }
        }
    })?;
    Ok(RankLaunches::new(shapes, dims, waits))
}

/// What an event tells.
enum Told {
    Shape(LaunchShape),
    Dims(Arc<str>),
    Wait(StreamWait),
}

fn told(rank: &Rank, id: SliceId, event: &[u8]) -> Option<Told> {
    match rank.slices.get(id)?.category() {
        Category::Gpu | Category::Runtime => {
            let shape = shape(event);
            (!shape.is_empty()).then_some(Told::Shape(shape))
        }
        Category::CpuOp => input_dims(event).map(Told::Dims),
        Category::Sync => wait(id, event).map(Told::Wait),
        _ => None,
    }
}

/// The slices whose events tell anything: kernels, the calls that launched them where HIP writes
/// the shape there, the ops around those, and records of synchronisation.
fn wanted(trace: &Trace, rank: &Rank) -> Vec<u32> {
    let mut wanted = Vec::new();
    let mut calls_and_ops = BTreeSet::new();
    for stream in rank.devices.iter().flat_map(|d| &d.streams) {
        for kernel in rank.slices.range(stream.slices.clone()) {
            wanted.push(kernel.id().0);
            let launch = rank.links.launch_of(kernel.id());
            let call = launch.and_then(|id| rank.slices.get(id));
            if let Some(call) = call.filter(|c| trace.names.get(c.name()).starts_with("hip")) {
                calls_and_ops.insert(call.id().0);
            }
            calls_and_ops.extend(rank.launching_op(kernel.id()).map(|op| op.0));
        }
    }
    wanted.extend(calls_and_ops);
    let placed = rank.slices.range(0..rank.astray.start);
    let records = placed.filter(|s| s.category() == Category::Sync);
    wanted.extend(records.map(|s| s.id().0));
    wanted
}

fn shape(event: &[u8]) -> LaunchShape {
    let mut shape = LaunchShape::default();
    chrome_json::each_arg(event, |key, value| match key {
        "grid" => shape.grid = triple(value),
        "block" => shape.block = triple(value),
        "registers per thread" => shape.registers = value.trim().parse().ok(),
        "shared memory" => shape.shared_memory = value.trim().parse().ok(),
        "blocks per SM" => shape.blocks_per_sm = Some(Arc::from(value)),
        "est. achieved occupancy %" => shape.occupancy_percent = value.trim().parse().ok(),
        _ => {}
    });
    shape
}

fn triple(list: &str) -> Option<[u32; 3]> {
    let inner = list.trim().strip_prefix('[')?.strip_suffix(']')?;
    let mut numbers = inner.split(',').map(|n| n.trim().parse().ok());
    let found = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(found)
}

fn input_dims(event: &[u8]) -> Option<Arc<str>> {
    let mut found = None;
    chrome_json::each_arg(event, |key, value| {
        if key == "Input Dims" || key == "Input dims" {
            found = Some(Arc::from(value));
        }
    });
    found
}

fn wait(slice: SliceId, event: &[u8]) -> Option<StreamWait> {
    let mut wait = StreamWait {
        slice,
        stream: None,
        wait_on: None,
        record: None,
    };
    let mut is_wait = false;
    chrome_json::each_arg(event, |key, value| {
        // What is not known is written as -1, and through unsigned numbers as 2^32 - 1.
        let number = parse_i64(value.trim().as_bytes()).ok();
        let number = number.filter(|n| (0..i64::from(u32::MAX)).contains(n));
        match key {
            "cuda_sync_kind" => is_wait = value == "Stream Wait Event",
            "stream" => wait.stream = number.map(StreamId),
            "wait_on_stream" => wait.wait_on = number.map(StreamId),
            "wait_on_cuda_event_record_corr_id" => wait.record = number,
            _ => {}
        }
    });
    is_wait.then_some(wait)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_as_the_profiler_writes_them() {
        let event = br#"{"ph":"X","args":{"registers per thread": 96, "shared memory": 41744,
            "blocks per SM": 0.22222222, "grid": [24, 1, 1], "block": [544, 1, 1],
            "est. achieved occupancy %": 6}}"#;
        let told = shape(event);
        assert_eq!(told.grid, Some([24, 1, 1]));
        assert_eq!(told.block, Some([544, 1, 1]));
        assert_eq!(
            (told.registers, told.shared_memory),
            (Some(96), Some(41744))
        );
        assert_eq!(told.blocks_per_sm.as_deref(), Some("0.22222222"));
        assert_eq!(told.occupancy_percent, Some(6));
        for event in [
            "{}",
            r#"{"args": 3}"#,
            r#"{"args":{"grid":[1,2],"block":"x"}}"#,
            "{",
        ] {
            assert!(shape(event.as_bytes()).is_empty(), "{event}");
        }
    }

    #[test]
    fn a_wait_names_its_streams_where_they_are_known() {
        let of = |text: &str| {
            let found = wait(SliceId(3), text.as_bytes())?;
            Some((found.stream?.0, found.wait_on.map(|s| s.0), found.record))
        };
        let event = |on: &str, record: &str| {
            format!(
                r#"{{"args":{{"cuda_sync_kind":"Stream Wait Event","stream":24,
                "wait_on_stream":{on},"wait_on_cuda_event_record_corr_id":{record}}}}}"#
            )
        };
        assert_eq!(of(&event("20", "1385")), Some((24, Some(20), Some(1385))));
        assert_eq!(of(&event("-1", "-1")), Some((24, None, None)));
        assert_eq!(of(&event("4294967295", "null")), Some((24, None, None)));
        let other = r#"{"args":{"cuda_sync_kind":"Stream Sync","stream":7}}"#;
        assert_eq!(of(other), None);
    }
}
