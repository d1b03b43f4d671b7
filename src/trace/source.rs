//! The files that a trace was read from, and where in them an event stands.

use std::path::PathBuf;
use std::time::SystemTime;

/// Number of a file in `Trace::files`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FileId(pub u32);

/// One opened file, or one entry of an archive.
#[derive(Clone, Debug, Default)]
pub struct SourceFile {
    /// The file on disk.
    pub path: PathBuf,
    /// The entry inside it where the file is an archive.
    pub entry: Option<String>,
    /// Size on disk in bytes when it was read.
    pub bytes: u64,
    /// Size of the text after decompression, in bytes.
    pub text_bytes: u64,
    /// When it was last changed, as far as the system tells; a later time means "reload".
    pub modified: Option<SystemTime>,
    /// Number of events read from it.
    pub events: u64,
    /// Why it could not be read, as one sentence; `None` for a good file.
    pub error: Option<String>,
}

impl SourceFile {
    /// File name, with the archive entry where there is one, for titles and messages.
    #[must_use]
    pub fn display_name(&self) -> String {
        let name = self.path.file_name().map_or_else(
            || self.path.display().to_string(),
            |n| n.to_string_lossy().into_owned(),
        );
        match &self.entry {
            Some(entry) => format!("{name}:{entry}"),
            None => name,
        }
    }
}

/// Byte range of an event's text in the decompressed text of its rank's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SourceSpan {
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub len: u32,
}
