//! A snapshot as it is looked at: devices, segments, blocks and what was recorded.

use super::{Divisions, Events, Frame, Frames, Notes, StackId, Stacks, TextId, Texts};
use crate::time::Ns;
use std::ops::Range;

/// Everything that one file of `torch.cuda.memory._dump_snapshot` says.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The devices that have segments or events, by number.
    pub devices: Vec<Device>,
    /// All segments, by device and address.
    pub segments: Vec<Segment>,
    /// All blocks, by segment and address.
    pub blocks: Vec<Block>,
    /// Call stacks.
    pub stacks: Stacks,
    /// Frames of stacks.
    pub frames: Frames,
    /// All texts.
    pub texts: Texts,
    /// How the allocator was set up.
    pub settings: Settings,
    /// Marks of the program, in the order of the file.
    pub annotations: Vec<Annotation>,
    /// What was odd.
    pub notes: Notes,
}

/// One device.
#[derive(Clone, Debug, Default)]
pub struct Device {
    /// Its number.
    pub id: i64,
    /// Its segments.
    pub segments: Range<usize>,
    /// What was recorded; empty where nothing was.
    pub events: Events,
}

/// Which requests a segment serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum PoolSize {
    /// Up to 1 MiB.
    Small,
    /// More than 1 MiB.
    #[default]
    Large,
}

/// A private pool, such as that of a CUDA graph; `(0, 0)` is the common one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PoolId(pub u64, pub u64);

impl PoolId {
    /// The pool that everything is allocated from unless the program says otherwise.
    pub const COMMON: Self = Self(0, 0);

    /// Whether it is a pool apart.
    #[must_use]
    pub fn is_private(self) -> bool {
        self != Self::COMMON
    }
}

/// What a free block can serve: requests of the same of all four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Pool {
    /// The device.
    pub device: i64,
    /// Small or large requests.
    pub size: PoolSize,
    /// The stream.
    pub stream: i64,
    /// The common pool or a private one.
    pub id: PoolId,
}

/// A piece of memory that was taken from the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Whom its free blocks serve.
    pub pool: Pool,
    /// Where it begins.
    pub address: u64,
    /// Its bytes.
    pub size: u64,
    /// Whether it can grow (`expandable_segments`).
    pub is_expandable: bool,
    /// Who made the allocator take it; often not recorded.
    pub stack: StackId,
    /// Its blocks.
    pub blocks: Range<usize>,
}

/// What a block is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockState {
    /// In use by the program.
    Allocated,
    /// Given back by the program, still in use by another stream.
    AwaitingFree,
    /// Free.
    Free,
}

impl BlockState {
    /// One word or two.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Allocated => "allocated",
            Self::AwaitingFree => "awaiting free",
            Self::Free => "free",
        }
    }
}

/// A piece of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where it begins.
    pub address: u64,
    /// Its bytes, rounded by the allocator.
    pub size: u64,
    /// The bytes that the program asked for; 0 for a free block.
    pub requested: u64,
    /// What it is doing.
    pub state: BlockState,
    /// Who allocated it.
    pub stack: StackId,
    /// Its segment, a place in [`Snapshot::segments`].
    pub segment: usize,
}

/// How the allocator was set up, as far as the file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// `PYTORCH_CUDA_ALLOC_CONF` as it was written; `None` where the file does not say.
    pub conf: Option<String>,
    /// Blocks from this size on are not split; `None` for no limit.
    pub max_split_size: Option<u64>,
    /// Whether segments can grow; `None` where the file does not say.
    pub expandable_segments: Option<bool>,
    /// The part of the device from which on the allocator collects garbage; 0 for never.
    pub garbage_collection_threshold: Option<f64>,
    /// In how many parts the powers of two are divided when a request is rounded.
    pub roundup_power2_divisions: Divisions,
}

/// A mark that the program put into the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Its name.
    pub name: TextId,
    /// `START`, `END` or another word.
    pub stage: TextId,
    /// The device.
    pub device: i64,
    /// When; `None` where the file does not say.
    pub time: Option<Ns>,
}

impl Snapshot {
    /// The device of a number.
    #[must_use]
    pub fn device(&self, id: i64) -> Option<&Device> {
        self.devices.iter().find(|device| device.id == id)
    }

    /// The segments of a device.
    #[must_use]
    pub fn segments_of(&self, device: &Device) -> &[Segment] {
        self.segments.get(device.segments.clone()).unwrap_or(&[])
    }

    /// The blocks of a segment, by address.
    #[must_use]
    pub fn blocks_of(&self, segment: &Segment) -> &[Block] {
        self.blocks.get(segment.blocks.clone()).unwrap_or(&[])
    }

    /// The block that holds an address, a place in [`blocks`](Self::blocks).
    #[must_use]
    pub fn block_at(&self, device: &Device, address: u64) -> Option<usize> {
        self.layout(device).block_at(address)
    }

    /// The frames of a stack, innermost first.
    pub fn stack(&self, id: StackId) -> impl DoubleEndedIterator<Item = Frame> + '_ {
        let frames = self.stacks.get(id);
        frames.iter().filter_map(|frame| self.frames.get(*frame))
    }

    /// A frame in words: `name (file:line)`.
    #[must_use]
    pub fn frame_words(&self, frame: Frame) -> String {
        let name = self.texts.get(frame.name);
        let file = self.texts.get(frame.file);
        match (file, frame.line) {
            ("" | "??", _) => name.to_owned(),
            (file, 0) => format!("{name} ({file})"),
            (file, line) => format!("{name} ({file}:{line})"),
        }
    }
}
