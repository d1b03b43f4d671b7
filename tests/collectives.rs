//! The tables of collectives: worked out by hand, against plain models, and from the outside.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as expected"
)]

mod support;

use overlane::classify::Rules;
use overlane::ingest::{Cancel, LoadOptions, LoadRequest, Progress, load};
use overlane::metrics::{
    Apart, BandwidthOf, CollectiveRow, CollectiveSort, Query, Selection, SortOrder,
    collective_rows, comm_group_rows, hiding_kernels, sort_collectives, summary_rows,
};
use overlane::time::{DurNs, Ns, Window};
use overlane::trace::class::CollectiveKind;
use overlane::trace::{RankId, SliceRef, Trace, Unmatched};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::kineto::{cell, csv, run};
use support::{Call, TraceBuilder};

fn open(paths: Vec<PathBuf>) -> Trace {
    let request = LoadRequest {
        paths,
        rules: Arc::new(Rules::builtin()),
        options: LoadOptions::default(),
    };
    load(&request, &Progress::default(), &Cancel::default()).unwrap()
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("sample_traces")
        .join(name)
}

fn within(a: i64, b: i64) -> Query {
    Query {
        selection: Selection::Window(Window::new(Ns(a), Ns(b))),
        ..Query::default()
    }
}

fn of_rank(rank: u32) -> Query {
    Query {
        rank: Some(RankId(rank)),
        ..Query::default()
    }
}

/// A row in words, times in µs.
fn line(row: &CollectiveRow) -> String {
    let us = |d: Option<DurNs>| d.map_or("n/a".to_owned(), |d| (d.0 / 1000).to_string());
    let known = row.across.known();
    let last = known.and_then(|t| t.last);
    format!(
        "{} of {} no. {}, {} B: skew {}, last {}, wait {}, transfer {}, ends {}",
        row.kind_label(),
        row.group.as_deref().unwrap_or_default(),
        row.seq.unwrap(),
        row.bytes.unwrap(),
        us(known.map(|t| t.skew)),
        last.map_or("n/a".to_owned(), |r| r.0.to_string()),
        us(row.across.wait()),
        us(row.across.transfer()),
        us(known.map(|t| t.end_spread)),
    )
}

/// The schedule stands in `sample_traces/README.md`; in µs behind its zero:
///
/// ```text
///           all-reduce    reduce-scatter  all-gather    broadcast     GPU 7: [900 1100] [1400 1450]
/// rank 0    [1000  1600)  [1300  1500)    [2000  2100)  [3000  3050)         [2050 2090]
/// rank 1    [1050  1600)  [1300  1500)    [2020  2100)  [3010  3100)
/// rank 2    [1200  1590)  [1300  1500)    [2000  2100)  [2900  3100)
/// ```
#[test]
fn the_sample_has_the_skew_wait_and_transfer_of_its_schedule() {
    let trace = open(vec![sample("staggered_groups")]);
    let of = |rank: u32| -> Vec<String> {
        let rows = collective_rows(&trace, &of_rank(rank));
        rows.iter().map(line).collect()
    };
    // The all-reduce ends at 1590 and 1600: transfer is 1600 - 1200. Of the broadcast rank 2 comes
    // 110 before rank 1, and nobody waits for anybody, as far as is known.
    assert_eq!(
        of(0),
        [
            "all-reduce of 0 no. 40, 8000000 B: skew 200, last 2, wait 200, transfer 400, ends 10",
            "reduce-scatter of 1 no. 40, 2000000 B: skew 0, last n/a, wait 0, transfer 200, ends 0",
            "all-gather of 1 no. 41, 2000000 B: skew 20, last 1, wait 20, transfer 80, ends 0",
            "broadcast of 0 no. 41, 1000000 B: skew 110, last 1, wait n/a, transfer n/a, ends 50",
        ]
    );
    assert_eq!(
        of(1),
        [
            "all-reduce of 0 no. 40, 8000000 B: skew 200, last 2, wait 150, transfer 400, ends 10",
            "reduce-scatter of 1 no. 40, 2000000 B: skew 0, last n/a, wait 0, transfer 200, ends 0",
            "all-gather of 1 no. 41, 2000000 B: skew 20, last 1, wait 0, transfer 80, ends 0",
            "broadcast of 0 no. 41, 1000000 B: skew 110, last 1, wait n/a, transfer n/a, ends 50",
        ]
    );
    // The other rank of its pair is not there.
    let alone = "2000000 B: skew n/a, last n/a, wait n/a, transfer n/a, ends n/a";
    assert_eq!(
        of(2),
        [
            "all-reduce of 0 no. 40, 8000000 B: skew 200, last 2, wait 0, transfer 400, ends 10",
            &format!("reduce-scatter of 2 no. 40, {alone}"),
            &format!("all-gather of 2 no. 41, {alone}"),
            "broadcast of 0 no. 41, 1000000 B: skew 110, last 1, wait n/a, transfer n/a, ends 50",
        ]
    );
}

#[test]
fn bandwidths_are_of_the_transfer_and_say_so() {
    let trace = open(vec![sample("staggered_groups")]);
    let of = |rank: u32| -> Vec<(String, String, BandwidthOf, String)> {
        let rows = collective_rows(&trace, &of_rank(rank));
        rows.iter()
            .map(|r| {
                (
                    r.algorithm_bandwidth().unwrap().gb_per_s3(),
                    r.bus_bandwidth().unwrap().gb_per_s3(),
                    r.bandwidth_of(),
                    r.across.words(r.group_size),
                )
            })
            .collect()
    };
    let row = |alg: &str, bus: &str, of, ranks: &str| {
        (alg.to_owned(), bus.to_owned(), of, ranks.to_owned())
    };
    let (whole, part, wait) = (
        BandwidthOf::Transfer,
        BandwidthOf::PartialTransfer,
        BandwidthOf::Duration,
    );
    assert_eq!(
        of(0),
        [
            // 8 MB in 400 µs, times 2 * 3 / 4: rank 3 may have come later still.
            row("20.000", "30.000", part, "3 of 4 ranks"),
            // 2 MB of halves in 200 µs, times 1 / 2.
            row("10.000", "5.000", whole, "2 of 2 ranks"),
            // 2 MB of 8-bit floats in 80 µs.
            row("25.000", "12.500", whole, "2 of 2 ranks"),
            // 1 MB in the 50 µs of this rank, whatever those hold.
            row("20.000", "20.000", wait, "3 of 4 ranks"),
        ]
    );
    assert_eq!(
        of(2),
        [
            row("20.000", "30.000", part, "3 of 4 ranks"),
            row("10.000", "5.000", wait, "1 of 2 ranks"),
            row("20.000", "10.000", wait, "1 of 2 ranks"),
            row("5.000", "5.000", wait, "3 of 4 ranks"),
        ]
    );
    let rows = collective_rows(&trace, &of_rank(2));
    assert_eq!(
        rows[1].across.why_not(),
        Some(Apart::Unmatched(Unmatched::Alone))
    );
    assert_eq!(rows[3].across.why_not(), Some(Apart::NotTogether));
    assert_eq!(rows[1].description.as_deref(), Some("mesh_tp"));
    assert_eq!(rows[1].ranks.as_deref(), Some("[2, 3]"));
    // One rank alone compares nothing.
    let alone = open(vec![sample("staggered_groups/rank-0.json")]);
    for row in collective_rows(&alone, &Query::default()) {
        assert_eq!(row.bandwidth_of(), BandwidthOf::Duration);
        assert_eq!(row.across.ranks, 1);
    }
}

#[test]
fn what_hides_is_told_each_by_group_and_by_kernel() {
    let trace = open(vec![sample("staggered_groups")]);
    let rows = collective_rows(&trace, &of_rank(0));
    let us = |d: DurNs| d.0 / 1000;
    let split: Vec<_> = rows.iter().map(|r| (us(r.hidden), us(r.exposed))).collect();
    // [1000 1100) and [1400 1450) of the all-reduce, [2050 2090) of the all-gather.
    assert_eq!(split, [(150, 450), (50, 150), (40, 60), (0, 50)]);
    let groups: Vec<_> = comm_group_rows(&trace, &of_rank(0))
        .iter()
        .map(|r| {
            let parts = [
                r.total,
                r.merged,
                r.hidden_by_comp,
                r.hidden_by_comm,
                r.exposed,
            ];
            (
                r.kind_label(),
                r.collectives,
                r.bytes.unwrap(),
                parts.map(us),
            )
        })
        .collect();
    assert_eq!(
        groups,
        [
            // The reduce-scatter runs beside [1300 1500), of which [1400 1450) is computation's.
            ("all-reduce", 1, 8_000_000, [600, 600, 150, 150, 300]),
            ("reduce-scatter", 1, 2_000_000, [200, 200, 50, 150, 0]),
            ("all-gather", 1, 2_000_000, [100, 100, 40, 0, 60]),
            ("broadcast", 1, 1_000_000, [50, 50, 0, 0, 50]),
        ]
    );
    let hiding = hiding_kernels(&trace, &Query::default(), rows[0].slice, 5);
    let hiding: Vec<_> = hiding.iter().map(|k| (k.kernels, us(k.total))).collect();
    // The product from 1000 on, then the GELU.
    assert_eq!(hiding, [(1, 100), (1, 50)]);
    // In a window: 50 of the product, nothing of the GELU.
    let start = rows[0].start.0;
    let query = within(start + 50_000, start + 400_000);
    let rows = collective_rows(
        &trace,
        &Query {
            rank: Some(RankId(0)),
            ..query
        },
    );
    assert_eq!((us(rows[0].hidden), us(rows[0].exposed)), (50, 300));
    assert_eq!(us(rows[0].duration), 600, "a length is whole");
    let hiding = hiding_kernels(&trace, &query, rows[0].slice, 5);
    assert_eq!(hiding.len(), 1);
    assert_eq!(us(hiding[0].total), 50);
    assert!(hiding_kernels(&trace, &within(0, 1), rows[0].slice, 5).is_empty());
}

/// What rank 0 waits for is the delay of rank 1, as `sample_traces/README.md` works out.
#[test]
fn the_straggler_of_the_demo_is_told() {
    let trace = open(vec![sample("bucketed_ddp")]);
    let us = |d: DurNs| d.0 / 1000;
    let of = |rank: u32| -> Vec<(i64, i64)> {
        let rows = collective_rows(&trace, &of_rank(rank));
        let told = |r: &CollectiveRow| {
            (
                us(r.across.wait().unwrap()),
                us(r.across.transfer().unwrap()),
            )
        };
        rows.iter().map(told).collect()
    };
    let d100 = [(100, 500), (100, 600), (100, 300), (20, 400)];
    let d300 = [(300, 500), (300, 600), (120, 300), (20, 400)];
    let d0 = [(0, 500), (0, 600), (0, 300), (0, 400)];
    assert_eq!(of(0), [d100, d300, d0, d100].concat());
    // Rank 1 never waits.
    assert_eq!(of(1), [d0, d0, d0, d0].concat());
    let rows = collective_rows(&trace, &of_rank(0));
    let last: Vec<_> = rows
        .iter()
        .map(|r| r.across.known().unwrap().last)
        .collect();
    assert_eq!(last[..8], [Some(RankId(1)); 8]);
    assert_eq!(last[8..12], [None; 4]);
}

const ALLREDUCE: Call<'static> = Call {
    collective: "allreduce",
    group: "0",
    seq: None,
    elements: [Some(1_000), Some(1_000)],
    dtype: "Float",
    group_size: Some(2),
};

fn why(trace: &Trace) -> Vec<Option<Apart>> {
    let rows = collective_rows(trace, &Query::default());
    rows.iter().map(|r| r.across.why_not()).collect()
}

#[test]
fn ranks_whose_clocks_do_not_agree_are_not_compared() {
    let draw = |drawing: TraceBuilder| {
        drawing
            .rank(0)
            .call(&ALLREDUCE, 100, 300)
            .rank(1)
            .call(&ALLREDUCE, 150, 300)
            .build()
    };
    let apart = draw(TraceBuilder::new());
    assert_eq!(why(&apart), [Some(Apart::Clocks); 2]);
    let rows = collective_rows(&apart, &Query::default());
    assert_eq!(rows[0].across.words(rows[0].group_size), "2 of 2 ranks");
    assert_eq!(rows[0].bandwidth_of(), BandwidthOf::Duration);
    let together = draw(TraceBuilder::new().on_one_clock());
    assert_eq!(why(&together), [None; 2]);
    // Done before the last one began: no all-reduce can be.
    let odd = TraceBuilder::new()
        .on_one_clock()
        .rank(0)
        .call(&ALLREDUCE, 100, 140)
        .rank(1)
        .call(&ALLREDUCE, 150, 300)
        .build();
    assert_eq!(why(&odd), [Some(Apart::Impossible); 2]);
}

#[test]
fn only_what_agrees_in_kind_and_size_is_matched() {
    let unmatched = |why| Some(Apart::Unmatched(why));
    let of = |first: Call<'_>, second: Call<'_>| {
        let trace = TraceBuilder::new()
            .on_one_clock()
            .rank(0)
            .call(&first, 100, 300)
            .rank(1)
            .call(&second, 150, 300)
            .build();
        let found = why(&trace);
        assert_eq!(found[0], found[1]);
        found[0]
    };
    let seq = |seq| Call {
        seq: Some(seq),
        ..ALLREDUCE
    };
    let differs = unmatched(Unmatched::Differs);
    assert_eq!(of(seq(5), seq(5)), None);
    assert_eq!(of(seq(5), seq(6)), unmatched(Unmatched::Alone));
    assert_eq!(of(seq(5), ALLREDUCE), unmatched(Unmatched::Alone));
    let gather = Call {
        collective: "all_gather",
        ..seq(5)
    };
    assert_eq!(of(seq(5), gather), differs);
    assert_eq!(
        of(
            seq(5),
            Call {
                dtype: "Half",
                ..seq(5)
            }
        ),
        differs
    );
    let longer = [Some(1_001), Some(1_001)];
    assert_eq!(
        of(
            seq(5),
            Call {
                elements: longer,
                ..seq(5)
            }
        ),
        differs
    );
    assert_eq!(
        of(
            ALLREDUCE,
            Call {
                elements: longer,
                ..ALLREDUCE
            }
        ),
        differs
    );
    let other = Call {
        group: "1",
        ..seq(5)
    };
    assert_eq!(of(seq(5), other), unmatched(Unmatched::Alone));
    let unsized_call = Call {
        elements: [None, None],
        ..ALLREDUCE
    };
    assert_eq!(of(unsized_call, unsized_call), unmatched(Unmatched::NoSize));
    // Splits of an all-to-all may differ; without a number nothing vouches for it.
    let exchange = |n, seq| Call {
        collective: "all_to_allv",
        elements: [Some(n), Some(n)],
        seq,
        ..ALLREDUCE
    };
    assert_eq!(of(exchange(5, Some(1)), exchange(9, Some(1))), None);
    assert_eq!(of(exchange(5, None), exchange(9, None)), differs);
    let send = Call {
        collective: "send",
        ..seq(5)
    };
    assert_eq!(of(send, send), unmatched(Unmatched::PointToPoint));
}

/// One kernel of a random trace: kind, group, sequence number, elements, gap before, length.
type Drawn = (usize, usize, Option<i64>, u64, i64, i64);

const KINDS: [&str; 4] = ["allreduce", "broadcast", "send", "all_to_all"];

fn drawn() -> impl Strategy<Value = Vec<Vec<Drawn>>> {
    let seq = prop::option::of(0_i64..3);
    let one = (0_usize..4, 0_usize..2, seq, 1_u64..3, 0_i64..9, 1_i64..30);
    prop::collection::vec(prop::collection::vec(one, 1..7), 1..4)
}

proptest! {
    #[test]
    fn ranks_are_matched_as_a_plain_search_does(ranks in drawn()) {
        let mut drawing = TraceBuilder::new().on_one_clock();
        // (rank, start, end, drawn, place among those of its group and number).
        let mut all: Vec<(u32, i64, i64, Drawn, usize)> = Vec::new();
        for (rank, kernels) in (0_u32..).zip(&ranks) {
            drawing = drawing.rank(rank);
            let mut at = 1_000;
            for kernel in kernels {
                let (kind, group, seq, elements, gap, length) = *kernel;
                let start = at + gap;
                at = start + length;
                let call = Call {
                    collective: KINDS[kind],
                    group: ["a", "b"][group],
                    seq,
                    elements: [Some(elements), Some(elements)],
                    dtype: "Float",
                    group_size: Some(3),
                };
                drawing = drawing.call(&call, start, at);
                let same = |o: &&(u32, i64, i64, Drawn, usize)| {
                    o.0 == rank && (o.3.1, o.3.2) == (group, seq) && o.3.0 != 2
                };
                let nth = all.iter().filter(same).count();
                all.push((rank, start, at, *kernel, nth));
            }
        }
        let trace = drawing.build();
        let rows = collective_rows(&trace, &Query::default());
        prop_assert_eq!(rows.len(), all.len());
        for (row, own) in rows.iter().zip(&all) {
            let (_, start, _, (kind, group, seq, _, _, _), nth) = *own;
            let place = |o: &&(u32, i64, i64, Drawn, usize)| {
                (o.3.1, o.3.2, o.4) == (group, seq, nth) && o.3.0 != 2
            };
            let members: Vec<_> = all.iter().filter(place).collect();
            let may_differ = kind == 3 && seq.is_some();
            let agree = members.iter().all(|m| {
                m.3.0 == kind && (may_differ || m.3.3 == own.3.3)
            });
            if kind == 2 || members.len() < 2 || !agree {
                prop_assert_eq!(row.across.ranks, 1);
                prop_assert!(row.across.known().is_none());
                continue;
            }
            prop_assert_eq!(row.across.ranks as usize, members.len());
            let last_start = members.iter().map(|m| m.1).max().unwrap();
            let first_start = members.iter().map(|m| m.1).min().unwrap();
            let last_end = members.iter().map(|m| m.2).max().unwrap();
            let first_end = members.iter().map(|m| m.2).min().unwrap();
            let waits = kind != 1;
            if waits && first_end < last_start {
                prop_assert_eq!(row.across.why_not(), Some(Apart::Impossible));
                continue;
            }
            let timing = row.across.known().unwrap();
            prop_assert_eq!(timing.skew.0, last_start - first_start);
            prop_assert_eq!(timing.end_spread.0, last_end - first_end);
            let last = members.iter().find(|m| m.1 == last_start).map(|m| RankId(m.0));
            prop_assert_eq!(timing.last, last.filter(|_| first_start < last_start));
            let moved = waits.then_some((last_start - start, last_end - last_start));
            let told = row.across.wait().map(|w| (w.0, row.across.transfer().unwrap().0));
            prop_assert_eq!(told, moved);
        }
    }

    #[test]
    fn hidden_and_exposed_are_those_of_a_count_of_every_instant(
        kernels in prop::collection::vec((0_usize..4, 0_i64..3, 0_i64..80, 0_i64..25), 1..20),
        from in -5_i64..90,
        length in 0_i64..90,
    ) {
        const NAMES: [&str; 4] = ["gemm", "ncclAllReduce", "ncclAllGather", "ncclBroadcast"];
        let mut drawing = TraceBuilder::new().kernel("gemm", 0, 1).kernel("gemm", 110, 111);
        let mut all = vec![(0, 0, 1), (0, 110, 111)];
        for (name, stream, start, length) in &kernels {
            let end = start + length;
            all.push((*name, *start, end));
            drawing = drawing.stream(*stream);
            drawing = if *name == 0 {
                drawing.kernel("gemm", *start, end)
            } else {
                drawing.comm(NAMES[*name], *start, end)
            };
        }
        let trace = drawing.build();
        let window = Window::new(Ns(from), Ns(from + length));
        let query = Query { selection: Selection::Window(window), ..Query::default() };
        let (a, b) = (from.max(0), (from + length).min(111));
        let at = |name: usize, t: i64| all.iter().any(|k| k.0 == name && k.1 <= t && t < k.2);
        let mut hidden_sum = 0;
        for row in collective_rows(&trace, &query) {
            let (start, end) = (row.start.0, row.start.0 + row.duration.0);
            let inside = (start.max(a)..end.min(b)).collect::<Vec<_>>();
            let hidden = inside.iter().filter(|t| at(0, **t)).count();
            prop_assert_eq!(row.hidden.0, i64::try_from(hidden).unwrap());
            prop_assert_eq!((row.hidden + row.exposed).0, i64::try_from(inside.len()).unwrap());
            let hiding = hiding_kernels(&trace, &query, row.slice, 9);
            prop_assert!(hiding.iter().map(|k| k.total.0).sum::<i64>() >= row.hidden.0);
            prop_assert_eq!(hiding.is_empty(), row.hidden.0 == 0);
            hidden_sum += 1;
        }
        let counted: u64 = comm_group_rows(&trace, &query).iter().map(|r| r.collectives).sum();
        prop_assert_eq!(counted, hidden_sum);
        for row in comm_group_rows(&trace, &query) {
            let own = match row.kind.unwrap() {
                CollectiveKind::AllReduce => 1,
                CollectiveKind::AllGather => 2,
                _ => 3,
            };
            let mut parts = [0_i64; 4];
            for t in (a..b).filter(|t| at(own, *t)) {
                parts[0] += 1;
                let others = (1..4).filter(|n| *n != own).any(|n| at(n, t));
                let part = if at(0, t) { 1 } else if others { 2 } else { 3 };
                parts[part] += 1;
            }
            let got = [row.merged, row.hidden_by_comp, row.hidden_by_comm, row.exposed];
            prop_assert_eq!(got.map(|d| d.0), parts);
        }
        // Exposed time of all single kernels on one stream is that of the summary.
        let summary = summary_rows(&trace, &query);
        let comm = summary[0].figures.map_or(0, |f| f.comm.0);
        let merged: i64 = comm_group_rows(&trace, &query).iter().map(|r| r.merged.0).sum();
        prop_assert!(merged >= comm);
    }
}

#[test]
fn rows_are_sorted_and_what_has_no_value_stands_last() {
    let trace = open(vec![sample("staggered_groups")]);
    let mut rows = collective_rows(&trace, &of_rank(0));
    let mut kinds = |by, order| {
        sort_collectives(&mut rows, by, order);
        rows.iter()
            .map(CollectiveRow::kind_label)
            .collect::<Vec<_>>()
    };
    let (reduce, scatter) = ("all-reduce", "reduce-scatter");
    let (gather, cast) = ("all-gather", "broadcast");
    let (up, down) = (SortOrder::Ascending, SortOrder::Descending);
    assert_eq!(
        kinds(CollectiveSort::Start, down),
        [cast, gather, scatter, reduce]
    );
    assert_eq!(
        kinds(CollectiveSort::Kind, up),
        [gather, reduce, cast, scatter]
    );
    assert_eq!(
        kinds(CollectiveSort::Wait, down),
        [reduce, gather, scatter, cast]
    );
    assert_eq!(
        kinds(CollectiveSort::Wait, up),
        [scatter, gather, reduce, cast]
    );
    assert_eq!(
        kinds(CollectiveSort::Bandwidth, down),
        [reduce, cast, gather, scatter]
    );
}

/// A kernel that says nothing, its launch, and the operator that recorded the call around it.
fn recorded(record: &str) -> String {
    format!(
        r#"{{"distributedInfo":{{"rank":1,"world_size":2,"pg_config":[{{"pg_name":"7","pg_desc":"tp","ranks":[0,1]}}]}},"traceEvents":[
{{"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":10,"dur":50,"args":{{{record}}}}},
{{"ph":"X","cat":"user_annotation","name":"nccl:coalesced","pid":1,"tid":1,"ts":12,"dur":40,"args":{{"External id":9}}}},
{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":20,"dur":5,"args":{{"correlation":3}}}},
{{"ph":"X","cat":"kernel","name":"ncclDevKernel_Generic","pid":0,"tid":20,"ts":100,"dur":8,"args":{{"device":0,"stream":20,"correlation":3,"External id":9}}}}
]}}"#
    )
}

#[test]
fn what_a_kernel_does_not_say_the_recorded_call_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.json");
    let open_text = |text: &str| {
        std::fs::write(&path, text).unwrap();
        collective_rows(&open(vec![path.clone()]), &Query::default())
    };
    let record = r#""External id":8,"Collective name":"_allgather_base","dtype":"Float8_e5m2","In msg nelems":500,"Out msg nelems":"1000","Process Group Name":"7","Seq":12"#;
    let rows = open_text(&recorded(record));
    assert_eq!(rows.len(), 1);
    let row = &rows[0];
    assert_eq!(row.kind, Some(CollectiveKind::AllGather));
    assert_eq!(
        (row.bytes, row.seq, row.group_size),
        (Some(1_000), Some(12), Some(2))
    );
    assert_eq!(row.description.as_deref(), Some("tp"));
    assert_eq!(row.ranks.as_deref(), Some("[0, 1]"));
    // 1000 bytes in 8 µs, times 1 / 2.
    assert_eq!(row.bus_bandwidth().unwrap().gb_per_s3(), "0.063");
    // Nothing is made up.
    let unknown = open_text(&recorded(&record.replace("Float8_e5m2", "Float5")));
    assert_eq!(unknown[0].bytes, None);
    assert_eq!(unknown[0].algorithm_bandwidth(), None);
    let nothing = open_text(&recorded(r#""External id":8"#));
    assert_eq!(
        (nothing[0].kind, nothing[0].kind_label()),
        (None, "unknown")
    );
    let odd = record.replace("500", "-5").replace("\"1000\"", "null");
    assert_eq!(open_text(&recorded(&odd))[0].bytes, None);
    // A damaged value costs what it holds, not the call.
    let damaged = record.replace(":500", ":NaN");
    assert_eq!(open_text(&recorded(&damaged))[0].bytes, Some(1_000));
    // Of a key that stands twice the last counts.
    let twice = format!(r#"{record},"Seq":13"#);
    assert_eq!(open_text(&recorded(&twice))[0].seq, Some(13));
}

#[test]
fn two_files_of_one_rank_are_not_put_together() {
    let trace = open(vec![
        sample("staggered_groups/rank-0.json"),
        sample("bucketed_ddp/rank-0.json"),
    ]);
    assert_eq!(trace.ranks.len(), 2);
    let mut seen: Vec<SliceRef> = Vec::new();
    for row in collective_rows(&trace, &Query::default()) {
        assert_eq!(row.across.ranks, 1, "{row:?}");
        seen.push(row.slice);
    }
    // Nor is one file with itself, which would be a second rank without any skew.
    let folder = tempfile::tempdir().unwrap();
    let copies = ["a.json", "b.json"].map(|name| folder.path().join(name));
    for copy in &copies {
        std::fs::copy(sample("bucketed_ddp/rank-0.json"), copy).unwrap();
    }
    let twice = open(copies.into());
    let rows = collective_rows(&twice, &of_rank(1));
    assert_eq!(rows.len(), 16);
    let renumbered = Some(Apart::Unmatched(Unmatched::Renumbered));
    assert!(rows.iter().all(|r| r.across.why_not() == renumbered));
    let all = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), all);
}

const COLUMNS: &str = "rank,device,stream,kind,group,group_description,group_ranks,group_size,seq,\
    dtype,in_elements,out_elements,bytes,window_start_ns,window_end_ns,start_ns,duration_us,\
    hidden_us,exposed_us,hidden_percent,algbw_gb_per_s,busbw_gb_per_s,bandwidth_of,matched,\
    skew_us,last_rank,wait_us,transfer_us,end_spread_us,note,kernel";

fn report(args: &[&str]) -> support::kineto::Run {
    let folder = tempfile::tempdir().unwrap();
    let path = sample("staggered_groups");
    let mut all = vec!["report", path.to_str().unwrap(), "--table", "collectives"];
    all.extend(args);
    run(folder.path(), &all)
}

#[test]
fn the_command_line_writes_the_columns_of_the_contract() {
    let run = report(&["--format", "csv", "--rank", "0"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], COLUMNS);
    assert_eq!(lines.len(), 5);
    assert!(
        lines[1].starts_with(
            "0,0,20,all-reduce,0,default_pg,\"[0, 1, 2, 3]\",4,40,BFloat16,4000000,4000000,8000000,"
        ),
        "{}",
        lines[1]
    );
    assert!(
        lines[1].contains(
            "600.000,150.000,450.000,25.0000,20.000,30.000,\"transfer, may include wait\",\
             3 of 4 ranks,200.000,2,200.000,400.000,10.000,,ncclDevKernel_AllReduce"
        ),
        "{}",
        lines[1]
    );
    assert!(lines[4].contains(",3 of 4 ranks,110.000,1,,,50.000,not all ranks of this kind wait"));
    let json = report(&["--format", "json", "--rank", "1", "--sort", "wait"]);
    let document: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let row = &document["rows"][0];
    assert_eq!(
        (&row["kind"], &row["wait_us"]),
        (&"all-reduce".into(), &150.0.into())
    );
    assert!(
        json.stdout.contains("\"busbw_gb_per_s\": 30.000"),
        "{}",
        json.stdout
    );
    for format in ["text", "markdown"] {
        let run = report(&["--format", format, "--by", "group"]);
        assert!(run.stdout.contains("reduce-scatter"), "{}", run.stdout);
    }
}

#[test]
fn options_put_together_sort_filter_and_cut() {
    let of = |args: &[&str], column: &str| {
        let mut all = vec!["--format", "csv", "--rank", "0"];
        all.extend(args);
        let run = report(&all);
        assert_eq!(run.status, 0, "{}", run.stderr);
        // Lists of ranks are quoted and hold commas; these tables are read by their numbers only.
        let plain = run
            .stdout
            .replace("[0, 1, 2, 3]", "all")
            .replace("[0, 1]", "pair");
        let plain = plain
            .replace("transfer, may", "transfer; may")
            .replace("duration, in", "duration; in");
        let rows = csv(&plain).len() - 1;
        let cells: Vec<String> = (0..rows).map(|r| cell(&plain, r, column)).collect();
        (cells, run.stderr)
    };
    let (groups, _) = of(&["--by", "group"], "hidden_by_comm_us");
    assert_eq!(groups, ["150.000", "150.000", "0.000", "0.000"]);
    let (kinds, _) = of(
        &["--by", "group", "--sort", "exposed", "--top", "2"],
        "kind",
    );
    assert_eq!(kinds, ["all-reduce", "all-gather"]);
    assert_eq!(
        of(&["--filter", "^mesh"], "kind").0,
        ["reduce-scatter", "all-gather"]
    );
    assert_eq!(of(&["--filter", "broad"], "skew_us").0, ["110.000"]);
    let (none, said) = of(&["--filter", "nothing"], "kind");
    assert!(
        none.is_empty() && said.contains("no collective matches --filter"),
        "{said}"
    );
    let (top, said) = of(&["--sort", "bandwidth", "--top", "1"], "busbw_gb_per_s");
    assert_eq!(top, ["30.000"]);
    assert_eq!(said, "overlane: --top leaves 3 rows out\n");
    let (none, said) = of(&["--window", "0us..500us"], "kind");
    assert!(
        none.is_empty() && said.contains("no communication kernel lies in the window"),
        "{said}"
    );
    for (args, part) in [
        (
            &["--by", "class"][..],
            "this --by does not go with table collectives; choose collective or group",
        ),
        (
            &["--sort", "mean"],
            "this --sort does not go with table collectives; choose start,",
        ),
        (
            &["--by", "group", "--sort", "skew"],
            "choose kind, group, count,",
        ),
    ] {
        let run = report(args);
        assert_eq!(run.status, 2);
        assert!(run.stderr.contains(part), "{args:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = sample("staggered_groups");
    let path = path.to_str().unwrap();
    for (table, option, value) in [
        ("kernels", "--by", "group"),
        ("kernels", "--sort", "skew"),
        ("steps", "--top", "2"),
    ] {
        let run = run(
            folder.path(),
            &["report", path, "--table", table, option, value],
        );
        assert_eq!(run.status, 2);
        assert!(
            run.stderr.contains("does not go with table"),
            "{}",
            run.stderr
        );
    }
}
