//! Pieces against a model that looks at every block.

use super::*;
use crate::snapshot::{Block, BlockState, Pool, Segment, StackId};
use proptest::prelude::*;

const SEGMENT: u64 = 0x7f00_0000_0000;

/// A block of a made-up segment: bytes from the end of the one before (or over it, for damaged files), its
/// bytes, its state.
type Made = (i64, u64, BlockState);

fn made() -> impl Strategy<Value = Made> {
    let gap = prop_oneof![12 => Just(0), 1 => 1..2_000_000_i64, 1 => -3_000_i64..0];
    // From blocks of few bytes to a few that are wider than the screen.
    let size = prop_oneof![
        1 => Just(0_u64),
        20 => 1..4_096_u64,
        4 => (1..64_u64).prop_map(|n| n * 512),
        2 => 1..4_000_000_u64,
    ];
    let state = prop_oneof![
        Just(BlockState::Allocated),
        Just(BlockState::AwaitingFree),
        Just(BlockState::Free),
    ];
    (gap, size, state)
}

/// A segment that follows another, so that its blocks do not begin at place 0.
fn layout(made: &[Made], cut: u64) -> (Vec<Segment>, Vec<Block>) {
    let block = |address, size, state, segment| Block {
        address,
        size,
        requested: size,
        state,
        stack: StackId::NONE,
        segment,
    };
    let segment = |address, size, blocks| Segment {
        pool: Pool::default(),
        address,
        size,
        is_expandable: false,
        stack: StackId::NONE,
        blocks,
    };
    let mut blocks = vec![block(0x1000, 512, BlockState::Free, 0); 3];
    let mut next = SEGMENT;
    for (gap, size, state) in made {
        let address = next.saturating_add_signed(*gap).max(SEGMENT);
        blocks.push(block(address, *size, *state, 1));
        next = address + size;
    }
    blocks.get_mut(3..).unwrap().sort_by_key(|b| b.address);
    let size = (next - SEGMENT).saturating_sub(cut).max(1);
    let segments = vec![
        segment(0x1000, 512, 0..3),
        segment(SEGMENT, size, 3..blocks.len()),
    ];
    (segments, blocks)
}

/// The strips of a layout, and the row of the segment in question.
fn strips(layout: Layout<'_>) -> (Strips, Row) {
    let strips = Strips::new(layout);
    let (group, row) = strips.row_of(1).unwrap();
    let row = strips.groups[group].rows[row].clone();
    (strips, row)
}

/// What is drawn of a block: from and to, in bytes of the row.
fn span(row: &Row, layout: Layout<'_>, at: usize) -> (u64, u64) {
    let placed = row.placed.iter().find(|p| p.segment == 1).unwrap();
    let within = |address: u64| address.min(SEGMENT + placed.size) - SEGMENT + placed.from;
    let block = layout.blocks[at];
    let next = layout.blocks.get(at + 1).map_or(u64::MAX, |b| b.address);
    (
        within(block.address),
        within(next.min(block.address + block.size)),
    )
}

/// All pieces of the whole row, one look a block.
fn model(row: &Row, layout: Layout<'_>, view: StripView) -> Vec<Piece> {
    let mut groups: Vec<(Option<u64>, Vec<usize>)> = Vec::new();
    for at in layout.segments[1].blocks.clone() {
        let (from, to) = span(row, layout, at);
        let is_wide = view.x_of(to) - view.x_of(from) >= 2.0;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "small"
        )]
        let column = (real(from) / (2.0 * view.bytes_per_px)) as u64;
        let column = (!is_wide).then_some(column);
        match groups.last_mut() {
            Some((of, blocks)) if column.is_some() && *of == column => blocks.push(at),
            _ => groups.push((column, vec![at])),
        }
    }
    let piece = |(_, blocks): (Option<u64>, Vec<usize>)| {
        let (first, last) = (blocks[0], *blocks.last().unwrap());
        let (start, end) = (span(row, layout, first).0, span(row, layout, last).1);
        let share = |state: BlockState| {
            let of = blocks
                .iter()
                .filter(|at| layout.blocks[**at].state == state);
            let bytes = of
                .map(|at| span(row, layout, *at))
                .map(|(from, to)| to - from);
            real(bytes.sum()) / real((end - start).max(1))
        };
        let (from, to) = (view.x_of(start), view.x_of(end));
        Piece {
            from,
            to: to.max(from + 1.0),
            what: if blocks.len() == 1 {
                Shown::Block(first)
            } else {
                Shown::Mixed {
                    allocated: share(BlockState::Allocated),
                    awaiting: share(BlockState::AwaitingFree),
                    free: share(BlockState::Free),
                    blocks: blocks.len(),
                }
            },
        }
    };
    groups.into_iter().map(piece).collect()
}

proptest! {
    #[test]
    fn searching_gives_the_pieces_of_looking_at_every_block(
        made in prop::collection::vec(made(), 1..400),
        cut in prop_oneof![4 => Just(0), 1 => 0..100_000_u64],
        zooms in prop::collection::vec((0.0..1.0_f64, 1.0..5_000.0_f64), 1..6),
        px in 3.0..900.0_f64,
    ) {
        let (segments, blocks) = layout(&made, cut);
        let layout = Layout { segments: &segments, blocks: &blocks };
        let (strips, row) = strips(layout);
        for (at, factor) in zooms {
            let view = StripView::fit(strips.width, px).zoom(factor, at * px, strips.width, px);
            let found = strips.pieces(&row, layout, view, px);
            // On the edges of the screen either may have what is not seen.
            let seen = |piece: &Piece| piece.to > 1.0 && piece.from <= px;
            let expected: Vec<Piece> = model(&row, layout, view).into_iter().filter(seen).collect();
            let shown: Vec<Piece> = found.iter().copied().filter(seen).collect();
            let mine = |piece: &Piece| !matches!(piece.what, Shown::Block(0..3));
            let shown: Vec<Piece> = shown.into_iter().filter(mine).collect();
            prop_assert_eq!(&shown, &expected);
            // Two pieces a column at most, whatever the number of blocks.
            prop_assert!(real(u64::try_from(found.len()).unwrap()) <= px + 8.0);
            for piece in &shown {
                if let Shown::Mixed { allocated, awaiting, free, .. } = piece.what {
                    prop_assert!(allocated + awaiting + free <= 1.0 + 1e-9);
                }
            }
        }
    }

    #[test]
    fn a_point_finds_the_block_that_a_walk_finds(
        made in prop::collection::vec(made(), 1..200),
        at in 0.0..1.0_f64,
        factor in 1.0..5_000.0_f64,
    ) {
        let (segments, blocks) = layout(&made, 0);
        let layout = Layout { segments: &segments, blocks: &blocks };
        let (strips, row) = strips(layout);
        let view = StripView::fit(strips.width, 500.0).zoom(factor, at * 500.0, strips.width, 500.0);
        for x in (0..500).map(f64::from) {
            let byte = view.byte_at(x);
            let mut all = segments[1].blocks.clone();
            let walked = all.rfind(|at| {
                let (from, to) = span(&row, layout, *at);
                from <= byte && byte < to
            });
            prop_assert_eq!(row.block_at(layout, view, x), walked);
        }
    }
}

#[test]
fn a_pan_changes_no_piece_that_stays_on_the_screen() {
    let made: Vec<Made> = (0..50_000_u64)
        .map(|n| {
            let state = match n % 7 {
                0 | 3 => BlockState::Free,
                5 => BlockState::AwaitingFree,
                _ => BlockState::Allocated,
            };
            (0, 512 * (1 + n * n % 13), state)
        })
        .collect();
    let (segments, blocks) = layout(&made, 0);
    let layout = Layout {
        segments: &segments,
        blocks: &blocks,
    };
    let (strips, row) = strips(layout);
    let view = StripView::fit(strips.width, 800.0).zoom(9.0, 400.0, strips.width, 800.0);
    let shown = |view: StripView| {
        let pieces = strips.pieces(&row, layout, view, 800.0).into_iter();
        pieces.map(|p| p.what).collect::<Vec<_>>()
    };
    let (before, after) = (shown(view), shown(view.pan(101.0, strips.width, 800.0)));
    let shared = before
        .iter()
        .position(|what| Some(what) == after.first())
        .unwrap();
    let rest = before.get(shared..).unwrap();
    assert!((300..400).contains(&rest.len()));
    assert_eq!(rest, after.get(..rest.len()).unwrap());
}
