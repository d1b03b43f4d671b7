//! The side table of communication kernels: which collective each is, and what its message was.
//!
//! Only communication kernels have an entry, so traces without any pay nothing. What a kernel's
//! own args do not tell is taken from the operator that recorded the call (`record_param_comms`).

use super::class::CollectiveKind;
use super::collectives::{self, Collective};
use super::{NameId, Names, ProcessGroup, Rank, SliceId};
use crate::time::Ns;
use std::collections::HashMap;

/// What an event's args tell of a collective call, in the order and words of the profiler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// `Collective name`.
    pub collective: Option<NameId>,
    /// `dtype`: the type of one element.
    pub dtype: Option<NameId>,
    /// `Process Group Name`.
    pub group: Option<NameId>,
    /// `Process Group Description`.
    pub description: Option<NameId>,
    /// `Process Group Ranks`, as it is written.
    pub ranks: Option<NameId>,
    /// `In msg nelems`: elements that this rank gives.
    pub in_elements: Option<u64>,
    /// `Out msg nelems`: elements that this rank gets.
    pub out_elements: Option<u64>,
    /// `Group size`.
    pub group_size: Option<u32>,
    /// `Seq`: the number of the call within its group.
    pub seq: Option<i64>,
}

impl Message {
    /// Whether nothing is told.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes what is missing from another account of the same call.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            collective: self.collective.or(other.collective),
            dtype: self.dtype.or(other.dtype),
            group: self.group.or(other.group),
            description: self.description.or(other.description),
            ranks: self.ranks.or(other.ranks),
            in_elements: self.in_elements.or(other.in_elements),
            out_elements: self.out_elements.or(other.out_elements),
            group_size: self.group_size.or(other.group_size),
            seq: self.seq.or(other.seq),
        }
    }

    /// The same with the names of another dictionary.
    #[must_use]
    pub fn renamed(self, of: impl Fn(NameId) -> NameId) -> Self {
        Self {
            collective: self.collective.map(&of),
            dtype: self.dtype.map(&of),
            group: self.group.map(&of),
            description: self.description.map(&of),
            ranks: self.ranks.map(&of),
            ..self
        }
    }

    /// Elements of the full buffer: what all ranks get together of an all-gather or a gather, what
    /// this rank gets of a receive, what it gives of everything else.
    #[must_use]
    pub fn buffer_elements(&self, kind: CollectiveKind) -> Option<u64> {
        use CollectiveKind as K;
        match kind {
            K::AllGather | K::Gather | K::Recv => self.out_elements,
            K::AllReduce
            | K::ReduceScatter
            | K::AllToAll
            | K::Broadcast
            | K::Reduce
            | K::Scatter
            | K::SendRecv
            | K::Send => self.in_elements,
            K::Barrier | K::Other => None,
        }
    }

    /// Bytes of the full buffer; `None` where the elements or the size of one are not known.
    #[must_use]
    pub fn buffer_bytes(&self, kind: CollectiveKind, names: &Names) -> Option<u64> {
        let size = element_size(names.get(self.dtype?))?;
        self.buffer_elements(kind)?.checked_mul(size)
    }

    /// The ranks of the process group: from the message, else from the list of its rank's file.
    #[must_use]
    pub fn group_ranks(&self, rank: &Rank, names: &Names) -> Option<Vec<u32>> {
        let told = self.ranks.and_then(|text| listed_ranks(names.get(text)));
        told.or_else(|| {
            let listed = rank.process_group(names.get(self.group?))?;
            (!listed.ranks.is_empty()).then(|| listed.ranks.clone())
        })
    }

    /// Whether the operator that recorded the call could add to it.
    fn has_gaps(&self) -> bool {
        self.collective.is_none()
            || self.dtype.is_none()
            || self.group.is_none()
            || self.in_elements.is_none()
            || self.seq.is_none()
    }
}

/// One communication kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comm {
    /// The kernel.
    pub slice: SliceId,
    /// The last end of all communication kernels of its stream up to this one: whatever reaches
    /// into a window is found by a search.
    pub reach: Ns,
    /// Which collective it is, where anybody says so.
    pub collective: Option<Collective>,
    /// What was sent, as far as it is told.
    pub message: Message,
}

/// Bytes of one element of a type, as the framework names it; `None` for types of no known size.
#[must_use]
pub fn element_size(dtype: &str) -> Option<u64> {
    let name = dtype.trim().to_ascii_lowercase();
    let name = name.trim_start_matches("c10::");
    let name = name.trim_start_matches("torch.");
    Some(match name {
        // The last one holds two numbers of four bits in an element.
        "byte" | "char" | "bool" | "uint8" | "int8" | "quint8" | "qint8" | "float8_e4m3fn"
        | "float8_e5m2" | "float8_e4m3fnuz" | "float8_e5m2fnuz" | "float8_e8m0fnu"
        | "float8_e8m0" | "float4_e2m1fn_x2" => 1,
        "short" | "half" | "bfloat16" | "uint16" | "int16" | "float16" => 2,
        "int" | "float" | "complexhalf" | "qint32" | "uint32" | "int32" | "float32" => 4,
        "long" | "double" | "complexfloat" | "uint64" | "int64" | "float64" => 8,
        "complexdouble" => 16,
        _ => return None,
    })
}

/// The ranks of a process group as its text lists them; `None` where it is cut short or no list.
#[must_use]
pub fn listed_ranks(text: &str) -> Option<Vec<u32>> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let numbers = inner.split(',').map(|n| n.trim().parse().ok());
    let ranks: Vec<u32> = numbers.collect::<Option<_>>()?;
    (!ranks.is_empty()).then_some(ranks)
}

impl Rank {
    /// The entry of a communication kernel in the side table.
    #[must_use]
    pub fn comm(&self, slice: SliceId) -> Option<&Comm> {
        let at = self.comms.binary_search_by_key(&slice, |c| c.slice).ok()?;
        self.comms.get(at)
    }

    /// The communicator of this name that the file lists.
    #[must_use]
    pub fn process_group(&self, name: &str) -> Option<&ProcessGroup> {
        self.process_groups.iter().find(|g| g.name == name)
    }
}

/// Builds the table. `messages` are by slice, of kernels and of operators; `op_of` tells the
/// operator with the external id of a kernel.
pub(super) fn table(
    rank: &Rank,
    names: &Names,
    messages: &HashMap<u32, Message>,
    op_of: impl Fn(SliceId) -> Option<SliceId>,
) -> Vec<Comm> {
    // Where no call was recorded, none is looked for: the search around a launch may be long.
    let is_recorded = messages.keys().any(|id| {
        let slice = rank.slices.get(SliceId(*id));
        slice.is_some_and(|s| s.class().is_none())
    });
    let mut found = Vec::new();
    for stream in rank.devices.iter().flat_map(|d| &d.streams) {
        let mut reach = Ns(i64::MIN);
        for kernel in rank.slices.range(stream.slices.clone()) {
            if kernel.class() != Some(super::class::KernelClass::Communication) {
                continue;
            }
            reach = reach.max(kernel.end());
            let op = op_of(kernel.id());
            let own = messages.get(&kernel.id().0).copied().unwrap_or_default();
            let message = if is_recorded && own.has_gaps() {
                let recorded = collectives::hosts(rank, kernel, op)
                    .find_map(|host| messages.get(&host.id().0).copied());
                own.or(recorded.unwrap_or_default())
            } else {
                own
            };
            let stated = [own.collective, message.collective];
            found.push(Comm {
                slice: kernel.id(),
                reach,
                collective: collectives::tell(rank, names, kernel, stated, op),
                message,
            });
        }
    }
    found.sort_by_key(|c| c.slice);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_ranks_are_read_unless_they_are_cut_short() {
        assert_eq!(listed_ranks("[0, 1,2]"), Some(vec![0, 1, 2]));
        assert_eq!(listed_ranks(" [7] "), Some(vec![7]));
        for text in ["[]", "", "0, 1", "[0, 1, ..., 63]", "[0, -1]", "[0, x]"] {
            assert_eq!(listed_ranks(text), None, "{text}");
        }
    }

    #[test]
    fn every_type_of_the_framework_has_its_size() {
        for (size, names) in [
            (
                1,
                "Byte Char Bool QInt8 QUInt8 Float8_e4m3fn Float8_e5m2 Float8_e4m3fnuz",
            ),
            (1, "Float8_e5m2fnuz Float8_e8m0fnu float8_e8m0 UInt8"),
            (2, "Short Half BFloat16 UInt16 c10::BFloat16 torch.float16"),
            (4, "Int Float ComplexHalf UInt32 QInt32"),
            (8, "Long Double ComplexFloat UInt64"),
            (16, "ComplexDouble"),
        ] {
            for name in names.split(' ') {
                assert_eq!(element_size(name), Some(size), "{name}");
            }
        }
        for name in ["", "Undefined", "int8_t", "Bits16x", "Float7"] {
            assert_eq!(element_size(name), None, "{name}");
        }
    }

    #[test]
    fn gaps_are_filled_and_what_is_there_stays() {
        let own = Message {
            dtype: Some(NameId(1)),
            in_elements: Some(4),
            ..Message::default()
        };
        let op = Message {
            dtype: Some(NameId(2)),
            out_elements: Some(5),
            seq: Some(9),
            ..Message::default()
        };
        let both = own.or(op);
        assert_eq!((both.dtype, both.in_elements), (Some(NameId(1)), Some(4)));
        assert_eq!((both.out_elements, both.seq), (Some(5), Some(9)));
        let moved = both.renamed(|n| NameId(n.0 + 10));
        assert_eq!((moved.dtype, moved.seq), (Some(NameId(11)), Some(9)));
    }
}
