//! Launch links: which host call started which GPU work, by correlation id within a rank.

use super::SliceId;

/// Launches and kernels by correlation id. One launch may start many kernels (CUDA and HIP graphs).
#[derive(Debug, Default)]
pub struct Links {
    launches: Vec<(i64, SliceId)>,
    kernels: Vec<(i64, SliceId)>,
}

impl Links {
    /// Builds from `(correlation, slice)` pairs in any order.
    #[must_use]
    pub fn new(mut launches: Vec<(i64, SliceId)>, mut kernels: Vec<(i64, SliceId)>) -> Self {
        launches.sort_unstable();
        kernels.sort_unstable();
        launches.shrink_to_fit();
        kernels.shrink_to_fit();
        Self { launches, kernels }
    }

    /// The host call with this correlation id; the first in column order where several share it.
    #[must_use]
    pub fn launch(&self, correlation: i64) -> Option<SliceId> {
        run(&self.launches, correlation).first().map(|l| l.1)
    }

    /// All GPU work with this correlation id, in column order.
    #[must_use]
    pub fn kernels(&self, correlation: i64) -> &[(i64, SliceId)] {
        run(&self.kernels, correlation)
    }

    /// All `(correlation, launch)` pairs by correlation.
    #[must_use]
    pub fn all_launches(&self) -> &[(i64, SliceId)] {
        &self.launches
    }

    /// Heap memory in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        (self.launches.capacity() + self.kernels.capacity()) * size_of::<(i64, SliceId)>()
    }
}

fn run(pairs: &[(i64, SliceId)], id: i64) -> &[(i64, SliceId)] {
    let from = pairs.partition_point(|p| p.0 < id);
    let len = pairs
        .get(from..)
        .map_or(0, |rest| rest.partition_point(|p| p.0 == id));
    pairs.get(from..from + len).unwrap_or(&[])
}
