//! The baseline: clip every kernel to the window, merge by class, sweep the edges.

use overlane::time::{Ns, Window};
use overlane::trace::class::KernelClass;

/// Time in the window with computation and communication at once, and with anything.
pub(super) fn overlap_and_busy(kernels: &[(Ns, Ns, KernelClass)], window: Window) -> (i64, i64) {
    let mut edges: Vec<(Ns, usize, i32)> = Vec::new();
    for (index, class) in [
        KernelClass::Computation,
        KernelClass::Communication,
        KernelClass::Memory,
    ]
    .into_iter()
    .enumerate()
    {
        let mut merged: Vec<(Ns, Ns)> = Vec::new();
        for (start, end, _) in kernels.iter().filter(|k| k.2 == class) {
            let (start, end) = ((*start).max(window.start()), (*end).min(window.end()));
            if start >= end {
                continue;
            }
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        for (start, end) in merged {
            edges.push((start, index, 1));
            edges.push((end, index, -1));
        }
    }
    edges.sort_unstable();
    let (mut overlap, mut busy) = (0, 0);
    let mut active = [0; 3];
    let mut before = window.start();
    for (at, index, step) in edges {
        let passed = (at - before).0;
        if active.iter().any(|a| *a > 0) {
            busy += passed;
        }
        if let [computation, communication, _] = active
            && computation > 0
            && communication > 0
        {
            overlap += passed;
        }
        if let Some(count) = active.get_mut(index) {
            *count += step;
        }
        before = at;
    }
    (overlap, busy)
}
