//! The fast reader against the strict one: examples, mutated events, every real trace at hand.

use super::super::scan::{self, Scan};
use super::*;
use std::io::Read as _;
use std::path::{Path, PathBuf};

#[test]
fn values_are_handed_out_as_written() {
    let text = r#" {"ph": "X", "ts": 12.5, "name":"a\"b","args": {"stream": 7,"x":[1,{"y":[]}], "device":null}, "dur":1}, {"#;
    let (event, end) = event(text, 1).unwrap();
    assert_eq!(&text[end..], ", {");
    assert_eq!(
        (event.ph, event.ts, event.dur),
        (Some("\"X\""), Some("12.5"), Some("1"))
    );
    assert_eq!(event.name, Some(r#""a\"b""#));
    let args = event.known_args.unwrap();
    assert_eq!((args.stream, args.device), (Some("7"), None));
}

#[test]
fn whatever_is_not_strict_is_refused() {
    for text in [
        "",
        "{",
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{"a":1,}"#,
        r#"{"a":1 "b":2}"#,
        r#"{"a":NaN}"#,
        r#"{"a":01}"#,
        r#"{"a":1.}"#,
        r#"{"a":-}"#,
        r#"{"a":1e}"#,
        r#"{"a":.5}"#,
        r#"{"a":[1,]}"#,
        r#"{"a":[1}"#,
        r#"{"a":{"b" 1}}"#,
        r#"{"a":"\x"}"#,
        r#"{"a":"\u12g4"}"#,
        "{\"a\":\"line\nbreak\"}",
        r#"{"a":"b"c"}"#,
        r#"{"a":tru}"#,
        r"{a:1}",
        r#"{"a":truex}"#,
    ] {
        assert_eq!(event(text, 0).err(), Some(Unsure), "{text}");
    }
}

#[test]
fn specials_are_found_in_every_place() {
    for special in [b'"', b'\\', 0, 0x1f] {
        for place in 0..24 {
            let mut text = [b'a'; 24];
            text[place] = special;
            let word =
                u64::from_le_bytes(text[place / 8 * 8..place / 8 * 8 + 8].try_into().unwrap());
            assert_eq!(specials(word).trailing_zeros() as usize / 8, place % 8);
        }
    }
    // Bytes of other alphabets are plain text.
    assert_eq!(
        specials(u64::from_le_bytes(*b"\xc3\xa4\xff\x80\x20\x7f\x21\x23")),
        0
    );
}

/// Whether both readers say the same of an event's text.
fn compare(text: &str) -> bool {
    let strict = RawEvent::parse(text.as_bytes()).ok();
    let Ok((fast, end)) = event(text, 0) else {
        // Refusing is always allowed.
        return false;
    };
    if end != text.len() {
        // The strict reader was given more than one value.
        assert!(strict.is_none(), "{text}");
        return false;
    }
    let strict = strict.unwrap_or_else(|| panic!("accepted what strict JSON refuses: {text}"));
    let known = fast.known_args.unwrap_or_else(|| RawArgs::parse(fast.args));
    assert_eq!(known, RawArgs::parse(strict.args), "{text}");
    let fast = RawEvent {
        known_args: None,
        ..fast
    };
    assert_eq!(fast, strict, "{text}");
    true
}

/// The event texts of a file, gzip or plain; empty where it is no trace.
fn event_texts(path: &Path) -> Vec<String> {
    let mut bytes = std::fs::read(path).unwrap();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let packed = std::mem::take(&mut bytes);
        let _ = flate2::read::MultiGzDecoder::new(packed.as_slice())
            .read_to_end(&mut bytes)
            .ok();
    }
    let Ok(text) = String::from_utf8(bytes) else {
        return Vec::new();
    };
    let Some(list) = text
        .find("traceEvents\"")
        .map_or_else(|| text.find('['), |at| text[at..].find('[').map(|i| at + i))
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut at = list + 1;
    while let Some(start) = text[at..]
        .find(|c: char| !c.is_whitespace() && c != ',')
        .map(|i| at + i)
    {
        if !text[start..].starts_with('{') {
            break;
        }
        let Scan::Complete(len) = scan::value(&text.as_bytes()[start..]) else {
            break;
        };
        found.push(text[start..start + len].to_owned());
        at = start + len;
    }
    found
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_traces")
}

#[test]
fn both_readers_agree_on_every_real_event() {
    let mut files = Vec::new();
    files_below(&samples(), &mut files);
    let real = std::env::var_os("OVERLANE_TRACES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
        PathBuf::from,
    );
    if real.is_dir() {
        files_below(&real, &mut files);
    } else {
        println!("skipped: no real traces at {}", real.display());
    }
    let (mut all, mut sure) = (0, 0);
    for text in files.iter().flat_map(|f| event_texts(f)) {
        all += 1;
        sure += usize::from(compare(&text));
    }
    // Refusing everything would agree as well; real events are hardly ever refused.
    assert!(all > 3_000 && sure * 1_000 >= all * 999, "{sure} of {all}");
}

#[test]
fn both_readers_agree_on_mutated_events() {
    let texts = event_texts(&samples().join("bucketed_ddp/rank-0.json"));
    let alphabet = b"\"\\{}[]:,0123456789-+.eEtruefalsnN \n\t\x01x";
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % u64::try_from(below).unwrap()).unwrap()
    };
    let mut accepted = 0;
    for _ in 0..60_000 {
        let mut bytes = texts[random(texts.len())].clone().into_bytes();
        for _ in 0..=random(3) {
            let at = random(bytes.len());
            match random(3) {
                0 => bytes[at] = alphabet[random(alphabet.len())],
                1 => bytes.insert(at, alphabet[random(alphabet.len())]),
                _ => {
                    bytes.remove(at);
                }
            }
        }
        if let Ok(text) = String::from_utf8(bytes) {
            accepted += usize::from(compare(&text));
        }
    }
    assert!(accepted > 5_000, "{accepted}");
}
