//! What a model answers, as JSON (`overlane.whatif/1`) and as text for a terminal.

use super::json::Rows;
use super::text::table_text;
use crate::whatif::table::Answer;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// The document as text, with a line feed at its end.
///
/// # Errors
/// None that input can cause; the type says what the JSON writer may return.
pub fn whatif_json(answer: &Answer) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(&Document(answer))?;
    text.push('\n');
    Ok(text)
}

struct Document<'a>(&'a Answer);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(Some(5))?;
        map.serialize_entry("schema", "overlane.whatif/1")?;
        map.serialize_entry("model", self.0.model)?;
        map.serialize_entry("assumes", self.0.assumes)?;
        map.serialize_entry("inputs", &Rows(&self.0.inputs))?;
        map.serialize_entry("rows", &Rows(&self.0.rows))?;
        map.end()
    }
}

/// The inputs, the figures and what the model takes for granted, for reading.
#[must_use]
pub fn whatif_text(answer: &Answer) -> String {
    format!(
        "what if: {}\n\n{}\n{}\nassumes: {}\n",
        answer.model,
        table_text(&answer.inputs),
        table_text(&answer.rows),
        answer.assumes
    )
}
