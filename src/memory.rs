//! Bytes over time: the one curve that memory events of a trace and histories of allocator
//! snapshots become, so that both are asked, drawn and printed alike.

mod curve;

pub use curve::{Curve, CurveError, Extreme, Extremes};
