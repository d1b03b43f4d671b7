//! Any bytes through the reader of allocator snapshots: it answers or refuses, and what it answers holds together.

#![no_main]

use libfuzzer_sys::fuzz_target;
use overlane::ingest::Cancel;
use overlane::snapshot::read;

fuzz_target!(|bytes: &[u8]| {
    let Ok(snapshot) = read("fuzz", bytes, &Cancel::default()) else {
        return;
    };
    for device in &snapshot.devices {
        for segment in snapshot.segments_of(device) {
            assert_eq!(segment.pool.device, device.id);
            for (place, block) in segment.blocks.clone().zip(snapshot.blocks_of(segment)) {
                assert_eq!(snapshot.segments.get(block.segment), Some(segment), "block {place}");
                // Every stack can be put into words.
                let words = snapshot.stack(block.stack).map(|frame| snapshot.frame_words(frame).len());
                std::hint::black_box(words.sum::<usize>());
            }
        }
        assert_eq!(device.events.iter().len(), device.events.len());
    }
});
