//! Pickles that are small packed and huge unpacked end at the limit of memory, counted at the allocator
//! of this process. Alone in its file, since the count is of all threads.

#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected; counting needs an allocator"
)]

use flate2::Compression;
use flate2::write::GzEncoder;
use overlane::ingest::{Cancel, MemoryLimit, Progress};
use overlane::snapshot::open_within;
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Counting;

fn grow(bytes: usize) {
    let now = NOW.fetch_add(bytes, Relaxed) + bytes;
    MOST.fetch_max(now, Relaxed);
}

// SAFETY: every call goes to the system's allocator with the arguments as they came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller keeps what `alloc` asks of it.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps what `dealloc` asks of it.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const LIMIT: usize = 64 << 20;

/// A gzip of a part that is repeated; gives its path.
fn packed(folder: &std::path::Path, name: &str, part: &[u8], times: usize) -> std::path::PathBuf {
    let path = folder.join(name);
    let file = std::fs::File::create(&path).unwrap();
    let mut packed = GzEncoder::new(file, Compression::fast());
    packed.write_all(b"\x80\x04](").unwrap();
    let many = part.repeat((1 << 16) / part.len() + 1);
    for _ in 0..times * part.len() / many.len() {
        packed.write_all(&many).unwrap();
    }
    packed.finish().unwrap();
    path
}

#[test]
fn packed_bombs_end_at_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let mut long = b"\x80\x04X\xff\xff\xff\xff".to_vec();
    long.resize(1 << 20, b'a');
    for (name, part, times, words) in [
        ("lists", &b"]"[..], 100 << 20, "memory"),
        ("numbers", b"K\x01", 50 << 20, "memory"),
        (
            "wide",
            b"\x8a\x09\x01\x02\x03\x04\x05\x06\x07\x08\x09",
            10 << 20,
            "memory",
        ),
        ("filled", b"](K\x01K\x02e", 20 << 20, "memory"),
        ("pairs", b"}K\x01K\x02s", 20 << 20, "memory"),
        ("memo", b"N\x94", 50 << 20, "memory"),
        ("text", &long, 80, "longer than"),
    ] {
        let path = packed(folder.path(), name, part, times);
        let before = NOW.load(Relaxed);
        MOST.store(before, Relaxed);
        let limit = MemoryLimit::Bytes(u64::try_from(LIMIT).unwrap());
        let error = open_within(&path, limit, &Progress::default(), &Cancel::default())
            .expect_err(name)
            .to_string();
        assert!(error.contains(words), "{name}: {error}");
        let most = MOST.load(Relaxed) - before;
        // One text may take its own 64 MiB, read and copied.
        let allowed = if name == "text" { 4 * LIMIT } else { 2 * LIMIT };
        assert!(most < allowed, "{name}: {most} bytes were taken");
    }
}
