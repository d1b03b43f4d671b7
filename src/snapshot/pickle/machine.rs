//! The machine: a stack, marks and a memo, driven by one opcode after the other.

mod recurring;
mod stored;

use super::memo::Memo;
use super::number::{Whole, decimal, float, little_endian};
use super::runs::Runs;
use super::shapes::Shapes;
use super::text::{raw_unicode, unquoted};
use super::{Builder, Input, PickleError, Refusal, Value, opcode as op};

/// How many marks may be open: containers that are being filled within each other.
const MAX_DEPTH: usize = 1_000;
/// Memory that is always allowed, and how many bytes may be held for each that was read.
const FREE_MEMORY: u64 = 256 << 20;
const PER_BYTE: u64 = 32;
/// Memory is looked at every so many opcodes; long texts count as many.
const LOOK_EVERY: u64 = 1 << 16;
const BYTES_OF_ONE: u64 = 64;
/// A value on the stack or in the memo.
const VALUE_BYTES: u64 = 16;
/// The newest protocol there is.
const NEWEST: u8 = 5;

/// Reads one pickle up to its end and gives the value that it leaves. With a limit, what is held takes
/// half of it at most: the other half is for what is made of it.
pub(in crate::snapshot) fn run<B: Builder>(
    input: &mut Input,
    builder: &mut B,
    limit: Option<u64>,
) -> Result<Value, PickleError> {
    let mut machine = Machine {
        input,
        builder,
        stack: Vec::new(),
        marks: Vec::new(),
        memo: Memo::default(),
        runs: Runs::default(),
        shapes: Shapes::default(),
        code: 0,
        byte: 0,
    };
    let mut until_look = LOOK_EVERY;
    loop {
        if let Some(result) = machine.step()? {
            return Ok(result);
        }
        let read = machine.input.position() - machine.byte;
        until_look = until_look.saturating_sub(1 + read / BYTES_OF_ONE);
        if until_look == 0 {
            machine.check_memory(limit)?;
            until_look = LOOK_EVERY;
        }
    }
}

struct Machine<'a, B> {
    input: &'a mut Input,
    builder: &'a mut B,
    stack: Vec<Value>,
    /// How long the stack was at each open mark.
    marks: Vec<usize>,
    memo: Memo,
    runs: Runs,
    shapes: Shapes,
    /// The opcode at work and where it stands.
    code: u8,
    byte: u64,
}

impl<B: Builder> Machine<'_, B> {
    fn step(&mut self) -> Result<Option<Value>, PickleError> {
        self.byte = self.input.position();
        self.code = self.input.byte()?;
        match self.code {
            // Most of a snapshot: frames of stacks, and keys of events.
            op::LONG_BINGET => {
                let index = u64::from(u32::from_le_bytes(self.input.array()?));
                self.recall(index)?;
            }
            op::BINGET => {
                let index = u64::from(self.input.byte()?);
                self.recall(index)?;
            }
            op::STOP => return self.pop().map(Some),
            op::MARK => {
                if self.marks.len() >= MAX_DEPTH {
                    return Err(PickleError::TooDeep {
                        limit: MAX_DEPTH,
                        byte: self.byte,
                    });
                }
                match self.stack.last().copied() {
                    Some(Value::List(_)) if self.run()? => {}
                    Some(Value::Dict(_)) => self.recurring(),
                    _ => self.marks.push(self.stack.len()),
                }
            }
            op::PROTO => {
                let protocol = self.input.byte()?;
                if protocol > NEWEST {
                    let byte = self.byte;
                    return Err(PickleError::Protocol { protocol, byte });
                }
            }
            // Frames only tell how much to read ahead.
            op::FRAME => {
                self.input.array::<8>()?;
            }
            op::POP => {
                if self.marks.last() == Some(&self.stack.len()) {
                    self.marks.pop();
                } else {
                    self.pop()?;
                }
            }
            op::POP_MARK => {
                let from = self.mark()?;
                self.stack.truncate(from);
            }
            op::DUP => {
                let top = self.top()?;
                self.stack.push(top);
            }
            op::NONE => self.stack.push(Value::None),
            op::NEWTRUE => self.stack.push(Value::Bool(true)),
            op::NEWFALSE => self.stack.push(Value::Bool(false)),
            op::MEMOIZE | op::PUT | op::BINPUT | op::LONG_BINPUT | op::GET => self.memo()?,
            op::BININT
            | op::BININT1
            | op::BININT2
            | op::LONG1
            | op::LONG4
            | op::INT
            | op::LONG
            | op::BINFLOAT
            | op::FLOAT => self.number()?,
            code => {
                if !self.container()? && !self.text()? {
                    let byte = self.byte;
                    return Err(match op::refused(code) {
                        Some(opcode) => PickleError::RunsCode { opcode, byte },
                        None => PickleError::NoOpcode { code, byte },
                    });
                }
            }
        }
        Ok(None)
    }

    /// Lists, dictionaries, tuples and sets; `false` for any other opcode.
    #[inline]
    fn container(&mut self) -> Result<bool, PickleError> {
        match self.code {
            op::EMPTY_LIST | op::EMPTY_SET => {
                let made = self.builder.list();
                self.push_made(made)?;
            }
            op::EMPTY_DICT => {
                let made = self.builder.dict();
                self.push_made(made)?;
            }
            op::EMPTY_TUPLE => self.tuple(self.stack.len())?,
            op::TUPLE1 => self.tuple_of(1)?,
            op::TUPLE2 => self.tuple_of(2)?,
            op::TUPLE3 => self.tuple_of(3)?,
            op::TUPLE | op::FROZENSET => {
                let from = self.mark()?;
                self.tuple(from)?;
            }
            op::LIST => {
                let from = self.mark()?;
                let made = self.builder.list().map_err(|r| self.refuse(r))?;
                self.append(made, from)?;
                self.stack.push(made);
            }
            op::DICT => {
                let from = self.mark()?;
                let made = self.builder.dict().map_err(|r| self.refuse(r))?;
                self.set_items(made, from)?;
                self.stack.push(made);
            }
            op::APPEND => {
                let from = self.below(1)?;
                let list = self.under(from)?;
                self.append(list, from)?;
            }
            op::APPENDS | op::ADDITEMS => {
                let from = self.mark()?;
                let list = self.under(from)?;
                self.append(list, from)?;
            }
            op::SETITEM => {
                let from = self.below(2)?;
                let dict = self.under(from)?;
                self.set_items(dict, from)?;
            }
            op::SETITEMS => {
                let from = self.mark()?;
                let dict = self.under(from)?;
                self.set_items(dict, from)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Texts and bytes; `false` for any other opcode.
    #[inline]
    fn text(&mut self) -> Result<bool, PickleError> {
        let length = match self.code {
            op::SHORT_BINUNICODE | op::SHORT_BINSTRING | op::SHORT_BINBYTES => {
                u64::from(self.input.byte()?)
            }
            op::BINUNICODE | op::BINBYTES | op::BINSTRING => {
                u64::from(u32::from_le_bytes(self.input.array()?))
            }
            op::BINUNICODE8 | op::BINBYTES8 | op::BYTEARRAY8 => {
                u64::from_le_bytes(self.input.array()?)
            }
            op::UNICODE | op::STRING => {
                let line = self.input.line()?;
                let made = match self.code {
                    op::UNICODE => self.builder.text(&raw_unicode(line)),
                    _ => self.builder.text(unquoted(line)),
                };
                self.push_made(made)?;
                return Ok(true);
            }
            _ => return Ok(false),
        };
        let made = self.builder.text(self.input.slice(length)?);
        self.push_made(made)?;
        Ok(true)
    }

    fn number(&mut self) -> Result<(), PickleError> {
        let bad = PickleError::Number { byte: self.byte };
        let whole = match self.code {
            op::BININT1 => Whole::Small(i64::from(self.input.byte()?)),
            op::BININT2 => Whole::Small(i64::from(u16::from_le_bytes(self.input.array()?))),
            op::BININT => Whole::Small(i64::from(i32::from_le_bytes(self.input.array()?))),
            op::LONG1 => {
                let length = u64::from(self.input.byte()?);
                little_endian(self.input.slice(length)?)
            }
            op::LONG4 => {
                let length = i32::from_le_bytes(self.input.array()?);
                let length = u64::try_from(length).map_err(|_negative| bad)?;
                little_endian(self.input.slice(length)?)
            }
            op::LONG => decimal(self.input.line()?).ok_or(bad)?,
            op::INT => match self.input.line()? {
                b"00" => return self.push(Value::Bool(false)),
                b"01" => return self.push(Value::Bool(true)),
                text => decimal(text).ok_or(bad)?,
            },
            op::FLOAT => {
                let number = float(self.input.line()?).ok_or(bad)?;
                return self.push(Value::Float(number));
            }
            _ => {
                let number = f64::from_be_bytes(self.input.array()?);
                return self.push(Value::Float(number));
            }
        };
        match whole {
            Whole::Small(number) => self.push(Value::Int(number)),
            Whole::Huge => self.push(Value::Huge),
            Whole::Wide(number) => {
                let made = self.builder.wide(number);
                self.push_made(made)
            }
        }
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the last step of functions that may fail before it"
    )]
    fn push(&mut self, value: Value) -> Result<(), PickleError> {
        self.stack.push(value);
        Ok(())
    }

    fn push_made(&mut self, made: Result<Value, Refusal>) -> Result<(), PickleError> {
        let value = made.map_err(|r| self.refuse(r))?;
        self.push(value)
    }

    fn tuple_of(&mut self, items: usize) -> Result<(), PickleError> {
        let from = self.below(items)?;
        self.tuple(from)
    }

    /// Makes a tuple of what stands on the stack from a place on.
    fn tuple(&mut self, from: usize) -> Result<(), PickleError> {
        let made = self.builder.tuple(self.stack.get(from..).unwrap_or(&[]));
        self.stack.truncate(from);
        self.push_made(made)
    }

    fn append(&mut self, list: Value, from: usize) -> Result<(), PickleError> {
        let items = self.stack.get(from..).unwrap_or(&[]);
        let done = self.builder.append(list, items);
        self.stack.truncate(from);
        done.map_err(|r| self.refuse(r))
    }

    fn set_items(&mut self, dict: Value, from: usize) -> Result<(), PickleError> {
        let pairs = self.stack.get(from..).unwrap_or(&[]);
        if !pairs.len().is_multiple_of(2) {
            return Err(self.no_stack());
        }
        let done = self.builder.set_items(dict, pairs);
        self.stack.truncate(from);
        done.map_err(|r| self.refuse(r))
    }

    /// The lowest place of the stack that may be touched: above the last mark.
    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn pop(&mut self) -> Result<Value, PickleError> {
        if self.stack.len() > self.floor() {
            self.stack.pop().ok_or_else(|| self.no_stack())
        } else {
            Err(self.no_stack())
        }
    }

    fn top(&self) -> Result<Value, PickleError> {
        let from = self.below(1)?;
        self.stack.get(from).copied().ok_or_else(|| self.no_stack())
    }

    /// The place of the first of so many values at the top.
    fn below(&self, count: usize) -> Result<usize, PickleError> {
        self.stack
            .len()
            .checked_sub(count)
            .filter(|from| *from >= self.floor())
            .ok_or_else(|| self.no_stack())
    }

    /// The value right below a place: what the values from there on go into.
    fn under(&self, from: usize) -> Result<Value, PickleError> {
        from.checked_sub(1)
            .filter(|place| *place >= self.floor())
            .and_then(|place| self.stack.get(place))
            .copied()
            .ok_or_else(|| self.no_stack())
    }

    /// Closes the last mark; gives its place.
    fn mark(&mut self) -> Result<usize, PickleError> {
        self.marks.pop().ok_or_else(|| self.no_stack())
    }

    fn no_stack(&self) -> PickleError {
        PickleError::Stack {
            opcode: op::name(self.code),
            byte: self.byte,
        }
    }

    fn refuse(&self, refusal: Refusal) -> PickleError {
        let byte = self.byte;
        match refusal {
            Refusal::NotAContainer => self.no_stack(),
            Refusal::Changed => PickleError::Changed { byte },
            Refusal::TooMany => PickleError::TooLarge { byte },
        }
    }

    fn check_memory(&self, limit: Option<u64>) -> Result<(), PickleError> {
        let stack = u64::try_from(self.stack.capacity()).unwrap_or(0) * VALUE_BYTES;
        let held = stack + self.memo.held() + self.runs.held() + self.builder.held();
        let byte = self.input.position();
        if held > FREE_MEMORY.saturating_add(byte.saturating_mul(PER_BYTE)) {
            return Err(PickleError::TooLarge { byte });
        }
        match limit {
            Some(limit) if held > limit / 2 => Err(PickleError::Memory {
                byte,
                need: held.saturating_mul(2),
                limit,
            }),
            _ => Ok(()),
        }
    }
}
