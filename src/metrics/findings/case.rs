//! One device in one window, what of it is not claimed yet, and what was found so far.

use super::kind::{FindingKind, Severity};
use super::{Evidence, FigureSource, Finding, Held, Observed, OverlapAnalysis};
use crate::interval::{Interval, IntervalSet};
use crate::metrics::{CollectiveRow, GroupLabel, IdleGap, Parallelism, Ratio, Selection};
use crate::time::{DurNs, Ns, Window};
use crate::trace::{Busy, Device, Rank, Slice, SliceId, StepLabel, Trace};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which part of the window a rule claims from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Communication that no computation hides.
    Exposed,
    /// Copies that nothing hides.
    Memory,
    /// No kernel at all.
    Idle,
    /// Computation and communication together.
    Overlap,
}

/// What a rule wants to report.
pub(super) struct Draft {
    pub(super) kind: FindingKind,
    pub(super) title: String,
    pub(super) part: Part,
    /// The instants that it explains; only what nobody claimed counts.
    pub(super) wanted: IntervalSet,
    /// The most that is at stake, where that is less than what it claims.
    pub(super) at_most: Option<DurNs>,
    /// Memory that is held, where that and no time is at stake.
    pub(super) held: Option<Held>,
    pub(super) source: FigureSource,
    pub(super) count: u64,
    pub(super) coverage: Option<Ratio>,
    pub(super) evidence: Option<SliceId>,
    pub(super) note: Cow<'static, str>,
}

impl Draft {
    /// A measured one; what differs is set on the result.
    pub(super) fn new(
        kind: FindingKind,
        title: impl Into<String>,
        part: Part,
        wanted: IntervalSet,
        count: u64,
    ) -> Self {
        Self {
            kind,
            title: title.into(),
            part,
            wanted,
            at_most: None,
            held: None,
            source: FigureSource::Measured,
            count,
            coverage: None,
            evidence: None,
            note: Cow::Borrowed(""),
        }
    }
}

/// What rules look at, and what they have claimed.
pub(super) struct Case<'t> {
    pub(super) trace: &'t Trace,
    pub(super) rank: &'t Rank,
    pub(super) device: &'t Device,
    pub(super) window: Window,
    pub(super) clip: bool,
    pub(super) analysis: &'t OverlapAnalysis,
    /// Communication of the window, by start.
    pub(super) collectives: &'t [CollectiveRow],
    /// Whole steps inside the window.
    pub(super) steps: Vec<Window>,
    pub(super) found: Vec<Finding>,
    /// What process groups of this device are for.
    labels: BTreeMap<Option<Arc<str>>, Parallelism>,
    in_steps: IntervalSet,
    exposed: IntervalSet,
    memory: IntervalSet,
    idle: IntervalSet,
    overlap: IntervalSet,
}

impl<'t> Case<'t> {
    pub(super) fn new(
        observed: &Observed<'t>,
        analysis: &'t OverlapAnalysis,
        labels: &[GroupLabel],
    ) -> Option<Self> {
        let trace = observed.trace;
        let rank = trace.rank(analysis.rank)?;
        let device = rank.device(analysis.device)?;
        let (window, clip) = (analysis.window, observed.query.clip_suspicious);
        let set = |accepts: fn(u8) -> bool| -> IntervalSet {
            device.activity(clip).intervals(window, accepts).collect()
        };
        let steps = whole_steps(device, observed.query.selection, window);
        let busy = set(|mask| mask != 0);
        Some(Self {
            trace,
            rank,
            device,
            window,
            clip,
            analysis,
            collectives: &analysis.collectives,
            found: Vec::new(),
            labels: labels
                .iter()
                .filter(|l| (l.rank, l.device) == (rank.id, device.id))
                .map(|l| (l.group.clone(), l.parallelism))
                .collect(),
            in_steps: IntervalSet::merge(steps.iter().map(|w| Interval::from(*w)).collect()),
            steps,
            exposed: set(|mask| mask & Busy::M != 0 && mask & Busy::C == 0),
            memory: set(|mask| mask == Busy::Y),
            idle: IntervalSet::merge(vec![window.into()]).subtract(&busy),
            overlap: set(|mask| mask & Busy::M != 0 && mask & Busy::C != 0),
        })
    }

    /// What the process group of a collective is for.
    pub(super) fn label(&self, row: &CollectiveRow) -> Parallelism {
        let known = self.labels.get(&row.group).copied();
        known.unwrap_or(Parallelism::Unknown)
    }

    /// What nobody has claimed of a part.
    pub(super) fn free(&self, part: Part) -> &IntervalSet {
        match part {
            Part::Exposed => &self.exposed,
            Part::Memory => &self.memory,
            Part::Idle => &self.idle,
            Part::Overlap => &self.overlap,
        }
    }

    /// Reports a finding and claims its time, if enough of it is left.
    pub(super) fn report(&mut self, draft: Draft) {
        let free = self.free(draft.part);
        let claimed = draft.wanted.intersect(free);
        let all = claimed.total();
        let at_stake = draft.at_most.map_or(all, |most| most.min(all));
        let Some(severity) = Severity::of(at_stake, self.window.len()) else {
            return;
        };
        let left = free.subtract(&claimed);
        match draft.part {
            Part::Exposed => self.exposed = left,
            Part::Memory => self.memory = left,
            Part::Idle => self.idle = left,
            Part::Overlap => self.overlap = left,
        }
        let severity = match draft.kind {
            FindingKind::TailBucket => Severity::Info,
            _ => severity,
        };
        self.push(draft, (severity, at_stake), claimed);
    }

    /// Reports a finding that has no time at stake and claims none, but holds memory.
    pub(super) fn list(&mut self, draft: Draft) {
        let nothing = (Severity::Low, DurNs::ZERO);
        self.push(draft, nothing, IntervalSet::empty());
    }

    fn push(
        &mut self,
        draft: Draft,
        (severity, at_stake): (Severity, DurNs),
        claimed: IntervalSet,
    ) {
        self.found.push(Finding {
            rank: self.rank.id,
            device: self.device.id,
            window: self.window,
            severity,
            kind: draft.kind,
            title: draft.title,
            at_stake,
            per_step: self.per_step(at_stake, &claimed),
            steps: u64::try_from(self.steps.len()).unwrap_or(0),
            source: draft.source,
            count: draft.count,
            coverage: draft.coverage,
            held: draft.held,
            evidence: draft
                .evidence
                .and_then(|id| Evidence::of(self.trace, self.rank, id)),
            advice: draft.kind.advice(),
            note: draft.note,
            claimed,
        });
    }

    /// The time of a mean step: what of the claim lies in whole steps, for each of them.
    fn per_step(&self, at_stake: DurNs, claimed: &IntervalSet) -> Option<DurNs> {
        let inside = claimed.intersect(&self.in_steps).total();
        let steps = i128::try_from(self.steps.len()).ok()?;
        let whole = i128::from(claimed.total().0).checked_mul(steps)?;
        if whole <= 0 {
            return None;
        }
        let part = i128::from(at_stake.0) * i128::from(inside.0);
        let rounded = (2 * part + whole).div_euclid(2 * whole);
        i64::try_from(rounded).ok().map(DurNs)
    }

    pub(super) fn slice(&self, id: SliceId) -> Option<Slice<'t>> {
        self.rank.slices.get(id)
    }

    pub(super) fn name(&self, id: SliceId) -> Option<&'t str> {
        Some(self.trace.names.get(self.slice(id)?.name()))
    }

    /// Gaps with time in the window, each with what of it lies inside.
    pub(super) fn gaps(&self) -> Vec<(IdleGap, Window)> {
        let inside = |gap: &IdleGap| {
            let inside = gap.window.clip(self.window)?;
            (!inside.is_empty()).then_some((*gap, inside))
        };
        self.analysis.gaps.all().iter().filter_map(inside).collect()
    }

    /// Whether an instant of the host lies in a step; all do where there are none.
    pub(super) fn is_in_step(&self, at: Ns) -> bool {
        let steps = &self.rank.host_steps;
        steps.is_empty() || steps.iter().any(|s| s.window.contains(at))
    }

    /// Time of a window in which computation runs.
    pub(super) fn computing(&self, from: Ns, to: Ns) -> DurNs {
        if to <= from {
            return DurNs::ZERO;
        }
        let parts = self
            .device
            .activity(self.clip)
            .measure(Window::new(from, to));
        parts.sum(|mask| mask & Busy::C != 0)
    }
}

/// Whole steps of a device in a window; the window itself where a step was asked for.
pub(in crate::metrics) fn whole_steps(
    device: &Device,
    selection: Selection,
    window: Window,
) -> Vec<Window> {
    if let Selection::Step { label, .. } = selection {
        let is_step = matches!(label, StepLabel::Number { .. }) && !window.is_empty();
        return is_step.then_some(window).into_iter().collect();
    }
    let numbered = device.steps.iter().filter(|s| {
        matches!(s.label, StepLabel::Number { .. }) && !s.partial && !s.window.is_empty()
    });
    let inside = |w: &Window| w.clip(window) == Some(*w);
    numbered.map(|s| s.window).filter(inside).collect()
}

/// A part of counts, as a share.
pub(super) fn share_of(part: usize, whole: usize) -> Option<Ratio> {
    let of = |n: usize| DurNs(i64::try_from(n).unwrap_or(i64::MAX));
    Ratio::new(of(part), of(whole))
}

/// A number of things.
pub(super) fn number(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
