//! CSV as RFC 4180 quotes it, with one header line and line feeds.

use crate::metrics::report::Grid;

/// The table as CSV: the header with the columns' names, then one line a row. "n/a" is an empty
/// cell. Lines end in a line feed, as tools on the command line expect.
#[must_use]
pub fn csv(grid: &Grid) -> String {
    let mut out = String::new();
    line(&mut out, grid.heads.iter().map(|h| Some(h.name.into())));
    for row in &grid.rows {
        line(&mut out, row.iter().map(|cell| cell.text()));
    }
    out
}

fn line<'a>(out: &mut String, cells: impl Iterator<Item = Option<std::borrow::Cow<'a, str>>>) {
    for (i, cell) in cells.enumerate() {
        if i > 0 {
            out.push(',');
        }
        field(out, cell.as_deref().unwrap_or_default());
    }
    out.push('\n');
}

/// Kernel names hold commas, quotes and now and then line breaks.
fn field(out: &mut String, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        out.push('"');
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Ratio;
    use crate::metrics::report::{Cell, Head, Unit};
    use crate::time::DurNs;

    fn head(name: &'static str) -> Head {
        Head {
            name,
            title: name,
            unit: Unit::None,
            definition: "",
        }
    }

    #[test]
    fn names_with_commas_quotes_and_breaks_are_quoted() {
        let grid = Grid {
            heads: vec![head("name"), head("time_us"), head("percent")],
            rows: vec![
                vec![
                    Cell::Text("void f<int, \"x\">(a)\n".into()),
                    Cell::Time(DurNs(1_500)),
                    Cell::Percent(Ratio::new(DurNs(1), DurNs(3))),
                ],
                vec![
                    Cell::Text("plain; name".into()),
                    Cell::Empty,
                    Cell::Percent(None),
                ],
            ],
        };
        assert_eq!(
            csv(&grid),
            "name,time_us,percent\n\"void f<int, \"\"x\"\">(a)\n\",1.500,33.3333\nplain; name,,\n"
        );
    }

    #[test]
    fn a_table_without_rows_is_a_header() {
        assert_eq!(
            csv(&Grid {
                heads: vec![head("a"), head("b")],
                rows: Vec::new()
            }),
            "a,b\n"
        );
    }
}
