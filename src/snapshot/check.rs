//! Whether a snapshot agrees with itself: blocks cover their segment, and sums are those stated.

use super::{Block, BlockState, NoteKind, Notes, Segment, Snapshot};

/// Compares a segment with its blocks; `stated` are its allocated and active bytes.
pub(super) fn segment(
    notes: &mut Notes,
    segment: &Segment,
    blocks: &[Block],
    stated: (Option<u64>, Option<u64>),
) {
    let place = || format!("the segment at {:#x}", segment.address);
    let mut next = Some(segment.address);
    for block in blocks {
        next = next
            .filter(|next| *next == block.address)
            .and_then(|next| next.checked_add(block.size));
    }
    let is_tiled = next.is_some_and(|end| Some(end) == segment.address.checked_add(segment.size));
    // An expandable segment of older versions has gaps where nothing is mapped.
    if !is_tiled {
        notes.add(NoteKind::Tiling, 1, place);
    }
    let sum = |states: &[BlockState]| {
        blocks
            .iter()
            .filter(|block| states.contains(&block.state))
            .fold(0_u64, |sum, block| sum.saturating_add(block.size))
    };
    let allocated = sum(&[BlockState::Allocated]);
    let active = sum(&[BlockState::Allocated, BlockState::AwaitingFree]);
    let differs = |stated: Option<u64>, is: u64| stated.is_some_and(|stated| stated != is);
    if differs(stated.0, allocated) || differs(stated.1, active) {
        notes.add(NoteKind::Sums, 1, place);
    }
}

/// Checks that need the whole snapshot: no two segments share an address.
pub(super) fn check(snapshot: &mut Snapshot) {
    let mut shared = Vec::new();
    for pair in snapshot.segments.windows(2) {
        if let [a, b] = pair
            && a.pool.device == b.pool.device
            && b.address - a.address < a.size
        {
            shared.push(b.address);
        }
    }
    for address in shared {
        snapshot.notes.add(NoteKind::Tiling, 1, || {
            format!("the segment at {address:#x}")
        });
    }
}
