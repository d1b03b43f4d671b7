//! Hit testing: which slice is under a point.

use super::lanes::LaneRow;
use super::rows::{self, RowIndex};
use super::view::View;
use crate::trace::{Rank, SliceRef};

/// How far beside a slice that is too narrow to hit the pointer may be.
const NEAR_PX: f64 = 3.0;

/// The slice of a lane under a point, or the nearest one within a few pixels.
///
/// `y` is the distance from the lane's top. In a folded column it is the slice that ran at that
/// instant, or else the one nearest to it.
#[must_use]
pub fn slice_at(
    rank: &Rank,
    lane: &LaneRow,
    index: Option<&RowIndex>,
    view: &View,
    x: f64,
    y: f32,
) -> Option<SliceRef> {
    let sub_row = (0..lane.sub_rows)
        .take_while(|r| f32::from(*r) * lane.row_height() <= y)
        .last()?;
    let row = rows::row(rank, lane, index, sub_row)?;
    let at = view.time_at(x);
    let next = row.first_reaching(at);
    let near = [next.checked_sub(1), Some(next), next.checked_add(1)];
    let distance = |i: usize| {
        let slice = row.get(i)?;
        let (x0, x1) = (view.x_of(slice.start()), view.x_of(slice.end()));
        let away = (x0 - x).max(x - x1).max(0.0);
        (away <= NEAR_PX).then_some((away, slice.id()))
    };
    let (_, slice) = near
        .into_iter()
        .flatten()
        .filter_map(distance)
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(SliceRef {
        rank: rank.id,
        slice,
    })
}
