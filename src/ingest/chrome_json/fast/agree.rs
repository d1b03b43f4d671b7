//! Whether the fast reader and the strict one say the same of an event: for tests and fuzzing.

#![allow(
    clippy::unwrap_used,
    reason = "a difference is to stop the test or the fuzzer"
)]

use super::super::event::each_key;
use super::super::repair;
use super::{RawArgs, RawEvent, Scanner, Step, Wanted};

/// An event with the position behind it.
pub(super) fn read<'a>(
    scanner: &mut Scanner,
    text: &'a str,
    from: usize,
) -> Step<(RawEvent<'a>, usize)> {
    let mut event = RawEvent::default();
    let end = scanner.event(text, from, &mut event)?;
    Ok((event, end))
}

/// Whether both readers read an event's text; panics where they read it differently.
pub(in crate::ingest) fn compare(text: &str) -> bool {
    compare_with(&mut Scanner::default(), text)
}

/// The same with a scanner that has seen other events.
pub(super) fn compare_with(scanner: &mut Scanner, text: &str) -> bool {
    let strict = RawEvent::parse(text.as_bytes()).ok();
    // What is passed at once needs some text behind it.
    let padded = format!("{text}{}", " ".repeat(80));
    let Ok((fast, end)) = read(scanner, &padded, 0) else {
        // Refusing is always allowed.
        return false;
    };
    if end != text.len() {
        // The strict reader was given more than one value.
        assert!(
            strict.is_none() || padded[end..].trim().is_empty(),
            "{text}"
        );
        return false;
    }
    let known = fast.known_args.unwrap_or_else(|| RawArgs::parse(fast.args));
    let fast = RawEvent {
        known_args: None,
        ..fast
    };
    let wanted = fast.wanted_args();
    let Some(strict) = strict else {
        // Only args that nobody asks for may be wrong unnoticed; mended, the event is the same.
        assert!(
            matches!(wanted, Wanted::External | Wanted::Nothing),
            "accepted what strict JSON refuses: {text}"
        );
        let repaired = repair::repair(text.as_bytes()).unwrap();
        let mended = RawEvent::parse(repaired.json.as_bytes()).unwrap();
        // Where a comma stands for a colon, what is a text is guessed from there on backwards too.
        let args = padded.find(fast.args.unwrap_or_default()).unwrap();
        if repaired.json.starts_with(&padded[..args]) {
            let args = mended.args;
            assert_eq!(RawEvent { args, ..fast }, mended, "{text}");
        }
        return false;
    };
    assert_eq!(fast, strict, "{text}");
    let all = RawArgs::parse(strict.args);
    match wanted {
        Wanted::All | Wanted::Message => assert_eq!(known, all, "{text}"),
        Wanted::External => assert_eq!(known.external, all.external, "{text}"),
        // Read a second time, by whoever wants them.
        Wanted::Memory => compare_members(strict.args),
        Wanted::Nothing => {}
    }
    true
}

/// What [`members`](super::members) gives is what a strict reading gives.
fn compare_members(args: Option<&str>) {
    let (mut fast, mut strict) = (Vec::new(), Vec::new());
    let seen = args.map(|text| {
        super::members(text, |key, value| {
            fast.push((String::from_utf8_lossy(key).into_owned(), value));
        })
    });
    each_key(args, |key, value| strict.push((key.to_owned(), value)));
    if seen == Some(Ok(())) {
        assert_eq!(fast, strict, "{args:?}");
    }
}
