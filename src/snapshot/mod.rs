//! Snapshots of PyTorch's CUDA allocator (`torch.cuda.memory._dump_snapshot`): reading them as data,
//! and every figure that is told of them.
//!
//! [`open()`] reads a file into a [`Snapshot`]. Nothing of a pickle is ever run: what is no data is
//! refused.

mod alive;
mod assemble;
mod check;
mod clock;
mod driver;
mod error;
mod events;
mod fits;
pub mod flame;
mod follow;
mod history;
mod keys;
mod kind;
mod model;
mod notes;
mod oom;
mod open;
mod pickle;
mod records;
mod regions;
mod replay;
mod rounding;
mod sites;
pub mod strips;
mod tables;
mod totals;

pub use driver::{KnownFree, Releasable};
pub use error::SnapshotError;
pub use events::{Action, Clock, Event, Events};
pub use fits::{Fit, Fragmentation, Request, largest_requests};
pub use history::{Allocation, History};
pub use model::{
    Annotation, Block, BlockState, Device, Pool, PoolId, PoolSize, Segment, Settings, Snapshot,
};
pub use notes::{Note, NoteKind, Notes};
pub use oom::{MOST_EXPLAINED, Oom, OomReason, explain, unexplained};
pub use open::{open, open_within, read, read_within};
pub use pickle::PickleError;
pub use replay::State;
pub use rounding::{
    Divisions, LARGE_SEGMENT, MIN_BLOCK, SMALL_REQUEST, SMALL_SEGMENT, rounded, segment_size,
};
pub use sites::{CallSites, FrameTree, GroupBy, Node, Site, group};
pub use tables::{Frame, FrameId, Frames, StackId, Stacks, TextId, Texts};
pub use totals::{Layout, Totals};
