//! The text of each kind of event, as Kineto lays it out.

use std::io::{self, Write};

use super::{COMPUTE, Machine, Phase};
use crate::rank::Section;

impl<W: Write> Machine<'_, W> {
    /// Counts an event and says whether this run writes it; opens it then.
    pub(super) fn begin(&mut self, section: Section) -> bool {
        self.count += 1;
        let write = self.section == section;
        if write {
            self.text.event();
        }
        write
    }

    /// From the name to the opened args of a complete event.
    pub(super) fn complete(
        &mut self,
        category: &str,
        name: &str,
        pid: u64,
        tid: u64,
        start: u64,
        dur: u64,
    ) {
        self.text
            .s("\"ph\": \"X\", \"cat\": \"")
            .s(category)
            .s("\", \"name\": \"")
            .s(name)
            .s("\", \"pid\": ")
            .n(pid)
            .s(", \"tid\": ")
            .n(tid);
        self.text
            .s(",\n    \"ts\": ")
            .us(self.job.stamp(start))
            .s(", \"dur\": ")
            .us(dur)
            .s(",\n    \"args\": {\n      ");
    }

    pub(super) fn device_event(
        &mut self,
        category: &str,
        name: &str,
        stream: u64,
        start: u64,
        dur: u64,
    ) {
        self.complete(category, name, self.device, stream, start, dur);
    }

    pub(super) fn device_args(&mut self, stream: u64, correlation: u64) {
        self.text
            .s("\"device\": ")
            .n(self.device)
            .s(", \"context\": 1,      \"stream\": ")
            .n(stream)
            .s(", \"correlation\": ")
            .n(correlation);
    }

    pub(super) fn op(
        &mut self,
        name: &str,
        tensors: usize,
        tid: u64,
        start: u64,
        end: u64,
        sequence: Option<(u64, u64)>,
    ) -> io::Result<()> {
        let (external, index) = (self.external, self.index);
        self.external += 1;
        self.index += 1;
        let inputs = self.names.inputs(&mut self.shape, tensors);
        if self.begin(Section::Ops) {
            self.complete("cpu_op", name, self.pid, tid, start, end - start);
            self.text
                .s("\"External id\": ")
                .n(external)
                .s(",\"Record function id\": ")
                .n(external);
            if let Some((number, thread)) = sequence {
                self.text
                    .s(", \"Sequence number\": ")
                    .n(number)
                    .s(", \"Fwd thread id\": ")
                    .n(thread);
            }
            self.text
                .s(", ")
                .s(inputs)
                .s(", \"Ev Idx\": ")
                .n(index)
                .s("\n    }")
                .end()?;
        }
        Ok(())
    }

    pub(super) fn annotation(
        &mut self,
        name: &str,
        tid: u64,
        start: u64,
        end: u64,
    ) -> io::Result<()> {
        let (external, index) = (self.external, self.index);
        self.external += 1;
        self.index += 1;
        if self.begin(Section::Ops) {
            self.complete("user_annotation", name, self.pid, tid, start, end - start);
            self.text
                .s("\"External id\": ")
                .n(external)
                .s(",\"Record function id\": ")
                .n(external)
                .s(", \"Ev Idx\": ")
                .n(index)
                .s("\n    }")
                .end()?;
        }
        Ok(())
    }

    pub(super) fn gpu_annotation(
        &mut self,
        name: &str,
        start: u64,
        end: u64,
        external: u64,
    ) -> io::Result<()> {
        if self.begin(Section::Device) {
            self.device_event("gpu_user_annotation", name, COMPUTE, start, end - start);
            self.text
                .s("\"External id\": ")
                .n(external)
                .s("\n    }")
                .end()?;
        }
        Ok(())
    }

    /// A call whose number is the next one.
    pub(super) fn python_function(
        &mut self,
        name: &str,
        start: u64,
        end: u64,
        number: Option<u64>,
    ) -> io::Result<()> {
        let number = number.unwrap_or_else(|| {
            self.python += 1;
            self.python
        });
        self.python_frame(name, start, end, number - 1, number)
    }

    pub(super) fn python_frame(
        &mut self,
        name: &str,
        start: u64,
        end: u64,
        parent: u64,
        number: u64,
    ) -> io::Result<()> {
        let index = self.index;
        self.index += 1;
        if self.begin(Section::Python) {
            self.complete(
                "python_function",
                name,
                self.pid,
                self.pid,
                start,
                end - start,
            );
            self.text.s("\"Python parent id\": ");
            // The outermost has none.
            if parent == 0 {
                self.text.s("null");
            } else {
                self.text.n(parent);
            }
            self.text
                .s(", \"Python id\": ")
                .n(number)
                .s(", \"Ev Idx\": ")
                .n(index)
                .s("\n    }")
                .end()?;
        }
        Ok(())
    }

    /// An allocation, or in the backward pass the release of one of the forward pass.
    pub(super) fn memory(&mut self, tid: u64, at: u64, phase: Phase) -> io::Result<()> {
        let index = self.index;
        self.index += 1;
        let size = 512 * (1 + self.shape.skewed(0, 60_000));
        let block = if phase == Phase::Forward {
            None
        } else {
            self.live.pop()
        };
        let (address, bytes) = if let Some((address, size)) = block {
            self.allocated -= size;
            (address, -size.cast_signed())
        } else {
            self.allocated += size;
            let address = 139_637_976_727_552 + self.allocated;
            self.live.push((address, size));
            (address, size.cast_signed())
        };
        if self.begin(Section::Memory) {
            self.text.s("\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\",\n    \"pid\": ").n(self.pid).s(", \"tid\": ").n(tid);
            self.text.s(",\n    \"ts\": ").us(self.job.stamp(at)).s(",\n    \"args\": {\n      \"Total Reserved\": 68719476736, \"Total Allocated\": ").n(self.allocated);
            self.text
                .s(", \"Bytes\": ")
                .signed(bytes)
                .s(", \"Addr\": ")
                .n(address)
                .s(", \"Device Id\": ")
                .n(self.device)
                .s(", \"Device Type\": 1, \"Ev Idx\": ")
                .n(index)
                .s("\n    }")
                .end()?;
        }
        Ok(())
    }

    pub(super) fn runtime(
        &mut self,
        name: &str,
        cbid: u64,
        tid: u64,
        start: u64,
        end: u64,
        external: u64,
    ) -> io::Result<()> {
        self.correlation += 1;
        if self.begin(Section::Device) {
            self.complete("cuda_runtime", name, self.pid, tid, start, end - start);
            self.text
                .s("\"External id\": ")
                .n(external)
                .s(",      \"cbid\": ")
                .n(cbid)
                .s(", \"correlation\": ")
                .n(self.correlation)
                .s("\n    }")
                .end()?;
        }
        Ok(())
    }

    /// What follows a device event: the arrow's end, the call, and the arrow's start.
    #[allow(
        clippy::too_many_arguments,
        reason = "the two ends of an arrow are that many numbers"
    )]
    pub(super) fn flow_and_call(
        &mut self,
        call: &str,
        cbid: u64,
        tid: u64,
        (at, until): (u64, u64),
        stream: u64,
        start: u64,
        external: u64,
    ) -> io::Result<()> {
        let id = self.correlation + 1;
        if self.begin(Section::Device) {
            self.text
                .s("\"ph\": \"f\", \"id\": ")
                .n(id)
                .s(", \"pid\": ")
                .n(self.device)
                .s(", \"tid\": ")
                .n(stream)
                .s(", \"ts\": ")
                .us(self.job.stamp(start));
            self.text
                .s(",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"")
                .end()?;
        }
        self.runtime(call, cbid, tid, at, until, external)?;
        if self.begin(Section::Device) {
            self.text
                .s("\"ph\": \"s\", \"id\": ")
                .n(id)
                .s(", \"pid\": ")
                .n(self.pid)
                .s(", \"tid\": ")
                .n(tid)
                .s(", \"ts\": ")
                .us(self.job.stamp(at));
            self.text
                .s(",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"")
                .end()?;
        }
        Ok(())
    }
}
