//! What args tell of a collective call. Few events do, so their args are read a second time here
//! instead of having every event carry room for it.

use super::Assembler;
use crate::ingest::chrome_json::event::{each_key, text};
use crate::time::parse_i64;
use crate::trace::Message;

impl Assembler<'_> {
    /// Reads what the args of a kernel or of `record_param_comms` tell.
    pub(super) fn message(&mut self, args: Option<&str>) -> Message {
        let mut message = Message::default();
        let mut group_number = None;
        each_key(args, |key, raw| {
            let number = || parse_i64(raw.as_bytes()).ok();
            let elements = || number().and_then(|n| u64::try_from(n).ok());
            // A blank text and `null` state nothing; of a key that stands twice the last counts.
            let is_stated = raw != "null" && !text(raw).trim().is_empty();
            match key {
                "In msg nelems" => message.in_elements = elements(),
                "Out msg nelems" => message.out_elements = elements(),
                "Group size" => message.group_size = number().and_then(|n| u32::try_from(n).ok()),
                "Seq" => message.seq = number(),
                "Process Group ID" => group_number = is_stated.then(|| self.name(raw)),
                _ => {
                    let slot = match key {
                        "Collective name" => &mut message.collective,
                        "dtype" => &mut message.dtype,
                        "Process Group Name" => &mut message.group,
                        "Process Group Description" => &mut message.description,
                        "Process Group Ranks" => &mut message.ranks,
                        _ => return,
                    };
                    *slot = is_stated.then(|| self.name(raw));
                }
            }
        });
        // Older writers number their groups, as `pg_config` does under the name.
        message.group = message.group.or(group_number);
        message
    }
}
