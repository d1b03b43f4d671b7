//! What a person reads in a terminal: a block a device, or an aligned table.
//!
//! Figures have the digits of the cells, so that a number can be found again in CSV and JSON; a
//! length in a larger unit only ever stands beside them. Only signs of ASCII draw the bar, so that it reads the same in a log, a pipe and any terminal;
//! what a sign stands for is beside it, never told by colour.

use crate::metrics::report::{Cell, Grid, Head, Unit};
use crate::metrics::{HealthRow, Ratio, Row, Summary};
use crate::time::{DurNs, Ns, human_duration};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Width of the bar in signs.
const BAR: u32 = 60;
/// How many kinds of oddities the note names before it only counts the rest.
const NOTED: usize = 4;
/// Letters of a name that a table shows; kernel names run to thousands.
const LETTERS: usize = 60;

/// The parts of the five-way split: the sign in the bar, and the name.
const PARTS: [(char, &str); 5] = [
    ('#', "compute only"),
    ('%', "overlap"),
    ('!', "exposed communication"),
    ('~', "exposed memory"),
    ('.', "idle"),
];

/// One block a row: its window, the five-way split as a bar and as figures, and the totals.
///
/// `origin` is the trace's first instant; windows are told relative to it and absolutely.
#[must_use]
pub fn summary_text(rows: &[Row], origin: Ns) -> String {
    let blocks: Vec<String> = rows.iter().map(|row| block(row, origin)).collect();
    blocks.join("\n")
}

fn block(row: &Row, origin: Ns) -> String {
    let mut out = format!("rank {}, device {}\n", row.rank.0, row.device.0);
    match (row.window, &row.figures) {
        (Some(window), figures) => {
            writeln!(
                out,
                "  window  {} to {} of the trace, {} long (@{} to @{})",
                human_duration(window.start() - origin),
                human_duration(window.end() - origin),
                exact(window.len()),
                window.start().0,
                window.end().0
            )
            .ok();
            match figures {
                Some(figures) => out += &body(figures, row),
                None => out += "  no data: the rank recorded nothing in this window\n",
            }
        }
        (None, _) => out += "  no data: there is no such step here\n",
    }
    out
}

fn body(s: &Summary, row: &Row) -> String {
    let mut out = format!("  [{}]\n", bar(s));
    for ((sign, name), time) in PARTS.into_iter().zip(s.five_way()) {
        line(&mut out, sign, name, time, s.share(time));
    }
    for (name, time) in [
        ("busy", s.kernel_run_time),
        ("computation", s.comp),
        ("communication", s.comm),
        ("memory", s.memory),
    ] {
        line(&mut out, ' ', name, time, s.share(time));
    }
    writeln!(
        out,
        "  communication hidden by computation {}, overlap of union {}",
        percent(s.comm_hidden_by_comp()),
        percent(s.overlap_of_union())
    )
    .ok();
    writeln!(
        out,
        "  {} {}, sum of durations {}",
        s.kernels,
        if s.kernels == 1 { "kernel" } else { "kernels" },
        exact(s.duration_sum)
    )
    .ok();
    if let Some(totals) = row.run_totals {
        writeln!(
            out,
            "  suspicious durations: busy {} as recorded, {} with them clipped",
            exact(totals.as_recorded),
            exact(totals.clipped)
        )
        .ok();
    }
    out
}

fn line(out: &mut String, sign: char, name: &str, time: DurNs, share: Option<Ratio>) {
    let (time, share) = (format!("{} µs", digits(&Cell::Time(time))), percent(share));
    writeln!(out, "  {sign} {name:<22} {time:>18} {share:>10}").ok();
}

/// The digits of a cell, or "n/a".
fn digits(cell: &Cell) -> Cow<'_, str> {
    cell.text().unwrap_or(Cow::Borrowed("n/a"))
}

fn percent(share: Option<Ratio>) -> String {
    let cell = Cell::Percent(share);
    let sign = if cell.is_some() { " %" } else { "" };
    digits(&cell).into_owned() + sign
}

/// The digits of a length, and the length as people say it where microseconds are too many.
fn exact(time: DurNs) -> String {
    let us = format!("{} µs", digits(&Cell::Time(time)));
    if time.0.unsigned_abs() < 1_000_000 {
        us
    } else {
        format!("{us} ({})", human_duration(time))
    }
}

/// The five parts as signs. Edges are rounded, not lengths, so the bar is always full.
fn bar(s: &Summary) -> String {
    let mut out = String::new();
    let mut until = DurNs::ZERO;
    for ((sign, _), time) in PARTS.into_iter().zip(s.five_way()) {
        until = until + time;
        let edge = s.share(until).map_or(0, |r| r.cells(BAR));
        while out.len() < edge {
            out.push(sign);
        }
    }
    out
}

/// Columns that a table in the terminal leaves to CSV and JSON: each can be told from its
/// neighbours, and lines stay readable.
const ONLY_IN_FILES: [&str; 10] = [
    "kernel_time_us",
    "compute_time_us",
    "non_compute_time_us",
    "idle_time_us",
    "compute_only_us",
    "group_ranks",
    "in_elements",
    "out_elements",
    "hidden_percent",
    "end_spread_us",
];

/// The table in aligned columns, numbers to the right.
#[must_use]
pub fn table_text(grid: &Grid) -> String {
    let shown: Vec<usize> = (0..grid.heads.len())
        .filter(|&i| {
            grid.heads
                .get(i)
                .is_some_and(|h| !ONLY_IN_FILES.contains(&h.name))
        })
        .filter(|&i| {
            // A column without any value says nothing.
            grid.rows.is_empty() || grid.rows.iter().any(|r| r.get(i) != Some(&Cell::Empty))
        })
        .collect();
    let heads: Vec<&Head> = shown.iter().filter_map(|&i| grid.heads.get(i)).collect();
    let mut lines: Vec<Vec<String>> = vec![heads.iter().map(|h| title(h)).collect()];
    for row in &grid.rows {
        let cells = shown.iter().filter_map(|&i| row.get(i));
        let mut line: Vec<String> = cells
            .map(|cell| digits(cell).replace(['\n', '\r'], " "))
            .collect();
        // The last column may run on; any other would push it out of sight.
        if let Some((_, others)) = line.split_last_mut() {
            others.iter_mut().for_each(elide);
        }
        lines.push(line);
    }
    let width = |at: usize| {
        let cells = lines.iter().filter_map(|line| line.get(at));
        cells.map(|c| c.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let mut out = String::new();
    for line in &lines {
        let cells: Vec<String> = line
            .iter()
            .zip(&widths)
            .zip(&heads)
            .map(|((cell, &width), head)| match head.unit {
                Unit::None => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            })
            .collect();
        out += cells.join("  ").trim_end();
        out.push('\n');
    }
    out
}

/// Cuts a long text and marks the cut.
fn elide(text: &mut String) {
    if let Some((at, _)) = text.char_indices().nth(LETTERS) {
        text.truncate(at);
        text.push('…');
    }
}

fn title(head: &Head) -> String {
    match head.unit {
        Unit::None | Unit::Count | Unit::Factor => head.title.to_owned(),
        unit => format!("{} ({})", head.title, unit.label()),
    }
}

/// What was odd in the input, in one line; empty where nothing was.
#[must_use]
pub fn health_note(rows: &[HealthRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    // One file needs no name; it is the one that was given.
    let one_file = rows.windows(2).all(|pair| match pair {
        [a, b] => a.file == b.file,
        _ => true,
    });
    let named: Vec<String> = rows
        .iter()
        .take(NOTED)
        .map(|r| {
            let what = format!("{} × {} ({})", r.count, r.kind.name(), r.severity.label());
            if one_file {
                what
            } else {
                format!("{what} in {}", r.file)
            }
        })
        .collect();
    let more = match rows.len().saturating_sub(NOTED) {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    format!(
        "health: {}{more}; details with --table health\n",
        named.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::summary;
    use crate::time::Window;
    use crate::trace::Activity;
    use crate::trace::class::KernelClass;

    fn figures() -> Summary {
        let kernels = [
            (Ns(1_000), Ns(1_060), KernelClass::Computation),
            (Ns(1_030), Ns(1_090), KernelClass::Communication),
        ];
        summary(&Activity::new(&kernels), Window::new(Ns(1_000), Ns(1_120)))
    }

    #[test]
    fn the_bar_is_full_and_in_the_order_of_the_split() {
        // 30 compute only, 30 overlap, 30 exposed, 30 idle of 120 ns
        let expected = ["#", "%", "!", "."].map(|sign| sign.repeat(15)).concat();
        assert_eq!(bar(&figures()), expected);
    }

    #[test]
    fn a_block_tells_the_window_with_the_figures() {
        let row = Row {
            window: Some(Window::new(Ns(1_000), Ns(1_120))),
            figures: Some(figures()),
            ..Row::default()
        };
        let text = summary_text(&[row], Ns(900));
        assert!(
            text.contains("window  100 ns to 220 ns of the trace, 0.120 µs long (@1000 to @1120)"),
            "{text}"
        );
        assert!(
            text.contains("! exposed communication            0.030 µs  25.0000 %"),
            "{text}"
        );
        assert!(
            text.contains("communication hidden by computation 50.0000 %"),
            "{text}"
        );
    }

    #[test]
    fn long_times_are_also_told_in_their_unit_and_one_kernel_is_one() {
        assert_eq!(exact(DurNs(999_999)), "999.999 µs");
        assert_eq!(exact(DurNs(1_234_567)), "1234.567 µs (1.235 ms)");
        let kernels = [(Ns(0), Ns(2_000_001), KernelClass::Computation)];
        let figures = summary(&Activity::new(&kernels), Window::new(Ns(0), Ns(3_000_000)));
        let text = body(&figures, &Row::default());
        for part in [
            "1 kernel, sum of durations 2000.001 µs (2.000 ms)",
            "2000.001 µs  66.6667 %",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn a_row_without_figures_says_why() {
        let outside = Row {
            window: Some(Window::new(Ns(5), Ns(9))),
            ..Row::default()
        };
        assert!(summary_text(&[outside], Ns(0)).contains("no data"));
        assert!(summary_text(&[Row::default()], Ns(0)).contains("no such step"));
    }

    #[test]
    fn long_names_are_cut_at_a_letter() {
        let mut text = "ü".repeat(LETTERS + 1);
        elide(&mut text);
        assert_eq!(text, "ü".repeat(LETTERS) + "…");
        let mut short = "ü".repeat(LETTERS);
        elide(&mut short);
        assert_eq!(short, "ü".repeat(LETTERS));
    }

    #[test]
    fn columns_are_aligned() {
        let head = |name, unit| Head {
            name,
            title: name,
            unit,
            definition: "",
        };
        let grid = Grid {
            heads: vec![
                head("name", Unit::None),
                head("n", Unit::Count),
                head("at", Unit::Nanoseconds),
            ],
            rows: vec![
                vec![Cell::Text("a".into()), Cell::Int(5), Cell::Int(2_500)],
                vec![Cell::Text("long".into()), Cell::Empty, Cell::Int(1_000)],
            ],
        };
        assert_eq!(
            table_text(&grid),
            "name    n  at (ns)\na       5     2500\nlong  n/a     1000\n"
        );
    }
}
