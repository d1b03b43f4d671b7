//! The figures of the four checks.

use super::{FigureSource, List, time_of};
use crate::metrics::Ratio;
use crate::metrics::grid::Cell;
use crate::metrics::overlap::robust::{Estimate, Factor};
use crate::metrics::overlap::verdict::SideFactor;
use crate::metrics::overlap::waits::WaitEdge;
use crate::time::DurNs;

/// Adds them all, check by check.
pub(super) fn add(list: &mut List<'_>) {
    streams(list);
    waits(list);
    dilation(list);
    channels(list);
}

fn streams(list: &mut List<'_>) {
    const CHECK: &str = "streams";
    let found = list.of.streams.clone();
    let names: Vec<String> = found
        .compute_streams
        .iter()
        .map(|s| s.0.to_string())
        .collect();
    let row = list.add(
        (CHECK, "compute_streams"),
        "Compute streams",
        Cell::Text(names.join(" ")),
        "",
    );
    row.count = u64::try_from(names.len()).ok();
    let row = list.share(
        (CHECK, "comm_on_compute_stream"),
        "Communication on a compute stream",
        Ratio::new(found.comm_on_them, found.comm),
    );
    if found.comm_on_them > DurNs::ZERO {
        row.note = "it can only run before or after the computation of its stream".into();
    }
    let launched = (found.launched, found.launched + found.not_launched);
    let coverage = ratio_of(launched.0, launched.1);
    for (figure, title, part, whole) in [
        (
            "comm_while_compute_queued",
            "Communication while computation was queued",
            found.queued,
            found.comm,
        ),
        (
            "exposed_while_compute_queued",
            "Exposed while computation was queued",
            found.queued_exposed,
            found.exposed,
        ),
    ] {
        let row = list.share((CHECK, figure), title, Ratio::new(part, whole));
        (row.count, row.coverage) = (Some(launched.0), coverage);
    }
    let row = list.count(
        (CHECK, "kernels_without_launch"),
        "Computation kernels without a launch record",
        found.not_launched,
    );
    if found.not_launched > 0 {
        row.note = "replayed graphs or calls that were not recorded".into();
    }
}

/// A share of counts, as one of times.
fn ratio_of(part: u64, whole: u64) -> Option<Ratio> {
    let of = |n: u64| DurNs(i64::try_from(n).unwrap_or(i64::MAX));
    Ratio::new(of(part), of(whole))
}

fn waits(list: &mut List<'_>) {
    const CHECK: &str = "dependencies";
    let found = list.of.waits.clone();
    for WaitEdge {
        stream,
        wait_on,
        count,
        joins_classes,
        first,
    } in found.edges
    {
        let title = format!("Stream {} waits for stream {}", stream.0, wait_on.0);
        let evidence = list.evidence(Some(first));
        let row = list.count((CHECK, "stream_waits"), title, count);
        row.evidence = evidence;
        if joins_classes {
            row.note = "one runs computation, the other communication".into();
        }
    }
    if found.unknown_edges > 0 {
        let row = list.count(
            (CHECK, "stream_waits_unknown"),
            "Waits for an unknown stream",
            found.unknown_edges,
        );
        row.note = "the profiler lost which call recorded the event".into();
    }
    if found.possible > 0 {
        let evidence = list.evidence(found.first_possible.map(|p| p.call));
        let row = list.count(
            (CHECK, "possible_dependencies"),
            "Possible dependencies",
            found.possible,
        );
        row.source = FigureSource::Modelled;
        row.evidence = evidence;
        row.note = "calls that make a stream wait; which streams is not recorded: turn on synchronisation events (enable_cuda_sync_events)".into();
    }
    for block in &found.blocks {
        let op = block
            .op
            .as_ref()
            .map_or_else(String::new, |op| format!(" in {op}"));
        let title = format!("{}{op}", block.call);
        let evidence = list.evidence(Some(block.worst));
        let row = list.time((CHECK, "host_blocked"), title, block.cost);
        (row.count, row.evidence) = (Some(block.count), evidence);
        row.note = "idle time of the device from the call to the next kernel".into();
    }
}

fn dilation(list: &mut List<'_>) {
    let (kernels, transfers) = (list.of.computation, list.of.communication);
    side(list, "k_comp", "Computation is slowed by", kernels);
    side(list, "k_comm", "Communication is slowed by", transfers);
}

fn side(list: &mut List<'_>, figure: &'static str, title: &str, side: SideFactor) {
    const CHECK: &str = "dilation";
    let narrow = |n: i128| DurNs(i64::try_from(n).unwrap_or(i64::MAX));
    let coverage = Ratio::new(narrow(side.covered), narrow(side.all));
    let factor: Result<Estimate<Factor>, _> = side.factor;
    let value = factor.map_or(Cell::Empty, |f| f.estimate.cell());
    let row = list.add((CHECK, figure), title, value, "x");
    row.coverage = coverage;
    match factor {
        Ok(f) => {
            (row.low, row.high) = (f.low.cell(), f.high.cell());
            row.note = f.estimate.grade().into();
        }
        Err(why) => row.note = format!("cannot tell: {}", why.label()).into(),
    }
    if factor.is_ok() {
        let title = if figure == "k_comp" {
            "Lost by computation"
        } else {
            "Lost by communication"
        };
        let name = if figure == "k_comp" {
            "comp_lost"
        } else {
            "comm_lost"
        };
        let row = list.add((CHECK, name), title, time_of(side.lost.estimate), "us");
        (row.low, row.high) = (time_of(side.lost.low), time_of(side.lost.high));
        row.coverage = coverage;
        if !side.is_complete() {
            row.source = FigureSource::Modelled;
            row.note = "carried over to what could not be compared".into();
        }
    }
}

fn channels(list: &mut List<'_>) {
    const CHECK: &str = "sms";
    let found = list.of.channels.clone();
    let coverage = ratio_of(found.known, found.known + found.unknown);
    let why = match (found.sms, found.known) {
        (None, _) => "the file does not say how many multiprocessors there are",
        (Some(_), 0) => "no NCCL or RCCL kernel with a launch shape",
        _ => "",
    };
    for (figure, title, ratio) in [
        (
            "comm_sm_share_most",
            "Multiprocessors that communication occupies, at most",
            found.most_share(),
        ),
        (
            "comm_sm_share_mean",
            "The same, mean over its time",
            found.mean_share(),
        ),
    ] {
        let ratio = ratio.filter(|_| found.known > 0);
        let evidence = list.evidence(found.widest);
        let row = list.share((CHECK, figure), title, ratio);
        row.source = FigureSource::Modelled;
        (row.count, row.coverage, row.evidence) = (Some(found.known), coverage, evidence);
        row.note = why.into();
    }
    if found.persistent > 0 {
        let evidence = list.evidence(found.first_persistent);
        let row = list.count(
            (CHECK, "persistent_kernels"),
            "Resident communication kernels",
            found.persistent,
        );
        row.evidence = evidence;
        row.note = "they stay over many computation kernels; their length is not transfer".into();
    }
    if found.specialised > 0 {
        let row = list.count(
            (CHECK, "specialised_kernels"),
            "Kernels for dedicated units, by name",
            found.specialised,
        );
        row.coverage = ratio_of(found.specialised, found.computation);
        row.note =
            "a property of computation, no proof that communication needs no multiprocessor".into();
    }
    let row = list.add(
        (CHECK, "l2_hit_rate"),
        "L2 hit rate, SM activity, clocks",
        Cell::Empty,
        "",
    );
    row.note = "not in this trace".into();
}
