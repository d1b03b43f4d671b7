//! A table for issues and chat: GitHub's Markdown.

use crate::metrics::report::{Grid, Unit};

/// The table as Markdown, numbers to the right; "n/a" where there is no value.
#[must_use]
pub fn markdown(grid: &Grid) -> String {
    let names = grid.heads.iter().map(|h| h.name.to_owned());
    let rules = grid.heads.iter().map(|h| match h.unit {
        Unit::None => "---".to_owned(),
        _ => "---:".to_owned(),
    });
    let mut out = line(names) + &line(rules);
    for row in &grid.rows {
        out += &line(row.iter().map(|cell| {
            cell.text()
                .map_or_else(|| "n/a".to_owned(), |text| escape(&text))
        }));
    }
    out
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A pipe or a line break would end the cell.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::report::{Cell, Head};

    #[test]
    fn a_cell_never_ends_early() {
        let head = Head {
            name: "name",
            title: "Name",
            unit: Unit::None,
            definition: "",
        };
        let grid = Grid {
            heads: vec![head],
            rows: vec![vec![Cell::Text("a|b\nc".into())], vec![Cell::Empty]],
        };
        assert_eq!(markdown(&grid), "| name |\n| --- |\n| a\\|b c |\n| n/a |\n");
    }
}
