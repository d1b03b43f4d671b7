//! overlane.
pub mod classify;
pub mod ingest;
pub mod interval;
pub mod metrics;
pub mod time;
pub mod trace;
