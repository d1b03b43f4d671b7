//! Which lane an event belongs to, asked for by what its text says.

use super::Assembler;
use super::values::{Word, row_key};
use crate::ingest::chrome_json::event::RawEvent;
use crate::time::parse_i64;
use crate::trace::{Category, DeviceId, Lane, StreamId};

/// What decides the lane of an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct LaneQuery {
    pid: Word,
    tid: Word,
    device: Option<i64>,
    stream: Option<i64>,
    category: Category,
}

impl Assembler<'_> {
    /// What a raw text of a process or a thread is told apart by.
    #[inline]
    fn word(&mut self, raw: &str) -> Word {
        Word::of(raw).unwrap_or_else(|| {
            let next = u64::try_from(self.long_words.len()).unwrap_or(u64::MAX);
            let known = self.long_words.get(raw).copied();
            Word::Long(known.unwrap_or_else(|| *self.long_words.entry(raw.into()).or_insert(next)))
        })
    }

    /// The number of an event's lane, made if it is new.
    pub(super) fn lane(
        &mut self,
        event: &RawEvent<'_>,
        category: Category,
        device: Option<i64>,
        stream: Option<i64>,
    ) -> u32 {
        let on_gpu = matches!(
            category,
            Category::Gpu | Category::GpuAnnotation | Category::Sync
        );
        let query = LaneQuery {
            pid: self.word(event.pid.unwrap_or_default()),
            tid: self.word(event.tid.unwrap_or_default()),
            device: device.filter(|_| on_gpu),
            stream: stream.filter(|_| on_gpu),
            category: if on_gpu { category } else { Category::Other },
        };
        if let Some(lane) = self.lanes.get(&query) {
            return *lane;
        }
        let key = row_key(event);
        let pid_number = parse_i64(key.pid.as_bytes()).ok();
        let device = DeviceId(device.or(pid_number).unwrap_or(0));
        let lane = match (category, stream) {
            (Category::Gpu, Some(stream)) => Lane::Stream {
                device,
                stream: StreamId(stream),
                key,
            },
            (Category::GpuAnnotation | Category::Sync, _) => Lane::Extra {
                device,
                key,
                category,
            },
            _ => Lane::Thread(key),
        };
        let id = self.builder.lane(lane);
        self.lanes.insert(query, id);
        id
    }
}
