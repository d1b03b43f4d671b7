//! overlane.
pub mod interval;
pub mod time;
pub mod trace;
