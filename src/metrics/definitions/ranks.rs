//! What the figures of ranks mean.

pub(in crate::metrics) const FILE: &str =
    "The file that the rank was read from, with the entry where the file is an archive.";
pub(in crate::metrics) const WORLD_SIZE: &str = "Number of ranks in the job, where the file says.";
pub(in crate::metrics) const DEVICES: &str = "Number of GPUs of the rank with work.";
pub(in crate::metrics) const EVENTS: &str =
    "Number of events read from the file, metadata included.";
pub(in crate::metrics) const ALIGNED_BY: &str = "How the times of the file were placed on the axis that all ranks share. \"epoch\": they are absolute. \"base\": the file states what to add to its times. \"start of the file\": they mean nothing to other ranks, so the file was moved to where the others start. \"as recorded\": there is no other rank.";
pub(in crate::metrics) const MOVED: &str =
    "How far the file was moved to align it at its start; zero where it was not.";
pub(in crate::metrics) const APPLIED_SHIFT: &str = "How much later everything of the rank is shown than its file and its base say, because that was asked for; negative for earlier, zero where it was not moved. All times and figures are of the moved rank.";
pub(in crate::metrics) const SHIFT_SOURCE: &str = "What the applied shift was told by. \"collectives\": the ends of collectives that the rank shares with others. \"as asked for\": a shift for this rank. Empty where it was not moved.";
pub(in crate::metrics) const CAPTURE_START: &str =
    "First instant that the rank recorded, in absolute nanoseconds after base and alignment.";
pub(in crate::metrics) const CAPTURE_END: &str =
    "Last instant that the rank recorded, in absolute nanoseconds after base and alignment.";
pub(in crate::metrics) const WINDOW_START: &str = "First instant of the windows of the rank's devices, in absolute nanoseconds after base and alignment.";
pub(in crate::metrics) const WINDOW_END: &str = "First instant past the windows of the rank's devices, in absolute nanoseconds after base and alignment.";
pub(in crate::metrics) const MEASURED: &str =
    "Number of devices that have data of the window. All figures of the row are of these.";
pub(in crate::metrics) const STEPS: &str = "Number of steps on the device that share time with the window; of several devices, that of the one with the most. What was before the first step is none.";
pub(in crate::metrics) const TIME: &str =
    "Length of the window, summed over the devices. Busy and idle time add up to it exactly.";
pub(in crate::metrics) const BUSY: &str = "Time with at least one kernel, copy or fill running on a device, summed over the devices, as a percentage of the summed windows.";
pub(in crate::metrics) const COMP: &str = "Computation time, summed over the devices: on each the union of its computation kernels, clipped to the window.";
pub(in crate::metrics) const COMM: &str = "Communication time, summed over the devices: on each the union of its communication kernels, clipped to the window.";
pub(in crate::metrics) const EXPOSED_COMM: &str = "Communication that no computation of the same device hides, summed over the devices. It includes waiting for ranks that come later.";
pub(in crate::metrics) const HIDDEN: &str = "Overlap as a percentage of communication time, both summed over the devices. Not available without communication.";
pub(in crate::metrics) const EXPOSED_MEMORY: &str = "Copies and fills that run beside neither computation nor communication of the same device, summed over the devices.";
pub(in crate::metrics) const IDLE: &str = "Idle time as the average over the devices, each with the weight of its window. It is never united: a device that stands still while another one works is idle.";
pub(in crate::metrics) const MARK: &str = "\"most exposed\" is the rank with the largest exposed communication, \"least exposed\" the one with the smallest; of equal ones the first. Where ranks wait for each other, the slow rank is the one that exposes least: the others wait for it.";
pub(in crate::metrics) const CLOCK_REFERENCE: &str = "The rank that the clock of this one was compared with: the lowest one that shares at least five matched collectives of kinds that make all ranks wait (all-reduce, all-gather, reduce-scatter, all-to-all, barrier). Empty for the rank that the others are compared with, and where no rank shares enough.";
pub(in crate::metrics) const CLOCK_SHIFT: &str = "How far the clock of the rank seems to be ahead: the median, over matched collectives, of its end less the end on the reference rank, plus the shift of the reference. An estimate of what is left after all ranks were placed: it moves nothing unless alignment by collectives is asked for, and is zero after that. Ranks leave such a collective nearly together, whenever they came.";
pub(in crate::metrics) const CLOCK_RESIDUAL: &str = "How far to trust the shift: the median distance of the differences from their median. A shift that is not several times as large says nothing.";
pub(in crate::metrics) const CLOCK_MATCHES: &str =
    "Number of matched collectives that the shift was told by.";
