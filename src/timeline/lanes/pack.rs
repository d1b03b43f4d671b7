//! Which streams can share a lane: those that only replay graphs, and whose busy time does not overlap.
//!
//! A replayed graph spreads its branches over streams that it takes for that alone, so a trace may
//! have hundreds of lanes with a few kernels each.

use crate::time::Ns;
use crate::trace::{Device, Rank, SliceId, Stream, StreamId, Trace};

/// Calls that launch a graph, with what stands behind in some versions.
const LAUNCHES: [&str; 3] = ["cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch"];
/// More streams do not share a lane: each is still measured and drawn by itself, so this bounds what
/// a frame of a screen full of lanes may cost.
const MOST: usize = 16;

/// The streams of a device that can share a lane, in lanes of two at least.
#[must_use]
pub fn graph_packs(trace: &Trace, rank: &Rank, device: &Device) -> Vec<Vec<StreamId>> {
    let mut extents: Vec<(Ns, Ns, StreamId)> = (device.streams.iter())
        .filter_map(|stream| {
            let (start, end) = graph_extent(trace, rank, stream)?;
            Some((start, end, stream.id))
        })
        .collect();
    extents.sort_unstable();
    // Each into the first lane that is free again: as few lanes as there are at once.
    let mut lanes: Vec<(Ns, Vec<StreamId>)> = Vec::new();
    for (start, end, stream) in extents {
        let is_free = |lane: &&mut (Ns, Vec<StreamId>)| lane.0 <= start && lane.1.len() < MOST;
        match lanes.iter_mut().find(is_free) {
            Some((until, streams)) => {
                *until = end;
                streams.push(stream);
            }
            None => lanes.push((end, vec![stream])),
        }
    }
    let packs = lanes.into_iter().map(|(_, streams)| streams);
    packs.filter(|streams| streams.len() > 1).collect()
}

/// From the first start to the last end of a stream whose kernels were all launched with graphs.
fn graph_extent(trace: &Trace, rank: &Rank, stream: &Stream) -> Option<(Ns, Ns)> {
    let mut extent: Option<(Ns, Ns)> = None;
    for id in stream.slices.clone().map(SliceId) {
        let launch = rank.slices.get(rank.links.launch_of(id)?)?;
        let call = trace.names.get(launch.name());
        if !LAUNCHES.iter().any(|name| call.starts_with(name)) {
            return None;
        }
        let slice = rank.slices.get(id)?;
        let end = slice.end();
        extent = Some(extent.map_or((slice.start(), end), |(start, last)| (start, last.max(end))));
    }
    extent
}
