//! What the dialog for opening with options holds: choices and texts as they stand on the screen.

use crate::ingest::{AlignBy, LoadOptions, MemoryLimit};

/// The fields of the dialog. Texts are kept as typed, so that half a range can stand there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenForm {
    /// Python stacks are left out.
    pub no_python: bool,
    /// CPU rows are left out.
    pub no_cpu_rows: bool,
    /// Which ranks; empty for all.
    pub ranks: String,
    /// Which range of time; empty for all.
    pub range: String,
    /// How much memory; empty for what is available.
    pub memory: String,
    /// Ranks are aligned by their collectives.
    pub align_collectives: bool,
    /// Which ranks are moved by hand; empty for none.
    pub shifts: String,
}

/// What is wrong in the fields, one sentence each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormTrouble {
    /// With the ranks.
    pub ranks: Option<String>,
    /// With the range.
    pub range: Option<String>,
    /// With the memory limit.
    pub memory: Option<String>,
    /// With the shifts.
    pub shifts: Option<String>,
}

impl OpenForm {
    /// A form that says what the options say.
    #[must_use]
    pub fn of(options: &LoadOptions) -> Self {
        let text = |words: Option<String>| words.unwrap_or_default();
        Self {
            no_python: options.no_python,
            no_cpu_rows: options.no_cpu_rows,
            ranks: text(options.ranks.as_ref().map(ToString::to_string)),
            range: text(options.range.as_ref().map(ToString::to_string)),
            memory: match options.memory {
                MemoryLimit::System => String::new(),
                limit => limit.to_string(),
            },
            align_collectives: options.align == AlignBy::Collectives,
            shifts: options.shifts.to_string(),
        }
    }

    /// The options that the form says.
    ///
    /// # Errors
    /// [`FormTrouble`] where a field cannot be understood.
    pub fn options(&self) -> Result<LoadOptions, FormTrouble> {
        let mut trouble = FormTrouble::default();
        let options = LoadOptions {
            no_python: self.no_python,
            no_cpu_rows: self.no_cpu_rows,
            ranks: read(&self.ranks, &mut trouble.ranks),
            range: read(&self.range, &mut trouble.range),
            memory: read(&self.memory, &mut trouble.memory).unwrap_or_default(),
            align: if self.align_collectives {
                AlignBy::Collectives
            } else {
                AlignBy::Base
            },
            shifts: read(&self.shifts, &mut trouble.shifts).unwrap_or_default(),
        };
        if let Some(Err(error)) = options.range.as_ref().map(crate::time::TimeRange::check) {
            trouble.range = Some(error.to_string());
        }
        if trouble == FormTrouble::default() {
            Ok(options)
        } else {
            Err(trouble)
        }
    }
}

/// The value of a field, or `None` where it is empty or the trouble says why.
fn read<T>(text: &str, trouble: &mut Option<String>) -> Option<T>
where
    T: std::str::FromStr,
    T::Err: std::fmt::Display,
{
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    text.parse()
        .map_err(|error: T::Err| *trouble = Some(error.to_string()))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_says_what_its_options_say() {
        let form = OpenForm {
            no_python: true,
            ranks: " 0,2-3 ".into(),
            range: "1ms..2ms".into(),
            memory: "4GiB".into(),
            align_collectives: true,
            shifts: "1=-2us, 3=1ms".into(),
            ..OpenForm::default()
        };
        let options = form.options().unwrap();
        assert!(options.no_python && !options.no_cpu_rows);
        assert_eq!(options.memory, MemoryLimit::Bytes(4 << 30));
        assert_eq!(OpenForm::of(&options).options(), Ok(options));
        assert_eq!(OpenForm::default().options(), Ok(LoadOptions::default()));
    }

    #[test]
    fn trouble_is_told_field_by_field() {
        let form = OpenForm {
            ranks: "7-4".into(),
            range: "2ms..1ms".into(),
            memory: "much".into(),
            shifts: "3".into(),
            ..OpenForm::default()
        };
        let trouble = form.options().unwrap_err();
        assert!(trouble.ranks.unwrap().contains("run backwards"));
        assert!(trouble.range.unwrap().contains("ends before it starts"));
        assert!(trouble.memory.unwrap().contains("no amount of memory"));
        assert!(trouble.shifts.unwrap().contains("is no shift"));
    }
}
