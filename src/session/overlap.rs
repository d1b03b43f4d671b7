//! The panels of the overlap verdict and of findings: launch details are read from the files once a load, and then the
//! device in focus is judged in the current window.
//!
//! Reading takes as long as loading, so it waits until one of them is open. While two traces are
//! compared the second one is the run without overlap: its kernels count as alone.

use super::rows::Measured;
use super::{CsvPanel, Effect, Section, Session, Tone, TraceHandle};
use crate::metrics::report::{DILATION_COLUMNS, FINDING_COLUMNS, Grid, OVERLAP_COLUMNS};
use crate::metrics::{
    Finding, IdleGaps, Observed, OverlapAnalysis, OverlapFigure, Query, TypedGroups, findings,
    group_labels_of, overlap_analysis, overlap_figures,
};
use crate::trace::LaunchDetails;
use std::sync::Arc;

/// Ranks with more slices are judged on a thread of their own: gaps and threads are walked whole,
/// whatever the window.
const MOST_AT_ONCE: usize = 20_000;

/// What a verdict follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlapKey {
    /// Number of the load, and what of the trace.
    pub of: (u64, Query),
    /// The same of the run without overlap, where there is one.
    pub baseline: Option<(u64, Query)>,
    /// The state of what the user says of process groups.
    groups: u64,
}

impl OverlapKey {
    /// Whether a verdict of the other key differs only by the window and the clipping.
    fn is_same_panel(&self, other: &Self) -> bool {
        let of = |key: &Self| {
            let (generation, query) = key.of;
            let baseline = key.baseline.map(|(generation, _)| generation);
            (generation, query.rank, query.device, baseline)
        };
        of(self) == of(other)
    }
}

/// A trace, what its files tell of its launches, and what of it is looked at.
#[derive(Clone, Debug)]
struct Side {
    trace: TraceHandle,
    launches: Arc<LaunchDetails>,
    query: Query,
}

impl Side {
    fn observed(&self) -> Observed<'_> {
        Observed {
            trace: &self.trace.0,
            launches: &self.launches,
            query: self.query,
        }
    }

    fn slices(&self) -> usize {
        let ranks = &self.trace.0.ranks;
        let of_query = ranks
            .iter()
            .filter(|r| self.query.rank.is_none_or(|id| r.id == id));
        of_query.map(|r| r.slices.len()).sum()
    }
}

/// Something to judge.
#[derive(Clone, Debug)]
pub struct OverlapTask {
    /// What the verdict follows from.
    pub key: OverlapKey,
    of: Side,
    baseline: Option<Side>,
    /// The device's gaps, where another window of it was judged before.
    gaps: Option<Arc<IdleGaps>>,
    groups: TypedGroups,
}

// The key tells the loads, so the same key means the same traces.
impl PartialEq for OverlapTask {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for OverlapTask {}

impl OverlapTask {
    /// Comes to the verdict.
    #[must_use]
    pub fn judge(&self) -> JudgedOverlap {
        let baseline = self.baseline.as_ref().map(Side::observed);
        let observed = self.of.observed();
        let trace = observed.trace;
        let device = observed.query.devices(trace).next();
        let analysis = device.and_then(|device| {
            overlap_analysis(&observed, baseline.as_ref(), device, self.gaps.clone())
        });
        let figures = (analysis.as_ref()).map_or_else(Vec::new, |of| overlap_figures(trace, of));
        let collectives = analysis.as_ref().map_or(&[][..], |of| &of.collectives);
        let labels = group_labels_of(trace, collectives, &self.groups);
        let findings = findings(&observed, analysis.as_slice(), &labels);
        JudgedOverlap {
            analysis,
            figures,
            findings,
        }
    }

    fn is_much(&self) -> bool {
        let others = self.baseline.as_ref().map_or(0, Side::slices);
        self.of.slices().saturating_add(others) > MOST_AT_ONCE
    }
}

/// A verdict with its figures.
#[derive(Clone, Debug, Default)]
pub struct JudgedOverlap {
    /// What was found out; `None` where the rank recorded nothing of the window.
    pub analysis: Option<OverlapAnalysis>,
    /// Its figures in order.
    pub figures: Vec<OverlapFigure>,
    /// What keeps the device from its work, the gravest first.
    pub findings: Vec<Finding>,
}

/// State of the panel.
#[derive(Debug, Default)]
pub struct OverlapPanel {
    /// Of which load they are.
    launches: Option<(u64, Arc<LaunchDetails>)>,
    /// The load whose files are being read.
    reading: Option<u64>,
    judged: Measured<OverlapKey, Arc<JudgedOverlap>>,
}

/// How far the panel is.
#[derive(Clone, Copy, Debug)]
pub enum OverlapState<'s> {
    /// Launch details are being read from the files.
    Reading,
    /// The device is being judged for the first time.
    Judging,
    /// There is a verdict.
    Shown(ShownOverlap<'s>),
}

/// What the panel shows.
#[derive(Clone, Copy, Debug)]
pub struct ShownOverlap<'s> {
    /// The verdict and its figures.
    pub judged: &'s JudgedOverlap,
    /// Whether they are of the current window; others are dimmed.
    pub is_current: bool,
    /// Whether a second trace is taken for the run without overlap.
    pub has_baseline: bool,
}

impl Session {
    /// How far the panel is.
    #[must_use]
    pub fn shown_overlap(&self) -> OverlapState<'_> {
        let Some(wanted) = self.overlap_key() else {
            return OverlapState::Judging;
        };
        if self.launches().is_none() || self.other().is_some_and(|o| o.launches().is_none()) {
            return OverlapState::Reading;
        }
        let here = self.overlap.judged.here();
        match here.filter(|(key, _)| wanted.is_same_panel(key)) {
            Some((key, judged)) => OverlapState::Shown(ShownOverlap {
                judged,
                is_current: *key == wanted,
                has_baseline: key.baseline.is_some(),
            }),
            None => OverlapState::Judging,
        }
    }

    /// One sentence for each file whose launch details could not be read; of a second trace they say so.
    #[must_use]
    pub fn launch_troubles(&self) -> Vec<String> {
        let of = |session: &Self| session.launches().map_or(Vec::new(), |l| l.errors.clone());
        let others = self.other().map(of).unwrap_or_default();
        let others = others.into_iter().map(|sentence| format!("B: {sentence}"));
        of(self).into_iter().chain(others).collect()
    }

    /// What the files of this load tell of launches, once they were read.
    fn launches(&self) -> Option<&Arc<LaunchDetails>> {
        let (generation, launches) = self.overlap.launches.as_ref()?;
        (*generation == self.generation).then_some(launches)
    }

    fn overlap_key(&self) -> Option<OverlapKey> {
        let (rank, device) = self.focused()?;
        let query = Query {
            rank: Some(rank.id),
            device: Some(device.id),
            ..self.query()
        };
        // The window is this trace's; of the other one all kernels that ran alone count.
        let of_other = |other: &Self| {
            let query = Query {
                rank: query.rank,
                device: query.device,
                clip_suspicious: query.clip_suspicious,
                ..Query::default()
            };
            (other.generation, query)
        };
        Some(OverlapKey {
            of: (self.generation, query),
            baseline: self.other().map(of_other),
            groups: self.groups.revision(),
        })
    }

    /// Reads launch details if a panel is open and nobody did, and judges the current window: at
    /// once where that is little, else on a thread of its own.
    pub(super) fn refresh_overlap(&mut self) -> Vec<Effect> {
        let is_wanted = !self.is_closed(Section::Verdict) || !self.is_closed(Section::Findings);
        if !is_wanted || self.focused().is_none() {
            return Vec::new();
        }
        let mut effects: Vec<Effect> = self.read_launches().into_iter().collect();
        if let Some(compare) = &mut self.compare {
            let of_other = compare.other.read_launches();
            effects.extend(of_other.map(|effect| Effect::Other(Box::new(effect))));
        }
        effects.extend(self.judge_overlap());
        effects
    }

    fn read_launches(&mut self) -> Option<Effect> {
        let trace = self.trace.clone()?;
        let generation = self.generation;
        if self.launches().is_some() || self.overlap.reading == Some(generation) {
            return None;
        }
        self.overlap.reading = Some(generation);
        Some(Effect::ReadLaunches {
            generation,
            trace: TraceHandle(trace),
        })
    }

    fn overlap_task(&self) -> Option<OverlapTask> {
        let key = self.overlap_key()?;
        let side = |session: &Self, query| {
            Some(Side {
                trace: TraceHandle(session.trace.clone()?),
                launches: Arc::clone(session.launches()?),
                query,
            })
        };
        let baseline = match self.other().zip(key.baseline) {
            Some((other, (_, query))) => Some(side(other, query)?),
            None => None,
        };
        Some(OverlapTask {
            key,
            of: side(self, key.of.1)?,
            baseline,
            gaps: self.judged_gaps(&key),
            groups: self.groups.typed().clone(),
        })
    }

    /// The gaps of the device as they were judged for another window.
    fn judged_gaps(&self, wanted: &OverlapKey) -> Option<Arc<IdleGaps>> {
        let (key, judged) = self.overlap.judged.here()?;
        let is_same =
            key.is_same_panel(wanted) && key.of.1.clip_suspicious == wanted.of.1.clip_suspicious;
        let analysis = judged.analysis.as_ref().filter(|_| is_same)?;
        Some(Arc::clone(&analysis.gaps))
    }

    fn judge_overlap(&mut self) -> Option<Effect> {
        if self
            .overlap_key()
            .is_some_and(|key| self.overlap.judged.is_of(key))
        {
            return None;
        }
        let task = self.overlap_task()?;
        if !task.is_much() {
            let judged = task.judge();
            self.overlap.judged.take(task.key, Arc::new(judged));
            return None;
        }
        let is_asked = self.overlap.judged.ask(task.key);
        is_asked.then(|| Effect::JudgeOverlap(Box::new(task)))
    }

    /// Launch details were read; of an older load they are dropped.
    pub(super) fn launches_arrive(&mut self, generation: u64, launches: Arc<LaunchDetails>) {
        if generation == self.generation {
            self.overlap.launches = Some((generation, launches));
            self.overlap.reading = None;
        }
    }

    /// A window was judged; of an older load that is dropped.
    pub(super) fn overlap_arrives(&mut self, key: OverlapKey, judged: Arc<JudgedOverlap>) {
        self.overlap.judged.is_answered();
        let wanted = self.overlap_key();
        if wanted.is_some_and(|wanted| wanted.is_same_panel(&key)) {
            self.overlap.judged.take(key, judged);
        }
    }

    /// Nothing of an older load is kept in memory.
    pub(super) fn forget_launches(&mut self) {
        self.overlap.launches = None;
    }

    /// Whether a table of the panel cannot be written yet; then the panel is opened and that is said.
    pub(super) fn must_judge_first(&mut self, panel: CsvPanel) -> bool {
        let section = match panel {
            CsvPanel::Verdict | CsvPanel::Dilation => Section::Verdict,
            CsvPanel::Findings => Section::Findings,
            _ => return false,
        };
        if matches!(self.shown_overlap(), OverlapState::Shown(_)) {
            return false;
        }
        self.closed_sections.remove(&section);
        let title = section.title();
        let text = format!("“{title}” is being worked out; ask again once it is there");
        self.say(Tone::Notice, text);
        true
    }

    /// The figures that are shown, as a table; of their own window while others are measured.
    pub(super) fn verdict_grid(&self) -> Grid {
        match self.shown_overlap() {
            OverlapState::Shown(shown) => Grid::new(&OVERLAP_COLUMNS, &shown.judged.figures),
            _ => Grid::new(&OVERLAP_COLUMNS, &[]),
        }
    }

    /// The findings that are shown, likewise.
    pub(super) fn finding_grid(&self) -> Grid {
        match self.shown_overlap() {
            OverlapState::Shown(shown) => Grid::new(&FINDING_COLUMNS, &shown.judged.findings),
            _ => Grid::new(&FINDING_COLUMNS, &[]),
        }
    }

    /// The kernels behind the factors, likewise.
    pub(super) fn dilation_grid(&self) -> Grid {
        let rows = match self.shown_overlap() {
            OverlapState::Shown(shown) => shown.judged.analysis.as_ref(),
            _ => None,
        };
        let rows = rows.map_or(&[][..], |analysis| &analysis.dilations);
        Grid::new(&DILATION_COLUMNS, rows)
    }
}

#[cfg(test)]
mod tests;
