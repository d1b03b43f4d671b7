//! The panel of models: which one is asked, what was typed, and what the current window gives for the
//! rest. Answers are made once for each set of inputs.

use super::question::Question;
use super::rows::Measured;
use super::{Effect, OverlapState, Section, Session};
use crate::metrics::report::Grid;
use crate::metrics::{self, Prefill, Query};
use crate::trace::Trace;
use crate::whatif::table::{Answer, LINK_COLUMNS, link_rows};
use crate::whatif::{Asked, Curve, Field, Given, LinkFit, Model, Quantity, Slowing, link_fits};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A rank with more slices is measured by the worker.
const MOST_AT_ONCE: usize = 20_000;

/// What measured inputs follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrefillKey {
    /// Number of the load.
    pub generation: u64,
    /// Window, rank and device.
    pub query: Query,
}

impl PrefillKey {
    /// Measures; `None` where the rank recorded nothing of the window.
    #[must_use]
    pub fn measure(&self, trace: &Trace) -> Option<Arc<Prefill>> {
        let (rank, device) = self.query.devices(trace).next()?;
        metrics::prefill(trace, rank, device, &self.query).map(Arc::new)
    }
}

/// One wish of the user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WhatIfAction {
    /// Asks another model.
    Ask(Model),
    /// Looks at the backward pass, or at the forward one.
    Backward(bool),
    /// Types an input.
    Set(Field, Quantity),
    /// Takes an input back to what was measured.
    Reset(Field),
    /// All of this model's inputs.
    ResetAll,
}

/// State of the panel.
#[derive(Debug, Default)]
pub struct WhatIf {
    /// The model that is asked.
    pub model: Model,
    /// Of *prefetch*: the backward pass and not the forward one.
    pub backward: bool,
    typed: BTreeMap<Field, Quantity>,
    prefill: Measured<PrefillKey, Option<Arc<Prefill>>>,
    slowing: Option<Slowing>,
    answered: Option<(Inputs, Result<ShownWhatIf, String>)>,
    /// Links as the measured inputs of this key tell them.
    links: Option<(PrefillKey, Result<Vec<LinkFit>, String>)>,
}

/// What an answer follows from.
#[derive(Clone, Debug, PartialEq)]
struct Inputs {
    model: Model,
    backward: bool,
    typed: BTreeMap<Field, Quantity>,
    prefill: Option<PrefillKey>,
    slowing: Option<Slowing>,
}

/// What the panel shows of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownWhatIf {
    /// The figures, as the command line writes them.
    pub answer: Answer,
    /// The chart.
    pub curve: Curve,
}

impl WhatIf {
    pub(super) fn apply(&mut self, action: WhatIfAction) {
        match action {
            WhatIfAction::Ask(model) => self.model = model,
            WhatIfAction::Backward(backward) => self.backward = backward,
            WhatIfAction::Set(field, value) => {
                self.typed.insert(field, value);
            }
            WhatIfAction::Reset(field) => {
                self.typed.remove(&field);
            }
            WhatIfAction::ResetAll => {
                let fields = self.model.fields();
                self.typed.retain(|field, _| !fields.contains(field));
            }
        }
    }

    /// What was typed.
    pub(super) fn typed(&self) -> &BTreeMap<Field, Quantity> {
        &self.typed
    }

    /// What each link of the trace is worth, or why none is known; `None` until inputs are measured.
    #[must_use]
    pub fn links(&self) -> Option<&Result<Vec<LinkFit>, String>> {
        self.links.as_ref().map(|(_, links)| links)
    }

    /// Fits the links, unless that was done for the same inputs.
    fn fit_links(&mut self) {
        let here = self.prefill.here();
        let Some((key, prefill)) = here.and_then(|(key, of)| Some((*key, of.as_ref()?))) else {
            self.links = None;
            return;
        };
        if self.links.as_ref().is_none_or(|(of, _)| *of != key) {
            self.links = Some((key, link_fits(prefill)));
        }
    }

    /// Takes all inputs of all models back to what is measured.
    pub(super) fn forget_typed(&mut self) {
        self.typed.clear();
    }

    /// What the current window gives, or the one before it until that is there.
    #[must_use]
    pub fn prefill(&self) -> Option<&Prefill> {
        self.prefill.here()?.1.as_deref()
    }

    /// What the model is asked with.
    #[must_use]
    pub fn asked(&self) -> Asked<'_> {
        Asked {
            typed: &self.typed,
            prefill: self.prefill(),
            slowing: self.slowing,
            backward: self.backward,
        }
    }

    /// The inputs of the model in their order.
    #[must_use]
    pub fn inputs(&self) -> Vec<(Field, Given)> {
        let asked = self.asked();
        let fields = self.model.fields().iter();
        fields.map(|field| (*field, asked.get(*field))).collect()
    }

    /// Whether an input was typed.
    #[must_use]
    pub fn is_typed(&self, field: Field) -> bool {
        self.typed.contains_key(&field)
    }

    /// The answer, or why there is none.
    #[must_use]
    pub fn shown(&self) -> Option<&Result<ShownWhatIf, String>> {
        self.answered.as_ref().map(|(_, shown)| shown)
    }

    fn inputs_now(&self) -> Inputs {
        Inputs {
            model: self.model,
            backward: self.backward,
            typed: self.typed.clone(),
            prefill: self.prefill.here().map(|(key, _)| *key),
            slowing: self.slowing,
        }
    }

    fn ask_model(&self) -> Result<ShownWhatIf, String> {
        let asked = self.asked();
        let filled = asked.fill(self.model).map_err(|why| why.to_string())?;
        let answer = filled.answer(&asked).map_err(|why| why.to_string())?;
        let curve = filled.curve().map_err(|why| why.to_string())?;
        Ok(ShownWhatIf { answer, curve })
    }
}

impl Session {
    fn prefill_key(&self) -> Option<PrefillKey> {
        let (rank, device) = self.focused()?;
        Some(PrefillKey {
            generation: self.generation,
            query: Query {
                rank: Some(rank.id),
                device: Some(device.id),
                ..self.query()
            },
        })
    }

    /// Whether the inputs are those of the current window; others are dimmed.
    #[must_use]
    pub fn what_if_is_current(&self) -> bool {
        let key = self.prefill_key();
        key.is_some_and(|key| self.what_if.prefill.is_of(key))
    }

    pub(super) fn refresh_what_if(&mut self) -> Vec<Effect> {
        let Some(key) = self
            .prefill_key()
            .filter(|_| !self.is_closed(Section::WhatIf))
        else {
            return Vec::new();
        };
        let mut effects = Vec::new();
        if !self.what_if.prefill.is_of(key) {
            let many = self
                .focused()
                .is_some_and(|(rank, _)| rank.slices.len() > MOST_AT_ONCE);
            if !many || self.what_if.prefill.ask(key) {
                effects = self.measure(Question::Prefill(key), many);
            }
        }
        self.what_if.slowing = self.slowing();
        self.what_if.fit_links();
        self.answer_what_if();
        effects
    }

    /// What the verdict on overlap says of the current window, if that is at hand.
    fn slowing(&self) -> Option<Slowing> {
        let OverlapState::Shown(shown) = self.shown_overlap() else {
            return None;
        };
        let analysis = shown.judged.analysis.as_ref();
        analysis.filter(|_| shown.is_current).map(Slowing::of)
    }

    /// Asks the model, unless that was done with the same inputs.
    fn answer_what_if(&mut self) {
        let inputs = self.what_if.inputs_now();
        let known = self.what_if.answered.as_ref();
        if known.is_none_or(|(of, _)| *of != inputs) {
            let shown = self.what_if.ask_model();
            self.what_if.answered = Some((inputs, shown));
        }
    }

    pub(super) fn prefill_arrives(&mut self, key: PrefillKey, prefill: Option<Arc<Prefill>>) {
        self.what_if.prefill.take(key, prefill);
    }

    pub(super) fn prefill_answered(&mut self) {
        self.what_if.prefill.is_answered();
    }

    /// The links as a table, measured now where nobody did.
    pub(super) fn link_grid(&self) -> Grid {
        let known = self.what_if.links().filter(|_| self.what_if_is_current());
        let links = known.cloned().or_else(|| {
            let prefill = self.prefill_key()?.measure(self.trace.as_deref()?)?;
            Some(link_fits(&prefill))
        });
        let links = links.and_then(Result::ok).unwrap_or_default();
        Grid::new(&LINK_COLUMNS, &link_rows(&links))
    }

    /// The figures as a table, measured now where nobody did.
    pub(super) fn what_if_grid(&self) -> Grid {
        let slowing = self.slowing();
        let is_current = self.what_if_is_current() && self.what_if.slowing == slowing;
        if let Some(Ok(shown)) = self.what_if.shown().filter(|_| is_current) {
            return shown.answer.rows.clone();
        }
        let (Some(trace), Some(key)) = (&self.trace, self.prefill_key()) else {
            return Grid::default();
        };
        let prefill = key.measure(trace);
        let asked = Asked {
            prefill: prefill.as_deref(),
            slowing,
            ..self.what_if.asked()
        };
        let filled = asked.fill(self.what_if.model).ok();
        let answer = filled.and_then(|filled| filled.answer(&asked).ok());
        answer.map_or_else(Grid::default, |answer| answer.rows)
    }
}
