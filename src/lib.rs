//! overlane: where the GPU time of a step went, and how much communication is really hidden.
//!
//! A guided tour, in reading order. Each module may use those before it, as `ARCHITECTURE.md` says
//! in full and `tests/architecture.rs` checks.
//!
//! 1. [`time`]: instants, lengths and windows in exact integer nanoseconds.
//! 2. [`interval`]: merged sets, the sweep line, the partition that answers for any window. The
//!    only place where time is added up.
//! 3. [`memory`]: bytes over time: one curve for whatever records an allocator.
//! 4. [`trace`]: what was opened, in columns: ranks, devices, streams, slices, steps, health.
//! 5. [`classify`]: which kernel is computation, communication or memory, by rules that are data.
//! 6. [`ingest`]: files into a trace; whatever is damaged is mended and counted.
//! 7. [`snapshot`]: what PyTorch's allocator held, read from its pickles as data, and its figures.
//! 8. [`metrics`]: the figures of a window, and the one table of columns that shows them.
//! 9. [`whatif`]: what a change would bring: models of overlap, one file a model, from plain input
//!    to plain result.
//! 10. [`export`]: tables as CSV, JSON, Markdown and terminal text.
//! 11. [`cli`]: `report`, `check`, `diff`, `whatif` and `snapshot`.
//! 12. [`timeline`]: lanes, view, level of detail, hit tests: geometry without egui.
//! 13. [`session`]: the state of the program, its actions and their effects.
//! 14. [`load`]: a load on a thread of its own.
//! 15. [`ui`]: views that read the session and return actions; the theme.
//! 16. [`app`]: the window: wiring and effects.
//!
//! The smallest use, without a window:
//!
//! ```
//! use overlane::classify::Rules;
//! use overlane::ingest::{Cancel, LoadOptions, LoadRequest, Progress, load};
//! use overlane::metrics::{Query, summary_rows};
//! use std::sync::Arc;
//!
//! let request = LoadRequest {
//!     paths: vec!["sample_traces/serial_step.json".into()],
//!     rules: Arc::new(Rules::builtin()),
//!     options: LoadOptions::default(),
//! };
//! let trace = load(&request, &Progress::default(), &Cancel::default())?;
//! let rows = summary_rows(&trace, &Query::default());
//! let figures = rows[0].figures.expect("the sample has GPU work");
//! // Nothing of the 600 µs of communication is hidden in this sample.
//! assert_eq!(figures.comm.us3(), "600.000");
//! assert_eq!(figures.overlap.us3(), "0.000");
//! # Ok::<(), overlane::ingest::IngestError>(())
//! ```

pub mod app;
pub mod classify;
pub mod cli;
pub mod export;
pub mod ingest;
pub mod interval;
pub mod load;
pub mod memory;
pub mod metrics;
pub mod session;
pub mod snapshot;
pub mod time;
pub mod timeline;
pub mod trace;
pub mod ui;
pub mod whatif;
