//! Which findings there are, what they are called, and how grave one is.

use crate::time::DurNs;

/// From this share of the window on a finding is of high severity: one part in this many.
pub(super) const HIGH_PART: i64 = 10;
/// The same of medium severity.
pub(super) const MEDIUM_PART: i64 = 50;
/// What is less than one part in this many of the window is not worth a line.
pub(super) const LEAST_PART: i64 = 1_000;

/// How much of the window is at stake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// As it should be, or a matter of fact.
    Info,
    /// Less than 2 %.
    Low,
    /// At least 2 %.
    Medium,
    /// At least 10 %.
    High,
}

impl Severity {
    /// The word in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// By the share of the window; `None` where it is not worth a line.
    pub(super) fn of(part: DurNs, whole: DurNs) -> Option<Self> {
        let is_at_least = |n: i64| i128::from(part.0) * i128::from(n) >= i128::from(whole.0);
        if part <= DurNs::ZERO || !is_at_least(LEAST_PART) {
            None
        } else if is_at_least(HIGH_PART) {
            Some(Self::High)
        } else if is_at_least(MEDIUM_PART) {
            Some(Self::Medium)
        } else {
            Some(Self::Low)
        }
    }
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// Communication waits for another rank.
    StragglerWait,
    /// Communication runs on a stream that computes.
    NoIndependentStream,
    /// Device memory is allocated.
    DeviceAllocation,
    /// Device memory is given back.
    DeviceFree,
    /// The host waits for the device.
    ImplicitSync,
    /// The host waits for other ranks.
    HostBarrier,
    /// The host waits for a copy.
    BlockingCopy,
    /// Copies from or to memory that is not pinned.
    UnpinnedCopy,
    /// Collectives so small that latency is all they cost.
    SmallCollectives,
    /// One bucket has nearly all gradients.
    GiantBucket,
    /// The first bucket is sent when much of the backward pass is over.
    FirstBucketLate,
    /// Only the last bucket is exposed.
    TailBucket,
    /// Parameters are gathered when they are needed, not before.
    NoPrefetch,
    /// Parameters are gathered further ahead than is useful.
    DeepPrefetch,
    /// The rest of the time in which only communication runs.
    OnlyCommunication,
    /// Kernels that memory bounds are slowed by communication.
    MemoryBoundBeside,
    /// Communication occupies much of the device, and computation is slowed.
    TooManyChannels,
    /// Chunks of a product and its collective, with gaps for launches.
    ChunkedLaunchGaps,
    /// Kernels are shorter than their launches.
    LaunchBound,
    /// Single launch calls take long.
    LongLaunch,
    /// The host is late, and the profiler slows it down.
    ProfilerOverhead,
    /// The host is late.
    HostLate,
    /// Neither the device nor its host works.
    BothIdle,
}

impl FindingKind {
    /// All of them, in the order in which they claim.
    pub const ALL: [Self; 23] = [
        Self::StragglerWait,
        Self::NoIndependentStream,
        Self::DeviceAllocation,
        Self::DeviceFree,
        Self::ImplicitSync,
        Self::HostBarrier,
        Self::BlockingCopy,
        Self::UnpinnedCopy,
        Self::SmallCollectives,
        Self::GiantBucket,
        Self::FirstBucketLate,
        Self::TailBucket,
        Self::NoPrefetch,
        Self::DeepPrefetch,
        Self::OnlyCommunication,
        Self::MemoryBoundBeside,
        Self::TooManyChannels,
        Self::ChunkedLaunchGaps,
        Self::LaunchBound,
        Self::ProfilerOverhead,
        Self::HostLate,
        Self::LongLaunch,
        Self::BothIdle,
    ];

    /// The word in tables; a contract with scripts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::StragglerWait => "straggler_wait",
            Self::NoIndependentStream => "no_independent_stream",
            Self::DeviceAllocation => "device_allocation",
            Self::DeviceFree => "device_free",
            Self::ImplicitSync => "implicit_sync",
            Self::HostBarrier => "host_barrier",
            Self::BlockingCopy => "blocking_copy",
            Self::UnpinnedCopy => "unpinned_copy",
            Self::SmallCollectives => "small_collectives",
            Self::GiantBucket => "giant_bucket",
            Self::FirstBucketLate => "first_bucket_late",
            Self::TailBucket => "tail_bucket",
            Self::NoPrefetch => "no_prefetch",
            Self::DeepPrefetch => "deep_prefetch",
            Self::OnlyCommunication => "only_communication",
            Self::MemoryBoundBeside => "memory_bound_beside",
            Self::TooManyChannels => "too_many_channels",
            Self::ChunkedLaunchGaps => "chunked_launch_gaps",
            Self::LaunchBound => "launch_bound",
            Self::LongLaunch => "long_launch",
            Self::ProfilerOverhead => "profiler_overhead",
            Self::HostLate => "host_late",
            Self::BothIdle => "both_idle",
        }
    }

    /// What to try.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::StragglerWait => {
                "Open the late rank in the same window and look at what it did before: uneven batches, data loading, a slower GPU, synchronisation."
            }
            Self::NoIndependentStream => {
                "Give communication a stream of its own (async_op=True, a side stream and an event), or cut the work into chunks where the next kernel needs the result."
            }
            Self::DeviceAllocation => {
                "Let the caching allocator keep its memory: warm it up with the largest shapes, expandable_segments:True, fewer varying shapes."
            }
            Self::DeviceFree => {
                "Memory given back is allocated again later. Look for whoever empties the cache in the step, and for memory pressure that makes the allocator retry."
            }
            Self::ImplicitSync => {
                "Keep values on the device: collect metrics and read them every N steps, no .item(), .cpu(), print or data-dependent shapes between launches; torch.cuda.set_sync_debug_mode names the line."
            }
            Self::HostBarrier => {
                "Leave the barrier out of the step, or use a collective of the device's own, which the host need not wait for."
            }
            Self::BlockingCopy => {
                "Pinned memory (pin_memory=True) and non_blocking=True, a batch ahead on a stream of its own."
            }
            Self::UnpinnedCopy => {
                "Copy from pinned memory (pin_memory=True, non_blocking=True): it is faster, and only then it can run beside computation."
            }
            Self::SmallCollectives => {
                "Put them together: larger buckets, coalesced or flattened collectives; low-latency kernels within a node."
            }
            Self::GiantBucket => {
                "Smaller buckets (bucket_cap_mb), so that sending starts during the backward pass; `overlane whatif buckets` finds a size."
            }
            Self::FirstBucketLate => {
                "A smaller first bucket, buckets in the order in which gradients are ready; look at what the first one waits for, such as a large or unused last layer."
            }
            Self::TailBucket => {
                "This is as good as buckets get. A smaller last bucket would expose less; `overlane whatif buckets` says how much."
            }
            Self::NoPrefetch => {
                "Gather the next layer while this one computes: forward_prefetch and backward_prefetch of FSDP, set_modules_to_forward_prefetch of FSDP2; `overlane whatif prefetch`."
            }
            Self::DeepPrefetch => {
                "Where memory is short, gather fewer layers ahead: limit_all_gathers of FSDP, fewer layers in set_modules_to_forward_prefetch of FSDP2; `overlane whatif prefetch` shows what a depth costs and brings."
            }
            Self::OnlyCommunication => {
                "A GPU in a collective counts as busy, but computes nothing. Look in the table of collectives at what is exposed and what it depends on; open all ranks to tell waiting from transfer."
            }
            Self::MemoryBoundBeside => {
                "Let communication run beside matrix products instead: move the start of the collective, fuse the small kernels, fewer channels."
            }
            Self::TooManyChannels => {
                "Try fewer channels (NCCL_MAX_NCHANNELS, NCCL_MAX_CTAS) and measure both sides again: communication may get slower."
            }
            Self::ChunkedLaunchGaps => {
                "Fewer chunks, CUDA graphs, or a fused kernel; `overlane whatif chunks` with --launch shows what a launch costs."
            }
            Self::LaunchBound => {
                "CUDA graphs, torch.compile (mode=\"reduce-overhead\"), fused kernels, larger batches."
            }
            Self::LongLaunch => {
                "Warm up before you measure, since first launches load modules; look at the call for a full queue or a lock."
            }
            Self::ProfilerOverhead => {
                "Record again without these options before you tune the host: the time is inflated by the profiler."
            }
            Self::HostLate => {
                "Fewer small ops, torch.compile, CUDA graphs; the named call is where most of the time went."
            }
            Self::BothIdle => {
                "A trace alone does not choose between data loader, locks, I/O, page faults and another rank. Next: `py-spy dump` or `record`, `strace -f -p`, `perf top`, NVTX ranges around what you suspect."
            }
        }
    }
}
