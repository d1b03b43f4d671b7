//! What follows from a moment or a window: the state of the allocator, and who holds memory. Much of
//! it is found out by a worker; what was there before stays until then.

use super::{Allocator, OpenSnapshot, SnapshotEffect, SnapshotHandle};
use crate::export::snapshot::DeviceRow;
use crate::session::{Effect, Session};
use crate::snapshot::strips::Strips;
use crate::snapshot::{
    FrameTree, GroupBy, Layout, Pool, Site, StackId, State, group, largest_requests,
};
use crate::time::Ns;
use std::collections::BTreeMap;
use std::sync::Arc;

/// More events or blocks than this are followed by the worker.
const MOST_AT_ONCE: usize = 20_000;

/// What a state follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MomentKey {
    /// Number of the load.
    pub generation: u64,
    /// The device, by its place.
    pub device: usize,
    /// How many events have happened; `None` is the end.
    pub events: Option<usize>,
}

/// The allocator at a moment.
#[derive(Debug)]
pub struct Moment {
    /// The replayed state; `None` at the end, where the snapshot itself tells.
    state: Option<State>,
    /// Bytes and counts of the device.
    pub row: DeviceRow,
    /// Where segments stand.
    pub strips: Strips,
    /// The largest request that every pool serves.
    pub largest: BTreeMap<Pool, u64>,
}

impl Moment {
    fn of(open: &OpenSnapshot, key: MomentKey) -> Option<Self> {
        let (device, recorded) = open.device(key.device)?;
        let state = key
            .events
            .map(|events| State::after(&open.snapshot, device, &recorded.history, events));
        let layout = state
            .as_ref()
            .map_or_else(|| open.snapshot.layout(device), State::layout);
        let row = open.seen(device, recorded, layout).device_row();
        let (strips, largest) = (
            Strips::new(layout),
            largest_requests(layout, &open.snapshot.settings),
        );
        Some(Self {
            state,
            row,
            strips,
            largest,
        })
    }

    /// Segments and blocks.
    #[must_use]
    pub fn layout<'a>(&'a self, open: &'a OpenSnapshot, device: usize) -> Layout<'a> {
        const NOTHING: Layout<'static> = Layout {
            segments: &[],
            blocks: &[],
        };
        match &self.state {
            Some(state) => state.layout(),
            None => open
                .device(device)
                .map_or(NOTHING, |(device, _)| open.snapshot.layout(device)),
        }
    }

    /// What the replay found odd.
    #[must_use]
    pub fn notes(&self) -> &[crate::snapshot::Note] {
        self.state.as_ref().map_or(&[], |state| state.notes.all())
    }
}

/// Which allocations are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeldOf {
    /// All that are alive at the moment.
    #[default]
    Moment,
    /// Those that began in the window and are alive at its end: what it added.
    Window,
}

/// What a list of holders follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldKey {
    /// Number of the load.
    pub generation: u64,
    /// The device, by its place.
    pub device: usize,
    /// Alive after so many events.
    pub events: usize,
    /// And began after so many.
    pub since: Option<usize>,
    /// What they are grouped by.
    pub by: GroupBy,
    /// Whether the flame has no frames of native code.
    pub only_python: bool,
}

/// Who holds memory.
#[derive(Debug)]
pub struct Held {
    /// By call site or stack, the most bytes first.
    pub sites: Vec<Site>,
    /// Stacks merged from the outermost frame.
    pub tree: FrameTree,
    /// All bytes.
    pub bytes: u64,
    /// All allocations.
    pub count: u64,
}

impl Held {
    fn of(open: &OpenSnapshot, key: HeldKey) -> Option<Self> {
        let (_, recorded) = open.device(key.device)?;
        let alive = recorded.history.alive_after(key.events);
        let began = |since: usize| move |event: Option<usize>| event.is_some_and(|e| e >= since);
        let list: Vec<(StackId, u64)> = alive
            .iter()
            .filter(|a| key.since.is_none_or(|since| began(since)(a.alloc_event())))
            .map(|a| (a.stack, a.size))
            .collect();
        let sites = group(&open.sites, key.by, list.iter().copied());
        let bytes = sites
            .iter()
            .fold(0_u64, |sum, s| sum.saturating_add(s.bytes));
        let count = sites.iter().map(|s| s.count).sum();
        let tree = FrameTree::new(
            &open.snapshot,
            &open.sites,
            key.only_python,
            list.iter().copied(),
        );
        Some(Self {
            sites,
            tree,
            bytes,
            count,
        })
    }
}

/// Something to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotQuestion {
    /// The allocator at a moment.
    Moment(MomentKey),
    /// Who holds memory.
    Held(HeldKey),
}

/// What was found out.
#[derive(Clone, Debug)]
pub enum SnapshotAnswer {
    /// The allocator at a moment.
    Moment(MomentKey, Option<Arc<Moment>>),
    /// Who holds memory.
    Held(HeldKey, Option<Arc<Held>>),
}

impl SnapshotQuestion {
    /// Finds out.
    #[must_use]
    pub fn answer(self, open: &OpenSnapshot) -> SnapshotAnswer {
        match self {
            Self::Moment(key) => SnapshotAnswer::Moment(key, Moment::of(open, key).map(Arc::new)),
            Self::Held(key) => SnapshotAnswer::Held(key, Held::of(open, key).map(Arc::new)),
        }
    }
}

impl Allocator {
    fn moment_key(&self) -> Option<MomentKey> {
        let (_, device, _) = self.focused()?;
        let events = self.moment.map(|at| device.events.until(at));
        Some(MomentKey {
            generation: self.generation,
            device: self.device,
            events: events.filter(|e| *e < device.events.len()),
        })
    }

    /// The state at the moment, and whether it is of the present one; another one is dimmed.
    #[must_use]
    pub fn shown_moment(&self) -> Option<(&Moment, bool)> {
        let key = self.moment_key()?;
        let (of, moment) = self.moments.here()?;
        let fits = of.generation == key.generation && of.device == key.device;
        fits.then_some((&**moment, *of == key))
    }

    /// Who holds memory, and whether that is of the present moment and window.
    #[must_use]
    pub fn shown_held(&self, key: HeldKey) -> Option<(&Held, bool)> {
        let (of, held) = self.held.here()?;
        let fits = of.generation == key.generation && of.device == key.device;
        fits.then_some((&**held, *of == key))
    }

    fn is_much(&self) -> bool {
        let size = |(open, device, _): (&OpenSnapshot, &crate::snapshot::Device, _)| {
            device.events.len() + open.snapshot.blocks.len()
        };
        self.focused().is_some_and(|f| size(f) > MOST_AT_ONCE)
    }

    pub(super) fn state_key(&self) -> Option<MomentKey> {
        self.moments.here().map(|(key, _)| *key)
    }
}

impl Session {
    /// What the list of call sites follows from.
    #[must_use]
    pub fn held_key(&self) -> Option<HeldKey> {
        let (_, device, _) = self.snapshot.focused()?;
        let until = |at: Ns| device.events.until(at);
        let sites = &self.snapshot.sites;
        let window = self
            .snapshot_window()
            .filter(|_| sites.of == HeldOf::Window);
        // A window is half-open: what happens at its end is not part of it.
        let before = |at: Ns| until(Ns(at.0.saturating_sub(1)));
        let (events, since) = match window {
            Some(window) => (before(window.end()), Some(before(window.start()))),
            None => (
                self.snapshot.moment.map_or(device.events.len(), until),
                None,
            ),
        };
        Some(HeldKey {
            generation: self.snapshot.generation,
            device: self.snapshot.device,
            events,
            since,
            by: sites.by,
            only_python: sites.only_python,
        })
    }

    /// Finds out what the allocator's view shows: between two frames where that is little, else by
    /// the worker. To be called before the views of a frame.
    #[must_use]
    pub fn refresh_snapshot(&mut self) -> Vec<Effect> {
        let Some(open) = self
            .snapshot
            .open
            .clone()
            .filter(|_| self.shows_allocator())
        else {
            return Vec::new();
        };
        let much = self.snapshot.is_much();
        let mut questions = Vec::new();
        if let Some(key) = self.snapshot.moment_key()
            && !self.snapshot.moments.is_of(key)
            && (!much || self.snapshot.moments.ask(key))
        {
            questions.push(SnapshotQuestion::Moment(key));
        }
        if let Some(key) = self.held_key()
            && !self.snapshot.held.is_of(key)
            && (!much || self.snapshot.held.ask(key))
        {
            questions.push(SnapshotQuestion::Held(key));
        }
        let mut effects = Vec::new();
        for question in questions {
            if much {
                let snapshot = SnapshotHandle(Arc::clone(&open));
                let effect = SnapshotEffect::Measure { snapshot, question };
                effects.push(Effect::Snapshot(effect));
            } else {
                self.take_found(question.answer(&open));
            }
        }
        self.pick_sites();
        self.refresh_fit();
        effects
    }

    /// The worker is done with something; what is of an older snapshot is dropped.
    pub(super) fn snapshot_measured(&mut self, answer: SnapshotAnswer) {
        let generation = match &answer {
            SnapshotAnswer::Moment(key, _) => key.generation,
            SnapshotAnswer::Held(key, _) => key.generation,
        };
        // A new snapshot has lists of its own, so an old answer is of nothing that is waited for.
        if generation != self.snapshot.generation {
            return;
        }
        match &answer {
            SnapshotAnswer::Moment(..) => self.snapshot.moments.is_answered(),
            SnapshotAnswer::Held(..) => self.snapshot.held.is_answered(),
        }
        self.take_found(answer);
    }

    fn take_found(&mut self, answer: SnapshotAnswer) {
        match answer {
            SnapshotAnswer::Moment(key, Some(moment)) => self.snapshot.moments.take(key, moment),
            SnapshotAnswer::Held(key, Some(held)) => self.snapshot.held.take(key, held),
            SnapshotAnswer::Moment(_, None) | SnapshotAnswer::Held(_, None) => {}
        }
    }
}
