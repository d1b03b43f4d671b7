//! Where a JSON value ends, and where the next event may start after damage.
//!
//! The scan only balances brackets outside strings; whether what it found is JSON is decided by
//! whoever parses it. It must be fast: it passes every byte of a trace.

/// What a scan from the start of a value found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scan {
    /// The value is this many bytes long.
    Complete(usize),
    /// The text ends before the value does.
    Incomplete,
}

/// The first position from `from` on that is not white space.
pub(super) fn skip_white(text: &[u8], from: usize) -> usize {
    let mut at = from;
    // A text may be padded with gigabytes of spaces; eight at a time are passed in no time.
    while text.get(at) == Some(&b' ')
        && text.get(at..at + 8).is_some_and(|eight| eight == [b' '; 8])
    {
        at += 8;
    }
    let rest = text.get(at..).unwrap_or(&[]);
    at + rest.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// Finds the end of the value that starts at `text[0]`.
pub(super) fn value(text: &[u8]) -> Scan {
    match text.first() {
        Some(b'{' | b'[') => nested(text),
        Some(b'"') => string(text, 0).map_or(Scan::Incomplete, Scan::Complete),
        Some(_) => text
            .iter()
            .position(|b| matches!(b, b',' | b'}' | b']') || b.is_ascii_whitespace())
            .map_or(Scan::Incomplete, Scan::Complete),
        None => Scan::Incomplete,
    }
}

fn nested(text: &[u8]) -> Scan {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => match string(text, at) {
                Some(end) => {
                    at = end;
                    continue;
                }
                None => return Scan::Incomplete,
            },
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Scan::Complete(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    Scan::Incomplete
}

/// The position behind the string that starts at `text[from]`.
fn string(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from + 1;
    loop {
        let found = at + memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text.get(found) == Some(&b'"') {
            return Some(found + 1);
        }
        at = found + 2;
    }
}

/// Keys that events usually have: what makes a `{"` behind a comma look like an event.
const EVENT_KEYS: [&[u8]; 10] = [
    b"ph", b"name", b"cat", b"pid", b"tid", b"ts", b"args", b"dur", b"id", b"bp",
];

/// Where a damaged event may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Boundary {
    /// Length of the damaged event's own text.
    pub(super) text_end: usize,
    /// Where to go on: at the next event, or at the bracket that closes the list.
    pub(super) resume: usize,
}

/// Looks for the next place after `text[0]` that looks like the start of an event or the end of
/// the event list. `at_end` says that no more text will come.
pub(super) fn boundary(text: &[u8], at_end: bool) -> Option<Boundary> {
    let mut from = 1;
    loop {
        let at = from + memchr::memchr2(b'{', b']', text.get(from..)?)?;
        from = at + 1;
        let before = text.get(..at)?.trim_ascii_end();
        if text.get(at) == Some(&b'{') {
            let separated = matches!(before.last(), Some(b',' | b'}'));
            if separated && starts_event(text.get(at..)?) {
                let own = before.strip_suffix(b",").unwrap_or(before).trim_ascii_end();
                return Some(Boundary {
                    text_end: own.len(),
                    resume: at,
                });
            }
        } else if before.last() == Some(&b'}') && closes_list(text.get(at + 1..)?, at_end) {
            return Some(Boundary {
                text_end: before.len(),
                resume: at,
            });
        }
    }
}

/// The last place in a text that looks like the start of an event behind another one.
pub(super) fn last_event_start(text: &[u8]) -> Option<usize> {
    memchr::memrchr_iter(b'{', text).find(|&at| {
        let before = text.get(..at).unwrap_or(&[]).trim_ascii_end();
        let behind_event = before
            .strip_suffix(b",")
            .is_some_and(|b| b.trim_ascii_end().ends_with(b"}"));
        behind_event && starts_event(text.get(at..).unwrap_or(&[]))
    })
}

/// `{ "ph" :` with any usual key.
pub(super) fn starts_event(text: &[u8]) -> bool {
    let Some(rest) = text
        .strip_prefix(b"{")
        .and_then(|t| t.trim_ascii_start().strip_prefix(b"\""))
    else {
        return false;
    };
    EVENT_KEYS.iter().any(|key| {
        rest.strip_prefix(*key)
            .and_then(|t| t.strip_prefix(b"\""))
            .is_some_and(|t| t.trim_ascii_start().starts_with(b":"))
    })
}

/// What stands behind the `]` of the event list: another top-level key, or the end.
fn closes_list(text: &[u8], at_end: bool) -> bool {
    let rest = text.trim_ascii_start();
    match rest.first() {
        Some(b'}') => {
            let rest = rest.get(1..).unwrap_or(&[]).trim_ascii();
            rest.is_empty() && at_end
        }
        Some(b',') => {
            let rest = rest.get(1..).unwrap_or(&[]).trim_ascii_start();
            [
                &b"\"traceName\""[..],
                b"\"displayTimeUnit\"",
                b"\"baseTimeNanoseconds\"",
                b"\"distributedInfo\"",
                b"\"schemaVersion\"",
                b"\"deviceProperties\"",
                b"\"stackFrames\"",
            ]
            .iter()
            .any(|key| rest.starts_with(key))
        }
        Some(_) => false,
        None => at_end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_where_their_brackets_close() {
        for (text, len) in [
            (r#"{"a":1},"#, 7),
            (r#"{"a":"}"}]"#, 9),
            (r#"{"a":"\"}"} "#, 11),
            (r#"["\\",{}]x"#, 9),
            (r#""ab",1"#, 4),
            ("12.5e3,", 6),
            ("null]", 4),
        ] {
            assert_eq!(value(text.as_bytes()), Scan::Complete(len), "{text}");
        }
        for text in ["{", r#"{"a":"}"#, r#""ab"#, r#""ab\"#, "12"] {
            assert_eq!(value(text.as_bytes()), Scan::Incomplete, "{text}");
        }
    }

    #[test]
    fn the_next_event_is_found_behind_damage() {
        let text = br#"{"name":"a"b","ph":"X"}, {"ph":"X"}"#;
        let found = boundary(text, false).unwrap();
        assert_eq!(&text[..found.text_end], br#"{"name":"a"b","ph":"X"}"#);
        assert!(text[found.resume..].starts_with(br#"{"ph""#));
        // A list of objects in args is not an event.
        assert_eq!(
            boundary(br#"{"name":"a"b", "x": [{"k":1}, {"v":2}]"#, false),
            None
        );
        // The end of the list.
        let text = b"{\"name\":\"a\"b\"}\n]}";
        assert_eq!(boundary(text, true).unwrap().resume, 15);
    }
}
