//! The columns of a rank's slices, and the cheap view of one of them.

use super::class::KernelClass;
use super::{NameId, RankId, SourceSpan};
use crate::time::{DurNs, Ns, Window};
use std::ops::Range;

/// Number of a slice within its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SliceId(pub u32);

impl SliceId {
    /// The position in the columns.
    #[must_use]
    pub fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// A slice anywhere in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SliceRef {
    /// The rank that owns it.
    pub rank: RankId,
    /// The slice within that rank.
    pub slice: SliceId,
}

/// What kind of row a slice came from, told by its category (never by its process number).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// A kernel, copy or memset that ran on a GPU.
    Gpu,
    /// A driver or runtime call of the host that may launch GPU work.
    Runtime,
    /// A framework operator on the host.
    CpuOp,
    /// A range that the user or the framework named on the host, steps included.
    Annotation,
    /// The same, projected to the GPU.
    GpuAnnotation,
    /// A Python frame.
    Python,
    /// A synchronisation record of a stream or event; never busy.
    Sync,
    /// The profiler's own cost.
    Overhead,
    /// The profiler's own span of the recording.
    ProfilerSpan,
    /// Anything else on the host.
    Other,
}

impl Category {
    /// All categories, in the order of their numbers.
    pub const ALL: [Self; 10] = [
        Self::Gpu,
        Self::Runtime,
        Self::CpuOp,
        Self::Annotation,
        Self::GpuAnnotation,
        Self::Python,
        Self::Sync,
        Self::Overhead,
        Self::ProfilerSpan,
        Self::Other,
    ];

    /// A short word for details and tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Gpu => "GPU work",
            Self::Runtime => "runtime call",
            Self::CpuOp => "CPU op",
            Self::Annotation => "annotation",
            Self::GpuAnnotation => "GPU annotation",
            Self::Python => "Python frame",
            Self::Sync => "synchronisation",
            Self::Overhead => "profiler overhead",
            Self::ProfilerSpan => "profiler span",
            Self::Other => "host",
        }
    }
}

/// Structure of arrays over a rank's slices.
///
/// Slices of one lane (a stream or a thread) stand together, sorted by start, then by input order;
/// lanes hold ranges into the columns. 48 bytes a slice.
#[derive(Debug, Default)]
pub struct Slices {
    pub(super) start: Vec<Ns>,
    pub(super) dur: Vec<DurNs>,
    pub(super) name: Vec<NameId>,
    pub(super) category: Vec<Category>,
    /// Class of GPU work; `None` elsewhere.
    pub(super) class: Vec<Option<KernelClass>>,
    /// Sub-row within the lane, so that overlapping or nested slices are all visible.
    pub(super) row: Vec<u16>,
    pub(super) correlation: Vec<Option<Correlation>>,
    pub(super) source: Vec<SourceSpan>,
}

/// A correlation id as one non-zero number, so that "none" costs no extra byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Correlation(std::num::NonZeroI64);

impl Correlation {
    /// Ids are shifted by one on the way in and out: zero is a usual id on ROCm.
    pub(super) fn new(id: i64) -> Option<Self> {
        std::num::NonZeroI64::new(id.checked_add(1)?).map(Self)
    }

    pub(super) fn id(self) -> i64 {
        self.0.get() - 1
    }
}

impl Slices {
    /// Number of slices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// The view of one slice, or `None` past the end.
    #[must_use]
    pub fn get(&self, id: SliceId) -> Option<Slice<'_>> {
        (id.index() < self.len()).then_some(Slice { of: self, id })
    }

    /// Views of a range of slices, in column order.
    pub fn range(
        &self,
        ids: Range<u32>,
    ) -> impl DoubleEndedIterator<Item = Slice<'_>> + ExactSizeIterator {
        let len = u32::try_from(self.len()).unwrap_or(u32::MAX);
        (ids.start.min(len)..ids.end.min(len)).map(|i| Slice {
            of: self,
            id: SliceId(i),
        })
    }

    /// Views of all slices, in column order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Slice<'_>> + ExactSizeIterator {
        self.range(0..u32::MAX)
    }

    /// The start column, for binary searches within a lane's range.
    #[must_use]
    pub fn starts(&self) -> &[Ns] {
        &self.start
    }

    /// Heap memory in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.start.capacity() * size_of::<Ns>()
            + self.dur.capacity() * size_of::<DurNs>()
            + self.name.capacity() * size_of::<NameId>()
            + self.category.capacity() * size_of::<Category>()
            + self.class.capacity() * size_of::<Option<KernelClass>>()
            + self.row.capacity() * size_of::<u16>()
            + self.correlation.capacity() * size_of::<Option<Correlation>>()
            + self.source.capacity() * size_of::<SourceSpan>()
    }
}

/// A cheap view of one slice.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    of: &'a Slices,
    id: SliceId,
}

// A view is only made for an id below `len`, and all columns have that length.
#[expect(
    clippy::indexing_slicing,
    reason = "a Slice is only made for an id inside the columns"
)]
impl Slice<'_> {
    /// Its number within the rank.
    #[must_use]
    pub fn id(&self) -> SliceId {
        self.id
    }

    /// First instant inside.
    #[must_use]
    pub fn start(&self) -> Ns {
        self.of.start[self.id.index()]
    }

    /// First instant past it; equal to the start for a slice without length.
    #[must_use]
    pub fn end(&self) -> Ns {
        self.start() + self.dur()
    }

    /// Its length, never negative.
    #[must_use]
    pub fn dur(&self) -> DurNs {
        self.of.dur[self.id.index()]
    }

    /// `[start, end)`.
    #[must_use]
    pub fn window(&self) -> Window {
        Window::new(self.start(), self.end())
    }

    /// Its interned name.
    #[must_use]
    pub fn name(&self) -> NameId {
        self.of.name[self.id.index()]
    }

    /// What kind of row it came from.
    #[must_use]
    pub fn category(&self) -> Category {
        self.of.category[self.id.index()]
    }

    /// Class of GPU work; `None` for anything of the host.
    #[must_use]
    pub fn class(&self) -> Option<KernelClass> {
        self.of.class[self.id.index()]
    }

    /// Sub-row within its lane, from 0.
    #[must_use]
    pub fn row(&self) -> u16 {
        self.of.row[self.id.index()]
    }

    /// The id that a launch and its kernels share, within the rank.
    #[must_use]
    pub fn correlation(&self) -> Option<i64> {
        self.of.correlation[self.id.index()].map(Correlation::id)
    }

    /// Where the event stands in its file's text.
    #[must_use]
    pub fn source(&self) -> SourceSpan {
        self.of.source[self.id.index()]
    }
}
