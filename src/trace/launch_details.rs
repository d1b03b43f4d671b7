//! How GPU work was launched, beyond the columns: launch shapes, input shapes of the launching ops,
//! and which stream waited for which.
//!
//! Only the analysis of overlap asks for these, so they are no columns of a rank: they are read from
//! the files once somebody asks, and kept beside the trace.

use super::{RankId, SliceId, StreamId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The shape of a kernel launch, as the profiler tells it. What it does not tell is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LaunchShape {
    /// Blocks in each dimension. Of HIP's module launches: work-items.
    pub grid: Option<[u32; 3]>,
    /// Threads of a block in each dimension.
    pub block: Option<[u32; 3]>,
    /// Registers of a thread.
    pub registers: Option<u32>,
    /// Shared memory of a block in bytes.
    pub shared_memory: Option<u64>,
    /// Blocks divided by multiprocessors, as it is written.
    pub blocks_per_sm: Option<Arc<str>>,
    /// Estimated occupancy in whole percent; a small kernel has 0.
    pub occupancy_percent: Option<u32>,
}

impl LaunchShape {
    /// Whether nothing is told.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Number of blocks; with `is_in_threads` the grid counts work-items, as HIP's module launches
    /// write it.
    #[must_use]
    pub fn blocks(&self, is_in_threads: bool) -> Option<u64> {
        let volume = |v: [u32; 3]| -> Option<u64> {
            v.iter()
                .try_fold(1_u64, |all, n| all.checked_mul(u64::from(*n)))
        };
        let grid = volume(self.grid?)?;
        if is_in_threads {
            let block = volume(self.block?)?;
            return (block > 0).then(|| grid.div_ceil(block));
        }
        Some(grid)
    }
}

/// One stream was made to wait for an event of another, as a synchronisation record tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamWait {
    /// The record.
    pub slice: SliceId,
    /// The stream that waits.
    pub stream: Option<StreamId>,
    /// The stream that the event was recorded on.
    pub wait_on: Option<StreamId>,
    /// Correlation id of the call that recorded the event; `None` where the profiler lost it.
    pub record: Option<i64>,
}

/// What the file of one rank tells.
#[derive(Clone, Debug, Default)]
pub struct RankLaunches {
    shapes: Vec<LaunchShape>,
    shape_of: Vec<(SliceId, u32)>,
    texts: Vec<Arc<str>>,
    dims_of: Vec<(SliceId, u32)>,
    waits: Vec<StreamWait>,
}

impl RankLaunches {
    /// Builds from what was told, in any order; of several accounts of one slice the first counts.
    #[must_use]
    pub fn new(
        shapes: Vec<(SliceId, LaunchShape)>,
        dims: Vec<(SliceId, Arc<str>)>,
        mut waits: Vec<StreamWait>,
    ) -> Self {
        let (shapes, shape_of) = distinct(shapes);
        let (texts, dims_of) = distinct(dims);
        waits.sort_by_key(|w| w.slice);
        Self {
            shapes,
            shape_of,
            texts,
            dims_of,
            waits,
        }
    }

    /// The shape that the event of a kernel or of a launch call tells.
    #[must_use]
    pub fn shape(&self, slice: SliceId) -> Option<&LaunchShape> {
        of(&self.shapes, &self.shape_of, slice)
    }

    /// `Input Dims` of a CPU op, as they are written.
    #[must_use]
    pub fn input_dims(&self, op: SliceId) -> Option<&Arc<str>> {
        of(&self.texts, &self.dims_of, op)
    }

    /// Which stream waited for which, by record.
    #[must_use]
    pub fn waits(&self) -> &[StreamWait] {
        &self.waits
    }
}

/// Each value once, and by slice which of them it is.
fn distinct<T: Clone + std::hash::Hash + Eq>(
    mut told: Vec<(SliceId, T)>,
) -> (Vec<T>, Vec<(SliceId, u32)>) {
    told.sort_by_key(|(slice, _)| *slice);
    told.dedup_by_key(|(slice, _)| *slice);
    let mut numbers = rustc_hash::FxHashMap::<T, u32>::default();
    let mut values = Vec::new();
    let of = told.into_iter().map(|(slice, value)| {
        let next = super::builder::to_u32(values.len());
        let number = *numbers.entry(value.clone()).or_insert_with(|| {
            values.push(value);
            next
        });
        (slice, number)
    });
    let of = of.collect();
    (values, of)
}

fn of<'t, T>(values: &'t [T], by_slice: &[(SliceId, u32)], slice: SliceId) -> Option<&'t T> {
    let at = by_slice.binary_search_by_key(&slice, |s| s.0).ok()?;
    let number = usize::try_from(by_slice.get(at)?.1).ok()?;
    values.get(number)
}

/// What the files of a trace tell of its launches.
#[derive(Clone, Debug, Default)]
pub struct LaunchDetails {
    ranks: BTreeMap<RankId, RankLaunches>,
    /// One sentence for each file that could not be read again.
    pub errors: Vec<String>,
}

impl LaunchDetails {
    /// Adds a rank.
    pub fn insert(&mut self, rank: RankId, launches: RankLaunches) {
        self.ranks.insert(rank, launches);
    }

    /// What is told of a rank; `None` where nothing was read.
    #[must_use]
    pub fn rank(&self, rank: RankId) -> Option<&RankLaunches> {
        self.ranks.get(&rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_module_launch_are_work_items_by_threads() {
        let shape = |grid, block| LaunchShape {
            grid: Some(grid),
            block: Some(block),
            ..LaunchShape::default()
        };
        assert_eq!(shape([24, 1, 1], [544, 1, 1]).blocks(false), Some(24));
        assert_eq!(shape([65536, 2, 1], [256, 1, 1]).blocks(true), Some(512));
        assert_eq!(shape([10, 1, 1], [0, 1, 1]).blocks(true), None);
        assert_eq!(shape([u32::MAX; 3], [1; 3]).blocks(false), None);
        assert_eq!(LaunchShape::default().blocks(false), None);
    }

    #[test]
    fn values_are_kept_once_and_the_first_account_counts() {
        let dims = |text: &str| Arc::<str>::from(text);
        let told = vec![
            (SliceId(9), dims("[[2, 3]]")),
            (SliceId(4), dims("[]")),
            (SliceId(9), dims("[[7]]")),
            (SliceId(5), dims("[[2, 3]]")),
        ];
        let launches = RankLaunches::new(Vec::new(), told, Vec::new());
        let of = |id| launches.input_dims(SliceId(id)).map(AsRef::as_ref);
        assert_eq!(
            (of(9), of(5), of(4)),
            (Some("[[2, 3]]"), Some("[[2, 3]]"), Some("[]"))
        );
        assert_eq!(of(6), None);
        assert_eq!(launches.texts.len(), 2);
    }
}
