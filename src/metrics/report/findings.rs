//! The columns of the table of findings.

use super::super::Finding;
use super::super::definitions::findings as text;
use super::{
    Cell, Column, Unit, column, count, device, evidence, evidence_start, percent, rank, time,
    window_end, window_start, words,
};

/// Findings, one a row: the columns in order.
pub const FINDING_COLUMNS: [Column<Finding>; 20] = [
    rank(),
    device(),
    column("severity", "Severity", Unit::None, text::SEVERITY, |r| {
        words(Some(r.severity.name()))
    }),
    column("kind", "Kind", Unit::None, text::KIND, |r| {
        words(Some(r.kind.name()))
    }),
    column("title", "Finding", Unit::None, text::TITLE, |r| {
        words(Some(&r.title))
    }),
    time("per_step_us", "Per step", text::PER_STEP, |r| {
        r.per_step.map_or(Cell::Empty, Cell::Time)
    }),
    time("at_stake_us", "At stake", text::AT_STAKE, |r| {
        Cell::Time(r.at_stake)
    }),
    window_start(),
    window_end(),
    column("steps", "Steps", Unit::Count, text::STEPS, |r| {
        count(Some(r.steps))
    }),
    column("source", "Source", Unit::None, text::SOURCE, |r| {
        words(Some(r.source.name()))
    }),
    column("count", "Count", Unit::Count, text::COUNT, |r| {
        count(Some(r.count))
    }),
    percent("coverage_percent", "Coverage", text::COVERAGE, |r| {
        Cell::Percent(r.coverage)
    }),
    column("advice", "Try", Unit::None, text::ADVICE, |r| {
        words(Some(r.advice))
    }),
    column("note", "Note", Unit::None, text::NOTE, |r| {
        words(Some(&r.note))
    }),
    evidence(),
    evidence_start(),
    column(
        "evidence_slice",
        "Evidence number",
        Unit::None,
        text::EVIDENCE_SLICE,
        |r| count(r.evidence.as_ref().map(|e| e.slice.0.into())),
    ),
    time("held_us", "Held unused", text::HELD, |r| {
        r.held.map_or(Cell::Empty, |held| Cell::Time(held.waits))
    }),
    column(
        "held_bytes",
        "Held bytes",
        Unit::Bytes,
        text::HELD_BYTES,
        |r| count(r.held.and_then(|held| held.bytes)),
    ),
];
