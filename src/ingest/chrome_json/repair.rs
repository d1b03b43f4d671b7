//! Mends the text of one damaged event so that a strict reader can take it.
//!
//! The repair reads leniently and writes strict JSON: quotes and backslashes inside names, raw
//! line breaks and control bytes, bytes that are not UTF-8, bare words such as `NaN`, missing
//! closing brackets. It looks at one event only, so whatever it gets wrong costs that event.

use super::scan::skip_white;

/// How deep values may nest; what lies deeper is written as `null`.
const MAX_DEPTH: usize = 96;

/// A mended event, and what had to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Repaired {
    /// Strict JSON.
    pub(super) json: String,
    /// Quotes, escapes, brackets or separators were mended.
    pub(super) mended: bool,
    /// Bytes that are not UTF-8 were replaced.
    pub(super) replaced_bytes: bool,
    /// Bare words were written as `null`.
    pub(super) bare_words: bool,
}

/// Mends an event's text; `None` where it is no object or nothing is left of it.
pub(super) fn repair(text: &[u8]) -> Option<Repaired> {
    let decoded = String::from_utf8_lossy(text);
    let mut writer = Mender {
        text: decoded.as_bytes(),
        at: 0,
        out: Repaired {
            replaced_bytes: matches!(decoded, std::borrow::Cow::Owned(_)),
            ..Repaired::default()
        },
    };
    writer.skip_white();
    if writer.peek() != Some(b'{') {
        return None;
    }
    writer.object(0);
    writer.skip_white();
    // Whatever is left belongs to nothing.
    writer.out.mended |= writer.at < writer.text.len();
    Some(writer.out)
}

struct Mender<'a> {
    text: &'a [u8],
    at: usize,
    out: Repaired,
}

/// What a string is followed by when it really ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Key,
    InObject,
    InArray,
}

impl Mender<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_white(&mut self) {
        self.at = skip_white(self.text, self.at);
    }

    fn value(&mut self, role: Role, depth: usize) {
        self.skip_white();
        match self.peek() {
            Some(b'{') if depth < MAX_DEPTH => self.object(depth),
            Some(b'[') if depth < MAX_DEPTH => self.array(depth),
            Some(b'"') => self.string(role),
            Some(b'{' | b'[') => {
                self.out.json.push_str("null");
                self.out.mended = true;
                self.at = match super::scan::value(self.text.get(self.at..).unwrap_or(&[])) {
                    super::scan::Scan::Complete(len) => self.at + len,
                    super::scan::Scan::Incomplete => self.text.len(),
                };
            }
            Some(b',' | b'}' | b']') | None => {
                self.out.json.push_str("null");
                self.out.mended = true;
            }
            Some(_) => self.bare(),
        }
    }

    fn object(&mut self, depth: usize) {
        self.at += 1;
        self.out.json.push('{');
        let mut first = true;
        loop {
            self.separators(first);
            match self.peek() {
                Some(b'"') => {}
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                None => {
                    self.out.mended = true;
                    break;
                }
                Some(_) => {
                    // Text where a key should be: pass it.
                    self.out.mended = true;
                    self.at += 1;
                    continue;
                }
            }
            if !first {
                self.out.json.push(',');
            }
            first = false;
            self.string(Role::Key);
            self.out.json.push(':');
            self.skip_white();
            if self.peek() == Some(b':') {
                self.at += 1;
                self.value(Role::InObject, depth + 1);
            } else {
                self.out.mended = true;
                self.out.json.push_str("null");
            }
        }
        self.out.json.push('}');
    }

    fn array(&mut self, depth: usize) {
        self.at += 1;
        self.out.json.push('[');
        let mut first = true;
        loop {
            self.separators(first);
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                // An object's end inside a list: the list's own bracket is missing.
                Some(b'}') | None => {
                    self.out.mended = true;
                    break;
                }
                Some(_) => {}
            }
            if !first {
                self.out.json.push(',');
            }
            first = false;
            self.value(Role::InArray, depth + 1);
        }
        self.out.json.push(']');
    }

    /// Passes white space and commas; anything but one comma between values was mended.
    fn separators(&mut self, first: bool) {
        let mut commas = 0;
        loop {
            self.skip_white();
            if self.peek() != Some(b',') {
                break;
            }
            commas += 1;
            self.at += 1;
        }
        let closing = matches!(self.peek(), Some(b'}' | b']') | None);
        let expected = usize::from(!first && !closing);
        self.out.mended |= commas != expected;
    }

    fn string(&mut self, role: Role) {
        self.at += 1;
        self.out.json.push('"');
        let mut run = self.at;
        loop {
            let Some(byte) = self.peek() else {
                self.copy(run);
                self.out.mended = true;
                break;
            };
            match byte {
                b'"' if closes(self.text, self.at + 1, role) => {
                    self.copy(run);
                    self.at += 1;
                    break;
                }
                b'"' => self.replace(&mut run, 1, "\\\""),
                b'\\' => self.backslash(&mut run, role),
                0..0x20 => {
                    let escape = format!("\\u{byte:04x}");
                    self.replace(&mut run, 1, &escape);
                }
                _ => self.at += 1,
            }
        }
        self.out.json.push('"');
    }

    fn backslash(&mut self, run: &mut usize, role: Role) {
        match self.text.get(self.at + 1) {
            // A path that ends in a backslash: the quote is the string's end.
            Some(b'"') if surely_closes(self.text, self.at + 2, role) => {
                self.replace(run, 1, "\\\\");
            }
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') if is_hex4(self.text, self.at + 2) => self.at += 6,
            _ => self.replace(run, 1, "\\\\"),
        }
    }

    /// Copies the text since `run` up to here; it is valid UTF-8 since it is cut at ASCII only.
    fn copy(&mut self, run: usize) {
        let part = self.text.get(run..self.at).unwrap_or(&[]);
        self.out.json.push_str(&String::from_utf8_lossy(part));
    }

    fn replace(&mut self, run: &mut usize, len: usize, with: &str) {
        self.copy(*run);
        self.out.json.push_str(with);
        self.out.mended = true;
        self.at += len;
        *run = self.at;
    }

    /// A number, a literal, or a word that JSON does not have.
    fn bare(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or(&[]);
        let len = rest
            .iter()
            .position(|b| matches!(b, b',' | b'}' | b']'))
            .unwrap_or(rest.len());
        let word = rest.get(..len).unwrap_or(&[]).trim_ascii();
        let word = std::str::from_utf8(word).unwrap_or("");
        self.at += len;
        let strict = match word {
            "True" => "true",
            "False" => "false",
            "None" => "null",
            _ => word,
        };
        if serde_json::from_str::<&serde_json::value::RawValue>(strict).is_ok() {
            self.out.mended |= strict != word;
            self.out.json.push_str(strict);
        } else {
            self.out.bare_words = true;
            self.out.json.push_str("null");
        }
    }
}

/// Whether a quote before `from` can be the end of a string in this role.
fn closes(text: &[u8], from: usize, role: Role) -> bool {
    let at = skip_white(text, from);
    match (text.get(at), role) {
        (Some(b':'), Role::Key)
        | (None | Some(b'}'), Role::InObject)
        | (None | Some(b']' | b','), Role::InArray) => true,
        (Some(b','), Role::InObject) => {
            let next = skip_white(text, at + 1);
            matches!(text.get(next), Some(b'}') | None) || is_key(text, next)
        }
        // The comma before the next key is missing.
        (Some(b'"'), Role::InObject) => is_key(text, at),
        _ => false,
    }
}

/// The same for a quote behind a backslash, where being wrong is likelier: only a following key or
/// the end of the event decides.
fn surely_closes(text: &[u8], from: usize, role: Role) -> bool {
    let at = skip_white(text, from);
    match (text.get(at), role) {
        (Some(b','), Role::InObject) => is_key(text, skip_white(text, at + 1)),
        (Some(b'}'), Role::InObject) => {
            let next = skip_white(text, at + 1);
            matches!(text.get(next), None | Some(b'}' | b','))
        }
        _ => false,
    }
}

/// `"word" :` with a word of usual length.
fn is_key(text: &[u8], from: usize) -> bool {
    const LONGEST_KEY: usize = 80;
    let Some(rest) = text.get(from..).and_then(|t| t.strip_prefix(b"\"")) else {
        return false;
    };
    let head = rest.get(..LONGEST_KEY).unwrap_or(rest);
    let Some(end) = memchr::memchr(b'"', head) else {
        return false;
    };
    let colon = skip_white(rest, end + 1);
    rest.get(colon) == Some(&b':')
}

fn is_hex4(text: &[u8], from: usize) -> bool {
    text.get(from..from + 4)
        .is_some_and(|t| t.iter().all(u8::is_ascii_hexdigit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(text: &[u8]) -> serde_json::Value {
        let repaired = repair(text).unwrap();
        serde_json::from_str(&repaired.json).unwrap_or_else(|e| panic!("{e}: {}", repaired.json))
    }

    #[test]
    fn quotes_inside_names_are_kept() {
        let v = mended(br#"{"name": "a "b" c", "ph": "X", "ts": 1}"#);
        assert_eq!(v["name"], "a \"b\" c");
        assert_eq!(v["ph"], "X");
        let v = mended(br#"{"name":"f("x", "y")","ph":"X"}"#);
        assert_eq!(v["name"], "f(\"x\", \"y\")");
        let v = mended(br#"{"ph":"X","name":"odd " quote"}"#);
        assert_eq!(v["name"], "odd \" quote");
    }

    #[test]
    fn backslashes_and_control_bytes_are_kept() {
        let v = mended(br#"{"name":"C:\path\new","ph":"X"}"#);
        assert_eq!(v["name"], "C:\\path\new");
        let v = mended(br#"{"name":"C:\dir\","ph":"X"}"#);
        assert_eq!(v["name"], "C:\\dir\\");
        let v = mended(b"{\"name\":\"two\nlines\t\x01\",\"ph\":\"X\"}");
        assert_eq!(v["name"], "two\nlines\t\u{1}");
        let v = mended(br#"{"name":"\u12","ph":"X"}"#);
        assert_eq!(v["name"], "\\u12");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let repaired = repair(b"{\"name\":\"a\xff\xfeb\"}").unwrap();
        assert!(repaired.replaced_bytes && !repaired.mended);
        assert_eq!(mended(b"{\"name\":\"a\xffb\"}")["name"], "a\u{fffd}b");
    }

    #[test]
    fn bare_words_become_empty() {
        for word in ["NaN", "Infinity", "-Infinity", "inf", "-inf", "nan", "N/A"] {
            let text = format!(r#"{{"ts":1,"args":{{"x":{word},"y":[{word},2]}},"dur":{word}}}"#);
            let v = mended(text.as_bytes());
            assert!(v["dur"].is_null() && v["args"]["x"].is_null(), "{word}");
            assert_eq!(v["args"]["y"][1], 2);
            assert!(repair(text.as_bytes()).unwrap().bare_words);
        }
    }

    #[test]
    fn missing_brackets_and_separators_are_added() {
        let v = mended(br#"{"ph":"X" "ts":1,,"args":{"a":[1,2,"b":{"c":1}"#);
        assert_eq!(v["ts"], 1);
        assert_eq!(v["args"]["a"][1], 2);
        let v = mended(br#"{"ph":"X","args":{"a":1}"#);
        assert_eq!(v["args"]["a"], 1);
        assert!(mended(br#"{"ph":,"x"}"#)["ph"].is_null());
    }

    #[test]
    fn deep_nesting_is_cut() {
        let mut text = br#"{"ph":"X","args":"#.to_vec();
        text.extend(vec![b'['; 200_000]);
        let v = mended(&text);
        assert_eq!(v["ph"], "X");
    }

    #[test]
    fn whole_events_pass_unchanged() {
        let repaired = repair(br#"{"a": [1, {"b": "c\\\"d"}], "e": null}"#).unwrap();
        assert!(!repaired.mended && !repaired.bare_words && !repaired.replaced_bytes);
        assert_eq!(repaired.json, r#"{"a":[1,{"b":"c\\\"d"}],"e":null}"#);
    }
}
