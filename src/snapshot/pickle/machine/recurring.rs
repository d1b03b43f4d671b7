//! Dictionaries whose keys come again, read value by value without a turn of the machine for each
//! opcode. Where anything is not as writers mostly have it, the stack is left as single opcodes would
//! have left it, and they go on from there.

use super::super::memo::Memo;
use super::super::runs::{self, Runs};
use super::super::shapes::{MOST_KEYS, Shape, Shapes, outline, sight};
use super::super::{Builder, Value, opcode as op};
use super::Machine;

impl<B: Builder> Machine<'_, B> {
    /// Behind the mark of an empty dictionary's items: reads it, and those like it that follow.
    pub(super) fn recurring(&mut self) {
        let mut ahead = Ahead {
            bytes: self.input.ahead(),
            at: 0,
            builder: &mut *self.builder,
            stack: &mut self.stack,
            memo: &mut self.memo,
            runs: &self.runs,
            values: [Value::None; MOST_KEYS],
            read: 0,
            is_stale: false,
        };
        loop {
            let from = ahead.stack.len();
            if let Some(shape) = ahead.shape(&mut self.shapes) {
                if ahead.items(shape).is_some() {
                    if ahead.next_dict().is_some() {
                        continue;
                    }
                    break;
                }
                ahead.push_read(shape);
            }
            self.marks.push(from);
            break;
        }
        let (read, is_stale) = (ahead.at, ahead.is_stale);
        self.input.pass(read);
        if is_stale {
            self.forget();
        }
    }

    /// What references mean has changed.
    pub(super) fn forget(&mut self) {
        self.runs.clear();
        self.shapes.clear();
    }
}

/// The bytes that were read ahead, and all that they work on. Every function gives `None` where
/// something else stands there; what was passed until then is done.
struct Ahead<'a, B> {
    bytes: &'a [u8],
    /// The first byte that is not done.
    at: usize,
    builder: &'a mut B,
    stack: &'a mut Vec<Value>,
    /// The values of the dictionary at work, and how many there are. An array, since it never grows:
    /// what is pushed onto a vector goes through memory once more.
    values: [Value; MOST_KEYS],
    read: usize,
    memo: &'a mut Memo,
    runs: &'a Runs,
    /// Whether a place of the memo was used again.
    is_stale: bool,
}

impl<B: Builder> Ahead<'_, B> {
    /// The shape of the items that come: one that is known, or a new one.
    #[inline]
    fn shape<'s>(&mut self, shapes: &'s mut Shapes) -> Option<&'s Shape> {
        let dict = *self.stack.last()?;
        if !self.builder.is_empty_dict(dict) {
            return None;
        }
        let first = sight(self.bytes, self.at)?;
        if !shapes.has(first) {
            let mut shape = outline(self.bytes.get(self.at..)?, self.memo)?;
            shape.plan = self.builder.plan(&shape.keys)?;
            shapes.put(shape);
        }
        shapes.last()
    }

    /// The items of a dictionary.
    #[inline]
    fn items(&mut self, shape: &Shape) -> Option<()> {
        self.read = 0;
        for reference in &shape.references {
            let key = reference.length_in(sight(self.bytes, self.at)?)?;
            self.value(self.at + key)?;
        }
        // It could be filled further if something else than its next neighbour or its use came.
        let [op::SETITEMS, next] = *self.bytes.get(self.at..)?.first_chunk()? else {
            return None;
        };
        if !matches!(
            next,
            op::EMPTY_DICT | op::APPENDS | op::APPEND | op::BINGET | op::LONG_BINGET
        ) {
            return None;
        }
        let dict = *self.stack.last()?;
        let values = self.values.get(..self.read)?;
        if !self.builder.fill(dict, shape.plan, values) {
            return None;
        }
        self.at += 1;
        Some(())
    }

    /// Takes the value at a place.
    #[inline]
    fn value(&mut self, at: usize) -> Option<()> {
        let sight = sight(self.bytes, at)?;
        let [code, a, b, c, d, ..] = *sight;
        let four = [a, b, c, d];
        match code {
            op::LONG_BINGET => {
                let stored = self.memo.get(u64::from(u32::from_le_bytes(four)))?;
                self.take(stored, at + 5)
            }
            op::BINGET => {
                let stored = self.memo.get(u64::from(a))?;
                self.take(stored, at + 2)
            }
            op::BININT1 => self.take(Value::Int(i64::from(a)), at + 2),
            op::BININT2 => {
                let number = i64::from(u16::from_le_bytes([a, b]));
                self.take(Value::Int(number), at + 3)
            }
            op::BININT => {
                let number = i64::from(i32::from_le_bytes(four));
                self.take(Value::Int(number), at + 5)
            }
            op::LONG1 => {
                let length = usize::from(a);
                let unused = 64_usize.checked_sub(8 * length).filter(|u| *u < 64)?;
                let [_, _, number @ ..] = *sight;
                let number = i64::from_le_bytes(*number.first_chunk()?);
                // What stands behind the number goes, and its sign comes down.
                let number = (number << unused) >> unused;
                self.take(Value::Int(number), at + 2 + length)
            }
            op::NONE => self.take(Value::None, at + 1),
            op::EMPTY_LIST => self.list(at),
            op::SHORT_BINUNICODE => {
                let end = at + 2 + usize::from(a);
                let made = self.builder.text(self.bytes.get(at + 2..end)?).ok()?;
                self.take(made, end)?;
                self.store(made)
            }
            _ => None,
        }
    }

    /// Takes a value that ends at a place.
    #[inline]
    fn take(&mut self, value: Value, end: usize) -> Option<()> {
        *self.values.get_mut(self.read)? = value;
        self.read += 1;
        self.at = end;
        Some(())
    }

    /// A list that is empty, or filled as one before it was.
    #[inline]
    fn list(&mut self, at: usize) -> Option<()> {
        let list = self.builder.list().ok()?;
        self.take(list, at + 1)?;
        self.store(list)?;
        let behind = self.bytes.get(self.at..)?;
        let [op::MARK, items @ ..] = behind else {
            return Some(());
        };
        let length = runs::length(items)?;
        let known = self.runs.get(items.get(..length)?)?;
        if !self.builder.fill_like(list, known) {
            return None;
        }
        self.at += 1 + length;
        Some(())
    }

    /// Stores a value for later, where that is asked for.
    #[inline]
    fn store(&mut self, value: Value) -> Option<()> {
        let [code, a, b, c, d] = *self.bytes.get(self.at..)?.first_chunk()?;
        let (index, length) = match code {
            op::MEMOIZE => (u64::try_from(self.memo.len()).ok()?, 1),
            op::BINPUT => (u64::from(a), 2),
            op::LONG_BINPUT => (u64::from(u32::from_le_bytes([a, b, c, d])), 5),
            _ => return Some(()),
        };
        self.is_stale = self.memo.put(index, value);
        self.at += length;
        (!self.is_stale).then_some(())
    }

    /// Another dictionary right behind, up to the mark of its items.
    #[inline]
    fn next_dict(&mut self) -> Option<()> {
        let [op::EMPTY_DICT, ..] = *self.bytes.get(self.at..)? else {
            return None;
        };
        let dict = self.builder.dict().ok()?;
        self.stack.push(dict);
        self.at += 1;
        self.store(dict)?;
        let [op::MARK, ..] = *self.bytes.get(self.at..)? else {
            return None;
        };
        self.at += 1;
        Some(())
    }

    /// Pushes what was read of a dictionary, each value behind its key, as single opcodes do.
    #[cold]
    fn push_read(&mut self, shape: &Shape) {
        let read = self.values.iter().take(self.read);
        for (key, value) in shape.keys.iter().zip(read) {
            self.stack.extend([*key, *value]);
        }
    }
}
