//! Geometry of the timeline, without a toolkit: which lanes exist, which time a pixel shows, and
//! what is to be drawn there.
//!
//! It owns the [`View`] (the visible range), the lane model ([`lanes::rows`]), the level of detail
//! (a draw list whose cost is bounded by pixels times lanes, never by the number of slices), hit
//! testing, snapping and the ticks of the ruler. It knows no colours and no figures: quads carry a
//! class or a share of time, the theme gives it a colour. Times stay integers until they become
//! pixels, and pixels are always relative to the view's left edge.

mod columns;
pub mod device;
pub mod draw;
pub mod hit;
mod lane_picture;
pub mod lanes;
pub mod lod;
mod memory;
pub mod picture;
pub mod rows;
pub mod ruler;
mod scale;
pub mod scene;
pub mod snap;
pub mod spans;
#[cfg(test)]
mod tests;
pub mod view;

pub use draw::{LaneDraw, Quad, Span, Split, What};
pub use lanes::{
    Arranged, Derived, Known, LaneKey, LaneRow, LaneState, MemoryLane, Shared, SnapshotLane,
    SnapshotOf,
};
pub use memory::{MemoryColumn, MemoryDraw, MemoryLevels};
pub use picture::{Shade, Strip, Texel};
pub use rows::{RowIndex, Shares};
pub use scene::{Grid, Scene, SceneKey};
pub use view::{Limits, View};
