//! Snapshots of PyTorch's CUDA allocator (`torch.cuda.memory._dump_snapshot`): reading them as data,
//! and every figure that is told of them.
//!
//! [`open`] reads a file into a [`Snapshot`]. Nothing of a pickle is ever run: what is no data is
//! refused.

mod assemble;
mod check;
mod error;
mod events;
mod keys;
mod kind;
mod model;
mod notes;
mod open;
mod pickle;
mod records;
mod tables;

pub use error::SnapshotError;
pub use events::{Action, Clock, Event, Events};
pub use model::{
    Annotation, Block, BlockState, Device, Pool, PoolId, PoolSize, Segment, Settings, Snapshot,
};
pub use notes::{Note, NoteKind, Notes};
pub use open::{open, read};
pub use pickle::PickleError;
pub use tables::{Frame, FrameId, Frames, StackId, Stacks, TextId, Texts};
