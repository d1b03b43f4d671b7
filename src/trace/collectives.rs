//! Which collective a communication kernel carries out, and who says so.
//!
//! The sources by trust: the event's own args, then the operator that launched it, the kernel's
//! name last (names such as `ncclDevKernel_Generic` do not tell).

use super::class::CollectiveKind;
use super::{Category, Rank, Slice, SliceId};
use super::{NameId, Names};

/// Who told the kind of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectiveSource {
    /// The event's `Collective name`.
    Args,
    /// The host operator or annotation that launched it.
    LaunchingOp,
    /// The kernel's own name.
    KernelName,
}

impl CollectiveSource {
    /// A short phrase for details.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Args => "from its args",
            Self::LaunchingOp => "from the launching op",
            Self::KernelName => "from its name",
        }
    }
}

/// What a communication kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collective {
    /// Its kind.
    pub kind: CollectiveKind,
    /// Who said so.
    pub source: CollectiveSource,
}

/// How many earlier slices of the thread are looked at for the operator around a launch: bounds the
/// work on a thread with millions of slices at the outermost level.
const LOOK_BACK: usize = 1 << 16;

/// Tells the collective of one communication kernel.
///
/// `stated` is its own `Collective name` and that of the call as it was recorded on the host, `op`
/// the host slice with the same external id.
pub(super) fn tell(
    rank: &Rank,
    names: &Names,
    kernel: Slice<'_>,
    stated: [Option<NameId>; 2],
    op: Option<SliceId>,
) -> Option<Collective> {
    let parse = |text: &str| CollectiveKind::parse(text).filter(|k| *k != CollectiveKind::Other);
    let of = |source| move |kind| Collective { kind, source };
    let [from_args, from_record] = stated.map(|n| n.and_then(|n| parse(names.get(n))));
    let from_op =
        || from_record.or_else(|| hosts(rank, kernel, op).find_map(|s| parse(names.get(s.name()))));
    from_args
        .map(of(CollectiveSource::Args))
        .or_else(|| from_op().map(of(CollectiveSource::LaunchingOp)))
        .or_else(|| {
            // Template and call parameters would only add words that are no collective's.
            let name = names.get(kernel.name());
            let base = name.split(['<', '(']).next().unwrap_or(name);
            parse(base).map(of(CollectiveSource::KernelName))
        })
}

/// The host slices that may tell of a kernel: that with its external id and those around it, then
/// those around its launch, innermost first.
pub(super) fn hosts<'a>(
    rank: &'a Rank,
    kernel: Slice<'_>,
    op: Option<SliceId>,
) -> impl Iterator<Item = Slice<'a>> {
    let by_id = op.and_then(|id| rank.slices.get(id));
    let launch = rank.links.launch_of(kernel.id());
    let launch = launch.and_then(|id| rank.slices.get(id));
    let around = |slice: Option<Slice<'a>>| slice.into_iter().flat_map(|s| enclosing(rank, s));
    by_id.into_iter().chain(around(by_id)).chain(around(launch))
}

/// Host slices around a launch on its thread, innermost first.
///
/// Sub-rows of a thread are depths, so the slice around another is the nearest earlier one of a
/// smaller row.
fn enclosing<'a>(rank: &'a Rank, launch: Slice<'a>) -> impl Iterator<Item = Slice<'a>> {
    let thread = rank.thread_of(launch.id());
    let first = thread.map_or(launch.id().0, |t| t.slices.start);
    let mut row = launch.row();
    let mut earlier = rank
        .slices
        .range(first..launch.id().0)
        .rev()
        .take(LOOK_BACK);
    // Around the outermost there is nothing, however many slices stand before it.
    std::iter::from_fn(move || {
        let around = (row > 0)
            .then(|| earlier.find(|s| s.row() < row))
            .flatten()?;
        row = around.row();
        Some(around)
    })
    .filter(move |s| {
        s.end() >= launch.end() && matches!(s.category(), Category::CpuOp | Category::Annotation)
    })
}
