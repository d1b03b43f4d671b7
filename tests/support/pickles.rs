//! A second reader of pickles, and a writer: a plain recursive tree, which shares nothing with the
//! program's. The reader is for pickles that one trusts.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::needless_for_each,
    clippy::too_many_lines,
    reason = "every test file uses its own part of this"
)]

use std::rc::Rc;

/// Any value.
#[derive(Clone, Debug, PartialEq)]
pub enum Any {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Rc<str>),
    List(Vec<Any>),
    Dict(Vec<(Any, Any)>),
    Tuple(Vec<Any>),
    /// A container of the reader, by its place.
    Shared(Rc<std::cell::RefCell<Any>>),
}

impl Any {
    pub fn text_of(text: &str) -> Self {
        Self::Text(text.into())
    }

    pub fn dict(pairs: &[(&str, Self)]) -> Self {
        Self::Dict(
            pairs
                .iter()
                .map(|(k, v)| (Self::text_of(k), v.clone()))
                .collect(),
        )
    }

    pub fn get(&self, key: &str) -> Self {
        match self {
            Self::Shared(inner) => inner.borrow().get(key),
            Self::Dict(pairs) => {
                let found = pairs.iter().rev().find(|(k, _)| *k == Self::text_of(key));
                found.map_or(Self::None, |(_, value)| value.clone())
            }
            _ => Self::None,
        }
    }

    pub fn items(&self) -> Vec<Self> {
        match self {
            Self::Shared(inner) => inner.borrow().items(),
            Self::List(items) | Self::Tuple(items) => items.clone(),
            _ => Vec::new(),
        }
    }

    pub fn int(&self) -> i128 {
        match self {
            Self::Int(number) => *number,
            other => panic!("{other:?} is no number"),
        }
    }

    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            other => panic!("{other:?} is no text"),
        }
    }
}

/// Reads a pickle of protocol 2 to 4.
pub fn parse(bytes: &[u8]) -> Any {
    Reader {
        bytes,
        at: 0,
        memo: Vec::new(),
    }
    .value_stack()
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    memo: Vec<Any>,
}

impl Reader<'_> {
    fn take(&mut self, n: usize) -> &[u8] {
        self.at += n;
        &self.bytes[self.at - n..self.at]
    }

    fn number(&mut self, n: usize) -> usize {
        let bytes = self.take(n);
        bytes
            .iter()
            .rev()
            .fold(0, |sum, b| sum << 8 | usize::from(*b))
    }

    fn text(&mut self, n: usize) -> Any {
        Any::text_of(std::str::from_utf8(self.take(n)).unwrap())
    }

    /// Marks are levels of a stack of stacks.
    fn value_stack(&mut self) -> Any {
        let shared = |any| Any::Shared(Rc::new(std::cell::RefCell::new(any)));
        let mut levels: Vec<Vec<Any>> = vec![Vec::new()];
        loop {
            let code = self.take(1)[0];
            let made = match code {
                b'.' => return levels.pop().unwrap().pop().unwrap(),
                0x80 => {
                    self.take(1);
                    continue;
                }
                0x95 => {
                    self.take(8);
                    continue;
                }
                b'(' => {
                    levels.push(Vec::new());
                    continue;
                }
                0x94 => {
                    let top = levels.last().unwrap().last().unwrap().clone();
                    self.memo.push(top);
                    continue;
                }
                b'e' | b'u' | b'a' | b's' => {
                    let items = match code {
                        b'e' | b'u' => levels.pop().unwrap(),
                        b'a' => vec![levels.last_mut().unwrap().pop().unwrap()],
                        _ => {
                            let level = levels.last_mut().unwrap();
                            level.split_off(level.len() - 2)
                        }
                    };
                    let Any::Shared(into) = levels.last().unwrap().last().unwrap() else {
                        panic!("no container");
                    };
                    match &mut *into.borrow_mut() {
                        Any::List(list) => list.extend(items),
                        Any::Dict(pairs) => {
                            pairs.extend(items.chunks(2).map(|p| (p[0].clone(), p[1].clone())));
                        }
                        other => panic!("{other:?} is no container"),
                    }
                    continue;
                }
                b'N' => Any::None,
                0x88 => Any::Bool(true),
                0x89 => Any::Bool(false),
                b'K' => Any::Int(i128::try_from(self.number(1)).unwrap()),
                b'M' => Any::Int(i128::try_from(self.number(2)).unwrap()),
                b'J' => Any::Int(i32::from_le_bytes(self.take(4).try_into().unwrap()).into()),
                0x8a => {
                    let length = self.number(1);
                    let bytes = self.take(length);
                    let magnitude = bytes
                        .iter()
                        .rev()
                        .fold(0_i128, |sum, b| sum << 8 | i128::from(*b));
                    let negative = bytes.last().is_some_and(|b| *b >= 0x80);
                    Any::Int(magnitude - if negative { 1 << (8 * length) } else { 0 })
                }
                b'G' => Any::Float(f64::from_be_bytes(self.take(8).try_into().unwrap())),
                0x8c => {
                    let length = self.number(1);
                    self.text(length)
                }
                b'X' => {
                    let length = self.number(4);
                    self.text(length)
                }
                b']' => shared(Any::List(Vec::new())),
                b'}' => shared(Any::Dict(Vec::new())),
                b')' => Any::Tuple(Vec::new()),
                0x85..=0x87 => {
                    let level = levels.last_mut().unwrap();
                    let items = level.split_off(level.len() - usize::from(code - 0x84));
                    Any::Tuple(items)
                }
                b'h' => {
                    let place = self.number(1);
                    self.memo[place].clone()
                }
                b'j' => {
                    let place = self.number(4);
                    self.memo[place].clone()
                }
                other => panic!("opcode {other:#x} at {}", self.at),
            };
            levels.last_mut().unwrap().push(made);
        }
    }
}

/// Writes pickles, with the opcodes that Python takes for a protocol.
pub struct Writer {
    protocol: u8,
    out: Vec<u8>,
}

impl Writer {
    pub fn new(protocol: u8) -> Self {
        Self {
            protocol,
            out: Vec::new(),
        }
    }

    pub fn write(mut self, value: &Any) -> Vec<u8> {
        if self.protocol >= 2 {
            self.out.extend([0x80, self.protocol]);
        }
        if self.protocol >= 4 {
            self.out.push(0x95);
            self.out.extend(0_u64.to_le_bytes());
        }
        self.value(value);
        self.out.push(b'.');
        self.out
    }

    fn value(&mut self, value: &Any) {
        match value {
            Any::None => self.out.push(b'N'),
            Any::Bool(yes) if self.protocol >= 2 => {
                self.out.push(if *yes { 0x88 } else { 0x89 });
            }
            Any::Bool(yes) => self.out.extend(if *yes { b"I01\n" } else { b"I00\n" }),
            Any::Int(number) => self.int(*number),
            Any::Float(number) if self.protocol >= 1 => {
                self.out.push(b'G');
                self.out.extend(number.to_be_bytes());
            }
            Any::Float(number) => self.out.extend(format!("F{number}\n").bytes()),
            Any::Text(text) => self.text(text),
            Any::List(items) => {
                if self.protocol == 0 {
                    self.out.extend(b"(l");
                    for item in items {
                        self.value(item);
                        self.out.push(b'a');
                    }
                } else {
                    self.out.extend(b"](");
                    items.iter().for_each(|item| self.value(item));
                    self.out.push(b'e');
                }
            }
            Any::Dict(pairs) => self.dict(pairs),
            Any::Tuple(items) => {
                if self.protocol >= 2 && (1..=3).contains(&items.len()) {
                    items.iter().for_each(|item| self.value(item));
                    self.out.push(0x84 + u8::try_from(items.len()).unwrap());
                } else {
                    self.out.push(b'(');
                    items.iter().for_each(|item| self.value(item));
                    self.out.push(b't');
                }
            }
            Any::Shared(inner) => {
                let inner = inner.borrow().clone();
                self.value(&inner);
            }
        }
    }

    fn dict(&mut self, pairs: &[(Any, Any)]) {
        if self.protocol == 0 {
            self.out.extend(b"(d");
            for (key, value) in pairs {
                self.value(key);
                self.value(value);
                self.out.push(b's');
            }
            return;
        }
        self.out.push(b'}');
        if self.protocol >= 4 {
            self.out.push(0x94);
        }
        // Several batches, as a large dictionary has.
        for batch in pairs.chunks(3) {
            self.out.push(b'(');
            for (key, value) in batch {
                self.value(key);
                self.value(value);
            }
            self.out.push(b'u');
        }
    }

    fn text(&mut self, text: &str) {
        match self.protocol {
            0 => self.out.extend(format!("V{text}\n").bytes()),
            1..=3 => {
                self.out.push(b'X');
                let length = u32::try_from(text.len()).unwrap();
                self.out.extend(length.to_le_bytes());
                self.out.extend(text.bytes());
            }
            _ => {
                self.out.extend([0x8c, u8::try_from(text.len()).unwrap()]);
                self.out.extend(text.bytes());
            }
        }
    }

    fn int(&mut self, number: i128) {
        if self.protocol == 0 {
            let end = if i64::try_from(number).is_ok() {
                ""
            } else {
                "L"
            };
            let code = if end.is_empty() { 'I' } else { 'L' };
            self.out.extend(format!("{code}{number}{end}\n").bytes());
        } else if let Ok(small) = u8::try_from(number) {
            self.out.extend([b'K', small]);
        } else if let Ok(small) = u16::try_from(number) {
            self.out.push(b'M');
            self.out.extend(small.to_le_bytes());
        } else if let Ok(small) = i32::try_from(number) {
            self.out.push(b'J');
            self.out.extend(small.to_le_bytes());
        } else if self.protocol == 1 {
            self.out.extend(format!("L{number}L\n").bytes());
        } else {
            self.out.extend([0x8a, 16]);
            self.out.extend(number.to_le_bytes());
        }
    }
}
