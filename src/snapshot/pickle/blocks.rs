//! Blocks of a file's bytes, read by a second thread while the first one works on those before.
//!
//! Reading is copying, or unpacking, which takes a good part of the time of a large file and has
//! nothing to do with what the bytes mean.

use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

/// How much is read at once: so much that readers of files copy it to its place, and nowhere else.
const BLOCK: usize = 1 << 20;
/// Room in front of a block for what is left of the one before.
const ROOM: usize = 1 << 12;
/// How many blocks are read ahead.
const AHEAD: usize = 2;

/// Some bytes, with room in front of them.
#[derive(Debug, Default)]
pub(in crate::snapshot) struct Block {
    bytes: Vec<u8>,
    from: usize,
    end: usize,
}

impl Block {
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(self.from..self.end).unwrap_or(&[])
    }

    /// What is left of one block from a place on, and the next one behind it; and the block that is free
    /// then.
    pub(super) fn join(mut self, at: usize, mut next: Self) -> (Self, Self) {
        let rest = self.bytes().get(at..).unwrap_or(&[]);
        let from = next.from.checked_sub(rest.len());
        if let Some(from) = from
            && let Some(place) = next.bytes.get_mut(from..next.from)
        {
            place.copy_from_slice(rest);
            next.from = from;
            (next, self)
        } else {
            // A long text: its bytes grow with what was read, never with what was promised.
            self.bytes.truncate(self.end);
            self.bytes.drain(..self.from + at);
            self.bytes.extend_from_slice(next.bytes());
            (self.from, self.end) = (0, self.bytes.len());
            (self, next)
        }
    }

    /// Fills it with what comes next; `false` at the end. What was read before something went wrong is
    /// given first.
    fn fill(&mut self, source: &mut impl Read) -> io::Result<bool> {
        self.bytes.resize(ROOM + BLOCK, 0);
        (self.from, self.end) = (ROOM, ROOM);
        while let Some(free) = self.bytes.get_mut(self.end..).filter(|f| !f.is_empty()) {
            match source.read(free) {
                Ok(0) => break,
                Ok(read) => self.end += read,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if self.end == ROOM => return Err(e),
                Err(_) => break,
            }
        }
        Ok(self.end > ROOM)
    }
}

/// Blocks that another thread reads.
#[derive(Debug)]
pub(in crate::snapshot) struct Blocks {
    read: Receiver<io::Result<Block>>,
    used: Sender<Block>,
}

impl Blocks {
    /// The next one; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Block>> {
        // The other end goes once everything was read.
        self.read.recv().ok().transpose()
    }

    /// Gives a block back that is no longer needed.
    pub(super) fn take_back(&mut self, block: Block) {
        // Nobody takes it once everything was read.
        let _gone = self.used.send(block);
    }
}

/// Works on the blocks of a source, which a thread of its own reads meanwhile.
pub(in crate::snapshot) fn read_ahead<T>(
    source: impl Read + Send,
    work: impl FnOnce(Blocks) -> T,
) -> T {
    let (full, read) = sync_channel(AHEAD);
    let (used, empty) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || send_blocks(source, &full, &empty));
        work(Blocks { read, used })
    })
}

/// Ends at the end of the source, where it cannot be read, or once nobody wants more.
fn send_blocks(
    mut source: impl Read,
    full: &SyncSender<io::Result<Block>>,
    empty: &Receiver<Block>,
) {
    loop {
        let mut block = empty.try_recv().unwrap_or_default();
        let next = match block.fill(&mut source) {
            Ok(true) => Ok(block),
            Ok(false) => return,
            Err(e) => Err(e),
        };
        let is_last = next.is_err();
        if full.send(next).is_err() || is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time, then an error.
    struct Halting<'a>(&'a [u8]);

    impl Read for Halting<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let some = self.0.len().min(buf.len()).min(1_000);
            if some == 0 {
                return Err(io::Error::other("gone"));
            }
            let (now, later) = self.0.split_at(some);
            buf[..some].copy_from_slice(now);
            self.0 = later;
            Ok(some)
        }
    }

    fn all_of(mut blocks: Blocks) -> (Vec<u8>, Option<String>) {
        let mut all = Vec::new();
        loop {
            match blocks.next() {
                Ok(Some(block)) => {
                    all.extend_from_slice(block.bytes());
                    blocks.take_back(block);
                }
                Ok(None) => return (all, None),
                Err(e) => return (all, Some(e.to_string())),
            }
        }
    }

    #[test]
    fn all_bytes_come_in_their_order_and_errors_behind_them() {
        let bytes: Vec<u8> = (0..3 * BLOCK + 7).map(|n| n.to_le_bytes()[0]).collect();
        assert_eq!(read_ahead(&*bytes, all_of), (bytes.clone(), None));
        let gone = Some("gone".to_owned());
        assert_eq!(read_ahead(Halting(&bytes), all_of), (bytes, gone));
    }

    #[test]
    fn a_reader_that_nobody_listens_to_ends() {
        let first = read_ahead(io::repeat(7), |mut blocks| blocks.next());
        let first = first.expect("endless").expect("endless");
        assert_eq!(first.bytes().len(), BLOCK);
    }

    #[test]
    fn what_is_left_comes_first_however_long() {
        let filled = |bytes: &[u8]| {
            let mut block = Block::default();
            assert!(block.fill(&mut &*bytes).expect("in memory"));
            block
        };
        for left in [0, 1, ROOM, ROOM + 1, 2 * ROOM] {
            let before = [vec![0; 5], vec![1; left]].concat();
            let (joined, _) = filled(&before).join(5, filled(b"behind"));
            let (joined, _) = joined.join(0, filled(b"more"));
            assert_eq!(joined.bytes(), [&*vec![1; left], b"behindmore"].concat());
        }
    }
}
