//! One event, read strictly by serde into borrowed pieces of its text.
//!
//! Every value stays raw text until somebody needs it: times must be read as decimals, names are
//! decoded once per distinct text, and `args` are looked into only where a figure needs them.

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The raw values of an event's keys; of a key that stands twice the last counts, as in Python.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RawEvent<'a> {
    pub(super) ph: Option<&'a str>,
    pub(super) cat: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) pid: Option<&'a str>,
    pub(super) tid: Option<&'a str>,
    pub(super) ts: Option<&'a str>,
    pub(super) dur: Option<&'a str>,
    pub(super) id: Option<&'a str>,
    pub(super) args: Option<&'a str>,
    /// The args that figures use, where the reader saw them on its way.
    pub(super) known_args: Option<RawArgs<'a>>,
}

impl<'a> RawEvent<'a> {
    /// Reads the text of one object; `Err` where it is no strict JSON.
    pub(super) fn parse(text: &'a [u8]) -> Result<Self, serde_json::Error> {
        let mut json = serde_json::Deserializer::from_slice(text);
        let mut event = Self::default();
        json.deserialize_map(Keys(|key: &str, value: &'a str| {
            let slot = match key {
                "ph" => &mut event.ph,
                "cat" => &mut event.cat,
                "name" => &mut event.name,
                "pid" => &mut event.pid,
                "tid" => &mut event.tid,
                "ts" => &mut event.ts,
                "dur" => &mut event.dur,
                "id" => &mut event.id,
                "args" => &mut event.args,
                _ => return,
            };
            *slot = Some(value);
        }))?;
        json.end()?;
        Ok(event)
    }
}

/// Which of an event's args anybody asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Any of [`RawArgs`].
    All,
    /// Any, although the event is an operator: it tells of a collective call.
    Message,
    /// None of [`RawArgs`], but all are checked: they tell of an allocation and are read again.
    Memory,
    /// Only the external id.
    External,
    /// None.
    Nothing,
}

impl RawEvent<'_> {
    /// Which args are asked for, by what is known of the event so far.
    #[inline]
    pub(super) fn wanted_args(&self) -> Wanted {
        match (self.ph, self.cat) {
            (Some("\"X\""), Some("\"cpu_op\"")) if self.records_call() => Wanted::Message,
            (Some("\"X\""), Some("\"cpu_op\"")) => Wanted::External,
            (Some("\"i\""), _) if self.tells_of_memory() => Wanted::Memory,
            (Some("\"X\""), Some("\"python_function\""))
            | (Some("\"i\"" | "\"s\"" | "\"f\""), Some(_)) => Wanted::Nothing,
            _ => Wanted::All,
        }
    }

    /// Whether it is the operator by which the framework records what a collective call sends.
    #[inline]
    pub(super) fn records_call(&self) -> bool {
        self.name == Some("\"record_param_comms\"")
    }

    /// Whether it is the instant by which the framework records what its allocators do.
    #[inline]
    pub(super) fn tells_of_memory(&self) -> bool {
        self.name == Some("\"[memory]\"")
    }
}

/// The args that figures use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RawArgs<'a> {
    pub(super) stream: Option<&'a str>,
    pub(super) device: Option<&'a str>,
    pub(super) correlation: Option<&'a str>,
    pub(super) external: Option<&'a str>,
    pub(super) collective: Option<&'a str>,
    pub(super) name: Option<&'a str>,
}

impl<'a> RawArgs<'a> {
    /// Reads an `args` value; anything but an object has no args.
    pub(super) fn parse(args: Option<&'a str>) -> Self {
        let mut out = Self::default();
        each_key(args, |key, value| out.set(key.as_bytes(), value));
        out
    }

    /// Takes the value of a key if it is one of those that are used.
    #[inline]
    pub(super) fn set(&mut self, key: &[u8], value: &'a str) {
        let slot = match key {
            b"stream" => &mut self.stream,
            b"device" => &mut self.device,
            b"correlation" => &mut self.correlation,
            // The first counts: those of operators are not read on behind it.
            b"External id" | b"external id" if self.external.is_none() => &mut self.external,
            b"Collective name" => &mut self.collective,
            b"name" => &mut self.name,
            _ => return,
        };
        *slot = Some(value).filter(|v| *v != "null");
    }
}

/// Calls for every key of a JSON object with its raw value; nothing for any other value.
pub(super) fn each_key<'a>(object: Option<&'a str>, see: impl FnMut(&str, &'a str)) {
    if let Some(text) = object.filter(|t| t.starts_with('{')) {
        let mut json = serde_json::Deserializer::from_str(text);
        // The text was parsed as part of its event already.
        json.deserialize_map(Keys(see)).unwrap_or_default();
    }
}

/// A raw string value without its quotes, escapes decoded; other values as they stand.
pub(super) fn text(raw: &str) -> Cow<'_, str> {
    let Some(inner) = raw.strip_prefix('"').and_then(|t| t.strip_suffix('"')) else {
        return Cow::Borrowed(raw);
    };
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    serde_json::from_str(raw).map_or(Cow::Borrowed(inner), Cow::Owned)
}

struct Keys<F>(F);

impl<'de, F: FnMut(&str, &'de str)> Visitor<'de> for Keys<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Key<'de>>()? {
            let value: &'de RawValue = map.next_value()?;
            (self.0)(&key.0, value.get());
        }
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// A key, borrowed unless it has escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Key<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Borrowed(key)))
    }

    fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Owned(key.to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_as_written() {
        let json = br#"{"ph":"X","ts":1682725898237042.123,"dur":"5","name":"a\"b","args":{"stream":7,"x":[1,2]},"ts":2}"#;
        let event = RawEvent::parse(json).unwrap();
        assert_eq!(event.ts, Some("2"));
        assert_eq!(event.dur, Some("\"5\""));
        assert_eq!(text(event.name.unwrap()), "a\"b");
        assert_eq!(RawArgs::parse(event.args).stream, Some("7"));
        assert_eq!(RawArgs::parse(Some("[1]")).stream, None);
        assert!(RawEvent::parse(br#"{"ph":NaN}"#).is_err());
        assert!(RawEvent::parse(br#"{"ph":1} x"#).is_err());
    }
}
