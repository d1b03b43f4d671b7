//! [`Slot`]: the keys of an event that are used, told apart by their first eight bytes.

use crate::ingest::chrome_json::event::RawEvent;

/// The keys of an event that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Ph,
    Cat,
    Name,
    Pid,
    Tid,
    Ts,
    Dur,
    Id,
    Args,
}

impl Slot {
    const ALL: [Self; Self::COUNT] = [
        Self::Ph,
        Self::Cat,
        Self::Name,
        Self::Pid,
        Self::Tid,
        Self::Ts,
        Self::Dur,
        Self::Id,
        Self::Args,
    ];
    pub(super) const COUNT: usize = 9;

    const fn key(self) -> &'static [u8] {
        match self {
            Self::Ph => b"ph",
            Self::Cat => b"cat",
            Self::Name => b"name",
            Self::Pid => b"pid",
            Self::Tid => b"tid",
            Self::Ts => b"ts",
            Self::Dur => b"dur",
            Self::Id => b"id",
            Self::Args => b"args",
        }
    }

    /// The slot whose key has this [`head`] and is no longer.
    #[inline]
    pub(super) fn with(word: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|slot| head(slot.key()) == word)
    }

    #[inline]
    pub(super) fn index(slot: Option<Self>) -> usize {
        slot.map_or(Self::COUNT, |s| s as usize)
    }

    /// The key, its quote, a colon and a space, as most writers have it: as a number, the bits that
    /// count, and its length.
    const fn usual(self) -> (u64, u64, usize) {
        let key = self.key();
        let shift = 8 * key.len();
        let text = head(key) | head(b"\": ") << shift;
        let len = key.len() + 3;
        (text, u64::MAX >> (64 - 8 * len), len)
    }

    /// Where the value starts if the eight bytes at `start` are the [usual](Self::usual) ones.
    #[inline]
    pub(super) fn value_behind(self, word: u64, start: usize) -> Option<usize> {
        const USUAL: [(u64, u64, usize); Slot::COUNT] = [
            Slot::Ph.usual(),
            Slot::Cat.usual(),
            Slot::Name.usual(),
            Slot::Pid.usual(),
            Slot::Tid.usual(),
            Slot::Ts.usual(),
            Slot::Dur.usual(),
            Slot::Id.usual(),
            Slot::Args.usual(),
        ];
        let (text, mask, len) = *USUAL.get(self as usize)?;
        (word & mask == text).then_some(start + len)
    }

    #[inline]
    pub(super) fn of<'e, 'a>(self, event: &'e mut RawEvent<'a>) -> &'e mut Option<&'a str> {
        match self {
            Self::Ph => &mut event.ph,
            Self::Cat => &mut event.cat,
            Self::Name => &mut event.name,
            Self::Pid => &mut event.pid,
            Self::Tid => &mut event.tid,
            Self::Ts => &mut event.ts,
            Self::Dur => &mut event.dur,
            Self::Id => &mut event.id,
            Self::Args => &mut event.args,
        }
    }
}

/// The first eight bytes of a key as a number, zeros behind a shorter one.
pub(super) const fn head(key: &[u8]) -> u64 {
    let mut word = 0;
    let mut rest = key;
    let mut shift = 0;
    while let [byte, tail @ ..] = rest {
        if shift == 64 {
            break;
        }
        word |= (*byte as u64) << shift;
        shift += 8;
        rest = tail;
    }
    word
}
