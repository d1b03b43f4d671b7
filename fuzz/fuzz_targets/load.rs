//! Any bytes through the whole reader: containers, JSON, repair, the model and its figures.
//!
//! Whatever the bytes are, loading ends, does not panic, and what it gives keeps the sums.

#![no_main]

use libfuzzer_sys::fuzz_target;
use overlane::classify::Rules;
use overlane::ingest::{Cancel, LoadOptions, LoadRequest, Progress, load};
use overlane::metrics::{Query, summary_rows};
use std::io::Write as _;
use std::sync::{Arc, LazyLock};

static RULES: LazyLock<Arc<Rules>> = LazyLock::new(|| Arc::new(Rules::builtin()));

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut file) = tempfile::NamedTempFile::new() else {
        return;
    };
    if file.write_all(bytes).is_err() {
        return;
    }
    let request = LoadRequest {
        paths: vec![file.path().to_owned()],
        rules: Arc::clone(&RULES),
        options: LoadOptions::default(),
    };
    let Ok(trace) = load(&request, &Progress::default(), &Cancel::default()) else {
        return;
    };
    for row in summary_rows(&trace, &Query::default()) {
        if let Some(f) = row.figures {
            let parts = f.compute_time + f.non_compute_time + f.idle_time;
            assert_eq!(parts, f.kernel_time);
        }
    }
});
