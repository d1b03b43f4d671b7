//! What a builder knows of slices that are left out by choice, and stopping half-way.
//!
//! Slices that a load leaves out are not stored, but everything that depends on where all slices
//! lie must come out as in the whole trace: what is astray, where ranks start, how far they reach.
//! With a range, figures are told inside it only, so extents end at its edges.

use super::columns::Columns;
use super::{RankBuilder, to_u32, to_usize};
use crate::time::{DurNs, Ns, Window};
use crate::trace::class::KernelClass;
use crate::trace::left_out::{Cluster, LeftOut};
use crate::trace::slices::Correlation;
use crate::trace::steps::LaunchIndex;
use crate::trace::{Basis, Category, Device, IssueKind, Position, Rank, Slices, StepLabel, astray};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::HashSet;

/// Asks whether the work is to be given up.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// A few milliseconds of work.
const SORTED_AT_ONCE: usize = 1 << 17;

/// `None` where the work is to be given up.
pub(super) fn go_on(stop: Stop<'_>) -> Option<()> {
    (!stop()).then_some(())
}

/// Sorts pairs by their first half and keeps the order of equal ones, a part at a time, so that the
/// work can be given up in between: `None` then.
pub(super) fn sort_in_steps<K: Ord + Copy + Send, T: Send>(
    pairs: &mut [(K, T)],
    stop: Stop<'_>,
) -> Option<()> {
    let mut size = SORTED_AT_ONCE;
    loop {
        pairs.par_chunks_mut(size).try_for_each(|part| {
            go_on(stop)?;
            // From the second round on these are two sorted halves, which the sort only merges.
            part.sort_by_key(|pair| pair.0);
            Some(())
        })?;
        if size >= pairs.len() {
            return Some(());
        }
        size *= 2;
    }
}

/// What was left out, and what was found out about it.
#[derive(Debug, Default)]
pub(super) struct Partial {
    left_out: LeftOut,
    /// What of that is not astray; known once the rank was surveyed.
    valid: Vec<Cluster>,
    /// What is loaded, in the file's own time; `None` for all of it.
    range: Option<Window>,
    /// Correlations of GPU work outside of the range, and whether it lies before it.
    lost_kernels: Vec<(Correlation, bool)>,
    /// When GPU work was launched that is outside of the range, and whether it lies before it.
    lost_launches: Vec<(Ns, bool)>,
}

impl RankBuilder {
    /// Tells of a slice that is left out by choice: it is counted and its time is taken into
    /// account, but it is not stored. `start` is in the file's own time, `dur` never negative.
    pub fn leave_out(
        &mut self,
        why: IssueKind,
        start: Ns,
        dur: DurNs,
        at: impl FnOnce() -> Position,
    ) {
        self.partial.left_out.add(start, dur);
        self.health.note(why, self.file, at);
    }

    /// Tells that only slices were pushed that share time with this range of the file's own time,
    /// beside steps and calls that may have launched such slices.
    pub fn set_range(&mut self, range: Window) {
        self.partial.range = Some(range);
    }

    /// Tells of the correlation of GPU work that was left out because it starts at this instant of
    /// the file's own time: the step that launched it is not whole.
    pub fn lose_kernel(&mut self, correlation: i64, start: Ns) {
        if let (Some(range), Some(correlation)) =
            (self.partial.range, Correlation::new(correlation))
        {
            let before = start < range.start();
            self.partial.lost_kernels.push((correlation, before));
        }
    }

    /// Heap memory of what was pushed so far in bytes, near enough to stop in time.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let timed = self.instants.capacity() * size_of::<super::Instant>()
            + self.flows.capacity() * size_of::<super::Flow>()
            + self.memory.capacity() * size_of::<super::RawMemory>();
        self.columns.heap_bytes() + self.names.heap_bytes() + timed
    }

    /// Takes over what was left out of the part of the text right behind this one.
    pub(super) fn absorb_left_out(&mut self, next: Partial) {
        self.partial.left_out.absorb(next.left_out);
        self.partial.lost_kernels.extend(next.lost_kernels);
    }

    /// With a range, lets go of calls outside of it whose GPU work is not there: until everything
    /// was read nobody could know.
    pub(super) fn drop_launches_of_nothing(&mut self) {
        let Some(range) = self.partial.range else {
            return;
        };
        let columns = &self.columns;
        let lost: FxHashMap<_, _> = std::mem::take(&mut self.partial.lost_kernels)
            .into_iter()
            .collect();
        let calls = columns.categories().zip(columns.correlations());
        let lost_at = calls.zip(&columns.start).filter_map(|(call, start)| {
            let before = match call {
                (Category::Runtime, Some(correlation)) => *lost.get(&correlation)?,
                _ => return None,
            };
            Some((*start, before))
        });
        self.partial.lost_launches = lost_at.collect();
        drop(lost);
        let wanted: FxHashSet<_> = columns
            .categories()
            .zip(columns.correlations())
            .filter(|(category, _)| *category == Category::Gpu)
            .filter_map(|(_, correlation)| correlation)
            .collect();
        let keep: Vec<bool> = columns
            .categories()
            .zip(columns.correlations())
            .zip(columns.start.iter().zip(&columns.dur))
            .map(|((category, correlation), (start, dur))| {
                category != Category::Runtime
                    || shares_time(range, *start, *dur)
                    || correlation.is_some_and(|c| wanted.contains(&c))
            })
            .collect();
        if keep.iter().all(|k| *k) {
            return;
        }
        let mut new_ids = Vec::with_capacity(keep.len());
        let mut next = 0_usize;
        for kept in &keep {
            new_ids.push(kept.then_some(to_u32(next)));
            next += usize::from(*kept);
        }
        let new_id = |old: u32| *new_ids.get(super::to_usize(old))?;
        let lost = keep.len() - next;
        let first = keep.iter().position(|k| !k);
        let at = first.map_or_else(Position::default, |i| columns.position(i, &self.names));
        self.health.note_many(
            IssueKind::OutsideRange,
            self.file,
            u64::try_from(lost).unwrap_or(u64::MAX),
            || at,
        );
        self.columns.retain(&keep);
        super::columns::retain(&mut self.astray, &keep);
        self.unclosed = self.unclosed.iter().filter_map(|i| new_id(*i)).collect();
        self.messages = std::mem::take(&mut self.messages)
            .into_iter()
            .filter_map(|(i, message)| Some((new_id(i)?, message)))
            .collect();
    }
}

impl Partial {
    /// Tells for every stored slice whether it is astray, and remembers what else is not.
    pub(super) fn find_astray(&mut self, columns: &Columns) -> Vec<bool> {
        let verdict = astray::find(&columns.start, &columns.dur, &self.left_out);
        self.valid = verdict.left_out;
        verdict.flags
    }

    /// First and last start of the clusters that were left out, with the base.
    pub(super) fn starts(&self, base: DurNs) -> impl Iterator<Item = (Ns, Ns)> + '_ {
        self.valid
            .iter()
            .map(move |c| (c.first + base, c.last + base))
    }

    /// How many starts were left out from an instant on, and how many in all.
    pub(super) fn counts_from(&self, at: Ns, base: DurNs) -> (usize, usize) {
        let later = self.valid.iter().filter(|c| c.first + base >= at);
        (
            later.map(|c| c.count).sum(),
            self.valid.iter().map(|c| c.count).sum(),
        )
    }

    /// Last end of what was left out.
    pub(super) fn last_end(&self) -> Option<Ns> {
        self.valid.iter().map(|c| c.end).max()
    }

    /// The range on the common axis.
    pub(super) fn range(&self, offset: DurNs) -> Option<Window> {
        let range = self.range?;
        Some(Window::new(
            range.start().saturating_add(offset),
            range.end().saturating_add(offset),
        ))
    }

    /// How far the file's slices reach, and how far those reach for which figures can be told.
    pub(super) fn tell_extents(&self, rank: &mut Rank, offset: DurNs) {
        let all = rank.slices.start.par_iter().zip(&rank.slices.dur);
        let kept = all
            .take(to_usize(rank.astray.start))
            .map(|(start, dur)| Window::new(*start, *start + *dur))
            .reduce_with(Window::hull);
        let left_out = self.valid.iter();
        let left_out = left_out.map(|c| Window::new(c.first + offset, c.end + offset));
        rank.recorded = kept.into_iter().chain(left_out).reduce(Window::hull);
        rank.capture = match self.range(offset) {
            Some(range) => rank.recorded.and_then(|w| w.clip(range)),
            None => rank.recorded,
        };
    }

    /// Ends the extents of devices at the edges of the range: beyond them nothing was loaded but
    /// what sticks out.
    pub(super) fn clip_extents(&self, rank: &mut Rank, offset: DurNs) {
        let Some(range) = self.range(offset) else {
            return;
        };
        for device in &mut rank.devices {
            device.extent = device.extent.clip(range).unwrap_or_default();
            device.clipped_extent = device.clipped_extent.and_then(|w| w.clip(range));
        }
    }

    /// With a range, marks the steps that its edges may have cut, and lets go of those that lie
    /// outside.
    pub(super) fn mark_cut_steps(&self, rank: &mut Rank, offset: DurNs) {
        let (Some(range), Some(recorded)) = (self.range(offset), rank.recorded) else {
            return;
        };
        let cut_behind = range.end() < recorded.end();
        let (before, behind) = self.cut_labels(rank, offset);
        let slices = &rank.slices;
        // Then what comes before the first boundary is not what came before the first step.
        let first = rank.host_steps.first();
        let late = first.is_some_and(|s| s.window.start() < range.start());
        for device in &mut rank.devices {
            // Where a step begins is not known if its first kernel may not be here; and then it is
            // not known where the one before it ends.
            let unsure: Vec<bool> = device
                .steps
                .iter()
                .map(|s| {
                    let decided = || computes_from(slices, device, s.window.start());
                    before.contains(&s.label) || (behind.contains(&s.label) && !decided())
                })
                .collect();
            let last = device.steps.len().saturating_sub(1);
            for (i, step) in device.steps.iter_mut().enumerate() {
                let next_unsure = unsure.get(i + 1).copied().unwrap_or(false);
                let is_cut = before.contains(&step.label) || behind.contains(&step.label);
                step.partial |= is_cut || next_unsure || (cut_behind && i == last);
                if step.basis == Basis::Host {
                    step.partial |= step.window.clip(range) != Some(step.window);
                }
            }
            device.steps.retain(|s| match s.label {
                StepLabel::Before => !late,
                StepLabel::Number { .. } => s.window.clip(range).is_some_and(|w| !w.is_empty()),
            });
        }
        rank.host_steps
            .retain(|s| s.window.clip(range).is_some_and(|w| !w.is_empty()));
        for step in &mut rank.host_steps {
            step.partial |= step.window.clip(range) != Some(step.window);
        }
    }

    /// The steps that launched GPU work which lies before the range, and behind it.
    fn cut_labels(&self, rank: &Rank, offset: DurNs) -> (HashSet<StepLabel>, HashSet<StepLabel>) {
        let index = LaunchIndex::new(&rank.host_steps, &rank.slices, &rank.links);
        let (mut before, mut behind) = (HashSet::new(), HashSet::new());
        for (at, is_before) in &self.lost_launches {
            let cut = if *is_before { &mut before } else { &mut behind };
            cut.extend(index.label_at(*at + offset));
        }
        (before, behind)
    }
}

/// Whether a kernel of the kind that begins a step starts at an instant.
fn computes_from(slices: &Slices, device: &Device, at: Ns) -> bool {
    let mut kernels = device
        .streams
        .iter()
        .flat_map(|s| slices.range(s.slices.clone()));
    kernels.any(|k| k.start() == at && k.class() == Some(KernelClass::Computation))
}

/// Whether a slice shares time with a range. One without length does if it starts inside or at the
/// end, as an extent counts it.
#[must_use]
pub fn shares_time(range: Window, start: Ns, dur: DurNs) -> bool {
    if dur == DurNs::ZERO {
        return range.start() <= start && start <= range.end();
    }
    start < range.end() && start + dur > range.start()
}
