//! What the written snapshots hold: two small ones whose answers were worked out by hand, and one of any size.

use super::allocator::{Allocator, Frame, MIB, Stack};

/// A snapshot to be written.
pub(crate) struct Scenario {
    /// The file's name.
    pub(crate) file: &'static str,
    pub(crate) allocator: Allocator,
    pub(crate) stacks: Vec<Stack>,
}

/// The two bundled ones.
pub(crate) fn bundled() -> Vec<Scenario> {
    vec![fragmented(), leaking()]
}

fn stack(frames: &[(&str, &str, u32)]) -> Stack {
    let frame = |&(name, file, line): &(&str, &str, u32)| Frame {
        name: name.into(),
        file: file.into(),
        line,
    };
    // Every stack ends in the same two frames of the script that was started.
    let main = [("train", "train.py", 88), ("<module>", "train.py", 120)];
    let module = ("_call_impl", "torch/nn/modules/module.py", 1773);
    let inner = frames.iter().chain(std::iter::once(&module)).map(frame);
    inner.chain(main.iter().map(frame)).collect()
}

/// A device of 160 MiB whose cache is in pieces.
///
/// One segment of 120 MiB holds ten tensors of 12 MiB, of which every second was freed: 60 MiB free, none larger than
/// 12 MiB. A side stream holds a wholly free segment of 30 MiB, the small pool one of 2 MiB with 1 MiB in use. The
/// driver has 8 MiB. Once, 40 MiB were asked for: the side stream's segment was given back, and 38 MiB did not do.
fn fragmented() -> Scenario {
    let stacks = vec![
        stack(&[("__init__", "model.py", 12)]),
        stack(&[("forward", "model.py", 40)]),
        stack(&[("copy_batch", "loader.py", 7)]),
        stack(&[("attention_mask", "model.py", 61)]),
    ];
    let mut device = Allocator::new(160 * MIB);
    let whole = device.alloc(120 * MIB, 0, 0).expect("room for it");
    device.wait_us(500);
    device.free(whole, 0);
    let mut tensors = Vec::new();
    for _ in 0..10 {
        device.wait_us(100);
        tensors.push(device.alloc(12 * MIB, 0, 1).expect("room for it"));
    }
    for _ in 0..4 {
        device.alloc(256 << 10, 0, 3).expect("room for it");
    }
    let side = device.alloc(30 * MIB, 7, 2).expect("room for it");
    device.wait_us(200);
    device.free(side, 2);
    for tensor in tensors.iter().skip(1).step_by(2) {
        device.wait_us(50);
        device.free(*tensor, 1);
    }
    device.wait_us(300);
    assert!(device.alloc(40 * MIB, 0, 3).is_none(), "38 MiB are left");
    device.wait_us(300);
    let side = device.alloc(30 * MIB, 7, 2).expect("room for it");
    device.wait_us(100);
    device.free(side, 2);
    Scenario {
        file: "snapshot_fragmented.pickle",
        allocator: device,
        stacks,
    }
}

/// A training loop of eight steps that keeps 4 MiB of every step.
///
/// 96 MiB of weights are older than the recording. A step takes six activations of 16 MiB, gives them back in reverse,
/// and keeps one hidden state of 4 MiB in a list (`keep_hidden`, `train.py` line 42): 32 MiB at the end.
fn leaking() -> Scenario {
    let stacks = vec![
        stack(&[("__init__", "model.py", 12)]),
        stack(&[("forward", "model.py", 40)]),
        stack(&[("backward", "torch/autograd/__init__.py", 266)]),
        stack(&[("keep_hidden", "train.py", 42)]),
    ];
    let mut device = Allocator::new(1024 * MIB);
    device.recording = false;
    for _ in 0..4 {
        device.alloc(24 * MIB, 0, 0).expect("room for it");
    }
    device.recording = true;
    for _ in 0..8 {
        let mut activations = Vec::new();
        for _ in 0..6 {
            device.wait_us(1_000);
            activations.push(device.alloc(16 * MIB, 0, 1).expect("room for it"));
        }
        device.alloc(4 * MIB, 0, 3).expect("room for it");
        while let Some(activation) = activations.pop() {
            device.wait_us(1_500);
            device.free(activation, 2);
        }
        device.wait_us(2_000);
    }
    Scenario {
        file: "snapshot_leaking.pickle",
        allocator: device,
        stacks,
    }
}

/// Numbers that are the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// At least `events` events of a loop with 2,000 call sites of 20 to 50 frames and sizes from 512 bytes to 64 MiB.
pub(crate) fn big(events: usize) -> Scenario {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let stacks: Vec<Stack> = (0..2_000).map(|site| big_stack(site, &mut dice)).collect();
    let mut device = Allocator::new(u64::MAX / 4);
    let mut alive: Vec<(u64, usize)> = Vec::new();
    while device.events.len() < events {
        device.wait_us(dice.roll(20));
        if alive.len() < 4_000 || dice.roll(100) < 50 {
            let stack = dice.roll(2_000) as usize;
            let least = 512 << dice.roll(17);
            let bytes = least + dice.roll(least);
            let got = device.alloc(bytes, dice.roll(3), stack);
            alive.extend(got.map(|at| (at, stack)));
        } else {
            // Mostly what is young dies, as in a step.
            let young = alive.len() - 1 - dice.roll(64) as usize;
            let place = if dice.roll(10) < 9 {
                young
            } else {
                dice.roll(alive.len() as u64) as usize
            };
            let (at, stack) = alive.swap_remove(place);
            device.free(at, stack);
        }
    }
    Scenario {
        file: "big.pickle",
        allocator: device,
        stacks,
    }
}

fn big_stack(site: u64, dice: &mut Dice) -> Stack {
    let depth = 20 + dice.roll(31);
    let frame = |level: u64| Frame {
        name: format!("layer_{}_forward", (site + level * 7) % 311),
        file: format!("site-packages/model/blocks_{}.py", (site + level) % 97),
        line: ((site * 31 + level * 17) % 900) as u32 + 1,
    };
    (0..depth).map(frame).collect()
}
