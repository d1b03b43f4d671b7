//! The columns of the tables of a snapshot.

mod blocks;
mod events;
mod fit;

pub use blocks::{BLOCK_COLUMNS, DEVICE_COLUMNS, SEGMENT_COLUMNS};
pub use events::{EVENT_COLUMNS, NOTE_COLUMNS, OOM_COLUMNS, SITE_COLUMNS};
pub use fit::FIT_COLUMNS;
