//! From kernels to the calls and ops that launched them, and back.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod support;

use overlane::metrics::{Launched, launched_by};
use overlane::time::{DurNs, Ns, Window};
use overlane::trace::{Rank, SliceId, Trace};
use support::TraceBuilder;

fn find(trace: &Trace, name: &str) -> SliceId {
    let rank = &trace.ranks[0];
    let found = rank
        .slices
        .range(0..rank.astray.start)
        .find(|s| trace.names.get(s.name()) == name);
    found.unwrap_or_else(|| panic!("no {name}")).id()
}

fn name(trace: &Trace, id: Option<SliceId>) -> &str {
    let slice = id.and_then(|id| trace.ranks[0].slices.get(id));
    slice.map_or("", |s| trace.names.get(s.name()))
}

/// ```text
/// host   [linear 0..................50][other 60..80]
///          [addmm 5.......40]            (launch 61)
///            (10)(20)                (launch 45 of late)
/// gpu              [a 30-60][b 55-90]     [late 100-120]   [c 130-140]
/// ```
fn drawn() -> Trace {
    TraceBuilder::new()
        .cpu("aten::linear", 0, 50)
        .cpu("aten::addmm", 5, 40)
        .launched("a", 10, 30, 60)
        .stream(8)
        .launched("b", 20, 55, 90)
        .launched("late", 45, 100, 120)
        .cpu("aten::other", 60, 80)
        .launched("c", 61, 130, 140)
        .cpu("aten::empty", 85, 90)
        .build()
}

#[test]
fn a_kernel_is_followed_to_the_innermost_op_around_its_launch() {
    let trace = drawn();
    let rank: &Rank = &trace.ranks[0];
    let op = |kernel| name(&trace, rank.launching_op(find(&trace, kernel)));
    assert_eq!(op("a"), "aten::addmm");
    assert_eq!(op("b"), "aten::addmm");
    assert_eq!(op("late"), "aten::linear");
    assert_eq!(op("c"), "aten::other");
    let around = rank.op_around(find(&trace, "aten::addmm"));
    assert_eq!(name(&trace, around), "aten::linear");
    assert_eq!(rank.op_around(find(&trace, "aten::linear")), None);
}

#[test]
fn what_a_clock_around_an_op_does_not_see() {
    let trace = drawn();
    let of = |op| launched_by(&trace.ranks[0], find(&trace, op));
    let launched = |kernels, (from, to), busy, sum, host, after| {
        Some(Launched {
            kernels,
            window: Window::new(Ns(from), Ns(to)),
            busy: DurNs(busy),
            sum: DurNs(sum),
            host: DurNs(host),
            after_return: DurNs(after),
        })
    };
    // 30 to 90 at once, 30 + 35 in all; 90 - 40 after the return.
    assert_eq!(of("aten::addmm"), launched(2, (30, 90), 60, 65, 35, 50));
    // 60 + 20; 120 - 50.
    assert_eq!(of("aten::linear"), launched(3, (30, 120), 80, 85, 50, 70));
    assert_eq!(of("aten::other"), launched(1, (130, 140), 10, 10, 20, 60));
    assert_eq!(of("aten::empty"), None);
    assert_eq!(of("a"), None);
}

#[test]
fn one_call_of_a_graph_launches_many_and_a_repeated_id_counts_once() {
    let trace = TraceBuilder::new()
        .cpu("replay", 0, 30)
        .launched("first", 10, 20, 25)
        .gpu(
            "second",
            overlane::trace::class::KernelClass::Computation,
            25,
            35,
            Some(1),
        )
        .build();
    let launched = launched_by(&trace.ranks[0], find(&trace, "replay")).unwrap();
    assert_eq!((launched.kernels, launched.busy), (2, DurNs(15)));
    assert_eq!(launched.after_return, DurNs(5));
}
