//! Instants, flows and counter samples: moved by the rank's offset and put in time order.

use super::super::NameId;
use super::super::rank::{Counter, CounterSample, Flow, Instant};
use crate::time::{DurNs, Ns};
use std::collections::HashMap;

/// Moves instants by an offset and puts them in time order; equal times keep the file's order.
pub(super) fn shifted<T: Timed>(mut items: Vec<T>, by: DurNs) -> Vec<T> {
    for item in &mut items {
        let at = item.at_mut();
        *at = *at + by;
    }
    items.sort_by_key(Timed::at);
    items
}

pub(super) trait Timed {
    fn at(&self) -> Ns;
    fn at_mut(&mut self) -> &mut Ns;
}

macro_rules! timed {
    ($($kind:ty),+) => {$(
        impl Timed for $kind {
            fn at(&self) -> Ns {
                self.at
            }
            fn at_mut(&mut self) -> &mut Ns {
                &mut self.at
            }
        }
    )+};
}

timed!(Instant, Flow, CounterSample);

pub(super) fn counters(
    found: HashMap<(String, NameId, NameId), Vec<CounterSample>>,
    by: DurNs,
) -> Vec<Counter> {
    let mut counters: Vec<Counter> = found
        .into_iter()
        .map(|((pid, name, series), samples)| Counter {
            pid,
            name,
            series,
            samples: shifted(samples, by),
        })
        .collect();
    counters.sort_by(|a, b| (&a.pid, a.name, a.series).cmp(&(&b.pid, b.name, b.series)));
    counters
}
