//! What was repaired, left out or found odd while a trace was read: counted by kind.
//!
//! Every kind has a name, a severity and a sentence in one table ([`IssueKind`]), so that the
//! badge, the list, the CSV and the JSON speak of the same things. Nothing is skipped in silence:
//! whoever drops or changes something reports it here.

use super::FileId;
use crate::time::DurNs;

/// How much an issue matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing was changed.
    Info,
    /// Left out because the user asked for it.
    ByChoice,
    /// The input was mended and used.
    Repaired,
    /// Something in the file is not in the figures.
    DataLoss,
}

impl Severity {
    /// One word for lists.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::ByChoice => "by choice",
            Self::Repaired => "repaired",
            Self::DataLoss => "left out",
        }
    }
}

macro_rules! issue_kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident, $name:literal, $severity:ident, $sentence:literal;)+) => {
        /// A kind of oddity.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum IssueKind {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl IssueKind {
            /// All kinds, in the order in which lists show them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Stable name for scripts.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// How much it matters.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)+ }
            }

            /// What it means and what was done, as a sentence for users.
            #[must_use]
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $sentence,)+ }
            }
        }
    };
}

issue_kinds! {
    /// The text ends before its brackets close.
    Truncated, "truncated", DataLoss, "the file ends early; every complete event before the end is loaded";
    /// A compressed stream ends early or fails its checksum.
    DamagedCompression, "damaged-compression", DataLoss, "the compressed data is damaged; everything before the damage is loaded";
    /// Bytes behind the end of the compressed data or of the document.
    TrailingBytes, "trailing-bytes", Info, "bytes behind the end of the data were ignored";
    /// An event that could not be read at all.
    UnreadableEvent, "unreadable-event", DataLoss, "the event's text could not be read and is left out";
    /// An event whose JSON was mended.
    RepairedJson, "repaired-json", Repaired, "the event's JSON was damaged and was repaired";
    /// Bytes that are not UTF-8.
    InvalidUtf8, "invalid-utf8", Repaired, "bytes that are not UTF-8 are shown as replacement characters";
    /// A value such as NaN or Infinity, which JSON does not have.
    BareWord, "bare-value", Repaired, "a bare NaN, Infinity or N/A was read as an empty value";
    /// Commas or brackets between events are missing or doubled.
    Separator, "separator", Repaired, "a missing or doubled separator between events was ignored";
    /// An element of the event list that is no object.
    NotAnObject, "not-an-object", DataLoss, "an element of the event list is not an object and is left out";
    /// A time that is no number.
    BadTime, "bad-time", DataLoss, "the event's ts or dur is not a number and the event is not placed";
    /// A complete event without a start or a duration.
    MissingTime, "missing-time", DataLoss, "the event has no ts or dur and is not placed";
    /// A time beyond 64-bit nanoseconds.
    TimeOutOfRange, "time-out-of-range", DataLoss, "the event's time is beyond 64-bit nanoseconds and the event is not placed";
    /// An end before its start.
    NegativeDuration, "negative-duration", DataLoss, "the event ends before it starts and is not counted";
    /// Far from everything else, or absurdly long.
    Astray, "astray", DataLoss, "the event lies absurdly far from all others or lasts over seven days; it is left out of the extent and of all figures";
    /// A kernel that runs over many later kernels of its stream.
    SuspiciousDuration, "suspicious-duration", Info, "the kernel's duration runs over many later kernels of its stream; it can be clipped by a switch";
    /// GPU work without a stream number.
    NoStream, "no-stream", DataLoss, "GPU work without a stream number or with a negative one is not counted as GPU work";
    /// A begin without an end.
    UnclosedBegin, "unclosed-begin", Repaired, "a begin event without an end was closed at the end of the capture";
    /// An end without a begin.
    OrphanEnd, "orphan-end", DataLoss, "an end event without a begin is left out";
    /// Phases that this program does not draw.
    UnknownPhase, "unknown-phase", Info, "events of an unknown phase were ignored";
    /// Events that stand in another order than time.
    OutOfOrder, "out-of-order", Info, "events stand out of time order in the file and were sorted";
    /// Kernels of one stream that overlap.
    StreamOverlap, "stream-overlap", Info, "kernels of one stream overlap; each is drawn in a row of its own and busy time counts once";
    /// Kernels whose launch is not in the file.
    NoLaunch, "no-launch", Info, "GPU work whose launch call is not in the file; it counts in windows but belongs to no step by launch";
    /// Launch calls whose kernels are not in the file.
    NoKernel, "no-kernel", Info, "launch calls whose GPU work is not in the file";
    /// Two files that claim the same rank.
    DuplicateRank, "duplicate-rank", Repaired, "the file claims a rank that is taken and got the next free number";
    /// A rank whose number was guessed.
    RankFromName, "rank-from-name", Info, "the file does not state its rank; it was taken from the file name or the position in the list";
    /// Ranks of the world that were not opened.
    MissingRanks, "missing-ranks", Info, "ranks of the job are not among the opened files";
    /// A file that could not be read.
    BadFile, "bad-file", DataLoss, "the file could not be read and is left out";
    /// Relative times without a base.
    AlignedAtStart, "aligned-at-start", Repaired, "the file's times are relative and without a base; it is aligned at its start, so times between ranks cannot be compared";
    /// A rank that was moved because the user asked for it.
    RankMoved, "rank-moved", Info, "all times of the file were moved against those of other ranks, as was asked for";
    /// A rank that could not be aligned as the user asked for.
    RankNotAligned, "rank-not-aligned", Info, "alignment by collectives was asked for, but the file shares too few of them; its times stay as they are";
    /// A shift for a rank that is not there.
    NoRankToMove, "no-rank-to-move", Info, "a rank was to be moved, but no file that could be read is of it";
    /// No launch information for steps.
    StepsFromHost, "steps-from-host", Info, "the device has no launch information for the steps, so the host windows are used";
    /// Python frames that the user left out.
    PythonLeftOut, "python-left-out", ByChoice, "Python stacks were left out by choice; figures are those of the whole trace";
    /// Framework operators and the like that the user left out.
    CpuRowsLeftOut, "cpu-rows-left-out", ByChoice, "CPU rows (operators, Python, overhead) were left out by choice; launches, annotations and steps are there, and figures are those of the whole trace";
    /// What lies outside the range that the user asked for.
    OutsideRange, "outside-range", ByChoice, "only a range of time was loaded by choice; events outside of it were left out, and figures hold inside it only";
    /// A file of a rank that the user did not ask for.
    RankLeftOut, "rank-left-out", ByChoice, "the file is of a rank that was left out by choice";
    /// A `[memory]` event that cannot be placed on a curve.
    BadMemoryEvent, "bad-memory-event", DataLoss, "a [memory] event without readable bytes, device or totals is left out of the memory curves";
    /// Two kinds of device with one number.
    MemoryOtherType, "memory-other-type", DataLoss, "[memory] events of another type of device that has the same number are left out: the curves are of the type with the most events";
    /// Memory curves without totals.
    MemoryIntegrated, "memory-integrated", Info, "the [memory] events of a device have no totals, so its allocated bytes are relative to the start of the recording; reserved bytes are unknown";
    /// More allocated than reserved.
    AllocatedAboveReserved, "allocated-above-reserved", Info, "a [memory] event states more allocated than reserved bytes, so cached free memory is not told from there to the next one";
    /// Nothing ran on a GPU.
    NoGpuWork, "no-gpu-work", Info, "the file has no GPU work";
    /// No steps are marked.
    NoSteps, "no-steps", Info, "the file has no ProfilerStep annotations; annotations can be chosen as windows instead";
}

/// Where an issue was first seen.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Position {
    /// Byte in the decompressed text, where there is one.
    pub byte: Option<u64>,
    /// What stood there: a name, a value.
    pub what: String,
}

/// One kind of oddity in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Its kind.
    pub kind: IssueKind,
    /// The file it was found in.
    pub file: FileId,
    /// How often.
    pub count: u64,
    /// Where first.
    pub first: Position,
    /// How much time the figures would change, where that can be told.
    pub time_at_stake: Option<DurNs>,
}

/// All oddities of a trace, by kind and file.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Health {
    issues: Vec<Issue>,
}

impl Health {
    /// Counts one more; the position is made only when the kind is new for the file.
    pub fn note(&mut self, kind: IssueKind, file: FileId, at: impl FnOnce() -> Position) {
        self.note_many(kind, file, 1, at);
    }

    /// Counts several at once; nothing happens for a count of zero.
    pub fn note_many(
        &mut self,
        kind: IssueKind,
        file: FileId,
        count: u64,
        at: impl FnOnce() -> Position,
    ) {
        if count == 0 {
            return;
        }
        if let Some(issue) = self.find_mut(kind, file) {
            issue.count += count;
        } else {
            let first = at();
            self.issues.push(Issue {
                kind,
                file,
                count,
                first,
                time_at_stake: None,
            });
        }
    }

    /// Adds time that the figures would gain or lose to an issue that was noted before.
    pub fn add_time_at_stake(&mut self, kind: IssueKind, file: FileId, time: DurNs) {
        if let Some(issue) = self.find_mut(kind, file) {
            issue.time_at_stake = Some(issue.time_at_stake.unwrap_or_default() + time);
        }
    }

    fn find_mut(&mut self, kind: IssueKind, file: FileId) -> Option<&mut Issue> {
        self.issues
            .iter_mut()
            .find(|i| i.kind == kind && i.file == file)
    }

    /// Takes over what was found elsewhere: in another file, or further on in the same one.
    pub fn absorb(&mut self, other: Self) {
        for issue in other.issues {
            let Issue {
                kind,
                file,
                count,
                first,
                time_at_stake,
            } = issue;
            self.note_many(kind, file, count, || first);
            if let Some(time) = time_at_stake {
                self.add_time_at_stake(kind, file, time);
            }
        }
        self.issues.sort_by_key(|i| (i.file, i.kind));
    }

    /// The issues, by file and kind.
    #[must_use]
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// The issue of a kind in a file.
    #[must_use]
    pub fn find(&self, kind: IssueKind, file: FileId) -> Option<&Issue> {
        self.issues
            .iter()
            .find(|i| i.kind == kind && i.file == file)
    }

    /// How often a kind was found, over all files.
    #[must_use]
    pub fn count(&self, kind: IssueKind) -> u64 {
        self.issues
            .iter()
            .filter(|i| i.kind == kind)
            .map(|i| i.count)
            .sum()
    }

    /// The worst severity of all, or `None` where nothing was found.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.issues.iter().map(|i| i.kind.severity()).max()
    }
}
