//! What a file is, told from its first bytes.
//!
//! Compression is unwrapped by `source`; what is no Chrome trace gets one sentence that says what
//! it is and what to do instead.

use super::IngestError;

/// How the first bytes say that a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    Gzip,
    Zstd,
    Zip,
    Plain,
}

/// Decides by magic bytes.
pub(super) fn container(head: &[u8]) -> Container {
    match head {
        [0x1f, 0x8b, ..] => Container::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Container::Zstd,
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Container::Zip,
        _ => Container::Plain,
    }
}

/// The sentence for an archive inside an archive.
pub(super) fn nested_archive(file: &str) -> IngestError {
    not_a_trace(
        file,
        "a zip archive inside a compressed file",
        "unpack it and open the files",
    )
}

/// Looks at the first bytes of the *text*; `Err` where it cannot be a Chrome trace.
pub(super) fn check_text(file: &str, head: &[u8]) -> Result<(), IngestError> {
    let text = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    match text.first() {
        None => Err(not_a_trace(
            file,
            "the file is empty",
            "record the trace again, or check that the copy was complete",
        )),
        Some(b'{') => match foreign_json(text) {
            Some((what, advice)) => Err(not_a_trace(file, what, advice)),
            None => Ok(()),
        },
        Some(b'[') if is_memory_timeline(text) => Err(not_a_trace(
            file,
            "a PyTorch memory timeline, not a GPU trace",
            "open the trace that export_chrome_trace writes",
        )),
        Some(b'[') => Ok(()),
        Some(_) => {
            let (what, advice) = binary(head);
            Err(not_a_trace(file, what, advice))
        }
    }
}

/// JSON objects of other tools that are known.
fn foreign_json(text: &[u8]) -> Option<(&'static str, &'static str)> {
    let start = text.get(..4096).unwrap_or(text);
    if contains(start, b"\"rocprofiler-sdk-tool\"") {
        return Some((
            "a rocprofv3 JSON file, which is not read yet",
            "record with the PyTorch profiler, or convert it to a Chrome trace",
        ));
    }
    None
}

/// `[[number, number, …], …]`, which is what `export_memory_timeline` writes.
fn is_memory_timeline(text: &[u8]) -> bool {
    let mut inner = text.iter().filter(|b| !b.is_ascii_whitespace());
    inner.next() == Some(&b'[')
        && inner.next() == Some(&b'[')
        && inner
            .next()
            .is_some_and(|b| b.is_ascii_digit() || *b == b'-' || *b == b'[')
}

/// What to do about most of them.
const EXPORT: &str =
    "record with the PyTorch profiler (export_chrome_trace) and open its .json or .json.gz";

fn binary(head: &[u8]) -> (&'static str, &'static str) {
    const UNPACK: &str = "unpack it and open the trace inside";
    match head {
        [b'<', ..] => (
            "an HTML or XML page, not a trace",
            "download the raw trace file instead of the page that shows it",
        ),
        _ if head.starts_with(b"SQLite format 3\0") => sqlite(head),
        _ if head.starts_with(b"NVIDIA T") => (
            "an Nsight Systems report (.nsys-rep), which only Nsight can read",
            EXPORT,
        ),
        [0x80, 2..=5, ..] => (
            "a Python pickle (such as a CUDA memory snapshot), not a trace",
            "use \"overlane snapshot PATH\" for a memory snapshot",
        ),
        [0x0a, ..] if contains(head, b"/host:") || contains(head, b"/device:") => (
            "a JAX or TensorFlow XPlane protobuf, which is not read",
            "use the trace.json.gz that stands beside it",
        ),
        [0x0a, ..] if !head.is_ascii() => (
            "a Perfetto protobuf trace, which is not read",
            "convert it with trace_processor (traceconv json) or record with the PyTorch profiler",
        ),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => ("UTF-16 text", "save it as UTF-8"),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => ("an xz-compressed file", UNPACK),
        [b'B', b'Z', b'h', ..] => ("a bzip2-compressed file", UNPACK),
        [b'7', b'z', 0xbc, 0xaf, ..] => ("a 7z archive", UNPACK),
        _ if head.get(257..262) == Some(b"ustar") => ("a tar archive", UNPACK),
        _ if head.iter().take(512).any(|b| *b == 0) => ("a binary file, not a trace", EXPORT),
        _ => (
            "neither a JSON object nor a JSON array, so not a Chrome trace",
            EXPORT,
        ),
    }
}

fn sqlite(head: &[u8]) -> (&'static str, &'static str) {
    if contains(head, b"rocpd_") {
        (
            "a ROCm profile database (.rpd), which is not read yet",
            "convert it with rpd2tracing and open the .json",
        )
    } else if contains(head, b"TARGET_INFO")
        || contains(head, b"CUPTI_")
        || contains(head, b"StringIds")
    {
        (
            "an Nsight Systems SQLite export, which is not read yet",
            EXPORT,
        )
    } else {
        ("an SQLite database, not a trace", EXPORT)
    }
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find(text, word).is_some()
}

pub(super) fn not_a_trace(file: &str, what: &str, advice: &str) -> IngestError {
    IngestError::NotATrace {
        file: file.to_owned(),
        what: what.to_owned(),
        advice: advice.to_owned(),
    }
}
