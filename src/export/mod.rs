//! From tables to text: CSV, JSON, Markdown and what a terminal shows; and from text to files.
//!
//! The cells, their digits and their names come from [`metrics::report`](crate::metrics::report);
//! formats are made here. Whatever the command line and the window write to disk goes through
//! [`write_file`], and [`config_folder`] is where both keep files of their own.

mod csv;
mod file;
mod folders;
mod json;
mod markdown;
pub mod snapshot;
mod text;
mod whatif;

pub use csv::csv;
pub use file::{WriteError, is_input, write_file, write_output};
pub use folders::{CONFIG_DIR_VARIABLE, cache_folder, config_folder};
pub use json::{Document, json};
pub use markdown::markdown;
pub use text::{health_note, summary_text, table_text};
pub use whatif::{whatif_json, whatif_text};
