//! What each model takes for granted, in a sentence that goes wherever its figures go.

/// A model's name, and what it takes for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// The model's name, as the command line knows it.
    pub model: &'static str,
    /// What it takes for granted.
    pub assumes: &'static str,
}

impl Assumption {
    /// Of [`streams`](super::streams()).
    pub const STREAMS: Self = Self {
        model: "streams",
        assumes: "neither slows the other and neither waits for a part of the other, so the gain is an upper bound; see contention",
    };
    /// Of [`predict`](super::predict()).
    pub const BUCKETS: Self = Self {
        model: "buckets",
        assumes: "gradients come evenly by bytes over the backward pass, collectives run one after another at alpha and bus bandwidth, and neither slows the other",
    };
    /// Of [`chunks`](super::chunks()).
    pub const CHUNKS: Self = Self {
        model: "chunks",
        assumes: "a chunk takes its share of the whole, though small products and messages are less efficient, and neither slows the other",
    };
    /// Of [`prefetch`](super::prefetch()).
    pub const PREFETCH: Self = Self {
        model: "prefetch",
        assumes: "the host launches in time, gathers run one after another, and communication does not slow computation",
    };
    /// Of [`contention`](super::contention()).
    pub const CONTENTION: Self = Self {
        model: "contention",
        assumes: "both start together and each is slowed by a constant factor while the other runs",
    };
    /// Of [`fit`](super::fit()).
    pub const FIT: Self = Self {
        model: "fit",
        assumes: "no time holds a wait, all are of one group and one kind, and one alpha and bandwidth hold for all sizes",
    };
}
