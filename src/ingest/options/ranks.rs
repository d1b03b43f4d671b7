//! [`RankFilter`]: which ranks are loaded, as `0,2,4-7` or as patterns of file names.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Which ranks are loaded. Parts are joined by commas: a number, numbers `first-last`, or a pattern
/// of file names in which `*` stands for any text and `?` for any letter (`*decode*.json.gz`). A
/// file is loaded where any part fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankFilter {
    text: String,
    numbers: Vec<RangeInclusive<u32>>,
    names: Vec<String>,
}

/// Why a text chooses no ranks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RankFilterError {
    /// Nothing stands between two commas, or nothing at all.
    #[error(
        "a rank is missing; write numbers like 0,2,4-7 or a pattern of file names like *decode*"
    )]
    Empty,
    /// Numbers from high to low.
    #[error("the ranks '{0}' run backwards; write the lower number first")]
    Backwards(String),
    /// A number beyond what a rank can be.
    #[error("the rank '{0}' is too large; write numbers like 0,2,4-7")]
    TooLarge(String),
}

impl RankFilter {
    /// Whether a rank is asked for, by its number or by its file's name (without the folder).
    #[must_use]
    pub fn takes(&self, number: u32, file_name: &str) -> bool {
        self.numbers.iter().any(|n| n.contains(&number)) || self.takes_name(file_name)
    }

    /// Whether the file's name alone decides that it is asked for.
    #[must_use]
    pub fn takes_name(&self, file_name: &str) -> bool {
        self.names.iter().any(|pattern| fits(pattern, file_name))
    }
}

impl fmt::Display for RankFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for RankFilter {
    type Err = RankFilterError;

    fn from_str(text: &str) -> Result<Self, RankFilterError> {
        let (mut numbers, mut names) = (Vec::new(), Vec::new());
        for part in text.split(',').map(str::trim) {
            if part.is_empty() {
                return Err(RankFilterError::Empty);
            }
            match run_of(part) {
                Some(run) => numbers.push(run?),
                None => names.push(part.to_owned()),
            }
        }
        Ok(Self {
            text: text.trim().to_owned(),
            numbers,
            names,
        })
    }
}

/// `4` or `4-7`; `None` where the part is no number and so a pattern.
fn run_of(part: &str) -> Option<Result<RangeInclusive<u32>, RankFilterError>> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (first, last) = (first.trim(), last.trim());
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(first) || !is_number(last) {
        return None;
    }
    let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) else {
        return Some(Err(RankFilterError::TooLarge(part.to_owned())));
    };
    Some(if last < first {
        Err(RankFilterError::Backwards(part.to_owned()))
    } else {
        Ok(first..=last)
    })
}

/// Whether a name fits a pattern of `*` and `?`; letters count as they are written.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where the last star stands, and how much of the name it swallows so far.
    let mut star: Option<(usize, usize)> = None;
    while let Some(letter) = name.get(n) {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(wanted) if *wanted == '?' || wanted == letter => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, swallowed)) = star else {
                    return false;
                };
                star = Some((at, swallowed + 1));
                p = at + 1;
                n = swallowed + 1;
            }
        }
    }
    pattern
        .get(p..)
        .is_some_and(|rest| rest.iter().all(|c| *c == '*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_runs_and_names_are_understood() {
        let filter: RankFilter = "0, 4-6,*decode*.json.gz".parse().unwrap();
        for (number, name, taken) in [
            (0, "a.json", true),
            (1, "a.json", false),
            (4, "a.json", true),
            (6, "a.json", true),
            (7, "a.json", false),
            (7, "TP-7-decode.json.gz", true),
            (7, "TP-7-decode.json", false),
        ] {
            assert_eq!(filter.takes(number, name), taken, "{number} {name}");
        }
        assert_eq!(filter.to_string(), "0, 4-6,*decode*.json.gz");
        // A file name with digits and a dash is a name.
        assert!(
            "rank-3.json"
                .parse::<RankFilter>()
                .unwrap()
                .takes(9, "rank-3.json")
        );
    }

    #[test]
    fn stars_and_question_marks_fit_what_they_should() {
        for (pattern, name, yes) in [
            ("*", "", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("rank?.json", "rank3.json", true),
            ("rank?.json", "rank12.json", false),
            ("**x", "x", true),
            ("µ?", "µs", true),
            ("", "x", false),
        ] {
            assert_eq!(fits(pattern, name), yes, "{pattern} {name}");
        }
    }

    #[test]
    fn trouble_says_what_is_wrong() {
        for (text, part) in [
            ("", "a rank is missing"),
            ("1,,2", "a rank is missing"),
            ("7-4", "run backwards"),
            ("99999999999", "too large"),
        ] {
            let error = text.parse::<RankFilter>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
