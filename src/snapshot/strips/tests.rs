//! Packing, pieces and hits of strips.

use super::*;
use crate::snapshot::{Block, BlockState, Segment, StackId};

const MIB: u64 = 1 << 20;

/// Segments of the common pool: of each its size and the sizes of its blocks, every second one free.
fn state(sizes: &[(u64, u64)]) -> (Vec<Segment>, Vec<Block>) {
    let (mut segments, mut blocks) = (Vec::new(), Vec::new());
    let mut address = 0x1000_0000;
    for (at, (size, block)) in sizes.iter().enumerate() {
        let first = blocks.len();
        let mut from = address;
        while from < address + size {
            let size = (*block).min(address + size - from);
            blocks.push(Block {
                address: from,
                size,
                requested: size,
                state: if blocks.len().is_multiple_of(2) {
                    BlockState::Allocated
                } else {
                    BlockState::Free
                },
                stack: StackId::NONE,
                segment: at,
            });
            from += size;
        }
        segments.push(Segment {
            pool: Pool::default(),
            address,
            size: *size,
            is_expandable: false,
            stack: StackId::NONE,
            blocks: first..blocks.len(),
        });
        address += size + 4 * MIB;
    }
    (segments, blocks)
}

#[test]
fn short_segments_share_a_row_and_none_is_lost() {
    let sizes = [(2, 1), (100, 10), (60, 10), (2, 1), (30, 10)];
    let sizes = sizes.map(|(a, b)| (a * MIB, b * MIB));
    let (segments, blocks) = state(&sizes);
    let layout = Layout {
        segments: &segments,
        blocks: &blocks,
    };
    let strips = Strips::new(layout);
    assert_eq!((strips.width, strips.groups.len()), (100 * MIB, 1));
    let group = strips.groups.first().unwrap();
    assert_eq!((group.bytes, group.segments), (194 * MIB, 5));
    let rows: Vec<Vec<usize>> = group
        .rows
        .iter()
        .map(|row| row.placed.iter().map(|p| p.segment).collect())
        .collect();
    assert_eq!(rows, [vec![1], vec![2, 4, 0, 3]]);
    for row in &group.rows {
        for pair in row.placed.windows(2) {
            let [a, b] = pair else { continue };
            assert!(a.from + a.size < b.from && b.from + b.size <= strips.width);
        }
    }
    assert_eq!(strips.row_of(4), Some((0, 1)));
}

#[test]
fn narrow_blocks_become_shares_and_wide_ones_stay_alone() {
    let (segments, blocks) = state(&[(100 * MIB, MIB)]);
    let layout = Layout {
        segments: &segments,
        blocks: &blocks,
    };
    let strips = Strips::new(layout);
    let row = strips.groups.first().and_then(|g| g.rows.first()).unwrap();
    let wide = StripView::fit(strips.width, 1_000.0);
    let pieces = strips.pieces(row, layout, wide, 1_000.0);
    assert_eq!(pieces.len(), 100);
    assert!(pieces.iter().all(|p| matches!(p.what, Shown::Block(_))));
    let narrow = StripView::fit(strips.width, 25.0);
    let pieces = strips.pieces(row, layout, narrow, 25.0);
    let mut seen = 0;
    for piece in &pieces {
        match piece.what {
            Shown::Mixed {
                allocated,
                awaiting,
                free,
                blocks,
            } => {
                assert!((allocated + awaiting + free - 1.0).abs() < 1e-9);
                seen += blocks;
            }
            Shown::Block(_) => seen += 1,
        }
    }
    assert_eq!(seen, 100);
    for pair in pieces.windows(2) {
        let [a, b] = pair else { continue };
        assert!((a.to - b.from).abs() < 1e-6);
    }
}

#[test]
fn a_point_finds_its_block_also_when_zoomed() {
    let (segments, blocks) = state(&[(100 * MIB, 10 * MIB), (40 * MIB, 10 * MIB)]);
    let layout = Layout {
        segments: &segments,
        blocks: &blocks,
    };
    let strips = Strips::new(layout);
    let rows = &strips.groups.first().unwrap().rows;
    let view = StripView::fit(strips.width, 1_000.0);
    assert_eq!(rows[0].block_at(layout, view, 0.0), Some(0));
    assert_eq!(rows[0].block_at(layout, view, 999.0), Some(9));
    assert_eq!(rows[1].block_at(layout, view, 150.0), Some(11));
    assert_eq!(rows[1].block_at(layout, view, 500.0), None);
    let zoomed = view.zoom(10.0, 250.0, strips.width, 1_000.0);
    assert!((zoomed.x_of(25 * MIB) - 250.0).abs() < 1e-6);
    assert_eq!(rows[0].block_at(layout, zoomed, 250.0), Some(2));
    let out = zoomed.zoom(1e-9, 0.0, strips.width, 1_000.0);
    assert_eq!(out, view);
    let most = zoomed.pan(1e12, strips.width, 1_000.0);
    assert!((most.x_of(strips.width) - 1_000.0).abs() < 1e-6);
}
