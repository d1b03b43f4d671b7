//! An event's args in full, parsed from its text when somebody looks at it.

use super::event::{RawEvent, each_key, text};
use super::repair;
use crate::ingest::EventText;

/// Gives each arg of one event's text, strings without quotes; nothing where the text is damaged
/// beyond mending.
pub(in crate::ingest) fn each_arg(raw: &[u8], mut found: impl FnMut(&str, &str)) {
    let mended = RawEvent::parse(raw)
        .is_err()
        .then(|| repair::repair(raw))
        .flatten();
    let json = mended.as_ref().map_or(raw, |m| m.json.as_bytes());
    if let Ok(event) = RawEvent::parse(json) {
        each_key(event.args, |key, value| found(key, &text(value)));
    }
}

/// Reads the category and all args of one event's text, mended where it is damaged.
pub(in crate::ingest) fn text_of(raw: &[u8]) -> EventText {
    let shown = String::from_utf8_lossy(raw).into_owned();
    let mended = RawEvent::parse(raw)
        .is_err()
        .then(|| repair::repair(raw))
        .flatten();
    let json = mended.as_ref().map_or(raw, |m| m.json.as_bytes());
    let Ok(event) = RawEvent::parse(json) else {
        return EventText {
            category: String::new(),
            args: Vec::new(),
            raw: shown,
        };
    };
    let mut args = Vec::new();
    each_key(event.args, |key, value| {
        args.push((key.to_owned(), text(value).into_owned()));
    });
    if args.is_empty() {
        // A list or a bare value is shown as it stands.
        if let Some(other) = event.args.filter(|a| !a.starts_with('{')) {
            args.push(("args".to_owned(), text(other).into_owned()));
        }
    }
    EventText {
        category: event.cat.map(text).unwrap_or_default().into_owned(),
        args,
        raw: shown,
    }
}
