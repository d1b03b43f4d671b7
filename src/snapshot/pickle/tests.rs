//! Every opcode by hand, each pickle written byte by byte.

mod shapes;

use super::{Builder, Input, PickleError, Refusal, Value, read_ahead};

/// Keeps everything as text: containers are written out when they are asked for.
#[derive(Default)]
struct Plain {
    texts: Vec<String>,
    wide: Vec<i128>,
    lists: Vec<Vec<Value>>,
    dicts: Vec<Vec<Value>>,
    tuples: Vec<Vec<Value>>,
    plans: Vec<Vec<Value>>,
    /// Nothing is read as a whole: every opcode has its turn.
    one_by_one: bool,
    /// So many dictionaries were read as a whole.
    filled: usize,
}

fn add<T>(all: &mut Vec<T>, item: T) -> u32 {
    all.push(item);
    u32::try_from(all.len() - 1).expect("few")
}

impl Builder for Plain {
    fn text(&mut self, bytes: &[u8]) -> Result<Value, Refusal> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        Ok(Value::Text(add(&mut self.texts, text)))
    }
    fn wide(&mut self, number: i128) -> Result<Value, Refusal> {
        Ok(Value::Wide(add(&mut self.wide, number)))
    }
    fn list(&mut self) -> Result<Value, Refusal> {
        Ok(Value::List(add(&mut self.lists, Vec::new())))
    }
    fn dict(&mut self) -> Result<Value, Refusal> {
        Ok(Value::Dict(add(&mut self.dicts, Vec::new())))
    }
    fn tuple(&mut self, items: &[Value]) -> Result<Value, Refusal> {
        Ok(Value::Tuple(add(&mut self.tuples, items.to_vec())))
    }
    fn append(&mut self, list: Value, items: &[Value]) -> Result<(), Refusal> {
        let Value::List(at) = list else {
            return Err(Refusal::NotAContainer);
        };
        let list = self.lists.get_mut(usize::try_from(at).expect("few"));
        list.expect("made").extend(items);
        Ok(())
    }
    fn set_items(&mut self, dict: Value, pairs: &[Value]) -> Result<(), Refusal> {
        let Value::Dict(at) = dict else {
            return Err(Refusal::NotAContainer);
        };
        let dict = self.dicts.get_mut(usize::try_from(at).expect("few"));
        dict.expect("made").extend(pairs);
        Ok(())
    }
    fn plan(&mut self, keys: &[Value]) -> Option<u32> {
        (!self.one_by_one).then(|| add(&mut self.plans, keys.to_vec()))
    }
    fn is_empty_dict(&self, dict: Value) -> bool {
        matches!(dict, Value::Dict(at) if self.dicts[usize::try_from(at).expect("few")].is_empty())
    }
    fn fill(&mut self, dict: Value, plan: u32, values: &[Value]) -> bool {
        let keys = self.plans[usize::try_from(plan).expect("few")].clone();
        assert_eq!(keys.len(), values.len());
        self.filled += 1;
        let pairs: Vec<Value> = keys
            .iter()
            .zip(values)
            .flat_map(|(k, v)| [*k, *v])
            .collect();
        self.set_items(dict, &pairs).is_ok()
    }
    fn is_empty_list(&self, list: Value) -> bool {
        matches!(list, Value::List(at) if self.lists[usize::try_from(at).expect("few")].is_empty())
    }
    fn fill_like(&mut self, list: Value, other: Value) -> bool {
        let (Value::List(at), Value::List(other)) = (list, other) else {
            return false;
        };
        let other = self.lists[usize::try_from(other).expect("few")].clone();
        self.lists[usize::try_from(at).expect("few")] = other;
        true
    }
    /// Every list counts as one that stays, so that what is filled alike is tested here.
    fn settle(&mut self, _list: Value) -> bool {
        !self.one_by_one
    }
    fn held(&self) -> u64 {
        0
    }
}

impl Plain {
    fn words(&self, value: Value) -> String {
        self.words_within(value, 5)
    }

    /// Containers in so many containers at most: some hold themselves.
    fn words_within(&self, value: Value, depth: usize) -> String {
        let Some(depth) = depth.checked_sub(1) else {
            return "…".to_owned();
        };
        let all = |values: Option<&Vec<Value>>| {
            let values = values.expect("made").iter();
            let words: Vec<String> = values.map(|v| self.words_within(*v, depth)).collect();
            words.join(" ")
        };
        let at = |number: u32| usize::try_from(number).expect("few");
        match value {
            Value::None => "None".to_owned(),
            Value::Bool(yes) => yes.to_string(),
            Value::Int(number) => number.to_string(),
            Value::Wide(n) => self.wide.get(at(n)).expect("made").to_string(),
            Value::Huge => "huge".to_owned(),
            Value::Float(number) => format!("{number:?}"),
            Value::Text(n) => format!("'{}'", self.texts.get(at(n)).expect("made")),
            Value::List(n) => format!("[{}]", all(self.lists.get(at(n)))),
            Value::Dict(n) => format!("{{{}}}", all(self.dicts.get(at(n)))),
            Value::Tuple(n) => format!("({})", all(self.tuples.get(at(n)))),
        }
    }
}

fn run(bytes: &[u8], plain: &mut Plain) -> Result<Value, PickleError> {
    read_ahead(bytes, |blocks| {
        super::run(&mut Input::new(blocks), plain, None)
    })
}

fn read(bytes: &[u8]) -> Result<String, PickleError> {
    let mut plain = Plain::default();
    let value = run(bytes, &mut plain)?;
    Ok(plain.words(value))
}

#[test]
fn numbers() {
    for (bytes, words) in [
        (&b"N."[..], "None"),
        (b"\x88.", "true"),
        (b"\x89.", "false"),
        (b"K\xff.", "255"),
        (b"M\x01\x02.", "513"),
        (b"J\xfe\xff\xff\xff.", "-2"),
        (b"I-12\n.", "-12"),
        (b"I01\n.", "true"),
        (b"I00\n.", "false"),
        (b"I9223372036854775808\n.", "9223372036854775808"),
        (b"L34L\n.", "34"),
        (b"\x8a\x00.", "0"),
        (b"\x8a\x01\xff.", "-1"),
        (b"\x8a\x02\xff\x00.", "255"),
        (
            b"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00.",
            "18446744073709551615",
        ),
        (b"\x8a\x12\x07\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0.", "7"),
        (b"\x8a\x11\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\0.", "huge"),
        (b"\x8b\x01\0\0\0\x05.", "5"),
        (b"G\x3f\xf8\0\0\0\0\0\0.", "1.5"),
        (b"F-2.5\n.", "-2.5"),
    ] {
        assert_eq!(read(bytes).as_deref(), Ok(words), "{bytes:?}");
    }
    for bytes in [&b"Ix\n."[..], b"L\n.", b"Fx\n.", b"g-1\n."] {
        assert_eq!(read(bytes), Err(PickleError::Number { byte: 0 }));
    }
}

#[test]
fn texts() {
    for bytes in [
        &b"\x8c\x02hi."[..],
        b"X\x02\0\0\0hi.",
        b"\x8d\x02\0\0\0\0\0\0\0hi.",
        b"Vhi\n.",
        b"T\x02\0\0\0hi.",
        b"U\x02hi.",
        b"S'hi'\n.",
        b"S\"hi\"\r\n.",
        b"B\x02\0\0\0hi.",
        b"C\x02hi.",
        b"\x8e\x02\0\0\0\0\0\0\0hi.",
        b"\x96\x02\0\0\0\0\0\0\0hi.",
    ] {
        assert_eq!(read(bytes).as_deref(), Ok("'hi'"), "{bytes:?}");
    }
    assert_eq!(read(b"U\x01\xff.").as_deref(), Ok("'\u{fffd}'"));
}

#[test]
fn containers() {
    for (bytes, words) in [
        (&b"]."[..], "[]"),
        (b"]K\x01a.", "[1]"),
        (b"](K\x01K\x02e.", "[1 2]"),
        (b"(K\x01K\x02l.", "[1 2]"),
        (b"}.", "{}"),
        (b"}K\x01Ns.", "{1 None}"),
        (b"}(K\x01NK\x02Nu.", "{1 None 2 None}"),
        (b"(K\x01Nd.", "{1 None}"),
        (b").", "()"),
        (b"(K\x01t.", "(1)"),
        (b"N\x85.", "(None)"),
        (b"K\x01K\x02\x86.", "(1 2)"),
        (b"K\x01K\x02K\x03\x87.", "(1 2 3)"),
        (b"\x8f(K\x01K\x02\x90.", "[1 2]"),
        (b"(K\x01\x91.", "(1)"),
    ] {
        assert_eq!(read(bytes).as_deref(), Ok(words), "{bytes:?}");
    }
}

#[test]
fn the_stack_and_the_memo() {
    for (bytes, words) in [
        (&b"\x80\x05\x95\0\0\0\0\0\0\0\0N."[..], "None"),
        (b"K\x01K\x020.", "1"),
        (b"K\x01(0.", "1"),
        (b"K\x01(NN1.", "1"),
        (b"](K\x012e.", "[1 1]"),
        (b"K\x05\x94](h\0h\0e.", "[5 5]"),
        (b"K\x05q\x07](h\x07e.", "[5]"),
        (b"K\x05r\xff\xff\xff\xff0j\xff\xff\xff\xff.", "5"),
        (b"K\x05p300\n0g300\n.", "5"),
        // A place that is used again holds the later value.
        (b"K\x05q\0K\x06q\0](h\0e.", "[6]"),
    ] {
        assert_eq!(read(bytes).as_deref(), Ok(words), "{bytes:?}");
    }
}

#[test]
fn what_has_nothing_to_work_on() {
    for (bytes, opcode) in [
        (&b"."[..], "STOP"),
        (b"0", "POP"),
        (b"1", "POP_MARK"),
        (b"2", "DUP"),
        (b"a", "APPEND"),
        (b"e", "APPENDS"),
        (b"s", "SETITEM"),
        (b"u", "SETITEMS"),
        (b"t", "TUPLE"),
        (b"\x86", "TUPLE2"),
        (b"\x94", "MEMOIZE"),
    ] {
        assert_eq!(read(bytes), Err(PickleError::Stack { opcode, byte: 0 }));
    }
    // Values below a mark are out of reach, and pairs need both halves.
    for bytes in [&b"]N(a."[..], b"N(.", b"}(Nu.", b"N(Ne."] {
        assert!(read(bytes).is_err(), "{bytes:?}");
    }
    let error = read(b"\x80\x06.").expect_err("to come");
    assert_eq!(
        error,
        PickleError::Protocol {
            protocol: 6,
            byte: 0
        }
    );
    let error = read(b"N\xff.").expect_err("no opcode");
    assert_eq!(
        error,
        PickleError::NoOpcode {
            code: 0xff,
            byte: 1
        }
    );
}
