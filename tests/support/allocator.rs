//! Made-up allocators: segments and blocks as a snapshot has them.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "every test file uses its own part of this"
)]

use crate::pickles::{Any, Writer};
use overlane::ingest::Cancel;
use overlane::snapshot::{Layout, PoolId, PoolSize, Request, Snapshot, read};

pub const MIB: u64 = 1 << 20;

pub fn request(bytes: u64) -> Request {
    Request {
        bytes,
        stream: 0,
        pool: PoolId::COMMON,
        device: 0,
    }
}

/// Size of the pool, stream, private pool, whether it expands, and its blocks.
pub type Made<'a> = (PoolSize, i64, PoolId, bool, &'a [(u64, &'a str)]);

/// A snapshot of segments, each a pool, whether it expands, and its blocks.
pub fn made(segments: &[Made<'_>]) -> Snapshot {
    with_events(segments_of(segments), Vec::new())
}

/// The segments alone, from 1 TiB on, 4 GiB apart.
pub fn segments_of(segments: &[Made<'_>]) -> Vec<Any> {
    let mut address = 1_u64 << 40;
    segments
        .iter()
        .map(|(size, stream, id, expandable, blocks)| {
            let total: u64 = blocks.iter().map(|(size, _)| size).sum();
            let list = blocks
                .iter()
                .map(|(size, state)| {
                    Any::dict(&[
                        ("size", Any::Int((*size).into())),
                        ("state", Any::text_of(state)),
                    ])
                })
                .collect();
            let segment = Any::dict(&[
                ("address", Any::Int(address.into())),
                ("total_size", Any::Int(total.into())),
                ("stream", Any::Int((*stream).into())),
                (
                    "segment_type",
                    Any::text_of(if *size == PoolSize::Small {
                        "small"
                    } else {
                        "large"
                    }),
                ),
                (
                    "segment_pool_id",
                    Any::Tuple(vec![Any::Int(id.0.into()), Any::Int(id.1.into())]),
                ),
                ("is_expandable", Any::Bool(*expandable)),
                ("blocks", Any::List(list)),
            ]);
            address += 1 << 32;
            segment
        })
        .collect()
}

/// Segments and the events of device 0.
pub fn with_events(segments: Vec<Any>, events: Vec<Any>) -> Snapshot {
    let mut root = vec![("segments", Any::List(segments))];
    if !events.is_empty() {
        root.push(("device_traces", Any::List(vec![Any::List(events)])));
    }
    let root = Any::dict(&root);
    read("made", &*Writer::new(4).write(&root), &Cancel::default()).unwrap()
}

pub fn whole(snapshot: &Snapshot) -> Layout<'_> {
    snapshot.layout(&snapshot.devices[0])
}
