//! What panels have measured: by the worker where it is much, else between two frames.

use super::groups::labelled_groups;
use super::{
    CollectiveKey, CollectiveRows, CompatKey, Effect, HidingKey, HoldersKey, IdleKey, Idling,
    JudgedMemory, KernelKey, MemoryKey, PrefillKey, Session, StepGridKey, TraceHandle,
};
use crate::metrics::{
    ClockShift, CollectiveGrouping, CompatRow, Holding, KernelRow, Prefill, Query, StepGrid,
    clock_shifts, collective_rows, compat_rows, hiding_kernels, kernel_rows,
};
use crate::trace::Trace;
use std::sync::Arc;

/// How many names of kernels that hide a collective are shown.
const MOST_HIDING: usize = 5;

/// Something to measure, between two frames or by the worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Kernels by what they have in common.
    Kernels(KernelKey),
    /// Collectives, or their process groups.
    Collectives(CollectiveKey),
    /// What hides one collective.
    Hiding(HidingKey),
    /// Why a device was idle.
    Idle(IdleKey),
    /// Figures by the rules of another tool.
    Compat(CompatKey),
    /// How far the clocks of ranks are apart, of a load.
    Clocks(u64),
    /// What every device did in every step.
    StepGrid(StepGridKey),
    /// Inputs of models.
    Prefill(PrefillKey),
    /// The steps of an allocator, and whether it leaks.
    Memory(MemoryKey),
    /// What holds a peak.
    Holders(HoldersKey),
}

/// What was measured.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Kernels by what they have in common.
    Kernels(KernelKey, Vec<KernelRow>),
    /// Collectives, or their process groups.
    Collectives(CollectiveKey, CollectiveRows),
    /// What hides one collective.
    Hiding(HidingKey, Vec<KernelRow>),
    /// Why a device was idle.
    Idle(IdleKey, Arc<Idling>),
    /// Figures by the rules of another tool.
    Compat(CompatKey, Vec<CompatRow>),
    /// How far the clocks of ranks are apart, of a load.
    Clocks(u64, Vec<ClockShift>),
    /// What every device did in every step.
    StepGrid(StepGridKey, StepGrid),
    /// Inputs of models.
    Prefill(PrefillKey, Option<Arc<Prefill>>),
    /// The steps of an allocator, and whether it leaks.
    Memory(MemoryKey, Option<Arc<JudgedMemory>>),
    /// What holds a peak; `None` where the file has no addresses.
    Holders(HoldersKey, Option<Arc<[Holding]>>),
}

impl Question {
    /// Measures.
    #[must_use]
    pub fn answer(self, trace: &Trace) -> Answer {
        match self {
            Self::Kernels(key) => {
                Answer::Kernels(key, kernel_rows(trace, &key.query, key.grouping))
            }
            Self::Collectives(key) => {
                let rows = match key.grouping {
                    CollectiveGrouping::Each => {
                        CollectiveRows::Each(collective_rows(trace, &key.query))
                    }
                    CollectiveGrouping::Group => labelled_groups(trace, &key.query),
                };
                Answer::Collectives(key, rows)
            }
            Self::Compat(key) => {
                let query = Query {
                    rank: Some(key.rank),
                    ..Query::default()
                };
                Answer::Compat(key, compat_rows(trace, &query, key.tool))
            }
            Self::Idle(key) => {
                let rank = trace.rank(key.rank);
                let device = rank.and_then(|r| Some((r, r.device(key.device)?)));
                let gaps = device.map_or_else(Idling::default, |(rank, device)| {
                    Idling::of(trace, rank, device, key.clip_suspicious)
                });
                Answer::Idle(key, Arc::new(gaps))
            }
            Self::Hiding(key) => Answer::Hiding(
                key,
                hiding_kernels(trace, &key.query, key.slice, MOST_HIDING),
            ),
            Self::Clocks(generation) => Answer::Clocks(generation, clock_shifts(trace)),
            Self::StepGrid(key) => Answer::StepGrid(key, key.measure(trace)),
            Self::Prefill(key) => Answer::Prefill(key, key.measure(trace)),
            Self::Memory(key) => Answer::Memory(key, key.judge(trace)),
            Self::Holders(key) => Answer::Holders(key, key.follow(trace)),
        }
    }
}

impl Session {
    /// Answers a question now, or has the worker do it.
    pub(super) fn measure(&mut self, question: Question, by_worker: bool) -> Vec<Effect> {
        let Some(trace) = self.trace.clone() else {
            return Vec::new();
        };
        if by_worker {
            let trace = TraceHandle(trace);
            return vec![Effect::Measure { trace, question }];
        }
        self.take_answer(question.answer(&trace));
        Vec::new()
    }

    /// The worker is done with something; what is of an older load is dropped.
    pub(super) fn answered(&mut self, answer: Answer) {
        let generation = match &answer {
            Answer::Kernels(key, _) => {
                self.kernels_answered();
                key.generation
            }
            Answer::Collectives(key, _) => {
                self.collectives_answered();
                key.generation
            }
            Answer::Hiding(key, _) => {
                self.hiding_answered();
                key.generation
            }
            Answer::Compat(key, _) => {
                self.compat_answered();
                key.generation
            }
            Answer::Idle(key, _) => {
                self.gaps_answered();
                key.generation
            }
            Answer::Clocks(generation, _) => {
                self.clocks_answered();
                *generation
            }
            Answer::StepGrid(key, _) => {
                self.step_grid_answered();
                key.generation
            }
            Answer::Prefill(key, _) => {
                self.prefill_answered();
                key.generation
            }
            Answer::Memory(key, _) => {
                self.memory_answered();
                key.generation
            }
            Answer::Holders(key, _) => {
                self.holders_answered();
                key.of.generation
            }
        };
        if generation == self.generation {
            self.take_answer(answer);
        }
    }

    fn take_answer(&mut self, answer: Answer) {
        match answer {
            Answer::Kernels(key, rows) => self.kernels_arrive(key, rows),
            Answer::Collectives(key, rows) => self.collectives_arrive(key, rows),
            Answer::Hiding(key, kernels) => self.hiding_arrives(key, kernels),
            Answer::Compat(key, rows) => self.compat_arrives(key, rows),
            Answer::Idle(key, gaps) => self.gaps_arrive(key, gaps),
            Answer::Clocks(generation, clocks) => self.clocks_arrive(generation, clocks),
            Answer::StepGrid(key, grid) => self.step_grid_arrives(key, grid),
            Answer::Prefill(key, prefill) => self.prefill_arrives(key, prefill),
            Answer::Memory(key, judged) => self.memory_arrives(key, judged),
            Answer::Holders(key, holders) => self.holders_arrive(key, holders),
        }
    }
}
