//! Launch links: which host call started which GPU work, by correlation id within a rank.

use super::SliceId;
use std::ops::Range;

/// Launches and kernels by correlation id. One launch may start many kernels (CUDA and HIP graphs).
#[derive(Debug, Default)]
pub struct Links {
    launches: Vec<(i64, SliceId)>,
    kernels: Vec<(i64, SliceId)>,
    /// For every slice of the GPU range the call that launched it.
    launch_of: Vec<Option<SliceId>>,
    /// Where the GPU range begins.
    first: u32,
    /// Launches without any kernel, by correlation.
    unmatched: Vec<SliceId>,
}

impl Links {
    /// Builds from `(correlation, slice)` pairs in any order. `gpu` is the range of slices that
    /// holds all kernels.
    #[must_use]
    pub fn new(
        mut launches: Vec<(i64, SliceId)>,
        mut kernels: Vec<(i64, SliceId)>,
        gpu: Range<u32>,
    ) -> Self {
        // Lanes are in order of time and ids are mostly given in that order: the stable sort finds
        // such runs and only merges them.
        rayon::join(|| launches.sort(), || kernels.sort());
        launches.shrink_to_fit();
        kernels.shrink_to_fit();
        let mut links = Self {
            launch_of: vec![None; gpu.len()],
            first: gpu.start,
            unmatched: Vec::new(),
            launches,
            kernels,
        };
        links.join();
        links
    }

    /// One pass over both sorted lists.
    fn join(&mut self) {
        let mut kernels = self.kernels.iter().peekable();
        let mut launches = self.launches.iter().peekable();
        while let Some(&(id, launch)) = launches.next() {
            // Of several launches with one id the first in column order counts.
            while launches.next_if(|l| l.0 == id).is_some() {}
            while kernels.next_if(|k| k.0 < id).is_some() {}
            let mut found = false;
            while let Some((_, kernel)) = kernels.next_if(|k| k.0 == id) {
                found = true;
                let at = usize::try_from(kernel.0.saturating_sub(self.first)).ok();
                if let Some(slot) = at.and_then(|i| self.launch_of.get_mut(i)) {
                    *slot = Some(launch);
                }
            }
            if !found {
                self.unmatched.push(launch);
            }
        }
    }

    /// The call that launched a piece of GPU work.
    #[must_use]
    pub fn launch_of(&self, kernel: SliceId) -> Option<SliceId> {
        let at = usize::try_from(kernel.0.checked_sub(self.first)?).ok()?;
        self.launch_of.get(at).copied().flatten()
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

    /// Host calls whose correlation id no GPU work has.
    #[must_use]
    pub fn unmatched(&self) -> &[SliceId] {
        &self.unmatched
    }

    /// Whether any GPU work is linked to a host call.
    #[must_use]
    pub fn is_linked(&self) -> bool {
        self.launch_of.iter().any(Option::is_some)
    }

    /// Heap memory in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        (self.launches.capacity() + self.kernels.capacity()) * size_of::<(i64, SliceId)>()
            + self.launch_of.capacity() * size_of::<Option<SliceId>>()
            + self.unmatched.capacity() * size_of::<SliceId>()
    }
}

fn run(pairs: &[(i64, SliceId)], id: i64) -> &[(i64, SliceId)] {
    let from = pairs.partition_point(|p| p.0 < id);
    let len = pairs
        .get(from..)
        .map_or(0, |rest| rest.partition_point(|p| p.0 == id));
    pairs.get(from..from + len).unwrap_or(&[])
}
