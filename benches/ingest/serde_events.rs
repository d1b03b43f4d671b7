//! The baseline: every event with serde_json into borrowed pieces, times as decimal text.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::hint::black_box;

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    ph: Option<Cow<'a, str>>,
    #[serde(borrow)]
    cat: Option<Cow<'a, str>>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    ts: Option<&'a RawValue>,
    #[serde(borrow)]
    dur: Option<&'a RawValue>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
}

/// Number of events in a trace of object form.
pub(super) fn count(text: &[u8]) -> u64 {
    let mut json = serde_json::Deserializer::from_slice(text);
    json.deserialize_map(Document).unwrap_or(0)
}

struct Document;

impl<'de> Visitor<'de> for Document {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a trace")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<u64, A::Error> {
        let mut count = 0;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if key == "traceEvents" {
                count += map.next_value::<Events>()?.0;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(count)
    }
}

struct Events(u64);

impl<'de> Deserialize<'de> for Events {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(EventList)
    }
}

struct EventList;

impl<'de> Visitor<'de> for EventList {
    type Value = Events;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Events, A::Error> {
        let mut count = 0;
        while let Some(event) = list.next_element::<Event<'de>>()? {
            black_box((
                event.ph, event.cat, event.name, event.ts, event.dur, event.args,
            ));
            count += 1;
        }
        Ok(Events(count))
    }
}
