//! overlane.
pub mod classify;
pub mod cli;
pub mod export;
pub mod ingest;
pub mod interval;
pub mod metrics;
pub mod time;
pub mod trace;
