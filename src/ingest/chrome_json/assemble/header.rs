//! The small top-level values beside the events: who the rank is, what the GPUs are called.

use crate::ingest::chrome_json::event::{each_key, text};
use crate::time::{DurNs, parse_i64};
use crate::trace::{DeviceFacts, DeviceId, ProcessGroup, RankBuilder, RecordedWith};
use serde_json::Value;

/// What the top level says, as it may stand before or behind the events.
#[derive(Default)]
pub(super) struct Header {
    base: Option<i64>,
    distributed: Option<Value>,
    devices: Option<Value>,
    recorded_with: RecordedWith,
}

impl Header {
    /// Takes a value if it is one of those that are used.
    pub(super) fn take(&mut self, key: &str, value: &str) {
        match key {
            "baseTimeNanoseconds" => self.base = parse_i64(value.as_bytes()).ok(),
            "record_shapes" => self.recorded_with.shapes = is_on(value),
            "with_stack" => self.recorded_with.stacks = is_on(value),
            "profile_memory" => self.recorded_with.memory = is_on(value),
            "distributedInfo" => self.distributed = serde_json::from_str(value).ok(),
            "deviceProperties" => self.devices = serde_json::from_str(value).ok(),
            // Some writers put the job's description one level down.
            "metadata" | "otherData" => {
                let mut inner = Vec::new();
                each_key(Some(value), |key, raw| {
                    if key == "distributedInfo" || key == "deviceProperties" {
                        inner.push((key.to_owned(), text(raw).into_owned()));
                    }
                });
                for (key, raw) in inner {
                    self.take(&key, &raw);
                }
            }
            _ => {}
        }
    }

    /// Writes everything to the builder; returns the stated rank.
    pub(super) fn apply(&self, builder: &mut RankBuilder) -> Option<u32> {
        builder.base = self
            .base
            .filter(|b| b.unsigned_abs() <= super::MAX_TIME.unsigned_abs())
            .map(DurNs);
        for (i, device) in self
            .devices
            .iter()
            .filter_map(Value::as_array)
            .flatten()
            .enumerate()
        {
            let id = device
                .get("id")
                .and_then(Value::as_i64)
                .or_else(|| i64::try_from(i).ok());
            let name = device.get("name").and_then(Value::as_str);
            if let Some(id) = id {
                builder.device_facts.push(DeviceFacts {
                    id: DeviceId(id),
                    name: name.map(|n| n.trim().to_owned()),
                    sms: device.get("numSms").and_then(as_u32).filter(|n| *n > 0),
                });
            }
        }
        builder.recorded_with = self.recorded_with;
        let info = self.distributed.as_ref()?;
        builder.world_size = info.get("world_size").and_then(as_u32);
        let groups = info.get("pg_config").and_then(Value::as_array);
        builder.process_groups = groups.into_iter().flatten().map(group).collect();
        info.get("rank").and_then(as_u32)
    }
}

/// Options are written as 0 and 1, or as true and false.
fn is_on(value: &str) -> bool {
    matches!(text(value).trim(), "1" | "true" | "True")
}

fn as_u32(value: &Value) -> Option<u32> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_u64(),
    };
    number.and_then(|n| u32::try_from(n).ok())
}

fn group(value: &Value) -> ProcessGroup {
    let word = |key: &str| {
        value.get(key).map_or_else(String::new, |v| {
            v.as_str().map_or_else(|| v.to_string(), str::to_owned)
        })
    };
    ProcessGroup {
        name: word("pg_name"),
        description: word("pg_desc"),
        backend: word("backend_config"),
        ranks: value
            .get("ranks")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(as_u32)
            .collect(),
    }
}
