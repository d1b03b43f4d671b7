//! Events followed one after the other into allocations with their lives, and met with the blocks
//! that the snapshot has at the end.

use super::events::{Action, Events};
use super::history::{Allocation, NEVER};
use super::{Block, BlockState, Device, NoteKind, Notes, Snapshot, StackId};
use crate::ingest::Cancel;
use foldhash::quality::RandomState;
use std::collections::HashMap;

/// How many events are followed between two looks at whether the user cancelled.
const LOOK_EVERY: u32 = 1 << 16;

/// What is at an address while events are followed.
#[derive(Clone, Copy, Debug)]
struct Open {
    place: usize,
    is_requested_back: bool,
    /// Whether the snapshot has a block for it.
    is_met: bool,
}

#[derive(Debug, Default)]
pub(super) struct Follower {
    pub(super) allocations: Vec<Allocation>,
    /// What each event adds to the requested bytes.
    pub(super) deltas: Vec<i64>,
    open: HashMap<u64, Open, RandomState>,
    pub(super) notes: Notes,
}

impl Follower {
    /// Follows all events, or those up to where the user cancelled.
    pub(super) fn follow(&mut self, events: &Events, cancel: &Cancel) {
        self.deltas.reserve(events.len());
        for (number, event) in (1_u32..).zip(events.iter()) {
            if number % LOOK_EVERY == 0 && cancel.is_cancelled() {
                return;
            }
            let size = signed(event.size);
            let delta = match event.action {
                Action::Alloc => {
                    let closed = self.close(event.address, number);
                    if closed > 0 {
                        self.contradiction(number, "allocates what is in use");
                    }
                    self.open.insert(
                        event.address,
                        Open {
                            place: self.allocations.len(),
                            is_requested_back: false,
                            is_met: false,
                        },
                    );
                    self.allocations.push(Allocation {
                        address: event.address,
                        size: event.size,
                        stream: event.stream,
                        stack: event.stack,
                        born: number,
                        gone: NEVER,
                        completed: NEVER,
                    });
                    size.saturating_sub(closed)
                }
                Action::FreeRequested => {
                    self.give_back(event.address, event.size, event.stream, number, false)
                }
                Action::FreeCompleted => {
                    self.give_back(event.address, event.size, event.stream, number, true)
                }
                _ => 0,
            };
            self.deltas.push(delta);
        }
    }

    /// Ends what is at an address, which is in the way; gives its bytes where they still counted.
    fn close(&mut self, address: u64, number: u32) -> i64 {
        let Some(open) = self.open.remove(&address) else {
            return 0;
        };
        let Some(of) = self.allocations.get_mut(open.place) else {
            return 0;
        };
        of.completed = number;
        if open.is_requested_back {
            return 0;
        }
        of.gone = number;
        signed(of.size)
    }

    /// A request to free, or its completion; gives what that adds to the requested bytes.
    fn give_back(
        &mut self,
        address: u64,
        size: u64,
        stream: i64,
        number: u32,
        is_done: bool,
    ) -> i64 {
        let Some(open) = self.open.get_mut(&address) else {
            // Allocated before the recording began. Where even the request is older, only its block was
            // still in use.
            if !is_done || size > 0 {
                let place = self.allocations.len();
                self.allocations.push(Allocation {
                    address,
                    size,
                    stream,
                    stack: StackId::NONE,
                    born: 0,
                    gone: if is_done { 0 } else { number },
                    completed: if is_done { number } else { NEVER },
                });
                if !is_done {
                    self.open.insert(
                        address,
                        Open {
                            place,
                            is_requested_back: true,
                            is_met: false,
                        },
                    );
                }
            }
            return if is_done { 0 } else { -signed(size) };
        };
        let was_requested = open.is_requested_back;
        open.is_requested_back = true;
        let place = open.place;
        if is_done {
            self.open.remove(&address);
        }
        let Some(of) = self.allocations.get_mut(place) else {
            return 0;
        };
        if is_done {
            of.completed = number;
        }
        let bytes = of.size;
        if !was_requested {
            of.gone = number;
        }
        if was_requested && !is_done {
            self.contradiction(number, "frees what was freed");
        } else if bytes != size {
            self.contradiction(number, "frees another size than was allocated");
        }
        if was_requested { 0 } else { -signed(bytes) }
    }

    fn contradiction(&mut self, number: u32, what: &str) {
        self.notes.add(NoteKind::Contradiction, 1, || {
            format!("event {} {what}", number - 1)
        });
    }

    /// Compares what is alive at the end with the blocks of the snapshot, which are believed: what they
    /// have beyond the recording is older than it, what they lack ends with it, and their states and
    /// sizes count. Gives their requested bytes.
    pub(super) fn meet_end(&mut self, snapshot: &Snapshot, device: &Device) -> u64 {
        let layout = snapshot.layout(device);
        let mut at_end = 0_u64;
        for segment in layout.segments {
            for block in layout.blocks_of(segment) {
                if block.state == BlockState::Free {
                    continue;
                }
                let is_awaiting = block.state == BlockState::AwaitingFree;
                if !is_awaiting {
                    at_end = at_end.saturating_add(block.requested);
                }
                if let Some(open) = self.open.get_mut(&block.address).filter(|o| !o.is_met) {
                    open.is_met = true;
                    let open = *open;
                    self.meet(open, block);
                } else {
                    self.allocations.push(Allocation {
                        address: block.address,
                        size: block.requested,
                        stream: segment.pool.stream,
                        stack: block.stack,
                        born: 0,
                        gone: if is_awaiting { 0 } else { NEVER },
                        completed: NEVER,
                    });
                }
            }
        }
        self.end_lost();
        at_end
    }

    /// Makes an allocation what its block says.
    fn meet(&mut self, open: Open, block: &Block) {
        let last = self.number_of_last();
        let Some(of) = self.allocations.get_mut(open.place) else {
            return;
        };
        if of.stack == StackId::NONE {
            of.stack = block.stack;
        }
        let address = block.address;
        let (old, new) = (signed(of.size), signed(block.requested));
        if old != new {
            of.size = block.requested;
            let (born, gone) = (of.born, of.gone);
            self.change(born, new.saturating_sub(old));
            self.change(gone, old.saturating_sub(new));
            self.notes.add(NoteKind::Contradiction, 1, || {
                format!("the block at {address:#x} has another size than its event")
            });
        }
        let is_awaiting = block.state == BlockState::AwaitingFree;
        if open.is_requested_back == is_awaiting {
            return;
        }
        let to = if is_awaiting { last } else { NEVER };
        if let Some(of) = self.allocations.get_mut(open.place) {
            let gone = std::mem::replace(&mut of.gone, to);
            self.change(gone, new);
            self.change(to, -new);
        }
        self.notes.add(NoteKind::Contradiction, 1, || {
            format!("the block at {address:#x} is in another state than its events leave it")
        });
    }

    /// Ends what the snapshot has no block for with the last event.
    fn end_lost(&mut self) {
        let end = self.number_of_last();
        let lost = self.open.values().filter(|open| !open.is_met);
        let mut lost: Vec<(usize, bool)> = lost
            .map(|open| (open.place, open.is_requested_back))
            .collect();
        lost.sort_unstable();
        for (place, is_requested_back) in &lost {
            let Some(of) = self.allocations.get_mut(*place) else {
                continue;
            };
            of.completed = end;
            if !is_requested_back {
                of.gone = end;
                let size = signed(of.size);
                self.change(end, -size);
            }
        }
        let count = u64::try_from(lost.len()).unwrap_or(u64::MAX);
        self.notes.add(NoteKind::Contradiction, count, || {
            "allocations that the snapshot has no block for".to_owned()
        });
    }

    /// How many events there are: the number of the last.
    fn number_of_last(&self) -> u32 {
        u32::try_from(self.deltas.len()).unwrap_or(NEVER - 1)
    }

    /// Changes what an event adds, where there is one of that number.
    fn change(&mut self, number: u32, by: i64) {
        let place = number.checked_sub(1).and_then(|n| usize::try_from(n).ok());
        if let Some(delta) = place.and_then(|place| self.deltas.get_mut(place)) {
            *delta = delta.saturating_add(by);
        }
    }

    /// Bytes older than the recording: what the end leaves after all that the events added.
    pub(super) fn baseline(&mut self, at_end: u64) -> u64 {
        let added: i128 = self.deltas.iter().map(|d| i128::from(*d)).sum();
        let by_curve = i128::from(at_end) - added;
        let old = self
            .allocations
            .iter()
            .filter(|a| a.born == 0 && a.gone > 0);
        let by_lives: i128 = old.map(|a| i128::from(a.size)).sum();
        if by_curve != by_lives {
            self.notes.add(NoteKind::Contradiction, 1, || {
                format!("{by_curve} bytes at the start by the events, {by_lives} by the blocks")
            });
        }
        let baseline = u64::try_from(by_curve.max(0)).unwrap_or(u64::MAX);
        if !self.deltas.is_empty() {
            self.notes.add(NoteKind::StartsInTheMiddle, baseline, || {
                "the start of the recording".to_owned()
            });
        }
        baseline
    }
}

fn signed(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
