//! Check d: how much of the device communication kernels can occupy at most.
//!
//! NCCL and RCCL launch one block a channel, and a block stands on one multiprocessor: blocks over
//! multiprocessors bounds their share from above. Other libraries (`DeepEP`, NVSHMEM, one-shot
//! all-reduces, MSCCL) give blocks another meaning, so nothing is said of them.

use super::samples::Source;
use crate::metrics::Ratio;
use crate::metrics::walk::Walk;
use crate::time::DurNs;
use crate::trace::class::KernelClass;
use crate::trace::{Busy, SliceId};
use std::collections::BTreeMap;

/// A communication kernel is resident, not transferring, if at least this many computation kernels
/// begin while it runs and it is none of NCCL's or RCCL's.
pub(super) const PERSISTENT_KERNELS: u64 = 32;

/// Pieces of names that tell a kernel written for dedicated copy or matrix units.
const SPECIALISED: [&str; 5] = ["warpspecialized", "tma", "wgmma", "sm90", "sm100"];

/// What communication kernels occupy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelCheck {
    /// Multiprocessors of the device, where the file says.
    pub sms: Option<u32>,
    /// Largest number of blocks of a kernel of NCCL or RCCL.
    pub most_blocks: Option<u64>,
    /// The kernel that has them.
    pub widest: Option<SliceId>,
    /// Blocks of those kernels times their length, summed up: divided by `known_time` the mean.
    block_time: i128,
    /// Sum of the lengths of those kernels.
    pub known_time: DurNs,
    /// How many of them there are.
    pub known: u64,
    /// Communication kernels of which nothing can be said.
    pub unknown: u64,
    /// Communication kernels that are resident over many computation kernels.
    pub persistent: u64,
    /// The first of those.
    pub first_persistent: Option<SliceId>,
    /// Computation kernels whose names tell dedicated copy or matrix units.
    pub specialised: u64,
    /// All computation kernels.
    pub computation: u64,
}

impl ChannelCheck {
    /// The largest share of the multiprocessors that communication can occupy.
    #[must_use]
    pub fn most_share(&self) -> Option<Ratio> {
        share(self.most_blocks?.into(), self.sms?)
    }

    /// The same as a mean over the time of the kernels.
    #[must_use]
    pub fn mean_share(&self) -> Option<Ratio> {
        let time = i128::from(self.known_time.0);
        let all = time.checked_mul(i128::from(self.sms?))?;
        let part = i64::try_from(self.block_time.min(all)).ok()?;
        Ratio::new(DurNs(part), DurNs(i64::try_from(all).ok()?))
    }
}

/// More blocks than multiprocessors still occupy no more than all.
fn share(blocks: i128, sms: u32) -> Option<Ratio> {
    let part = i64::try_from(blocks.min(i128::from(sms))).ok()?;
    Ratio::new(DurNs(part), DurNs(sms.into()))
}

/// Whether a name is that of a kernel whose blocks are channels.
fn has_channels(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let base = name.split(['<', '(']).next().unwrap_or(&name);
    let word = base.rsplit("::").next().unwrap_or(base).trim();
    let word = word.rsplit(' ').next().unwrap_or(word);
    (word.starts_with("nccl") || word.starts_with("rccl")) && !word.contains("symm")
}

/// Whether a name tells dedicated units: a property of the kernel, no proof of anything.
#[must_use]
fn is_specialised(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SPECIALISED.iter().any(|piece| {
        name.match_indices(piece).any(|(at, _)| {
            // `tma` within `softmax` is another word.
            let word = |c: char| c.is_ascii_alphabetic();
            let before = name.get(..at).and_then(|s| s.chars().next_back());
            let behind = name.get(at + piece.len()..).and_then(|s| s.chars().next());
            *piece != "tma" || !(before.is_some_and(word) || behind.is_some_and(word))
        })
    })
}

/// Looks at the kernels of a window.
pub(super) fn check(source: &Source<'_>) -> ChannelCheck {
    let walk = Walk::new(source.rank, source.device, source.window, source.clip);
    let names = &source.trace.names;
    let mut found = ChannelCheck {
        sms: source.device.sms,
        ..ChannelCheck::default()
    };
    let (mut comms, specialised, computation) = walk.fold(
        || (Vec::new(), BTreeMap::new(), 0_u64),
        |(mut comms, mut by_name, mut all), kernel| {
            match kernel.class {
                KernelClass::Communication => comms.push((kernel.id, kernel.name, kernel.length)),
                KernelClass::Computation => {
                    *by_name.entry(kernel.name).or_insert(0_u64) += 1;
                    all += 1;
                }
                KernelClass::Memory => {}
            }
            (comms, by_name, all)
        },
        |(mut a, mut of_a, n), (b, of_b, m)| {
            a.extend(b);
            for (name, count) in of_b {
                *of_a.entry(name).or_insert(0) += count;
            }
            (a, of_a, n + m)
        },
    );
    comms.sort_unstable_by_key(|c| c.0);
    found.computation = computation;
    let specialised = specialised.into_iter();
    let specialised = specialised.filter(|(name, _)| is_specialised(names.get(*name)));
    found.specialised = specialised.map(|(_, n)| n).sum();
    for (id, name, length) in comms {
        let is_channels = has_channels(names.get(name));
        let (shape, call) = source.shape(id);
        let in_threads = call.is_some_and(|c| names.get(c).contains("Module"));
        let blocks = shape.and_then(|s| s.blocks(in_threads));
        match blocks.filter(|_| is_channels) {
            Some(blocks) => {
                found.known += 1;
                found.known_time = found.known_time + length;
                found.block_time += i128::from(blocks) * i128::from(length.0);
                if found.most_blocks.is_none_or(|most| most < blocks) {
                    (found.most_blocks, found.widest) = (Some(blocks), Some(id));
                }
            }
            None => found.unknown += 1,
        }
        if !is_channels && is_resident(source, id) {
            found.persistent += 1;
            found.first_persistent.get_or_insert(id);
        }
    }
    found
}

/// Whether many computation kernels begin and end while a kernel runs.
fn is_resident(source: &Source<'_>, id: SliceId) -> bool {
    let Some(slice) = source.rank.slices.get(id) else {
        return false;
    };
    let whole = slice.window();
    let streams = source.device.streams.iter();
    let beside: u64 = streams
        .filter(|s| !s.slices.contains(&id.0))
        .map(|s| s.activity(source.clip))
        .filter(|a| a.measure(whole).sum(|mask| mask & Busy::C != 0) > DurNs::ZERO)
        .map(|a| a.kernels(whole))
        .sum();
    beside >= PERSISTENT_KERNELS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_nccl_and_rccl_have_channels() {
        for (name, is) in [
            (
                "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                true,
            ),
            (
                "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)",
                true,
            ),
            ("void rcclKernel<1>(int)", true),
            ("ncclSymmDevKernel_AllReduce", false),
            ("void deep_ep::internode::dispatch<true>(int)", false),
            ("void vllm::cross_device_reduce_1stage<float, 8>()", false),
            ("mscclKernel_Sum", false),
            ("nvshmem_quiet", false),
        ] {
            assert_eq!(has_channels(name), is, "{name}");
        }
    }

    #[test]
    fn names_tell_dedicated_units() {
        for (name, is) in [
            ("cutlass3x_sm90_xmma_gemm_bf16", true),
            ("gemm_kernel_WarpSpecializedCooperative", true),
            ("void kernel_tma_load<1>", true),
            ("flash_sm100_fwd", true),
            ("wgmma_gemm", true),
            ("void softmax_warp_forward<float>", false),
            ("ampere_sgemm_128x64_tn", false),
            ("softmaxtmax", false),
        ] {
            assert_eq!(is_specialised(name), is, "{name}");
        }
    }

    #[test]
    fn shares_are_bounded_by_the_whole() {
        let check = ChannelCheck {
            sms: Some(108),
            most_blocks: Some(24),
            block_time: 24 * 100 + 12 * 100,
            known_time: DurNs(200),
            ..ChannelCheck::default()
        };
        assert_eq!(check.most_share().unwrap().percent4(), "22.2222");
        assert_eq!(check.mean_share().unwrap().percent4(), "16.6667");
        let over = ChannelCheck {
            most_blocks: Some(500),
            ..check
        };
        assert_eq!(over.most_share().unwrap().percent4(), "100.0000");
        assert_eq!(ChannelCheck::default().most_share(), None);
    }
}
