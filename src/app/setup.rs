//! The parts that an app is made of.

use super::options::{AppOptions, SampleSource};
use super::picker::{FilePicker, SystemPicker};
use super::settings_file;
use crate::classify::Rules;
use crate::ingest::LoadOptions;
use crate::load::{Loader, ingest_loader};
use std::path::PathBuf;
use std::sync::Arc;

/// What an app is made of; tests replace parts of it.
pub struct Setup {
    /// What to open at the start.
    pub paths: Vec<PathBuf>,
    /// What to compare it with; nothing where this is empty.
    pub compare: Vec<PathBuf>,
    /// Whether the sample is to be opened instead.
    pub is_demo: bool,
    /// What of it is loaded.
    pub options: LoadOptions,
    /// The bundled sample.
    pub sample: SampleSource,
    /// How kernels are classified.
    pub rules: Arc<Rules>,
    /// Where files are chosen.
    pub picker: Box<dyn FilePicker>,
    /// How traces are loaded.
    pub loader: Loader,
    /// Where settings are kept; `None` keeps none.
    pub settings_path: Option<PathBuf>,
}

impl Setup {
    /// The parts of the real program.
    #[must_use]
    pub fn system(options: AppOptions) -> Self {
        Self {
            paths: options.paths,
            compare: options.compare,
            is_demo: options.is_demo,
            options: options.options,
            sample: options.sample,
            rules: options.rules,
            picker: Box::new(SystemPicker),
            loader: ready_to_draw(ingest_loader()),
            settings_path: settings_file::path(),
        }
    }
}

/// The same loader, which also lists what the first picture of a trace needs: on its own thread, not
/// on the one that draws.
fn ready_to_draw(loader: Loader) -> Loader {
    Arc::new(move |request, progress, cancel| {
        let trace = loader(request, progress, cancel)?;
        if !cancel.is_cancelled() {
            trace.list_rows();
        }
        Ok(trace)
    })
}
