//! From a dictionary to the record that its keys tell.

use super::super::events::{Action, Event};
use super::super::keys::Key;
use super::super::pickle::Value;
use super::super::tables::{Frame, FrameId, StackId, TextId};
use super::super::{BlockState, NoteKind};
use super::values::MOST_KEYS;
use super::{Dict, List, NO_TIME, RawBlock, RawSegment, Records, slot, slot_mut};

/// Room for so many items is kept for the next list.
const MOST_KEPT: usize = 256;
/// So many frames of a stack are kept, the innermost ones.
const MOST_FRAMES: usize = 10_000;

/// What a dictionary is a record of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Event,
    Frame,
    Block,
    Segment,
}

impl Kind {
    /// The kind that keys tell.
    fn of(keys: impl Iterator<Item = Option<Key>>) -> Option<Self> {
        let has = keys.flatten().fold(0, |bits, key| bits | key.bit());
        let all = |keys: &[Key]| keys.iter().all(|key| has & key.bit() != 0);
        if all(&[Key::Action]) {
            Some(Self::Event)
        } else if all(&[Key::Filename, Key::Name, Key::Line]) {
            Some(Self::Frame)
        } else if all(&[Key::State, Key::Size]) {
            Some(Self::Block)
        } else if all(&[Key::Blocks, Key::TotalSize]) {
            Some(Self::Segment)
        } else {
            None
        }
    }
}

/// Keys that recur, in their order, and what they tell.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    kind: Kind,
    keys: Box<[Option<Key>]>,
}

impl Plan {
    /// `None` where the keys are those of no record.
    pub(super) fn new(keys: &[Value]) -> Option<Self> {
        if keys.len() > MOST_KEYS {
            return None;
        }
        let keys: Box<[Option<Key>]> = keys.iter().map(|key| known(*key)).collect();
        let kind = Kind::of(keys.iter().copied())?;
        Some(Self { kind, keys })
    }

    fn pairs<'a>(&'a self, values: &'a [Value]) -> impl Iterator<Item = Pair> + 'a {
        self.keys.iter().copied().zip(values.iter().copied())
    }
}

/// What a key means, where it means anything, and its value.
type Pair = (Option<Key>, Value);

impl Records {
    pub(super) fn look(&mut self, number: u32, body: u32) {
        let Some(pairs) = slot_mut(&mut self.pairs, body).map(std::mem::take) else {
            return;
        };
        let few = pairs.len() <= MOST_KEYS;
        let kind = Kind::of(pairs.iter().take(MOST_KEYS).map(|(key, _)| known(*key)));
        let Some(kind) = kind.filter(|_| few) else {
            if let Some(place) = slot_mut(&mut self.pairs, body) {
                *place = pairs;
            }
            self.set_dict(number, Dict::Plain(body));
            return;
        };
        self.make(
            number,
            kind,
            pairs.iter().map(|(key, of)| (known(*key), *of)),
        );
        self.values -= 2 * pairs.len();
        if let Some(place) = slot_mut(&mut self.pairs, body) {
            // The room is used again for the next dictionary.
            *place = pairs;
            place.clear();
            place.shrink_to(64);
        }
        self.free_pairs.push(body);
    }

    /// Makes an empty dictionary the record that the values of a plan's keys are.
    pub(super) fn make_planned(&mut self, number: u32, plan: u32, values: &[Value]) -> bool {
        // Lent out meanwhile, as making a record needs all else.
        let plans = std::mem::take(&mut self.plans);
        let plan = slot(&plans, plan);
        if let Some(plan) = plan {
            self.make(number, plan.kind, plan.pairs(values));
        }
        let is_made = plan.is_some();
        self.plans = plans;
        is_made
    }

    fn make(&mut self, number: u32, kind: Kind, pairs: impl Iterator<Item = Pair>) {
        let record = match kind {
            Kind::Event => self.event(pairs),
            Kind::Frame => self.frame(pairs),
            Kind::Block => self.block(pairs),
            Kind::Segment => self.segment(pairs),
        };
        if record.is_none() {
            let events = self.events.len();
            self.notes
                .add(NoteKind::BadRecord, 1, || format!("behind {events} events"));
        }
        self.set_dict(number, record.unwrap_or(Dict::Bad));
    }

    fn set_dict(&mut self, number: u32, to: Dict) {
        if let Some(dict) = slot_mut(&mut self.dicts, number) {
            *dict = to;
        }
    }

    fn event(&mut self, pairs: impl Iterator<Item = Pair>) -> Option<Dict> {
        let mut event = Event {
            time: NO_TIME,
            action: Action::Unknown,
            address: 0,
            size: 0,
            stream: 0,
            stack: StackId::NONE,
            metadata: TextId::EMPTY,
        };
        let mut has_address = false;
        for (key, value) in pairs {
            match key {
                Some(Key::Action) => {
                    let word = Self::text_of(value)?;
                    event.action = Action::read(self.texts.get(word));
                    if event.action == Action::Unknown {
                        let word = self.texts.get(word).to_owned();
                        self.notes.add(NoteKind::UnknownAction, 1, || word);
                    }
                }
                Some(Key::Addr | Key::DeviceFree) => {
                    event.address = self.unsigned(value)?;
                    has_address = true;
                }
                Some(Key::Size) => event.size = self.unsigned(value)?,
                Some(Key::Stream) => event.stream = self.signed(value)?,
                Some(Key::TimeUs) => event.time = self.instant(value).unwrap_or(NO_TIME),
                Some(Key::Frames) => event.stack = self.stack(value),
                Some(Key::UserMetadata) => {
                    event.metadata = Self::text_of(value).unwrap_or(event.metadata);
                }
                _ => {}
            }
        }
        let needs_address = !matches!(
            event.action,
            Action::Unknown | Action::Snapshot | Action::Oom
        );
        if needs_address && !has_address {
            return None;
        }
        let number = u32::try_from(self.events.len()).ok()?;
        self.events.push(event);
        Some(Dict::Event(number))
    }

    fn frame(&mut self, pairs: impl Iterator<Item = Pair>) -> Option<Dict> {
        let (mut name, mut file, mut line) = (None, None, 0);
        for (key, value) in pairs {
            match key {
                Some(Key::Name) => name = Self::text_of(value),
                Some(Key::Filename) => file = Self::text_of(value),
                // What is no line number is no line.
                Some(Key::Line) => {
                    line = match value {
                        Value::Int(number) => u32::try_from(number).unwrap_or(0),
                        _ => 0,
                    };
                }
                _ => {}
            }
        }
        let frame = Frame {
            name: name?,
            file: file?,
            line,
        };
        self.frames.intern(frame).map(Dict::Frame)
    }

    fn block(&mut self, pairs: impl Iterator<Item = Pair>) -> Option<Dict> {
        let mut block = RawBlock {
            address: None,
            size: 0,
            requested: None,
            state: BlockState::Allocated,
            stack: StackId::NONE,
        };
        for (key, value) in pairs {
            match key {
                Some(Key::Size) => block.size = self.unsigned(value)?,
                Some(Key::Address) => block.address = Some(self.unsigned(value)?),
                Some(Key::RequestedSize) => block.requested = self.unsigned(value),
                Some(Key::Frames) => block.stack = self.stack(value),
                Some(Key::State) => block.state = self.state(Self::text_of(value)?),
                Some(Key::History) => {
                    let (requested, stack) = self.block_history(value);
                    block.requested = block.requested.or(requested);
                    if block.stack == StackId::NONE {
                        block.stack = stack;
                    }
                }
                _ => {}
            }
        }
        let number = u32::try_from(self.blocks.len()).ok()?;
        self.blocks.push(block);
        Some(Dict::Block(number))
    }

    fn state(&mut self, word: TextId) -> BlockState {
        match self.texts.get(word) {
            "active_allocated" => BlockState::Allocated,
            "active_pending_free" | "active_awaiting_free" => BlockState::AwaitingFree,
            "inactive" => BlockState::Free,
            other => {
                let other = other.to_owned();
                self.notes.add(NoteKind::UnknownState, 1, || other);
                BlockState::Allocated
            }
        }
    }

    /// Old files: who allocated a block, the latest first, and how many bytes they asked for.
    fn block_history(&mut self, value: Value) -> (Option<u64>, StackId) {
        let items = self.take_items(value).unwrap_or_default();
        let latest = items.rest.first().copied().unwrap_or(Value::None);
        let requested = self
            .field(latest, Key::RealSize)
            .and_then(|size| self.unsigned(size));
        let stack = self
            .field(latest, Key::Frames)
            .map_or(StackId::NONE, |frames| self.stack(frames));
        (requested, stack)
    }

    fn segment(&mut self, pairs: impl Iterator<Item = Pair>) -> Option<Dict> {
        let mut segment = RawSegment {
            address: 0,
            total: 0,
            allocated: None,
            active: None,
            device: 0,
            stream: 0,
            kind: None,
            pool: Value::None,
            is_expandable: false,
            stack: StackId::NONE,
            blocks: Value::None,
        };
        for (key, value) in pairs {
            match key {
                Some(Key::Address) => segment.address = self.unsigned(value)?,
                Some(Key::TotalSize) => segment.total = self.unsigned(value)?,
                Some(Key::AllocatedSize) => segment.allocated = self.unsigned(value),
                Some(Key::ActiveSize) => segment.active = self.unsigned(value),
                Some(Key::Device) => segment.device = self.signed(value)?,
                Some(Key::Stream) => segment.stream = self.signed(value)?,
                Some(Key::SegmentType) => segment.kind = Self::text_of(value),
                Some(Key::SegmentPoolId) => segment.pool = value,
                Some(Key::IsExpandable) => segment.is_expandable = value == Value::Bool(true),
                Some(Key::Frames) => segment.stack = self.stack(value),
                Some(Key::Blocks) => segment.blocks = value,
                _ => {}
            }
        }
        let number = u32::try_from(self.segments.len()).ok()?;
        self.segments.push(segment);
        Some(Dict::Segment(number))
    }

    /// Whether a list holds frames and nothing else.
    pub(super) fn is_all_frames(&self, value: Value) -> bool {
        let Value::List(number) = value else {
            return false;
        };
        let body = match slot(&self.lists, number) {
            Some(List::Open(body)) => slot(&self.items, *body),
            _ => None,
        };
        body.is_some_and(|items| {
            let is_frame = |item: &Value| {
                matches!(item, Value::Dict(d) if matches!(slot(&self.dicts, *d), Some(Dict::Frame(_))))
            };
            items.events.is_empty() && items.rest.iter().all(is_frame)
        })
    }

    /// The stack that a list of frames is. The list is that stack from then on.
    pub(super) fn stack(&mut self, value: Value) -> StackId {
        let Value::List(number) = value else {
            return StackId::NONE;
        };
        let body = match slot(&self.lists, number) {
            Some(List::Stack(stack)) => return *stack,
            Some(List::Open(body)) => *body,
            _ => return StackId::NONE,
        };
        let Some(items) = slot_mut(&mut self.items, body) else {
            return StackId::NONE;
        };
        let events = self.events.len();
        let read = items.rest.get(..MOST_FRAMES).unwrap_or(&items.rest);
        if items.rest.len() > MOST_FRAMES {
            self.notes
                .add(NoteKind::LongStack, 1, || format!("behind {events} events"));
        }
        let frame = |item: &Value| match item {
            Value::Dict(number) => match slot(&self.dicts, *number) {
                Some(Dict::Frame(frame)) => Some(FrameId(*frame)),
                _ => None,
            },
            _ => None,
        };
        self.stack_frames.clear();
        self.stack_frames.extend(read.iter().filter_map(frame));
        let odd = read.len() - self.stack_frames.len();
        let odd = u64::try_from(odd).unwrap_or(u64::MAX);
        self.notes
            .add(NoteKind::BadRecord, odd, || "a frame of a stack".to_owned());
        self.values -= items.rest.len();
        items.events = 0..0;
        items.rest.clear();
        items.rest.shrink_to(MOST_KEPT);
        self.free_items.push(body);
        let stack = self.stacks.intern(&self.stack_frames);
        let stack = stack.map_or(StackId::NONE, StackId);
        if let Some(list) = slot_mut(&mut self.lists, number) {
            *list = List::Stack(stack);
        }
        stack
    }
}

/// The key that a value is.
#[inline]
fn known(value: Value) -> Option<Key> {
    match value {
        Value::Text(text) => Key::of(text),
        _ => None,
    }
}
