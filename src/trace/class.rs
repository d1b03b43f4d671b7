//! What a GPU slice is: its kernel class, its collective, and the kind its event category named.
//!
//! Owns the three small enums that the whole program counts and colours by, and the reading of a collective from the
//! texts that name one. It does not decide the class of a kernel: that takes rules and is the work of `classify`.
//! The main type is [`KernelClass`].

/// The class a GPU slice is counted under; every GPU slice has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KernelClass {
    /// Work on data of this device: matrix products, attention, elementwise kernels and all that no rule names.
    Computation,
    /// Exchange between devices: collectives, point-to-point transfers, barriers, also when fused with other work.
    Communication,
    /// Copies and fills.
    Memory,
}

impl KernelClass {
    /// Every class, in the order of [`KernelClass::index`].
    pub const ALL: [Self; 3] = [Self::Computation, Self::Communication, Self::Memory];

    /// The place of the class in [`KernelClass::ALL`], for tables with one entry a class: 0, 1 or 2.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::Computation => 0,
            Self::Communication => 1,
            Self::Memory => 2,
        }
    }

    /// The lower-case word for the class, as rule files and exports write it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Computation => "computation",
            Self::Communication => "communication",
            Self::Memory => "memory",
        }
    }
}

/// What the category of a GPU event said it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GpuKind {
    /// A kernel (`kernel`, `concurrent_kernel` and the old `Kernel`).
    Kernel,
    /// A copy (`gpu_memcpy` and the old `Memcpy`).
    Memcpy,
    /// A fill (`gpu_memset` and the old `Memset`).
    Memset,
}

/// Which exchange a communication slice takes part in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CollectiveKind {
    /// Every rank gets the reduction of all inputs.
    AllReduce,
    /// Every rank gets all inputs.
    AllGather,
    /// Every rank gets its part of the reduction.
    ReduceScatter,
    /// Every rank sends a part to every other, also the dispatch and combine of expert parallelism.
    AllToAll,
    /// One rank's data goes to all.
    Broadcast,
    /// One rank gets the reduction.
    Reduce,
    /// One rank gets all inputs.
    Gather,
    /// One rank gives every rank its part.
    Scatter,
    /// One kernel that sends and receives; the library's all-to-all is often made of these.
    SendRecv,
    /// Point to point, the giving side.
    Send,
    /// Point to point, the taking side.
    Recv,
    /// No data, only meeting.
    Barrier,
    /// A collective by its own account, but none of the above (`coalesced`, a library's new one).
    Other,
}

/// Words that decide alone, wherever they stand in the text once case, underscores and dashes are gone. The order
/// matters: `all_gather` holds `gather`, and a reduce-scatter is neither a reduce nor a scatter.
const STRONG_WORDS: [(&str, CollectiveKind); 15] = [
    ("allreduce", CollectiveKind::AllReduce),
    ("crossdevicereduce", CollectiveKind::AllReduce),
    ("reducescatter", CollectiveKind::ReduceScatter),
    ("allgather", CollectiveKind::AllGather),
    ("fcollect", CollectiveKind::AllGather),
    ("alltoall", CollectiveKind::AllToAll),
    ("a2a", CollectiveKind::AllToAll),
    ("sendrecv", CollectiveKind::SendRecv),
    ("pushsend", CollectiveKind::Send),
    ("pushrecv", CollectiveKind::Recv),
    ("broadcast", CollectiveKind::Broadcast),
    ("bcast", CollectiveKind::Broadcast),
    ("barrier", CollectiveKind::Barrier),
    ("rdxn", CollectiveKind::AllReduce),
    ("suminplace", CollectiveKind::AllReduce),
];

/// Words that decide only when they stand alone: `prefix_reducer` is no reduce.
const WHOLE_WORDS: [(&str, CollectiveKind); 6] = [
    ("reduce", CollectiveKind::Reduce),
    ("gather", CollectiveKind::Gather),
    ("scatter", CollectiveKind::Scatter),
    ("send", CollectiveKind::Send),
    ("isend", CollectiveKind::Send),
    ("recv", CollectiveKind::Recv),
];

impl CollectiveKind {
    /// Every kind, in the order of declaration.
    pub const ALL: [Self; 13] = [
        Self::AllReduce,
        Self::AllGather,
        Self::ReduceScatter,
        Self::AllToAll,
        Self::Broadcast,
        Self::Reduce,
        Self::Gather,
        Self::Scatter,
        Self::SendRecv,
        Self::Send,
        Self::Recv,
        Self::Barrier,
        Self::Other,
    ];

    /// The name of the collective as people write it, in lower case.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::AllReduce => "all-reduce",
            Self::AllGather => "all-gather",
            Self::ReduceScatter => "reduce-scatter",
            Self::AllToAll => "all-to-all",
            Self::Broadcast => "broadcast",
            Self::Reduce => "reduce",
            Self::Gather => "gather",
            Self::Scatter => "scatter",
            Self::SendRecv => "send/recv",
            Self::Send => "send",
            Self::Recv => "recv",
            Self::Barrier => "barrier",
            Self::Other => "other",
        }
    }

    /// Whether it goes from one rank to another rather than over a group.
    #[must_use]
    pub const fn is_point_to_point(self) -> bool {
        matches!(self, Self::Send | Self::Recv | Self::SendRecv)
    }

    /// Whether no rank can be done before all have begun, so that the early ones wait for the last.
    #[must_use]
    pub const fn synchronises(self) -> bool {
        matches!(
            self,
            Self::AllReduce
                | Self::AllGather
                | Self::ReduceScatter
                | Self::AllToAll
                | Self::Barrier
        )
    }

    /// The collective that a text names, or `None` where it names none.
    ///
    /// Understands `args["Collective name"]` (`_allgather_base`, `all_to_allv`), annotations (`nccl:all_reduce`),
    /// operators (`c10d::allreduce_`) and the *base* names of kernels (`ncclDevKernel_ReduceScatter_Sum_f32_RING_LL`,
    /// `deep_ep::intranode::dispatch`). A kernel that runs whatever it is handed (`ncclDevKernel_Generic`) names none.
    ///
    /// The text must come from communication: `gather` also names local work. `aten::` operators, all local, give
    /// `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.starts_with("aten::") {
            return None;
        }
        let words = words(text);
        let joined = words.concat();
        let has = |wanted: &str| words.iter().any(|word| word == wanted);
        if joined.contains("userbuffers") && has("ag") {
            return Some(Self::AllGather);
        }
        if joined.contains("userbuffers") && has("rs") {
            return Some(Self::ReduceScatter);
        }
        if has("ep") && (has("dispatch") || has("combine")) {
            return Some(Self::AllToAll);
        }
        let strong = STRONG_WORDS
            .iter()
            .find(|(word, _)| joined.contains(word))
            .map(|(_, kind)| *kind);
        strong.or_else(|| {
            WHOLE_WORDS
                .iter()
                .find(|(word, _)| has(word))
                .map(|(_, kind)| *kind)
        })
    }

    /// The collective of an `args["Collective name"]`, whose presence says that there is one: [`CollectiveKind::Other`]
    /// where the name is unknown.
    #[must_use]
    pub fn from_collective_name(text: &str) -> Self {
        Self::parse(text).unwrap_or(Self::Other)
    }
}

/// Splits a name into lower-case words at everything that is no letter or digit, and where a capital follows a small
/// letter (`ncclDevKernel_SendRecv` is `nccl dev kernel send recv`).
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut after_small = false;
    for c in text.chars() {
        let is_boundary = !c.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && after_small);
        if is_boundary && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        }
        after_small = c.is_ascii_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{CollectiveKind, KernelClass};

    #[test]
    fn index_is_the_place_in_all() {
        for (place, class) in KernelClass::ALL.into_iter().enumerate() {
            assert_eq!(class.index(), place, "{}", class.label());
        }
    }

    #[test]
    fn every_label_is_its_own() {
        let mut labels: Vec<_> = CollectiveKind::ALL
            .iter()
            .map(|kind| kind.label())
            .collect();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), CollectiveKind::ALL.len());
    }

    #[test]
    fn a_collective_is_read_from_profiler_arguments() {
        use CollectiveKind as K;
        for (text, kind) in [
            ("allreduce", K::AllReduce),
            ("allreduce_coalesced", K::AllReduce),
            ("all_reduce", K::AllReduce),
            ("allgather", K::AllGather),
            ("_allgather_base", K::AllGather),
            ("all_gather_into_tensor_coalesced", K::AllGather),
            ("reduce_scatter", K::ReduceScatter),
            ("_reduce_scatter_base", K::ReduceScatter),
            ("reduce_scatter_tensor_coalesced", K::ReduceScatter),
            ("all_to_all", K::AllToAll),
            ("all_to_allv", K::AllToAll),
            ("alltoall_base", K::AllToAll),
            ("broadcast", K::Broadcast),
            ("_broadcast_oop", K::Broadcast),
            ("reduce", K::Reduce),
            ("_reduce_oop", K::Reduce),
            ("gather", K::Gather),
            ("scatter", K::Scatter),
            ("send", K::Send),
            ("recv", K::Recv),
            ("barrier", K::Barrier),
            ("wait", K::Other),
            ("", K::Other),
        ] {
            assert_eq!(CollectiveKind::from_collective_name(text), kind, "{text}");
        }
    }

    #[test]
    fn a_collective_is_read_from_annotations_operators_and_kernels() {
        use CollectiveKind as K;
        for (text, kind) in [
            ("nccl:all_reduce", Some(K::AllReduce)),
            ("nccl:_all_gather_base", Some(K::AllGather)),
            ("nccl:send 0->1", Some(K::Send)),
            ("nccl:recv 0<-1", Some(K::Recv)),
            ("nccl:coalesced", None),
            ("c10d::allreduce_", Some(K::AllReduce)),
            ("c10d::alltoall_base_", Some(K::AllToAll)),
            ("symm_mem::multimem_all_gather", Some(K::AllGather)),
            ("aten::scatter_", None),
            (
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                Some(K::AllReduce),
            ),
            (
                "ncclKernel_ReduceScatter_RING_LL_Sum_float",
                Some(K::ReduceScatter),
            ),
            ("ncclDevKernel_Reduce_Sum_f32_RING_LL", Some(K::Reduce)),
            ("ncclReduceRingLLKernel_sum_f32", Some(K::Reduce)),
            ("ncclBroadcastRingLLKernel_copy_i8", Some(K::Broadcast)),
            ("ncclDevKernel_SendRecv", Some(K::SendRecv)),
            ("ncclDevKernel_Generic", None),
            ("rcclGenericKernel", None),
            ("vllm::cross_device_reduce_1stage", Some(K::AllReduce)),
            ("deep_ep::intranode::dispatch", Some(K::AllToAll)),
            ("mori::moe::EpCombineIntraNodeKernel", Some(K::AllToAll)),
            ("userbuffers_fp16_sum_inplace_gpu_rw_ag", Some(K::AllGather)),
            (
                "userbuffers_fp16_sum_inplace_gpu_rr_rs_oop",
                Some(K::ReduceScatter),
            ),
            ("userbuffers_fp16_sum_inplace_gpu_rr", Some(K::AllReduce)),
            ("kuserbuffers_pushsend", Some(K::Send)),
            ("kuserbuffers_pushsendrecv", Some(K::SendRecv)),
            ("c10d::symmetric_memory::barrier_kernel", Some(K::Barrier)),
            ("hcom_allReduce__503_0_1", Some(K::AllReduce)),
            ("prefix_reducer", None),
            ("日本語", None),
        ] {
            assert_eq!(CollectiveKind::parse(text), kind, "{text}");
        }
    }
}
