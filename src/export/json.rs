//! The JSON document of a report, `overlane.report/1`.
//!
//! Numbers are written from their exact decimal text, never through a float, so they have the same
//! digits as in the CSV (`12.500`, not `12.5`). "n/a" is `null`.

use crate::metrics::report::{Cell, Grid, Head};
use serde::ser::{Error as _, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// What the document says of a trace.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The opened files.
    pub files: &'a Grid,
    /// The table that was asked for.
    pub rows: &'a Grid,
    /// The health list.
    pub health: &'a Grid,
}

/// The document as text, with a line feed at its end.
///
/// # Errors
/// None that input can cause; the type says what the JSON writer may return.
pub fn json(document: Document<'_>) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(&document)?;
    text.push('\n');
    Ok(text)
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(Some(4))?;
        map.serialize_entry("schema", "overlane.report/1")?;
        map.serialize_entry("files", &Rows(self.files))?;
        map.serialize_entry("rows", &Rows(self.rows))?;
        map.serialize_entry("health", &Rows(self.health))?;
        map.end()
    }
}

pub(super) struct Rows<'a>(pub(super) &'a Grid);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut seq = out.serialize_seq(Some(self.0.rows.len()))?;
        for cells in &self.0.rows {
            seq.serialize_element(&Object {
                heads: &self.0.heads,
                cells,
            })?;
        }
        seq.end()
    }
}

struct Object<'a> {
    heads: &'a [Head],
    cells: &'a [Cell],
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(Some(self.heads.len()))?;
        for (head, cell) in self.heads.iter().zip(self.cells) {
            map.serialize_entry(head.name, &Value(cell))?;
        }
        map.end()
    }
}

struct Value<'a>(&'a Cell);

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match (self.0, self.0.text()) {
            (_, None) => out.serialize_none(),
            (Cell::Text(text), _) => out.serialize_str(text),
            (Cell::Bool(yes), _) => out.serialize_bool(*yes),
            (_, Some(digits)) => {
                let raw = RawValue::from_string(digits.into_owned()).map_err(S::Error::custom)?;
                raw.serialize(out)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Ratio;
    use crate::metrics::report::Unit;
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
    fn numbers_keep_the_digits_of_the_csv_and_keys_their_order() {
        let rows = Grid {
            heads: ["z", "a_us", "b", "c", "d", "e"].map(head).to_vec(),
            rows: vec![vec![
                Cell::Int(1_682_725_898_237_042_123),
                Cell::Time(DurNs(-12_500)),
                Cell::Percent(Ratio::new(DurNs(1), DurNs(2))),
                Cell::Percent(None),
                Cell::Bool(true),
                Cell::Text("a \"b\"\n".into()),
            ]],
        };
        let none = Grid::default();
        let text = json(Document {
            files: &none,
            rows: &rows,
            health: &none,
        })
        .expect("text");
        let flat: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            flat,
            "{ \"schema\": \"overlane.report/1\", \"files\": [], \"rows\": [ { \
             \"z\": 1682725898237042123, \"a_us\": -12.500, \"b\": 50.0000, \"c\": null, \
             \"d\": true, \"e\": \"a \\\"b\\\"\\n\" } ], \"health\": [] }"
        );
        serde_json::from_str::<serde_json::Value>(&text).expect("valid JSON");
    }
}
