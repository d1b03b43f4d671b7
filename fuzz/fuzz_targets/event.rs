//! One event through the fast reader and the strict one: what both accept, they read alike.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| overlane::ingest::compare_event_readers(text));
