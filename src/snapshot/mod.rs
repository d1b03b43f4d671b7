//! Snapshots of PyTorch's CUDA allocator (`torch.cuda.memory._dump_snapshot`): reading them as data,
//! and every figure that is told of them.
//!
//! [`open`] reads a file into a [`Snapshot`]. Nothing of a pickle is ever run: what is no data is
//! refused.

mod alive;
mod assemble;
mod check;
mod error;
mod events;
mod fits;
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
mod replay;
mod sites;
mod tables;
mod totals;

pub use error::SnapshotError;
pub use events::{Action, Clock, Event, Events};
pub use fits::{
    Fit, Fragmentation, LARGE_SEGMENT, MIN_BLOCK, Request, SMALL_REQUEST, SMALL_SEGMENT,
    largest_requests, rounded, segment_size,
};
pub use history::{Allocation, History};
pub use model::{
    Annotation, Block, BlockState, Device, Pool, PoolId, PoolSize, Segment, Settings, Snapshot,
};
pub use notes::{Note, NoteKind, Notes};
pub use oom::{Oom, OomReason, explain};
pub use open::{open, read};
pub use pickle::PickleError;
pub use replay::State;
pub use sites::{CallSites, FrameTree, GroupBy, Node, Site, group};
pub use tables::{Frame, FrameId, Frames, StackId, Stacks, TextId, Texts};
pub use totals::{Layout, Totals};
