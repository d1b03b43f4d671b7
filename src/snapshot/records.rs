//! What the machine reads becomes records as soon as it is put to use: events, frames, blocks and
//! segments are told by their keys, everything else stays a plain list, dictionary or tuple.
//!
//! A dictionary may be filled by several opcodes. It is looked at when it is put into something else,
//! which no writer does before it is full; filling a record further is refused.

mod seal;
mod values;

use super::events::Events;
use super::keys::Key;
use super::pickle::{Builder, Refusal, Value};
use super::tables::{FrameId, Frames, StackId, Stacks, TextId, Texts};
use super::{BlockState, Notes};
use crate::time::Ns;
use seal::Plan;

/// A dictionary: being filled, looked at, or a record.
#[derive(Clone, Copy, Debug)]
pub(super) enum Dict {
    Empty,
    Open(u32),
    /// Looked at when it was put to use, and no record then.
    Plain(u32),
    /// The same, after everything was read.
    Final(u32),
    Event(u32),
    Frame(u32),
    Block(u32),
    Segment(u32),
    /// A record that lacks what it needs.
    Bad,
}

#[derive(Clone, Copy, Debug)]
enum List {
    Empty,
    Open(u32),
    Stack(StackId),
}

/// The items of a list. Events that follow one another, as in every recording, are a range.
#[derive(Clone, Debug, Default)]
pub(super) struct Items {
    pub(super) events: std::ops::Range<u32>,
    /// What stands behind them.
    pub(super) rest: Vec<Value>,
}

/// A block as the file has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawBlock {
    pub(super) address: Option<u64>,
    pub(super) size: u64,
    pub(super) requested: Option<u64>,
    pub(super) state: BlockState,
    pub(super) stack: StackId,
}

/// A segment as the file has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawSegment {
    pub(super) address: u64,
    pub(super) total: u64,
    pub(super) allocated: Option<u64>,
    pub(super) active: Option<u64>,
    pub(super) device: i64,
    pub(super) stream: i64,
    pub(super) kind: Option<TextId>,
    pub(super) pool: Value,
    pub(super) is_expandable: bool,
    pub(super) stack: StackId,
    pub(super) blocks: Value,
}

/// Stands for the time of an event that has none.
pub(super) const NO_TIME: Ns = Ns::MIN;

#[derive(Debug)]
pub(super) struct Records {
    pub(super) texts: Texts,
    pub(super) frames: Frames,
    pub(super) stacks: Stacks,
    pub(super) events: Events,
    pub(super) blocks: Vec<RawBlock>,
    pub(super) segments: Vec<RawSegment>,
    pub(super) notes: Notes,
    wide: Vec<i128>,
    dicts: Vec<Dict>,
    plans: Vec<Plan>,
    pairs: Vec<Vec<(Value, Value)>>,
    free_pairs: Vec<u32>,
    lists: Vec<List>,
    items: Vec<Items>,
    /// Items whose list has become a stack: their room is used again.
    free_items: Vec<u32>,
    /// The frames of the stack that is being made.
    stack_frames: Vec<FrameId>,
    tuples: Vec<(usize, usize)>,
    tuple_items: Vec<Value>,
    /// Values in lists and dictionaries that are plain.
    values: usize,
}

impl Records {
    pub(super) fn new() -> Self {
        let mut texts = Texts::default();
        for (_, word) in Key::ALL {
            texts.intern(word.as_bytes());
        }
        Self {
            texts,
            frames: Frames::default(),
            stacks: Stacks::default(),
            events: Events::default(),
            blocks: Vec::new(),
            segments: Vec::new(),
            notes: Notes::default(),
            wide: Vec::new(),
            dicts: Vec::new(),
            plans: Vec::new(),
            pairs: Vec::new(),
            free_pairs: Vec::new(),
            lists: Vec::new(),
            items: Vec::new(),
            free_items: Vec::new(),
            stack_frames: Vec::new(),
            tuples: Vec::new(),
            tuple_items: Vec::new(),
            values: 0,
        }
    }

    /// Turns a dictionary that is put to use into the record that its keys tell.
    fn seal(&mut self, value: Value) {
        let Value::Dict(number) = value else {
            return;
        };
        if let Some(Dict::Open(body)) = slot(&self.dicts, number).copied() {
            self.look(number, body);
        }
    }
}

#[inline]
fn slot<T>(all: &[T], number: u32) -> Option<&T> {
    all.get(usize::try_from(number).ok()?)
}

#[inline]
fn slot_mut<T>(all: &mut [T], number: u32) -> Option<&mut T> {
    all.get_mut(usize::try_from(number).ok()?)
}

/// Appends and gives the place.
#[inline]
fn add<T>(all: &mut Vec<T>, item: T) -> Result<u32, Refusal> {
    let number = u32::try_from(all.len()).map_err(|_too_many| Refusal::TooMany)?;
    all.push(item);
    Ok(number)
}

impl Builder for Records {
    fn text(&mut self, bytes: &[u8]) -> Result<Value, Refusal> {
        let text = self.texts.intern(bytes).ok_or(Refusal::TooMany)?;
        Ok(Value::Text(text))
    }

    fn wide(&mut self, number: i128) -> Result<Value, Refusal> {
        add(&mut self.wide, number).map(Value::Wide)
    }

    fn list(&mut self) -> Result<Value, Refusal> {
        add(&mut self.lists, List::Empty).map(Value::List)
    }

    fn dict(&mut self) -> Result<Value, Refusal> {
        add(&mut self.dicts, Dict::Empty).map(Value::Dict)
    }

    fn tuple(&mut self, items: &[Value]) -> Result<Value, Refusal> {
        for item in items {
            self.seal(*item);
        }
        let from = self.tuple_items.len();
        self.tuple_items.extend_from_slice(items);
        add(&mut self.tuples, (from, self.tuple_items.len())).map(Value::Tuple)
    }

    fn append(&mut self, list: Value, items: &[Value]) -> Result<(), Refusal> {
        let Value::List(number) = list else {
            return Err(Refusal::NotAContainer);
        };
        if items.is_empty() {
            return Ok(());
        }
        for item in items {
            self.seal(*item);
        }
        let place = slot_mut(&mut self.lists, number).ok_or(Refusal::NotAContainer)?;
        let body = match place {
            List::Stack(_) => return Err(Refusal::Changed),
            List::Open(body) => *body,
            List::Empty => {
                let body = match self.free_items.pop() {
                    Some(body) => body,
                    None => add(&mut self.items, Items::default())?,
                };
                *place = List::Open(body);
                body
            }
        };
        let body = slot_mut(&mut self.items, body).ok_or(Refusal::TooMany)?;
        for item in items {
            if let Value::Dict(number) = item
                && let Some(Dict::Event(event)) = slot(&self.dicts, *number)
                && body.rest.is_empty()
                && (body.events.is_empty() || body.events.end == *event)
            {
                if body.events.is_empty() {
                    body.events.start = *event;
                }
                body.events.end = *event + 1;
            } else {
                body.rest.push(*item);
                self.values += 1;
            }
        }
        Ok(())
    }

    fn set_items(&mut self, dict: Value, pairs: &[Value]) -> Result<(), Refusal> {
        let Value::Dict(number) = dict else {
            return Err(Refusal::NotAContainer);
        };
        if pairs.is_empty() {
            return Ok(());
        }
        for value in pairs.iter().skip(1).step_by(2) {
            self.seal(*value);
        }
        let place = slot_mut(&mut self.dicts, number).ok_or(Refusal::NotAContainer)?;
        let body = match place {
            Dict::Open(body) | Dict::Plain(body) => *body,
            Dict::Empty => {
                let body = match self.free_pairs.pop() {
                    Some(body) => body,
                    None => add(&mut self.pairs, Vec::new())?,
                };
                *place = Dict::Open(body);
                body
            }
            _ => return Err(Refusal::Changed),
        };
        let body = slot_mut(&mut self.pairs, body).ok_or(Refusal::TooMany)?;
        self.values += pairs.len();
        body.extend(pairs.chunks_exact(2).filter_map(|pair| match pair {
            [key, value] => Some((*key, *value)),
            _ => None,
        }));
        Ok(())
    }

    fn plan(&mut self, keys: &[Value]) -> Option<u32> {
        add(&mut self.plans, Plan::new(keys)?).ok()
    }

    fn is_empty_dict(&self, dict: Value) -> bool {
        matches!(dict, Value::Dict(number) if matches!(slot(&self.dicts, number), Some(Dict::Empty)))
    }

    fn fill(&mut self, dict: Value, plan: u32, values: &[Value]) -> bool {
        for value in values {
            self.seal(*value);
        }
        match dict {
            Value::Dict(number) => self.make_planned(number, plan, values),
            _ => false,
        }
    }

    fn is_empty_list(&self, list: Value) -> bool {
        matches!(list, Value::List(number) if matches!(slot(&self.lists, number), Some(List::Empty)))
    }

    fn fill_like(&mut self, list: Value, other: Value) -> bool {
        let (Value::List(number), Value::List(other)) = (list, other) else {
            return false;
        };
        let stack = match slot(&self.lists, other) {
            Some(List::Stack(stack)) => *stack,
            _ => return false,
        };
        slot_mut(&mut self.lists, number).is_some_and(|list| {
            *list = List::Stack(stack);
            true
        })
    }

    fn settle(&mut self, list: Value) -> bool {
        self.is_all_frames(list) && self.stack(list) != StackId::NONE
    }

    fn held(&self) -> u64 {
        let bytes = |count: usize, each: u64| u64::try_from(count).unwrap_or(0) * each;
        // Vectors of values: their heads, the least that they take, and twice what is in them.
        bytes(self.dicts.capacity() + self.lists.capacity(), 8)
            + bytes(self.pairs.capacity() + self.items.capacity(), 40)
            + bytes(self.pairs.len(), 128)
            + bytes(self.items.len(), 64)
            + bytes(self.values, 32)
            + bytes(
                self.tuples.capacity() + self.tuple_items.capacity() + self.wide.capacity(),
                16,
            )
            + bytes(self.free_pairs.capacity(), 4)
            + bytes(self.plans.len(), 96)
            + bytes(self.segments.capacity(), 112)
            + bytes(self.blocks.capacity(), 48)
            + self.events.held()
            + self.frames.held()
            + self.texts.held()
            + self.stacks.held()
    }
}
