//! What each figure means, in one paragraph a figure, as hover text shows it.

pub(super) mod collectives;
pub(super) mod findings;
pub(super) mod memory;
pub(super) mod mfu;
pub(super) mod overlap;
pub(super) mod ranks;

pub(super) const RANK: &str = "Number of the process within the job, from the trace's distributed information, else from the file name, else from the order of the files.";
pub(super) const DEVICE: &str = "Number of the GPU within its rank.";
pub(super) const STREAM: &str = "Number of the CUDA or HIP queue on its device.";
pub(super) const STEP: &str = "Number in the name of the ProfilerStep annotation; 7#2 is the second step of number 7, and \"before\" is everything ahead of the first step. In tables by annotation, the annotation's name.";
pub(super) const WINDOW_START: &str = "First instant of the window that the figures of this row are of, in absolute nanoseconds after base and alignment.";
pub(super) const WINDOW_END: &str = "First instant past the window that the figures of this row are of, in absolute nanoseconds after base and alignment.";
pub(super) const EVIDENCE: &str = "Name of an event to look at.";
pub(super) const EVIDENCE_START: &str = "Its start: absolute nanoseconds.";
pub(super) const KERNELS: &str = "Number of kernels, copies and fills with time inside the window, and of zero-length ones that start inside.";
pub(super) const KERNEL_TIME: &str =
    "Length of the window. Compute, non-compute and idle time add up to it exactly.";
pub(super) const KERNEL_RUN_TIME: &str = "Time in the window with at least one kernel, copy or fill running on any stream; time that several share counts once.";
pub(super) const COMPUTE_TIME: &str = "Time in the window with at least one computation kernel running, alone or beside anything else: kernel time less non-compute and idle time. Equals computation time.";
pub(super) const NON_COMPUTE_TIME: &str =
    "Time in the window with communication, copies or fills running and no computation.";
pub(super) const IDLE_TIME: &str =
    "Time in the window with nothing running on any stream of the device.";
pub(super) const COMPUTE_PERCENT: &str = "Compute time as a percentage of the window.";
pub(super) const NON_COMPUTE_PERCENT: &str = "Non-compute time as a percentage of the window.";
pub(super) const IDLE_PERCENT: &str = "Idle time as a percentage of the window.";
pub(super) const COMP_TIME: &str =
    "Union of all computation kernels over all streams, clipped to the window.";
pub(super) const COMM_TIME: &str =
    "Union of all communication kernels over all streams, clipped to the window.";
pub(super) const MEMORY_TIME: &str =
    "Union of all copies and fills over all streams, clipped to the window.";
pub(super) const OVERLAP_TIME: &str = "Time in the window with computation and communication running at once: the communication that is hidden.";
pub(super) const COMPUTE_ONLY: &str = "Time in the window with computation running and no communication. First part of the five-way split.";
pub(super) const EXPOSED_COMM: &str =
    "Time in the window with communication running that no computation hides.";
pub(super) const EXPOSED_MEMORY: &str =
    "Time in the window with copies or fills running and neither computation nor communication.";
pub(super) const OVERLAP_OF_UNION: &str = "Overlap as a percentage of the time with computation or communication running: 100 * overlap / (computation + communication - overlap). Not available where neither runs.";
pub(super) const COMM_HIDDEN: &str = "Overlap as a percentage of communication time: 100 * overlap / communication. 100 % means that computation hides all of it. Not available without communication.";
pub(super) const BASIS: &str = "Whose window the step has: \"device\" from the first computation kernel launched in the step to that of the next step, \"host\" the annotation on the CPU.";
pub(super) const PARTIAL: &str =
    "Whether the capture cut the step, so that part of its work is missing.";
pub(super) const KERNELS_LAUNCHED: &str = "Number of kernels, copies and fills whose launch call lies in the step on the host, wherever they ran. Empty without launch information.";
pub(super) const DURATION_SUM: &str = "Plain sum of the kernels' durations inside the window. Kernels side by side count each for themselves, so the sum may exceed the window.";
pub(super) const BUSY_PERCENT: &str =
    "Kernel run time as a percentage of the window, never over 100 %.";
pub(super) const COMPUTATION_PERCENT: &str =
    "Computation time as a percentage of the window, overlapped communication included.";
pub(super) const COMMUNICATION_ONLY_PERCENT: &str =
    "Communication that no computation of the stream hides, as a percentage of the window.";
pub(super) const MEMORY_ONLY_PERCENT: &str = "Copies and fills that run with neither computation nor communication of the stream, as a percentage of the window.";
pub(super) const KERNEL_BY: &str = "By what kernels are put together: name (as the file writes it), class, or op (the innermost CPU op around the start of the launch call, on the launching thread; for a kernel without a launch call, the op with its external id).";
pub(super) const KERNEL_GROUP: &str = "What the kernels of the row have in common: their name, class or launching op. \"(no op)\" were launched outside of any op; \"(no launch recorded)\" have neither a launch call nor an external id that an op has.";
pub(super) const KERNEL_CLASS: &str =
    "Class of all kernels of the row; empty where they are of several classes.";
pub(super) const KERNEL_TOTAL: &str = "Plain sum of what of these kernels lies inside the window. Kernels side by side count each for themselves. Over all rows of a device it is the sum of durations.";
pub(super) const KERNEL_SHARE: &str = "Total as a percentage of the totals of all kernels of the device in the window, filtered out ones included. Not a share of time: kernels side by side count each for themselves.";
pub(super) const KERNEL_MEAN: &str = "Mean length of these kernels, rounded half up to the nanosecond. Of whole lengths, also of those that an edge of the window cuts.";
pub(super) const KERNEL_MEDIAN: &str = "Median of the whole lengths of these kernels; of an even number, the mean of the middle two, rounded half up to the nanosecond.";
pub(super) const KERNEL_MIN: &str = "Shortest whole length of these kernels.";
pub(super) const KERNEL_MAX: &str = "Longest whole length of these kernels.";
pub(super) const KERNEL_CUT: &str = "Number of these kernels that reach over an edge of the window: of them only the inside part is in the total.";
pub(super) const IDLE_CAUSE: &str = "Why the device stood still, told by the next kernel that starts on it; the first that fits: host_sync and host_copy (the launching thread was blocked in a synchronisation, barrier or collective, or in a copy, for at least half of the time that the launch came late by), queued (the launch call was over when the gap began), launch (the call had begun, or takes at least half of the gap), host_late (the thread was at work for at least half of that time), host_idle (it was not, or waited for data, a lock or others), unknown.";
pub(super) const IDLE_GAPS: &str = "Number of gaps with time inside the window. A gap is a maximal part of the capture in which no kernel of any class runs on the device.";
pub(super) const IDLE_TOTAL: &str =
    "What of these gaps lies inside the window. Over all rows of a device it is its idle time.";
pub(super) const IDLE_SHARE: &str =
    "Total as a percentage of the device's idle time in the window.";
pub(super) const IDLE_SHARE_OF_WINDOW: &str = "Total as a percentage of the window.";
pub(super) const IDLE_LONGEST: &str =
    "The longest part of one of these gaps that lies inside the window.";
pub(super) const IDLE_INFLATED: &str = "Options of the profiler that were on and slow the host down (shapes, stacks, memory): without them the host would be late by less. Only in the row of host_late.";
pub(super) const IDLE_GAP_START: &str =
    "Where the gap begins, or the window if it begins inside the gap: absolute nanoseconds.";
pub(super) const IDLE_GAP_END: &str =
    "Where the gap ends, or the window if it ends inside the gap: absolute nanoseconds.";
pub(super) const IDLE_GAP_LENGTH: &str = "What of the gap lies inside the window.";
pub(super) const IDLE_WHAT: &str = "The host call that is to blame: the synchronisation, the copy, the launch call, or the innermost call that takes at least half of the time that the launch came late by. For unknown, why nothing can be told. Empty where the thread did nothing that was recorded.";
pub(super) const IDLE_THREAD: &str =
    "The host thread that launched the kernel which ended the gap.";
pub(super) const IDLE_NEXT: &str = "The kernel that ended the gap; of several that start together one with a launch call, then the one on the first stream.";
pub(super) const IDLE_NEXT_STREAM: &str = "Stream of that kernel.";
pub(super) const IDLE_FROM: &str =
    "The shortest gap that the row counts, by its part inside the window.";
pub(super) const IDLE_BELOW: &str = "The row counts gaps shorter than this; empty in the last row.";
pub(super) const STATS_FIGURE: &str = "Which column of the table of steps is compared.";
pub(super) const STATS_STEPS: &str =
    "Number of whole steps: neither cut by the capture nor the part before the first step.";
pub(super) const STATS_MEAN: &str = "Mean over whole steps, rounded half up to the nanosecond.";
pub(super) const STATS_MIN: &str = "Least value over whole steps.";
pub(super) const STATS_P95: &str =
    "The least value that at least 95 % of the whole steps do not exceed (nearest rank).";
pub(super) const STATS_MAX: &str = "Greatest value over whole steps.";
pub(super) const STATS_WORST: &str = "The step with the greatest value, the first of equal ones.";
pub(super) const DIFF_RANK_A: &str = "Rank in the first trace.";
pub(super) const DIFF_DEVICE_A: &str = "Device in the first trace.";
pub(super) const DIFF_RANK_B: &str = "Rank in the second trace.";
pub(super) const DIFF_DEVICE_B: &str = "Device in the second trace.";
pub(super) const DIFF_FIGURE: &str =
    "Which column of the summary is compared; its name tells the unit.";
pub(super) const DIFF_A: &str = "The figure in the first trace, in the unit of its column.";
pub(super) const DIFF_B: &str = "The figure in the second trace, in the unit of its column.";
pub(super) const DIFF_DELTA: &str =
    "Second less first, in the unit of the column; of percentages, in points.";
pub(super) const DIFF_DELTA_PERCENT: &str = "Second less first as a percentage of the first; empty for percentages and where the first is zero.";
pub(super) const DIFF_NAME: &str = "Name of the kernels.";
pub(super) const DIFF_CLASS: &str = "Their class.";
pub(super) const DIFF_COUNT_A: &str = "How many have time in the window of the first trace.";
pub(super) const DIFF_COUNT_B: &str = "How many have time in the window of the second trace.";
pub(super) const DIFF_TOTAL_A: &str = "What of them lies inside the window of the first trace.";
pub(super) const DIFF_TOTAL_B: &str = "What of them lies inside the window of the second trace.";
pub(super) const DIFF_KERNEL_DELTA: &str = "Second total less first. Equals the difference of the pairs, plus what only the second has, less what only the first has.";
pub(super) const DIFF_PAIRED: &str = "How many have a partner in the other trace. Pairs come from aligning the sequences of kernel names of the same stream and step (longest common subsequence).";
pub(super) const DIFF_PAIRED_DELTA: &str =
    "What the second of each pair takes longer than the first, summed up.";
pub(super) const DIFF_ONLY_A: &str = "How many of the first trace have no partner.";
pub(super) const DIFF_ONLY_A_TIME: &str = "Time of those of the first trace without a partner.";
pub(super) const DIFF_ONLY_B: &str = "How many of the second trace have no partner.";
pub(super) const DIFF_ONLY_B_TIME: &str = "Time of those of the second trace without a partner.";
pub(super) const DIFF_BY_NUMBER: &str = "Whether some were paired by their number within the name: sequences of more than 50,000 kernels in one stream and step are not aligned.";
pub(super) const COMPAT_DEVICE: &str = "Device, where the rank has one; of several the tool makes one, and there is no figure of ours to compare with.";
pub(super) const COMPAT_TOOL: &str = "Whose rules are followed.";
pub(super) const COMPAT_FIGURE: &str = "What the tool calls the figure.";
pub(super) const COMPAT_THEIRS: &str =
    "The figure by the tool's rules, of the whole trace: times in microseconds, shares in percent.";
pub(super) const COMPAT_OURS: &str =
    "Our figure that answers the same question, of the device's own extent.";
pub(super) const COMPAT_DELTA: &str = "Theirs less ours; of percentages, in points.";
pub(super) const COMPAT_DEFINITION: &str = "What the figure means there.";
pub(super) const COMPAT_REASON: &str = "Why the two may differ.";
pub(super) const QUEUE_LINKED: &str = "Kernels of the whole stream with a launch call in the trace. Without any there are no figures.";
pub(super) const QUEUE_MEAN: &str = "Mean number of kernels of the stream that were launched and had not started, over the window. A kernel waits from the start of its launch call to its own start.";
pub(super) const QUEUE_MAX: &str = "The most kernels that waited at once.";
pub(super) const QUEUE_EMPTY: &str = "Time of the window in which no kernel of the stream waited: the next one can start only as fast as the host launches it.";
pub(super) const QUEUE_EMPTY_PERCENT: &str = "The same as a percentage of the window.";
pub(super) const HEALTH_KIND: &str = "Stable name of the kind of oddity, for scripts.";
pub(super) const HEALTH_SEVERITY: &str = "How much it matters: info (nothing was changed), repaired (mended and used) or left out (not in the figures).";
pub(super) const HEALTH_FILE: &str =
    "The file it was found in, with the entry where the file is an archive.";
pub(super) const HEALTH_COUNT: &str = "How often it was found in the file.";
pub(super) const HEALTH_FIRST_BYTE: &str =
    "Byte of the first one in the decompressed text of the file, where that is known.";
pub(super) const HEALTH_FIRST_WHAT: &str = "What stood at the first one: a name or a value.";
pub(super) const HEALTH_TIME: &str =
    "How much time the figures would change, where that can be told.";
pub(super) const HEALTH_SENTENCE: &str = "What it means and what was done about it.";
pub(super) const FILE_PATH: &str = "Path of the file on disk.";
pub(super) const FILE_ENTRY: &str = "The entry inside the file where it is an archive.";
pub(super) const FILE_ERROR: &str =
    "Why the file could not be read, as one sentence. Empty for a good file.";
pub(super) const FILE_RANK: &str = "Number of the rank that was read from the file.";
pub(super) const FILE_EVENTS: &str = "Number of events read from the file, metadata included.";
