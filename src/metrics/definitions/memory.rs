//! What the columns of the tables of memory mean.

pub(in crate::metrics) const DEVICE: &str = "Number of the device whose memory it is, as its allocator numbers it; -1 is the host. Processes that see only some GPUs may number them otherwise than the kernels do.";
pub(in crate::metrics) const STEP: &str = "The step whose window it is, by the number in the name of its ProfilerStep annotation; empty where the window is another. Allocations happen on the host, so it is always the step's window on the host.";
pub(in crate::metrics) const START: &str = "Bytes in blocks that were in use right before the window: the baseline. With source integrated, relative to the start of the recording.";
pub(in crate::metrics) const END: &str =
    "Bytes in blocks in use at the end of the window, where the next window begins.";
pub(in crate::metrics) const GROWTH: &str = "End less start.";
pub(in crate::metrics) const MIN: &str = "The least that was in use, the start included.";
pub(in crate::metrics) const PEAK: &str = "The most that was in use, the start included.";
pub(in crate::metrics) const PEAK_AT: &str = "When the peak was first reached, in absolute nanoseconds after base and alignment; the window's start where that much was in use before.";
pub(in crate::metrics) const PEAK_OP: &str = "The innermost CPU op around the allocation that reached the peak, on its thread; empty where it was reached before the window or outside of any op.";
pub(in crate::metrics) const RESERVED_PEAK: &str = "The most that the allocator held of the driver's memory. Empty for the host and with source integrated.";
pub(in crate::metrics) const RESERVED_END: &str =
    "What the allocator holds of the driver's memory at the end of the window.";
pub(in crate::metrics) const CACHED: &str = "Reserved less allocated bytes at the end: cached memory that the allocator hands out again. Empty where the file states more allocated than reserved bytes.";
pub(in crate::metrics) const ALLOCATIONS: &str = "Number of allocations in the window.";
pub(in crate::metrics) const FREES: &str = "Number of frees in the window.";
pub(in crate::metrics) const ALLOCATED: &str = "Sum of the bytes of all allocations in the window.";
pub(in crate::metrics) const FREED: &str = "Sum of the bytes of all frees in the window.";
pub(in crate::metrics) const SOURCE: &str = "totals: the file states what is in use after every event. integrated: bytes of events were added up from 0 at the start of the recording, so levels are relative to it and reserved bytes are unknown.";
pub(in crate::metrics) const VERDICT: &str = "level: the slope of step ends is 0 or below. leak suspected: step ends and the least of each step rise in every step. not rising in every step: the slope is above 0, but not all of them rise. cannot tell: fewer than 5 whole steps behind 2 of warm-up. docs/memory.md says more.";
pub(in crate::metrics) const STEPS: &str =
    "Number of steps that are judged: whole ones behind 2 of warm-up.";
pub(in crate::metrics) const ENDS_RISING: &str =
    "How many judged steps end with more in use than the one before.";
pub(in crate::metrics) const MINS_RISING: &str =
    "How many judged steps have a higher least in use than the one before.";
pub(in crate::metrics) const SLOPE: &str = "Median of the slopes between all pairs of step ends (Theil and Sen), in bytes per step, rounded half up.";
pub(in crate::metrics) const SLOPE_LOW: &str =
    "Lower end of the 95 % interval of the slope, by ranks of Kendall's tau.";
pub(in crate::metrics) const SLOPE_HIGH: &str = "Upper end of that interval.";
pub(in crate::metrics) const REASON: &str = "What the verdict rests on.";
pub(in crate::metrics) const GROWERS: &str = "Where a leak is suspected: ops whose living blocks grow from every step to the next, the largest growth first, with its bytes. Needs the addresses of blocks.";
