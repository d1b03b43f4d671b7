//! What the user typed for a trace, in a session file: inputs of models, and what process groups are for.
//!
//! Values stand as they come, so that one that is not understood costs itself and not the whole file.

use crate::metrics::{Parallelism, TypedGroups};
use crate::session::whatif::{WhatIf, WhatIfAction};
use crate::whatif::{Field, Model};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What models are asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::session) struct StoredWhatIf {
    model: Value,
    backward: Value,
    /// A number with its unit for each input that was typed.
    typed: BTreeMap<String, Value>,
}

impl StoredWhatIf {
    pub(in crate::session) fn of(state: &WhatIf) -> Self {
        let typed = state.typed().iter();
        Self {
            model: state.model.name().into(),
            backward: state.backward.into(),
            typed: typed
                .map(|(field, value)| (field.key().to_owned(), value.exact().into()))
                .collect(),
        }
    }

    /// Puts everything as it was, and says what was not understood.
    pub(in crate::session) fn restore(&self, state: &mut WhatIf) -> Vec<String> {
        let mut dropped = Vec::new();
        let named = |name: &str| Model::ALL.into_iter().find(|model| model.name() == name);
        match (&self.model, self.model.as_str().and_then(named)) {
            (_, Some(model)) => state.apply(WhatIfAction::Ask(model)),
            (Value::Null, None) => {}
            (_, None) => dropped.push("model".to_owned()),
        }
        match &self.backward {
            Value::Bool(backward) => state.apply(WhatIfAction::Backward(*backward)),
            Value::Null => {}
            _ => dropped.push("backward".to_owned()),
        }
        state.forget_typed();
        for (key, value) in &self.typed {
            let read = Field::of_key(key).and_then(|field| {
                let value = field.starter().0.of_exact(value.as_str()?)?;
                Some(WhatIfAction::Set(field, value))
            });
            match read {
                Some(action) => state.apply(action),
                None => dropped.push(key.clone()),
            }
        }
        dropped
    }
}

/// What the user says that process groups are for, by their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::session) struct StoredGroups(BTreeMap<String, Value>);

impl StoredGroups {
    pub(in crate::session) fn of(typed: &TypedGroups) -> Self {
        let word = |(name, of): (&String, &Parallelism)| (name.clone(), of.name().into());
        Self(typed.iter().map(word).collect())
    }

    /// What was said, and the names of groups for which that is not understood.
    pub(in crate::session) fn typed(&self) -> (TypedGroups, Vec<String>) {
        let mut typed = TypedGroups::new();
        let mut dropped = Vec::new();
        for (name, word) in &self.0 {
            match word.as_str().and_then(Parallelism::parse) {
                Some(of) => {
                    typed.insert(name.clone(), of);
                }
                None => dropped.push(format!("group {name}")),
            }
        }
        (typed, dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::DurNs;
    use crate::whatif::{Bandwidth, Quantity};

    #[test]
    fn what_was_typed_survives_a_round_trip() {
        let mut state = WhatIf::default();
        let rate = Bandwidth::from_gb_per_s(41.943).unwrap();
        for action in [
            WhatIfAction::Ask(Model::Prefetch),
            WhatIfAction::Backward(true),
            WhatIfAction::Set(Field::Alpha, Quantity::Time(DurNs(5_001))),
            WhatIfAction::Set(Field::ChunkAlpha, Quantity::Time(DurNs(7))),
            WhatIfAction::Set(Field::Bus, Quantity::Rate(rate)),
            WhatIfAction::Set(Field::KComp, Quantity::Factor(1.45)),
        ] {
            state.apply(action);
        }
        let text = serde_json::to_string(&StoredWhatIf::of(&state)).unwrap();
        assert!(text.contains(r#""alpha":"5001ns""#), "{text}");
        let stored: StoredWhatIf = serde_json::from_str(&text).unwrap();
        let mut other = WhatIf::default();
        other.apply(WhatIfAction::Set(Field::Ranks, Quantity::Count(3)));
        assert!(stored.restore(&mut other).is_empty());
        assert_eq!(other.typed(), state.typed());
        assert_eq!((other.model, other.backward), (Model::Prefetch, true));
    }

    #[test]
    fn what_is_not_understood_is_told_and_costs_itself() {
        let text = r#"{"model":"later","backward":1,
            "typed":{"alpha":"-5ns","bus_bandwidth":60,"k_comp":"0.5","later":"1","ranks":"4"}}"#;
        let stored: StoredWhatIf = serde_json::from_str(text).unwrap();
        let mut state = WhatIf::default();
        let dropped = stored.restore(&mut state);
        let all = [
            "model",
            "backward",
            "alpha",
            "bus_bandwidth",
            "k_comp",
            "later",
        ];
        assert_eq!(dropped, all);
        let ranks = (&Field::Ranks, &Quantity::Count(4));
        assert_eq!(state.typed().iter().collect::<Vec<_>>(), [ranks]);
        // What is missing is as at the start.
        let empty: StoredWhatIf = serde_json::from_str("{}").unwrap();
        assert!(empty.restore(&mut state).is_empty());
        let text = r#"{"0":"tp","1":"XP","2":7}"#;
        let stored: StoredGroups = serde_json::from_str(text).unwrap();
        let (typed, dropped) = stored.typed();
        assert_eq!(
            typed,
            TypedGroups::from([("0".to_owned(), Parallelism::Tensor)])
        );
        assert_eq!(dropped, ["group 1", "group 2"]);
        assert_eq!(StoredGroups::of(&typed).typed().0, typed);
    }
}
