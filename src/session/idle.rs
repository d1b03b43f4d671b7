//! The panel of idle time: gaps are judged once a device, on the worker where they are many; every
//! window is then answered between two frames.

use super::question::Question;
use super::rows::Measured;
use super::{Effect, Section, Session};
use crate::metrics::report::{Grid, IDLE_COLUMNS};
use crate::metrics::{
    IdleGapRow, IdleGaps, IdleLengthRow, IdleRow, Queue, QueueRow, idle_rows, longest_gaps,
    queue_row, rows_by_cause, rows_by_length, scope,
};
use crate::time::Window;
use crate::trace::{Device, DeviceId, Rank, RankId, Trace};
use std::sync::Arc;

/// A rank with more slices has its gaps judged by the worker.
const MOST_AT_ONCE: usize = 100_000;
/// How many of the longest gaps are listed.
pub const LISTED_GAPS: usize = 50;

/// What gaps follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdleKey {
    /// Number of the load.
    pub generation: u64,
    /// The rank.
    pub rank: RankId,
    /// The device on it.
    pub device: DeviceId,
    /// Whether suspicious kernels are clipped.
    pub clip_suspicious: bool,
}

/// What the panel shows of one window.
#[derive(Clone, Debug, Default)]
pub struct IdleView {
    /// The window.
    pub window: Window,
    /// One row a cause.
    pub causes: Vec<IdleRow>,
    /// One row a magnitude.
    pub lengths: Vec<IdleLengthRow>,
    /// The longest gaps.
    pub longest: Vec<IdleGapRow>,
    /// One row a stream.
    pub queues: Vec<QueueRow>,
}

/// What is found out once a device.
#[derive(Clone, Debug, Default)]
pub struct Idling {
    gaps: IdleGaps,
    /// In the order of the device's streams.
    queues: Vec<Queue>,
}

impl Idling {
    /// Judges the gaps of a device and lists the queues of its streams.
    #[must_use]
    pub fn of(trace: &Trace, rank: &Rank, device: &Device, clip_suspicious: bool) -> Self {
        Self {
            gaps: IdleGaps::of(trace, rank, device, clip_suspicious),
            queues: device.streams.iter().map(|s| Queue::of(rank, s)).collect(),
        }
    }
}

/// State of the panel.
#[derive(Debug, Default)]
pub struct Idle {
    gaps: Measured<IdleKey, Arc<Idling>>,
    view: Option<(IdleKey, IdleView)>,
}

impl Session {
    fn idle_key(&self) -> Option<IdleKey> {
        let (rank, device) = self.focused()?;
        Some(IdleKey {
            generation: self.generation,
            rank: rank.id,
            device: device.id,
            clip_suspicious: self.settings.clip_suspicious,
        })
    }

    /// What is to be shown of the current window; `None` while gaps are judged, or where the rank
    /// recorded nothing of it.
    #[must_use]
    pub fn shown_idle(&self) -> Option<&IdleView> {
        let wanted = self.idle_key()?;
        let (key, view) = self.idle.view.as_ref()?;
        (*key == wanted && self.idle_window() == Some(view.window)).then_some(view)
    }

    /// Whether the gaps of the device in focus are still being judged.
    #[must_use]
    pub fn is_judging_gaps(&self) -> bool {
        self.idle_key()
            .is_some_and(|key| !self.idle.gaps.is_of(key))
    }

    fn idle_window(&self) -> Option<Window> {
        let (rank, device) = self.focused()?;
        let query = self.query();
        scope(rank, device, query.selection, query.clip_suspicious).covered()
    }

    pub(super) fn refresh_idle(&mut self) -> Vec<Effect> {
        let Some(key) = self.idle_key().filter(|_| !self.is_closed(Section::Idle)) else {
            return Vec::new();
        };
        if !self.idle.gaps.is_of(key) {
            let many = self
                .focused()
                .is_some_and(|(rank, _)| rank.slices.len() > MOST_AT_ONCE);
            if many && !self.idle.gaps.ask(key) {
                return Vec::new();
            }
            let effects = self.measure(Question::Idle(key), many);
            if many {
                return effects;
            }
        }
        self.look_at_window(key);
        Vec::new()
    }

    /// Answers for the current window, unless that was done.
    fn look_at_window(&mut self, key: IdleKey) {
        let Some(window) = self.idle_window() else {
            return;
        };
        if self.shown_idle().is_some() {
            return;
        }
        let gaps = self.idle.gaps.here().filter(|(of, _)| **of == key);
        let Some((found, trace, (rank, device))) = gaps
            .map(|(_, gaps)| Arc::clone(gaps))
            .zip(self.trace.as_ref())
            .zip(self.focused())
            .map(|((gaps, trace), focused)| (gaps, trace, focused))
        else {
            return;
        };
        let view = IdleView {
            window,
            causes: rows_by_cause(rank, device, &found.gaps, window),
            lengths: rows_by_length(rank, device, &found.gaps, window),
            longest: longest_gaps(trace, rank, device, &found.gaps, window, Some(LISTED_GAPS)),
            queues: device
                .streams
                .iter()
                .zip(&found.queues)
                .map(|(stream, queue)| queue_row((rank, device, stream), queue, window))
                .collect(),
        };
        self.idle.view = Some((key, view));
    }

    pub(super) fn gaps_arrive(&mut self, key: IdleKey, gaps: Arc<Idling>) {
        self.idle.gaps.take(key, gaps);
    }

    pub(super) fn gaps_answered(&mut self) {
        self.idle.gaps.is_answered();
    }

    /// Causes of the device in focus in the current window, as a table.
    pub(super) fn idle_grid(&self) -> Grid {
        if let Some(view) = self.shown_idle() {
            return Grid::new(&IDLE_COLUMNS, &view.causes);
        }
        let (Some(trace), Some(key)) = (&self.trace, self.idle_key()) else {
            return Grid::default();
        };
        let query = crate::metrics::Query {
            rank: Some(key.rank),
            device: Some(key.device),
            ..self.query()
        };
        Grid::new(&IDLE_COLUMNS, &idle_rows(trace, &query))
    }
}
