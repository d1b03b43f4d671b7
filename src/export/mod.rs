//! From tables to text: CSV, JSON, Markdown and what a terminal shows.
//!
//! It owns formats and nothing else: the cells, their digits and their names come from
//! [`metrics::report`](crate::metrics::report), and where the text goes is the caller's matter.

mod csv;
mod json;
mod markdown;
mod text;

pub use csv::csv;
pub use json::{Document, json};
pub use markdown::markdown;
pub use text::{health_note, summary_text, table_text};
