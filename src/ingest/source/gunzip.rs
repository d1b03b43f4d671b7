//! gzip as RFC 1952 has it: any number of members, with whatever stands behind the last one.

use super::Trouble;
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, Read};

/// Decompresses all members of a gzip stream one behind the other.
///
/// Bytes behind the last member that begin no new one (padding, an appended signature) end the
/// stream and are told to [`Trouble`]; a usual multi-member decoder would fail on them and lose a
/// file that is whole.
pub(super) struct Gunzip<R: BufRead> {
    state: State<R>,
    trouble: Trouble,
}

enum State<R: BufRead> {
    Member(Box<GzDecoder<R>>),
    Done,
}

impl<R: BufRead> Gunzip<R> {
    pub(super) fn new(inner: R, trouble: Trouble) -> Self {
        Self {
            state: State::Member(Box::new(GzDecoder::new(inner))),
            trouble,
        }
    }

    /// Goes on to the next member, or ends.
    fn next_member(&mut self) -> io::Result<()> {
        let State::Member(decoder) = std::mem::replace(&mut self.state, State::Done) else {
            return Ok(());
        };
        let mut inner = decoder.into_inner();
        let rest = inner.fill_buf()?;
        // A buffer may end in the middle of the two magic bytes; one is then enough to go on.
        if rest.is_empty() {
            return Ok(());
        }
        if rest.starts_with(&[0x1f, 0x8b]) || rest == [0x1f] {
            self.state = State::Member(Box::new(GzDecoder::new(inner)));
            return Ok(());
        }
        let mut trailing = 0_u64;
        loop {
            let n = inner.fill_buf()?.len();
            if n == 0 {
                break;
            }
            trailing += u64::try_from(n).unwrap_or(0);
            inner.consume(n);
        }
        self.trouble.note_trailing(trailing);
        Ok(())
    }
}

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let State::Member(decoder) = &mut self.state else {
                return Ok(0);
            };
            let n = decoder.read(buf)?;
            if n > 0 || buf.is_empty() {
                return Ok(n);
            }
            self.next_member()?;
        }
    }
}
