//! Any bytes through the reader of allocator snapshots and all that is told of them: it answers or refuses, and what it
//! answers holds together.

#![no_main]

use libfuzzer_sys::fuzz_target;
use overlane::ingest::Cancel;
use overlane::snapshot::strips::{StripView, Strips};
use overlane::snapshot::{CallSites, FrameTree, History, PoolId, Request, State, Totals, explain, read};

fuzz_target!(|bytes: &[u8]| {
    let Ok(snapshot) = read("fuzz", bytes, &Cancel::default()) else {
        return;
    };
    let sites = CallSites::new(&snapshot);
    for device in &snapshot.devices {
        for segment in snapshot.segments_of(device) {
            assert_eq!(segment.pool.device, device.id);
            for block in snapshot.blocks_of(segment) {
                assert_eq!(snapshot.segments.get(block.segment), Some(segment));
                // Every stack can be put into words.
                let words = snapshot.stack(block.stack).map(|frame| snapshot.frame_words(frame).len());
                std::hint::black_box(words.sum::<usize>());
            }
        }
        let history = History::new(&snapshot, device);
        let events = device.events.len();
        for moment in [0, events / 2, events] {
            let state = State::after(&snapshot, device, &history, moment);
            let totals = Totals::of(state.layout());
            assert!(totals.active() >= totals.allocated);
            draw(&state);
            let held = history.alive_after(moment).into_iter().map(|a| (a.stack, a.size));
            assert!(!FrameTree::new(&snapshot, &sites, false, held).nodes.is_empty());
            let request = Request { bytes: 1 << 20, stream: 0, pool: PoolId::COMMON, device: device.id };
            std::hint::black_box(request.fit(state.layout(), &snapshot.settings, Some(0)));
        }
        std::hint::black_box(explain(&snapshot, device, &history, Some(1 << 34)));
    }
});

/// Strips at all scales: no more pieces than pixels, and a point finds a block that is there.
fn draw(state: &State) {
    const PX: f64 = 64.0;
    let layout = state.layout();
    let strips = Strips::new(layout);
    let whole = StripView::fit(strips.width, PX);
    for factor in [1.0, 17.0, 1e6] {
        let view = whole.zoom(factor, PX / 3.0, strips.width, PX);
        for row in strips.groups.iter().flat_map(|group| &group.rows).take(8) {
            let pieces = strips.pieces(row, layout, view, PX);
            assert!(pieces.len() <= 128 + 2 * row.placed.len());
            for x in [0.0, 20.0, 63.0] {
                let block = row.block_at(layout, view, x);
                assert!(block.is_none_or(|at| at < layout.blocks.len()));
            }
        }
    }
}
