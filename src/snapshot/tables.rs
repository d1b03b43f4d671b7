//! Texts, frames and stacks, each held once however often a snapshot repeats it.
//!
//! A file chooses the keys of these tables, so their hashes have a secret seed; nothing depends on the
//! order of a table.

use std::collections::HashMap;
use std::sync::Arc;

/// A text of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(pub(super) u32);

impl TextId {
    /// A number that no text has, so that it reads as nothing.
    pub const EMPTY: Self = Self(u32::MAX);
}

/// A frame of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(pub(super) u32);

/// A call stack of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct StackId(pub(super) u32);

impl StackId {
    /// The stack without frames: nothing was recorded.
    pub const NONE: Self = Self(0);
}

/// One function of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function.
    pub name: TextId,
    /// The file that it stands in.
    pub file: TextId,
    /// The line that was being run; 0 where that is not known.
    pub line: u32,
}

/// Texts by number.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    all: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    /// The one that was asked for last.
    last: u32,
    bytes: u64,
}

impl Texts {
    /// The text.
    #[must_use]
    pub fn get(&self, id: TextId) -> &str {
        usize::try_from(id.0)
            .ok()
            .and_then(|place| self.all.get(place))
            .map_or("", |text| text)
    }

    /// The number of a text; `None` where there are too many. Bytes that are no text are replaced.
    pub(super) fn intern(&mut self, bytes: &[u8]) -> Option<u32> {
        // What an event says of itself is mostly what the one before said.
        if self.get(TextId(self.last)).as_bytes() == bytes && !self.all.is_empty() {
            return Some(self.last);
        }
        let number = self.number_of(bytes)?;
        self.last = number;
        Some(number)
    }

    fn number_of(&mut self, bytes: &[u8]) -> Option<u32> {
        let text = String::from_utf8_lossy(bytes);
        if let Some(number) = self.numbers.get(&*text) {
            return Some(*number);
        }
        let number = u32::try_from(self.all.len()).ok()?;
        let text: Arc<str> = text.into();
        self.bytes += u64::try_from(text.len()).unwrap_or(0) + 80;
        self.all.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        Some(number)
    }

    /// About how many bytes are held.
    pub(super) fn held(&self) -> u64 {
        self.bytes
    }
}

/// Frames by number.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    all: Vec<Frame>,
    numbers: HashMap<Frame, u32>,
}

impl Frames {
    /// The frame.
    #[must_use]
    pub fn get(&self, id: FrameId) -> Option<Frame> {
        self.all.get(usize::try_from(id.0).ok()?).copied()
    }

    /// All of them by number.
    pub fn iter(&self) -> impl Iterator<Item = Frame> + '_ {
        self.all.iter().copied()
    }

    /// How many different ones there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// About how many bytes are held.
    pub(super) fn held(&self) -> u64 {
        let bytes = |count: usize, each: u64| u64::try_from(count).unwrap_or(0) * each;
        bytes(self.all.capacity(), 12) + bytes(self.numbers.capacity(), 20)
    }

    pub(super) fn intern(&mut self, frame: Frame) -> Option<u32> {
        if let Some(number) = self.numbers.get(&frame) {
            return Some(*number);
        }
        let number = u32::try_from(self.all.len()).ok()?;
        self.all.push(frame);
        self.numbers.insert(frame, number);
        Some(number)
    }
}

/// Stacks by number, innermost frame first. Number 0 is the empty one.
#[derive(Clone, Debug)]
pub struct Stacks {
    all: Vec<Arc<[FrameId]>>,
    numbers: HashMap<Arc<[FrameId]>, u32>,
    frames: u64,
}

impl Default for Stacks {
    fn default() -> Self {
        let mut stacks = Self {
            all: Vec::new(),
            numbers: HashMap::default(),
            frames: 0,
        };
        stacks.intern(&[]);
        stacks
    }
}

impl Stacks {
    /// The frames of a stack, innermost first.
    #[must_use]
    pub fn get(&self, id: StackId) -> &[FrameId] {
        usize::try_from(id.0)
            .ok()
            .and_then(|place| self.all.get(place))
            .map_or(&[], |stack| stack)
    }

    /// All of them by number.
    pub fn iter(&self) -> impl Iterator<Item = &[FrameId]> + '_ {
        self.all.iter().map(|stack| &**stack)
    }

    /// How many different ones there are, the empty one included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none but the empty one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.len() <= 1
    }

    pub(super) fn intern(&mut self, frames: &[FrameId]) -> Option<u32> {
        if let Some(number) = self.numbers.get(frames) {
            return Some(*number);
        }
        let number = u32::try_from(self.all.len()).ok()?;
        let stack: Arc<[FrameId]> = frames.into();
        self.frames += u64::try_from(frames.len()).unwrap_or(0) + 24;
        self.all.push(Arc::clone(&stack));
        self.numbers.insert(stack, number);
        Some(number)
    }

    /// About how many bytes are held.
    pub(super) fn held(&self) -> u64 {
        self.frames * 4
    }
}
