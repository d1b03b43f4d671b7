//! `memory_leak.json` and `memory_level.json`: the same eight steps, but one of them keeps a block of every step.

use super::catalog;
use super::rank::{Autograd, Host, RankTrace, Thread, slot, us};

const STREAM: i64 = 7;
const STEPS: i64 = 8;
const PERIOD_US: i64 = 1000;
const MIB: i64 = 1 << 20;
/// The workspace of a step, freed in the same step.
const WORKSPACE: (i64, i64) = (0x7000_0000_0000, 8 * MIB);
/// What a step appends to a list: where the first one lies, and how much it is.
const HISTORY: (i64, i64) = (0x7100_0000_0000, MIB);

/// `keeps` is what makes it leak: the history of a step is not freed in the step.
pub(crate) fn trace(keeps: bool) -> String {
    let mut rank = RankTrace::new(0, 1);
    for index in 0..STEPS {
        let origin = us(index * PERIOD_US);
        let at = |us_in_step| Host {
            thread: Thread::Main,
            now: origin + us(us_in_step),
        };
        let span = |from, to| (origin + us(from), origin + us(to));
        rank.host_op(Thread::Main, "aten::empty", span(20, 40));
        rank.allocate(&at(30), WORKSPACE.0, WORKSPACE.1);
        let kernel = slot(STREAM, origin, 100, 400);
        rank.compute(&mut at(60), &catalog::MLP_UP, Autograd::None, kernel);
        let history = HISTORY.0 + index * HISTORY.1;
        rank.host_op(Thread::Main, "aten::cat", span(500, 520));
        rank.allocate(&at(510), history, HISTORY.1);
        rank.allocate(&at(600), WORKSPACE.0, -WORKSPACE.1);
        if !keeps {
            rank.allocate(&at(700), history, -HISTORY.1);
        }
        rank.step(index + 1, span(0, 990));
    }
    rank.finish((us(-20), us(STEPS * PERIOD_US)))
}
