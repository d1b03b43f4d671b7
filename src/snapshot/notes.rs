//! What was odd in a snapshot: each kind counted, with the first place where it was seen.

/// A kind of oddity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteKind {
    /// A record without what it needs.
    BadRecord,
    /// A number that does not fit where it stands.
    BadNumber,
    /// Blocks that leave gaps in their segment, overlap or reach beyond it.
    Tiling,
    /// A segment whose sums are not those of its blocks.
    Sums,
    /// A block in a state that is not known.
    UnknownState,
    /// A segment that stands in the file twice.
    RepeatedSegment,
    /// An event of a kind that is not known.
    UnknownAction,
    /// Events that are not in order of time.
    TimesOutOfOrder,
    /// Events without times.
    NoTimes,
    /// Bytes behind the end of the pickle.
    Trailing,
    /// Events and blocks that contradict each other.
    Contradiction,
    /// A recording that began after memory had been allocated.
    StartsInTheMiddle,
}

impl NoteKind {
    /// One sentence; the count and the first place stand beside it.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::BadRecord => "records lack what they need and were left out",
            Self::BadNumber => "numbers are negative or too large for their place and count as 0",
            Self::Tiling => "segments are not covered by their blocks exactly",
            Self::Sums => {
                "segments state other sums than their blocks have; the blocks are counted"
            }
            Self::UnknownState => "blocks are in a state that is not known and count as allocated",
            Self::RepeatedSegment => "segments stand in the file more than once and count once",
            Self::UnknownAction => "events are of a kind that is not known and change nothing",
            Self::TimesOutOfOrder => {
                "events are earlier than the one before them and were put at its time"
            }
            Self::NoTimes => "events have no times; their order stands for time",
            Self::Trailing => "there are bytes behind the snapshot, which are not read",
            Self::Contradiction => {
                "events contradict the blocks of the snapshot; the blocks are believed"
            }
            Self::StartsInTheMiddle => {
                "bytes were allocated before the recording starts (or before the oldest event that it kept)"
            }
        }
    }
}

/// One kind of oddity, counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What it is.
    pub kind: NoteKind,
    /// How often it was seen; bytes for [`NoteKind::StartsInTheMiddle`].
    pub count: u64,
    /// Where first, in words.
    pub first: String,
}

/// The oddities found so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(Vec<Note>);

impl Notes {
    /// All of them, in the order in which they were met.
    #[must_use]
    pub fn all(&self) -> &[Note] {
        &self.0
    }

    /// The note of a kind.
    #[must_use]
    pub fn get(&self, kind: NoteKind) -> Option<&Note> {
        self.0.iter().find(|note| note.kind == kind)
    }

    pub(super) fn add(&mut self, kind: NoteKind, count: u64, first: impl FnOnce() -> String) {
        if let Some(note) = self.0.iter_mut().find(|note| note.kind == kind) {
            note.count = note.count.saturating_add(count);
        } else if count > 0 {
            self.0.push(Note {
                kind,
                count,
                first: first(),
            });
        }
    }
}
