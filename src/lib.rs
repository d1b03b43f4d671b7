//! overlane.
pub mod classify;
pub mod ingest;
pub mod interval;
pub mod time;
pub mod timeline;
pub mod trace;
