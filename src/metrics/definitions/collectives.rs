//! What the figures of collectives mean.

pub(in crate::metrics) const KIND: &str = "Which collective it is: from the kernel's args, else from the operator that launched it, else from its name. \"unknown\" where none of them says.";
pub(in crate::metrics) const GROUP: &str =
    "Name of the process group (communicator) of the call, as the trace has it.";
pub(in crate::metrics) const GROUP_DESCRIPTION: &str = "What the process group is for, from the args of the call, else from the trace's distributed information.";
pub(in crate::metrics) const GROUP_RANKS: &str = "The ranks of the process group, from the args of the call, else from the trace's distributed information.";
pub(in crate::metrics) const GROUP_SIZE: &str = "Number of ranks in the process group.";
pub(in crate::metrics) const SEQ: &str = "Number of the call within its process group, where the trace has one. It is the same on all ranks.";
pub(in crate::metrics) const DTYPE: &str = "Type of one element, from the args of the call. The type in the name of a kernel may be another one: all-gathers move bytes, whatever they are.";
pub(in crate::metrics) const IN_ELEMENTS: &str = "Number of elements that this rank gives.";
pub(in crate::metrics) const OUT_ELEMENTS: &str = "Number of elements that this rank gets.";
pub(in crate::metrics) const BYTES: &str = "Size of the full buffer: elements times the size of the dtype. The elements are what is got of an all-gather, gather or receive, and what is given of everything else. Not available for barriers, unknown types and calls that record no elements.";
pub(in crate::metrics) const START: &str =
    "When the kernel starts, in absolute nanoseconds, also where that is before the window.";
pub(in crate::metrics) const DURATION: &str = "Whole length of the kernel, also of what lies outside of the window. It includes the time that the kernel waits for ranks that come later.";
pub(in crate::metrics) const HIDDEN: &str =
    "What of the kernel lies in the window and runs beside computation of the same device.";
pub(in crate::metrics) const EXPOSED: &str =
    "What of the kernel lies in the window and runs beside no computation of the same device.";
pub(in crate::metrics) const HIDDEN_PERCENT: &str =
    "Hidden time as a percentage of what of the kernel lies in the window.";
pub(in crate::metrics) const ALGBW: &str = "Algorithm bandwidth: bytes over the transfer time, or over the duration where the transfer time is not known. A GB is 10^9 bytes.";
pub(in crate::metrics) const BUSBW: &str = "Bus bandwidth: the algorithm bandwidth times the factor of nccl-tests for n ranks, which makes kinds comparable with the hardware. All-reduce 2(n-1)/n; all-gather, reduce-scatter, all-to-all, gather and scatter (n-1)/n; broadcast, reduce, send and receive 1.";
pub(in crate::metrics) const BANDWIDTH_OF: &str = "What the bandwidths divide by. \"transfer\": the transfer time, all ranks of the group being open. \"transfer, may include wait\": the same of some of the ranks, so another may have come later. \"duration, includes wait\": the kernel's own duration.";
pub(in crate::metrics) const MATCHED: &str = "How many of the ranks of the group are open and have this collective: of the same process group (name and ranks) and sequence number, else the n-th of the group on each rank, and only where kind and size agree.";
pub(in crate::metrics) const SKEW: &str =
    "Arrival skew: the last start over the matched ranks less the first start.";
pub(in crate::metrics) const LAST_RANK: &str =
    "The matched rank that starts last; empty where all start at once.";
pub(in crate::metrics) const WAIT: &str = "How long this rank waits for the last one: the last start over the matched ranks less its own start. Only of collectives that make all ranks wait for each other: all-reduce, all-gather, reduce-scatter, all-to-all, barrier.";
pub(in crate::metrics) const TRANSFER: &str = "Transfer time: from the last start to the last end over the matched ranks. Only of collectives that make all ranks wait for each other.";
pub(in crate::metrics) const END_SPREAD: &str = "The last end over the matched ranks less the first end: by how much the transfer time of a rank that is done early is shorter.";
pub(in crate::metrics) const NOTE: &str =
    "Why there is no skew, wait or transfer time, where there is none.";
pub(in crate::metrics) const KERNEL: &str = "Name of the kernel.";

pub(in crate::metrics) const COLLECTIVES: &str =
    "Number of communication kernels of this group and kind with time in the window.";
pub(in crate::metrics) const GROUP_BYTES: &str =
    "Sum of the bytes of their full buffers, of each as a whole; of those whose bytes are known.";
pub(in crate::metrics) const WITHOUT_BYTES: &str =
    "How many of them have no known bytes and are missing from that sum.";
pub(in crate::metrics) const TOTAL: &str =
    "Plain sum of what of them lies in the window; what runs at once counts each for itself.";
pub(in crate::metrics) const MERGED: &str = "Time in the window with at least one of them running; what runs at once counts once. Sums over several rows may count time twice, as groups run beside each other.";
pub(in crate::metrics) const HIDDEN_BY_COMP: &str =
    "What of the merged time runs beside computation of the same device.";
pub(in crate::metrics) const HIDDEN_BY_COMM: &str = "What of the merged time runs beside no computation, but beside communication of another group or kind. With the hidden and the exposed time it sums to the merged time exactly.";
pub(in crate::metrics) const GROUP_EXPOSED: &str = "What of the merged time runs beside neither computation nor communication of another group or kind.";
pub(in crate::metrics) const HIDDEN_BY_COMP_PERCENT: &str =
    "What computation hides as a percentage of the merged time.";
pub(in crate::metrics) const PARALLELISM: &str = "What the group is for: DP (data parallel), FSDP (sharded), TP (tensor), PP (pipeline), EP (experts) or unknown.";
pub(in crate::metrics) const PARALLELISM_EVIDENCE: &str = "What tells so, or why nothing does.";
pub(in crate::metrics) const HIDES_BEHIND: &str = "What communication of such a group is expected to hide behind: the window that its hidden share is to be judged by.";
