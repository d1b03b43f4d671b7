//! The unpacked bytes of one file, for readers of formats that are no trace.

use super::source::{Input, TextReader, Trouble, find_inputs};
use super::{IngestError, Phase, Progress};
use std::io::{self, Read};
use std::path::Path;

/// A file's bytes without gzip, zstd or a zip archive around them.
pub struct Unpacked(TextReader);

/// Tells what was wrong with the packing, also while the bytes are lent elsewhere.
#[derive(Clone, Debug)]
pub struct DamageWatch(Trouble);

impl DamageWatch {
    /// What is wrong with the compressed data, if anything was met so far.
    #[must_use]
    pub fn damage(&self) -> Option<String> {
        self.0.damage()
    }
}

impl Unpacked {
    /// Opens a file. What it holds is not looked at.
    ///
    /// # Errors
    /// [`IngestError`] where it cannot be opened, or is a folder or an archive of several files.
    pub fn open(path: &Path, progress: &Progress) -> Result<Self, IngestError> {
        let several = |what: &str, advice: &str| IngestError::NotATrace {
            file: path.display().to_string(),
            what: what.to_owned(),
            advice: advice.to_owned(),
        };
        if path.is_dir() {
            return Err(several("a folder", "name one file in it"));
        }
        let mut inputs = find_inputs(&[path.to_owned()])?;
        match (inputs.pop(), inputs.is_empty()) {
            (Some(Input { error: Some(e), .. }), true) => Err(IngestError::Unusable(e)),
            (Some(input), true) => {
                progress.begin_pass(Phase::Reading, input.bytes);
                Ok(Self(TextReader::open(&input, progress)?))
            }
            _ => Err(several(
                "an archive that does not hold exactly one file",
                "unpack it and name one file",
            )),
        }
    }

    /// What to ask for damage later on.
    #[must_use]
    pub fn damage_watch(&self) -> DamageWatch {
        DamageWatch(self.0.trouble())
    }
}

impl Read for Unpacked {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read_into(buf).map_err(io::Error::other)
    }
}
