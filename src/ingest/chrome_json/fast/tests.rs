//! The fast reader against the strict one: examples, mutated events, every real trace at hand.

use super::super::scan::{self, Scan};
use super::agree::{compare, compare_with, read};
use super::*;
use std::io::Read as _;
use std::path::{Path, PathBuf};

fn event(text: &str, from: usize) -> Step<(RawEvent<'_>, usize)> {
    read(&mut Scanner::default(), text, from)
}

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

/// Of other operators nobody looks at what stands behind the external id.
#[test]
fn the_record_of_a_collective_call_is_read_to_its_end() {
    let of = |name: &str, rest: &str| {
        format!(
            r#"{{"ph":"X","cat":"cpu_op","name":"{name}","args":{{"External id":4,"dtype":"Float",{rest}}},"ts":1}}{}"#,
            " ".repeat(80)
        )
    };
    let (good, damaged) = (
        r#""Seq":5,"Collective name":"allreduce""#,
        r#""Seq":5:"x":6"#,
    );
    let other = of("aten::mm", damaged);
    assert!(event(&other, 0).is_ok());
    let record = of("record_param_comms", good);
    let (read, _) = event(&record, 0).unwrap();
    assert_eq!(read.wanted_args(), Wanted::Message);
    let args = read.known_args.unwrap();
    assert_eq!(args.external, Some("4"));
    assert_eq!(args.collective, Some("\"allreduce\""));
    let record = of("record_param_comms", damaged);
    assert_eq!(event(&record, 0).err(), Some(Unsure));
    // A name behind the args comes too late to read them by.
    let late =
        r#"{"ph":"X","cat":"cpu_op","args":{"External id":4,"Seq":5},"name":"record_param_comms"}"#;
    assert_eq!(event(late, 0).err(), Some(Unsure));
    assert!(compare(of("record_param_comms", good).trim_end()));
}

/// Of other instants nobody looks at the args.
#[test]
fn what_allocators_tell_is_read_to_its_end() {
    let of = |name: &str, args: &str| {
        format!(
            r#"{{"ph":"i","cat":"cpu_instant_event","name":"{name}","ts":1,"args":{{{args}}}}}{}"#,
            " ".repeat(80)
        )
    };
    let (good, damaged) = (r#""Bytes": 5, "Addr": 7"#, r#""Bytes": 5:"Addr": 7"#);
    assert!(event(&of("mark", damaged), 0).is_ok());
    assert_eq!(event(&of("[memory]", damaged), 0).err(), Some(Unsure));
    let text = of("[memory]", good);
    let (read, _) = event(&text, 0).unwrap();
    assert_eq!(read.wanted_args(), Wanted::Memory);
    let mut found = Vec::new();
    let args = read.args.unwrap();
    members(args, |key, value| found.push((key.to_vec(), value))).unwrap();
    assert_eq!(found, [(b"Bytes".to_vec(), "5"), (b"Addr".to_vec(), "7")]);
    let late = r#"{"ph":"i","cat":"a","args":{"Bytes":5},"name":"[memory]"}"#;
    assert_eq!(event(late, 0).err(), Some(Unsure));
    assert!(compare(text.trim_end()));
}

#[test]
fn args_that_nobody_asks_for_may_be_damaged_in_any_way() {
    for args in [
        r#""x":1,,"y":2"#,
        r#""x",02"#,
        r#""x":1 "y":2"#,
        r#""block": [512, 0, 1], "blocroadcast",02310912, "Device Id": 0"#,
    ] {
        for (cat, key) in [("cpu_instant_event", "id"), ("cpu_inst(a<b>)", "pIIIIIIid")] {
            let text = format!(
                r#"{{"ph": "i", "cat": "{cat}", "{key}": 1, "tid": 20, "ts": 3.0, "args": {{{args}}}}}"#
            );
            assert!(!compare(&text), "{text}");
        }
    }
}

#[test]
fn keys_in_another_order_than_before_are_found() {
    let mut scanner = Scanner::default();
    for text in [
        r#"{"ph": "X", "cat": "a", "name": "b", "dur": 1}"#,
        r#"{"ph": "X", "cat": "a", "dur": 1, "name": "b"}"#,
        r#"{"name": "b", "dur": 1, "cat": "a", "ph": "X"}"#,
        r#"{"ph":"X","cat":"a","nam":0,"names":1,"name":"b","dur":1}"#,
        "{\"ph\" :\n\"X\",\"cat\": \t\"a\", \"name\" : \"b\",\"dur\":  1}",
    ] {
        let (event, end) = read(&mut scanner, text, 0).unwrap();
        assert_eq!(end, text.len());
        let found = (event.ph, event.cat, event.name, event.dur);
        let wanted = (Some(r#""X""#), Some(r#""a""#), Some(r#""b""#), Some("1"));
        assert_eq!(found, wanted, "{text}");
    }
}

/// An operator with these args behind its id, and much text behind it all.
fn operator(args: &str) -> String {
    let head = r#"{"ph": "X", "cat": "cpu_op", "args": {"External id": 7"#;
    format!("{head}{args}}}, \"dur\": 1}}{}", " ".repeat(80))
}

#[test]
fn args_that_nobody_asks_for_are_passed() {
    for args in [
        "",
        r#", "a": 1"#,
        r#", "a": {"b": [1, 2, {}, []], "c": "}]{[\": ,"}"#,
        r#", "a": [-1.5e-3, true, false, null, 0], "b": {"c": {}}"#,
        "\n,\t\"a\"\r\n:\n [ \n ]\n",
        r#", "External id": 8, "dur": 5"#,
        r#", "a": "0123456789012345678901234567890123456789012345678901234567890123456789", "b": [1]"#,
    ] {
        let text = operator(args);
        let (event, end) = event(&text, 0).unwrap_or_else(|_| panic!("{text}"));
        assert_eq!(text[..end].trim_end(), text.trim_end());
        assert_eq!(event.dur, Some("1"), "{text}");
        assert_eq!(event.known_args.unwrap().external, Some("7"), "{text}");
    }
}

#[test]
fn damage_in_args_that_nobody_asks_for_is_noticed() {
    for args in [
        r#", "a": NaN"#,
        r#", "a": [1, nan]"#,
        r#", "a": -Infinity"#,
        r#", "a": 1-2"#,
        r#", "a": truely"#,
        r#", "a": [1 2]"#,
        r#", "a": 1 "b": 2"#,
        r#", "a": "b" "c": 2"#,
        r#", "a": , "b": 2"#,
        r#", "a": [,1]"#,
        r#" "a": 1"#,
        r#", "a": "b"c", "d": "e""#,
        ", \"a\": \"b\nc\"",
        r#", "a": "\d""#,
        r#", "a": [1"#,
        r#", "a": 1]"#,
    ] {
        let text = operator(args);
        assert_eq!(event(&text, 0).err(), Some(Unsure), "{text}");
    }
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
    let mut scanner = Scanner::default();
    for _ in 0..120_000 {
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
            accepted += usize::from(compare_with(&mut scanner, &text));
        }
    }
    assert!(accepted > 10_000, "{accepted}");
}
