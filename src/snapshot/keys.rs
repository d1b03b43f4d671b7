//! The words of a snapshot that mean something here. They are interned first, so that a key is
//! known by its number.

/// Declares the keys in the order in which they are interned.
macro_rules! keys {
    ($($name:ident = $text:literal),+ $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Key { $($name),+ }

        impl Key {
            pub(super) const ALL: &[(Self, &str)] = &[$((Self::$name, $text)),+];
        }
    };
}

keys! {
    Action = "action", Addr = "addr", Size = "size", Stream = "stream", TimeUs = "time_us",
    Frames = "frames", DeviceFree = "device_free", UserMetadata = "user_metadata",
    Filename = "filename", Name = "name", Line = "line",
    State = "state", Address = "address", RequestedSize = "requested_size", History = "history",
    RealSize = "real_size",
    Blocks = "blocks", TotalSize = "total_size", AllocatedSize = "allocated_size",
    ActiveSize = "active_size", Device = "device", SegmentType = "segment_type",
    SegmentPoolId = "segment_pool_id", IsExpandable = "is_expandable",
    Segments = "segments", DeviceTraces = "device_traces", Settings = "allocator_settings",
    Annotations = "external_annotations", Conf = "PYTORCH_CUDA_ALLOC_CONF",
    MaxSplitSize = "max_split_size", ExpandableSegments = "expandable_segments",
    GarbageCollection = "garbage_collection_threshold", Roundup = "roundup_power2_divisions",
    Stage = "stage",
}

impl Key {
    /// The key of an interned text.
    #[inline]
    pub(super) fn of(text: u32) -> Option<Self> {
        let (key, _) = Self::ALL.get(usize::try_from(text).ok()?)?;
        Some(*key)
    }

    /// One bit for each key, to tell which a dictionary has.
    #[inline]
    pub(super) fn bit(self) -> u64 {
        1 << (self as u8)
    }
}
