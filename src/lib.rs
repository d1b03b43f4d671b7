//! overlane.
pub mod app;
pub mod classify;
pub mod cli;
pub mod export;
pub mod ingest;
pub mod interval;
pub mod load;
pub mod metrics;
pub mod session;
pub mod time;
pub mod timeline;
pub mod trace;
pub mod ui;
