//! `overlane snapshot`: what PyTorch's allocator held, from a dump of
//! `torch.cuda.memory._dump_snapshot`.

use super::args::Format;
use super::{CliError, Outcome, output, progress};
use crate::export;
use crate::export::snapshot::{
    BLOCK_COLUMNS, DEVICE_COLUMNS, EVENT_COLUMNS, FIT_COLUMNS, FreeSource, NOTE_COLUMNS,
    OOM_COLUMNS, SEGMENT_COLUMNS, SITE_COLUMNS, Seen, note_rows, snapshot_json,
};
use crate::ingest::MemoryLimit;
use crate::metrics::report::Grid;
use crate::snapshot::{
    CallSites, GroupBy, History, Note, NoteKind, Snapshot, State, explain, unexplained,
};
use crate::time::{DurNs, Ns, Window, parse_i64, parse_quantity};
use crate::whatif::parse_size;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

/// Which table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SnapshotTable {
    /// Reserved, allocated, free, and why free memory is of no use: a row for each device.
    Devices,
    /// A row for each piece taken from the driver.
    Segments,
    /// A row for each block.
    Blocks,
    /// What is allocated, by the function of the program that asked.
    Sites,
    /// The recording.
    Events,
    /// Why memory ran out, and what to try.
    Oom,
    /// Whether a request would fit; needs --request.
    Fit,
}

/// A moment of the recording as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Relative(DurNs),
    Absolute(Ns),
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let moment = match text.strip_prefix('@') {
            Some(ns) => parse_i64(ns.as_bytes()).map(|ns| Self::Absolute(Ns(ns))),
            None => parse_quantity(text).map(Self::Relative),
        };
        moment.map_err(|error| {
            format!(
                "{error}; write a time from the recording's start, like 5ms, or @ and nanoseconds"
            )
        })
    }
}

/// What `overlane snapshot` is asked.
#[derive(Debug, Args)]
pub(super) struct SnapshotArguments {
    /// The pickle, also packed with gzip or zstd.
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// The table.
    #[arg(long, value_enum, default_value = "devices")]
    table: SnapshotTable,
    /// The request of table fit, such as 512MiB.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    request: Option<u64>,
    /// Tables devices, segments, blocks, sites and fit as they were at this moment of the recording: a time from its start, such as 5ms, or
    /// @ and absolute nanoseconds.
    #[arg(long, value_name = "TIME")]
    at: Option<Moment>,
    /// What the driver has free, for table fit; else what an oom event of the recording tells.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    free: Option<u64>,
    /// The memory of the device, for table oom: tells what others held.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    total: Option<u64>,
    /// How much memory reading may take, such as 4GiB, or none for no limit; what the system has available
    /// unless this says otherwise.
    #[arg(long, value_name = "SIZE")]
    memory_limit: Option<MemoryLimit>,
    /// How the table is written.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// The file to write instead of standard output; never the input.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Loads, asks, writes.
pub(super) fn run(asked: &SnapshotArguments) -> Result<Outcome, CliError> {
    check(asked)?;
    let snapshot = progress::snapshot(&asked.path, asked.memory_limit.unwrap_or_default())?;
    let sites = CallSites::new(&snapshot);
    let mut rows = Grid::default();
    let mut notes: Vec<Note> = snapshot.notes.all().to_vec();
    for device in &snapshot.devices {
        let history = History::new(&snapshot, device);
        notes.extend(history.notes.all().iter().cloned());
        let mut events = device.events.len();
        let state = asked.at.map(|moment| {
            let start = history.extent.map_or(Ns(0), Window::start);
            let at = match moment {
                Moment::Relative(from_start) => start + from_start,
                Moment::Absolute(at) => at,
            };
            events = device.events.until(at);
            State::after(&snapshot, device, &history, events)
        });
        if let Some(state) = &state {
            notes.extend(state.notes.all().iter().cloned());
        }
        let layout = match &state {
            Some(state) => state.layout(),
            None => snapshot.layout(device),
        };
        let seen = Seen {
            snapshot: &snapshot,
            device,
            history: &history,
            layout,
            sites: &sites,
        };
        let more = table(asked, &seen, events, &mut notes);
        rows.heads = more.heads;
        rows.rows.extend(more.rows);
    }
    write(asked, &snapshot, &rows, &notes)?;
    Ok(Outcome::Done)
}

/// What does not go together.
fn check(asked: &SnapshotArguments) -> Result<(), CliError> {
    let is_fit = asked.table == SnapshotTable::Fit;
    let wrong = |option, advice| {
        Err(CliError::OptionWithTable {
            option,
            table: match asked.table {
                SnapshotTable::Devices => "devices",
                SnapshotTable::Segments => "segments",
                SnapshotTable::Blocks => "blocks",
                SnapshotTable::Sites => "sites",
                SnapshotTable::Events => "events",
                SnapshotTable::Oom => "oom",
                SnapshotTable::Fit => "fit",
            },
            advice,
        })
    };
    if is_fit && asked.request.is_none() {
        return Err(CliError::FitNeedsRequest);
    }
    if asked.request.is_some() && !is_fit {
        return wrong("--request", "use --table fit");
    }
    if asked.free.is_some() && !is_fit {
        return wrong("--free", "use --table fit");
    }
    if asked.total.is_some() && asked.table != SnapshotTable::Oom {
        return wrong("--total", "use --table oom");
    }
    let is_recording = matches!(asked.table, SnapshotTable::Events | SnapshotTable::Oom);
    if asked.at.is_some() && is_recording {
        return wrong("--at", "the table is of the whole recording");
    }
    Ok(())
}

/// The table; `events` have happened by the moment that is asked for.
fn table(asked: &SnapshotArguments, seen: &Seen<'_>, events: usize, notes: &mut Vec<Note>) -> Grid {
    match asked.table {
        SnapshotTable::Devices => Grid::new(&DEVICE_COLUMNS, &[seen.device_row()]),
        SnapshotTable::Segments => Grid::new(&SEGMENT_COLUMNS, &seen.segment_rows()),
        SnapshotTable::Blocks => Grid::new(&BLOCK_COLUMNS, &seen.block_rows()),
        SnapshotTable::Sites => Grid::new(&SITE_COLUMNS, &seen.site_rows(GroupBy::Site)),
        SnapshotTable::Events => Grid::new(&EVENT_COLUMNS, &seen.event_rows()),
        SnapshotTable::Oom => {
            let of = explain(seen.snapshot, seen.device, seen.history, asked.total);
            notes.extend(unexplained(seen.device, &of));
            Grid::new(&OOM_COLUMNS, &seen.oom_rows(of))
        }
        SnapshotTable::Fit => {
            let bytes = asked.request.unwrap_or(1);
            let typed = asked.free.map(|bytes| (bytes, FreeSource::Typed));
            let free = typed.or_else(|| {
                let known = seen.history.driver_free_after(events)?;
                Some((known.bytes, FreeSource::OomEvent))
            });
            Grid::new(&FIT_COLUMNS, &seen.fit_rows(bytes, free))
        }
    }
}

fn write(
    asked: &SnapshotArguments,
    snapshot: &Snapshot,
    rows: &Grid,
    notes: &[Note],
) -> Result<(), CliError> {
    let text = match asked.format {
        Format::Text => export::table_text(rows),
        Format::Csv => export::csv(rows),
        Format::Markdown => export::markdown(rows),
        Format::Json => snapshot_json(rows, &Grid::new(&NOTE_COLUMNS, &note_rows(notes)))?,
    };
    for note in notes {
        tell(note);
    }
    if asked.table == SnapshotTable::Fit && snapshot.settings.expandable_segments.is_none() {
        output::note("the file does not say whether segments expand; they are taken not to");
    }
    match &asked.out {
        None => output::to_stdout(&text),
        Some(path) => output::to_file(&text, path, [asked.path.as_path()].into_iter()),
    }
}

fn tell(note: &Note) {
    // Nothing is odd about a recording without a beginning that holds no bytes.
    if note.kind == NoteKind::StartsInTheMiddle && note.count == 0 {
        return;
    }
    let (count, sentence) = (note.count, note.kind.sentence());
    output::note(&format!("{count} {sentence} (first: {})", note.first));
}
