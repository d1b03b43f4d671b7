//! Writes a snapshot as Python's pickle protocol 4 does: frames of 64 KiB, every string and container remembered, strings
//! and stack frames that recur told by reference.

use super::allocator::{Allocator, Event, Frame, Segment, Stack};
use std::collections::HashMap;
use std::io::{self, Write};

const FRAME: usize = 64 << 10;

/// The writer of one pickle.
struct Pickle<'a> {
    out: &'a mut dyn Write,
    /// What belongs to the frame that is not written yet.
    pending: Vec<u8>,
    strings: HashMap<String, u32>,
    remembered: u32,
}

/// Writes what an allocator holds, with the stacks that its events and blocks name.
pub(crate) fn write(
    out: &mut dyn Write,
    allocator: &Allocator,
    stacks: &[Stack],
) -> io::Result<()> {
    out.write_all(&[0x80, 4])?;
    let mut pickle = Pickle {
        out,
        pending: Vec::new(),
        strings: HashMap::new(),
        remembered: 0,
    };
    pickle.snapshot(allocator, stacks)?;
    pickle.pending.push(b'.');
    pickle.flush()
}

impl Pickle<'_> {
    fn snapshot(&mut self, allocator: &Allocator, stacks: &[Stack]) -> io::Result<()> {
        let frames: Vec<Vec<u32>> = stacks.iter().map(|_| Vec::new()).collect();
        let mut known = Known { stacks, frames };
        self.open_dict();
        self.text("segments");
        self.open_list();
        for (address, segment) in &allocator.segments {
            self.segment(*address, *segment, allocator, &mut known);
            self.flush_full()?;
        }
        self.close(b'e');
        self.text("device_traces");
        self.open_list();
        self.open_list();
        for batch in allocator.events.chunks(1000) {
            if !std::ptr::eq(batch.as_ptr(), allocator.events.as_ptr()) {
                self.pending.push(b'(');
            }
            for event in batch {
                self.event(event, &mut known);
                self.flush_full()?;
            }
            self.close(b'e');
        }
        if allocator.events.is_empty() {
            self.close(b'e');
        }
        self.close(b'e');
        self.text("allocator_settings");
        self.open_dict();
        self.text("PYTORCH_CUDA_ALLOC_CONF");
        self.text("");
        self.text("expandable_segments");
        self.pending.push(0x89);
        self.close(b'u');
        self.text("external_annotations");
        self.open_list();
        self.close(b'e');
        self.close(b'u');
        Ok(())
    }

    fn segment(
        &mut self,
        address: u64,
        segment: Segment,
        allocator: &Allocator,
        known: &mut Known<'_>,
    ) {
        let end = address + segment.size;
        let blocks: Vec<_> = allocator.blocks.range(address..end).collect();
        let active = blocks.iter().filter(|(_, b)| b.active);
        let allocated: u64 = active.clone().map(|(_, b)| b.size).sum();
        let requested: u64 = active.map(|(_, b)| b.requested).sum();
        self.open_dict();
        self.number_at("device", 0);
        self.number_at("address", address);
        self.number_at("total_size", segment.size);
        self.number_at("allocated_size", allocated);
        self.number_at("active_size", allocated);
        self.number_at("requested_size", requested);
        self.number_at("stream", segment.stream);
        self.text("segment_type");
        self.text(if segment.small { "small" } else { "large" });
        self.text("segment_pool_id");
        self.number(0);
        self.number(0);
        self.pending.push(0x86);
        self.remember();
        self.text("is_expandable");
        self.pending.push(0x89);
        self.text("frames");
        self.open_list();
        self.close(b'e');
        self.text("blocks");
        self.open_list();
        for (at, block) in blocks {
            self.open_dict();
            self.number_at("address", *at);
            self.number_at("size", block.size);
            self.number_at("requested_size", block.requested);
            self.text("state");
            self.text(if block.active {
                "active_allocated"
            } else {
                "inactive"
            });
            self.text("frames");
            self.stack(block.active.then_some(block.stack), known);
            self.close(b'u');
        }
        self.close(b'e');
        self.close(b'u');
    }

    fn event(&mut self, event: &Event, known: &mut Known<'_>) {
        self.open_dict();
        self.text("action");
        self.text(event.action);
        let address = if event.action == "oom" {
            "device_free"
        } else {
            "addr"
        };
        self.number_at(address, event.addr);
        self.number_at("size", event.size);
        self.number_at("stream", event.stream);
        self.number_at("time_us", event.time_us);
        self.text("compile_context");
        self.text("N/A");
        self.text("user_metadata");
        self.text("");
        self.text("frames");
        self.stack(Some(event.stack), known);
        self.close(b'u');
    }

    /// A list of its own for every event, of frames that are written once.
    fn stack(&mut self, stack: Option<usize>, known: &mut Known<'_>) {
        self.open_list();
        if let Some(stack) = stack {
            for (place, frame) in known.stacks[stack].iter().enumerate() {
                if let Some(id) = known.frames[stack].get(place) {
                    self.recall(*id);
                } else {
                    let id = self.frame(frame);
                    known.frames[stack].push(id);
                }
            }
        }
        self.close(b'e');
    }

    fn frame(&mut self, frame: &Frame) -> u32 {
        self.pending.push(b'}');
        let id = self.remember();
        self.pending.push(b'(');
        self.text("name");
        self.text(&frame.name);
        self.text("filename");
        self.text(&frame.file);
        self.number_at("line", u64::from(frame.line));
        self.close(b'u');
        id
    }

    fn open_dict(&mut self) {
        self.pending.push(b'}');
        self.remember();
        self.pending.push(b'(');
    }

    fn open_list(&mut self) {
        self.pending.push(b']');
        self.remember();
        self.pending.push(b'(');
    }

    fn close(&mut self, opcode: u8) {
        self.pending.push(opcode);
    }

    fn number_at(&mut self, key: &str, value: u64) {
        self.text(key);
        self.number(value);
    }

    fn number(&mut self, value: u64) {
        let bytes = value.to_le_bytes();
        if let Ok(byte) = u8::try_from(value) {
            self.pending.extend([b'K', byte]);
        } else if let Ok(word) = u16::try_from(value) {
            self.pending.push(b'M');
            self.pending.extend(word.to_le_bytes());
        } else if i32::try_from(value).is_ok() {
            self.pending.push(b'J');
            self.pending.extend(&bytes[..4]);
        } else {
            // Two's complement without needless bytes: one more where the top bit would read as a sign.
            let used = 8 - (value.leading_zeros() as usize) / 8;
            let sign = bytes[used - 1] >= 0x80;
            self.pending.extend([0x8a, used as u8 + u8::from(sign)]);
            self.pending.extend(&bytes[..used]);
            self.pending.extend(sign.then_some(0));
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(id) = self.strings.get(text) {
            let id = *id;
            self.recall(id);
            return;
        }
        if let Ok(len) = u8::try_from(text.len()) {
            self.pending.extend([0x8c, len]);
        } else {
            self.pending.push(b'X');
            let len = u32::try_from(text.len()).expect("a name of a few bytes");
            self.pending.extend(len.to_le_bytes());
        }
        self.pending.extend(text.as_bytes());
        let id = self.remember();
        self.strings.insert(text.to_owned(), id);
    }

    fn remember(&mut self) -> u32 {
        self.pending.push(0x94);
        self.remembered += 1;
        self.remembered - 1
    }

    fn recall(&mut self, id: u32) {
        if let Ok(short) = u8::try_from(id) {
            self.pending.extend([b'h', short]);
        } else {
            self.pending.push(b'j');
            self.pending.extend(id.to_le_bytes());
        }
    }

    fn flush_full(&mut self) -> io::Result<()> {
        if self.pending.len() >= FRAME {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&[0x95])?;
        self.out
            .write_all(&(self.pending.len() as u64).to_le_bytes())?;
        self.out.write_all(&self.pending)?;
        self.pending.clear();
        Ok(())
    }
}

/// The stacks, and where their frames were written.
struct Known<'a> {
    stacks: &'a [Stack],
    frames: Vec<Vec<u32>>,
}
