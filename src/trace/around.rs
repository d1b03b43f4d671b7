//! From a launch to the op around it, and from an op to what was launched inside of it.

use super::{Category, Rank, Slice, SliceId};
use crate::time::Window;

impl Rank {
    /// The innermost CPU op around a slice of a host thread, the slice itself left out.
    ///
    /// One search for each depth of the thread; the sub-rows of the rank are listed first, if that
    /// was not done yet.
    #[must_use]
    pub fn op_around(&self, id: SliceId) -> Option<SliceId> {
        let slice = self.slices.get(id)?;
        let thread = self.thread_of(id)?;
        let rows = self.rows_of(&thread.slices)?;
        (0..slice.row()).rev().find_map(|depth| {
            let row = rows.row(&self.slices, depth)?;
            let around = row.get(row.first_reaching(slice.start()))?;
            let is_op = around.category() == Category::CpuOp;
            let holds = around.start() <= slice.start() && slice.end() <= around.end();
            (is_op && holds).then(|| around.id())
        })
    }

    /// The CPU op that launched a kernel: the innermost around its launch call, else the one with
    /// its external id.
    #[must_use]
    pub fn launching_op(&self, kernel: SliceId) -> Option<SliceId> {
        match self.links.launch_of(kernel) {
            Some(launch) => self.op_around(launch),
            None => self.external_op(kernel),
        }
    }

    /// A slice of a host thread and everything inside of it on that thread, by start.
    pub fn inside(&self, id: SliceId) -> impl Iterator<Item = Slice<'_>> {
        let outer = self.slices.get(id).zip(self.thread_of(id));
        let window = outer.map_or(Window::default(), |(slice, _)| slice.window());
        let end = outer.map_or(id.0, |(_, thread)| thread.slices.end);
        self.slices
            .range(id.0..end)
            .take_while(move |s| s.start() < window.end() || s.id() == id)
            .filter(move |s| s.end() <= window.end())
    }

    /// The GPU work that was launched inside of a host slice, with its launch call. By the order of
    /// the calls.
    pub fn launched_inside(&self, id: SliceId) -> impl Iterator<Item = (Slice<'_>, Slice<'_>)> {
        self.inside(id)
            .filter(|call| call.category() == Category::Runtime)
            .flat_map(|call| {
                let of_call = call.correlation().filter(|_| {
                    // A call that shares its id with an earlier one launched nothing.
                    let first = call.correlation().and_then(|id| self.links.launch(id));
                    first == Some(call.id())
                });
                let kernels = of_call.map_or(&[][..], |id| self.links.kernels(id));
                let kernels = kernels.iter().filter_map(|k| self.slices.get(k.1));
                kernels.map(move |kernel| (call, kernel))
            })
    }
}
