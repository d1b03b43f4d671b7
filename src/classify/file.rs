//! Reads a rule file into rules that are ready to match.
//!
//! Owns the file format: the fields, their checks, and the line that an error names. It knows nothing of the order in
//! which rules are tried; that is `classify`'s.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use toml::Spanned;

use super::error::RulesError;
use super::{RESERVED_NAMES, Rule};
use crate::trace::class::KernelClass;

/// One entry of a rule file, checked.
pub(super) enum Entry {
    /// A rule to try.
    Active(Rule),
    /// A name that is switched off. `is_complete` tells a rule that only rests from one that points at a built-in.
    Disabled {
        name: String,
        line: usize,
        is_complete: bool,
    },
}

impl Entry {
    /// The name of the rule.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Active(rule) => &rule.name,
            Self::Disabled { name, .. } => name,
        }
    }
}

/// What a rule looks for; every pattern is lower case, because names are compared without regard to case.
#[derive(Debug, Clone)]
pub(super) enum Matcher {
    Prefix(Vec<String>),
    Contains(Vec<String>),
    Regex(Vec<Regex>),
}

/// What a rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Subject {
    /// The base name.
    #[default]
    Base,
    /// The name as the trace has it, with template arguments and parameters.
    Full,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    #[serde(default)]
    rule: Vec<RawRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    name: Spanned<String>,
    class: Option<RawClass>,
    prefix: Option<Patterns>,
    contains: Option<Patterns>,
    regex: Option<Patterns>,
    #[serde(default)]
    on: Subject,
    enabled: Option<bool>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawClass {
    Computation,
    Communication,
    Memory,
}

impl From<RawClass> for KernelClass {
    fn from(class: RawClass) -> Self {
        match class {
            RawClass::Computation => Self::Computation,
            RawClass::Communication => Self::Communication,
            RawClass::Memory => Self::Memory,
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text or a list of texts")]
enum Patterns {
    One(String),
    Many(Vec<String>),
}

impl Patterns {
    fn into_vec(self) -> Vec<String> {
        match self {
            Self::One(pattern) => vec![pattern],
            Self::Many(patterns) => patterns,
        }
    }
}

/// Reads the entries of a rule file in their order; `path` only names the file in errors.
pub(super) fn parse(path: &Path, text: &str) -> Result<Vec<Entry>, RulesError> {
    let file: RuleFile = toml::from_str(text).map_err(|error| RulesError::Syntax {
        path: path.to_path_buf(),
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        message: one_line(error.message()),
    })?;
    let mut taken: HashSet<String> = RESERVED_NAMES.iter().map(|&name| name.to_owned()).collect();
    let mut entries = Vec::with_capacity(file.rule.len());
    for raw in file.rule {
        let place = Place {
            path: path.to_path_buf(),
            line: line_of(text, raw.name.span().start),
            rule: raw.name.get_ref().clone(),
        };
        if place.rule.trim().is_empty() || !taken.insert(place.rule.clone()) {
            return Err(place.name_taken());
        }
        entries.push(check(raw, place)?);
    }
    Ok(entries)
}

/// Turns one written rule into an entry, or says what it lacks.
fn check(raw: RawRule, place: Place) -> Result<Entry, RulesError> {
    let is_enabled = raw.enabled.unwrap_or(true);
    let fields = [&raw.prefix, &raw.contains, &raw.regex];
    let found = fields.iter().filter(|field| field.is_some()).count();
    if !is_enabled {
        let is_complete = raw.class.is_some() && found > 0;
        let Place { line, rule, .. } = place;
        return Ok(Entry::Disabled {
            name: rule,
            line,
            is_complete,
        });
    }
    let Some(class) = raw.class else {
        return Err(place.no_class());
    };
    let matcher = match (raw.prefix, raw.contains, raw.regex) {
        (Some(patterns), None, None) => Matcher::Prefix(plain(patterns, &place)?),
        (None, Some(patterns), None) => Matcher::Contains(plain(patterns, &place)?),
        (None, None, Some(patterns)) => Matcher::Regex(expressions(patterns, &place)?),
        _ => return Err(place.pattern_fields(found)),
    };
    Ok(Entry::Active(Rule {
        name: place.rule,
        class: class.into(),
        subject: raw.on,
        matcher,
    }))
}

/// The patterns of a `prefix` or `contains`, lower case.
fn plain(patterns: Patterns, place: &Place) -> Result<Vec<String>, RulesError> {
    let patterns = non_empty(patterns, place)?;
    Ok(patterns
        .iter()
        .map(|pattern| pattern.to_ascii_lowercase())
        .collect())
}

/// The compiled patterns of a `regex`.
fn expressions(patterns: Patterns, place: &Place) -> Result<Vec<Regex>, RulesError> {
    non_empty(patterns, place)?
        .into_iter()
        .map(|pattern| {
            RegexBuilder::new(&pattern)
                .case_insensitive(true)
                .build()
                .map_err(|error| place.bad_regex(pattern, &error))
        })
        .collect()
}

/// The patterns, unless there are none or one of them is empty.
fn non_empty(patterns: Patterns, place: &Place) -> Result<Vec<String>, RulesError> {
    let patterns = patterns.into_vec();
    if patterns.is_empty() || patterns.iter().any(|pattern| pattern.trim().is_empty()) {
        return Err(place.empty_pattern());
    }
    Ok(patterns)
}

/// Where a rule stands, for errors.
struct Place {
    path: PathBuf,
    line: usize,
    rule: String,
}

impl Place {
    fn no_class(self) -> RulesError {
        let Self { path, line, rule } = self;
        RulesError::NoClass { path, line, rule }
    }

    fn name_taken(self) -> RulesError {
        let Self { path, line, rule } = self;
        RulesError::NameTaken { path, line, rule }
    }

    fn pattern_fields(self, found: usize) -> RulesError {
        let Self { path, line, rule } = self;
        RulesError::PatternFields {
            path,
            line,
            rule,
            found,
        }
    }

    fn empty_pattern(&self) -> RulesError {
        RulesError::EmptyPattern {
            path: self.path.clone(),
            line: self.line,
            rule: self.rule.clone(),
        }
    }

    fn bad_regex(&self, pattern: String, error: &regex::Error) -> RulesError {
        // The crate draws the pattern with a marker over several lines; the last of them is the sentence.
        let text = error.to_string();
        let sentence = text.lines().last().unwrap_or_default();
        let sentence = sentence.strip_prefix("error: ").unwrap_or(sentence);
        RulesError::Regex {
            path: self.path.clone(),
            line: self.line,
            rule: self.rule.clone(),
            pattern,
            message: lower_first(sentence.trim_end_matches('.')),
        }
    }
}

/// The line of a byte offset, counted from 1.
fn line_of(text: &str, offset: usize) -> usize {
    let before = text.bytes().take(offset);
    before.filter(|&byte| byte == b'\n').count() + 1
}

/// A message in one line, in the manner of this program's errors.
fn one_line(message: &str) -> String {
    let joined = message.split_whitespace().collect::<Vec<_>>().join(" ");
    lower_first(joined.trim_end_matches('.'))
}

/// The text with a lower-case first letter, unless the first word is all capitals.
fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second))
            if first.is_ascii_uppercase() && second.is_ascii_lowercase() =>
        {
            first.to_ascii_lowercase().to_string() + chars.as_str()
        }
        _ => text.to_owned(),
    }
}
