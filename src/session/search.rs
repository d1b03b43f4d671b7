//! Searching slices by a text or a regular expression: in names at once, in args by reading the
//! files again, on other threads. What is shown always says of which text it is.

use super::{Effect, Session, TraceHandle};
use crate::ingest::SearchedEvents;
use crate::time::Ns;
use crate::trace::{Hits, SliceRef};
use regex::Regex;
use std::sync::Arc;

/// What hits follow from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchKey {
    /// Number of the load.
    pub generation: u64,
    /// The regular expression that is looked for.
    pub pattern: String,
    /// Whether args are searched as well.
    pub in_args: bool,
}

/// What a view may ask of the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchAction {
    /// Opens the search bar and puts the cursor into it.
    Open,
    /// Closes it; nothing is marked any more.
    Close,
    /// The text changed.
    Edit(String),
    /// Whether the text is a regular expression.
    SetRegex(bool),
    /// Whether args are searched as well.
    SetArgs(bool),
    /// Whether only lanes with hits are shown.
    SetOnly(bool),
    /// Shows or hides the list of hits.
    ToggleList,
    /// Goes to the next hit, behind the selected slice or from the left edge of the view.
    Next,
    /// Goes to the one before.
    Previous,
    /// Goes to a hit of the list.
    GoTo(SliceRef),
}

/// What the other threads answer.
#[derive(Clone, Debug)]
pub enum SearchAnswer {
    /// Hits in names.
    Names(SearchKey, Arc<Hits>),
    /// Hits in names and args.
    Args(SearchKey, Arc<Hits>, Vec<String>),
}

impl SearchAnswer {
    /// Adds what was found in files to what was found in names.
    #[must_use]
    pub fn of_args(key: SearchKey, names: &Hits, searched: SearchedEvents) -> Self {
        let hits = names.clone().with(searched.found);
        Self::Args(key, Arc::new(hits), searched.errors)
    }
}

/// State of the search.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the bar")]
#[derive(Debug, Default)]
pub struct Search {
    /// Whether the bar is open.
    pub is_open: bool,
    /// The text as it is typed.
    pub text: String,
    /// Whether it is a regular expression.
    pub is_regex: bool,
    /// Whether args are searched as well.
    pub in_args: bool,
    /// Whether only lanes with hits are shown.
    pub only: bool,
    /// Whether hits are listed.
    pub is_listed: bool,
    /// What is wrong with the expression; hits are those of the last good one.
    pub trouble: Option<String>,
    /// Whether the cursor is to be put into the bar.
    pub wants_focus: bool,
    /// The last expression that could be understood; `None` for an empty text.
    pattern: Option<String>,
    /// The hits of names, or of all, and what they follow from.
    found: Option<Found>,
    /// What the worker looks for.
    looking: Option<SearchKey>,
}

#[derive(Debug)]
struct Found {
    key: SearchKey,
    hits: Arc<Hits>,
    /// Whether args are still being read.
    is_reading: bool,
}

/// The hits to show.
#[derive(Clone, Debug)]
pub struct ShownHits {
    /// The hits.
    pub hits: Arc<Hits>,
    /// Whether they are those of the current text.
    pub is_current: bool,
    /// Whether args are still being read, so that more may come.
    pub is_reading: bool,
}

impl Session {
    /// The hits to show and mark, while the bar is open.
    #[must_use]
    pub fn shown_hits(&self) -> Option<ShownHits> {
        let found = self.search.found.as_ref().filter(|_| self.search.is_open)?;
        let wanted = self.search_key()?;
        (found.key.generation == wanted.generation).then(|| ShownHits {
            hits: Arc::clone(&found.hits),
            is_current: found.key == wanted,
            is_reading: found.is_reading,
        })
    }

    fn search_key(&self) -> Option<SearchKey> {
        self.trace.as_ref()?;
        Some(SearchKey {
            generation: self.generation,
            pattern: self.search.pattern.clone()?,
            in_args: self.search.in_args,
        })
    }

    /// Asks for the hits of the current text, one text at a time. To be called before the views of a
    /// frame.
    #[must_use]
    pub fn refresh_search(&mut self) -> Vec<Effect> {
        let (Some(key), Some(trace), true) =
            (self.search_key(), self.trace.clone(), self.search.is_open)
        else {
            return Vec::new();
        };
        let is_there = self.search.found.as_ref().is_some_and(|f| f.key == key);
        if is_there || self.search.looking.is_some() {
            return Vec::new();
        }
        self.search.looking = Some(key.clone());
        vec![Effect::FindHits {
            trace: TraceHandle(trace),
            key,
        }]
    }

    pub(super) fn search_arrives(&mut self, answer: SearchAnswer) -> Vec<Effect> {
        let wanted = self.search_key();
        match answer {
            SearchAnswer::Names(key, hits) => {
                self.search.looking = None;
                if key.generation != self.generation {
                    return Vec::new();
                }
                let is_reading = key.in_args && wanted.as_ref() == Some(&key);
                self.search.found = Some(Found {
                    key: key.clone(),
                    hits: Arc::clone(&hits),
                    is_reading,
                });
                match self.trace.clone().filter(|_| is_reading) {
                    Some(trace) => vec![Effect::SearchArgs {
                        trace: TraceHandle(trace),
                        key,
                        names: hits,
                    }],
                    None => Vec::new(),
                }
            }
            SearchAnswer::Args(key, hits, errors) => {
                if let Some(found) = self.search.found.as_mut().filter(|f| f.key == key) {
                    found.hits = hits;
                    found.is_reading = false;
                    if let Some(first) = errors.first() {
                        self.say(super::Tone::Error, first.clone());
                    }
                }
                Vec::new()
            }
        }
    }

    pub(super) fn apply_search(&mut self, action: SearchAction) -> Vec<Effect> {
        match action {
            SearchAction::Open => {
                self.search.is_open = self.trace.is_some();
                self.search.wants_focus = true;
            }
            SearchAction::Close => return self.close_search(),
            SearchAction::Edit(text) => {
                self.search.wants_focus = false;
                self.search.text = text;
                self.search.understand();
            }
            SearchAction::SetRegex(on) => {
                self.search.is_regex = on;
                self.search.understand();
            }
            SearchAction::SetArgs(on) => {
                self.search.in_args = on;
                if !on {
                    return vec![Effect::StopSearch];
                }
            }
            SearchAction::SetOnly(on) => self.search.only = on,
            SearchAction::ToggleList => self.search.is_listed = !self.search.is_listed,
            SearchAction::Next => return self.go_to_hit(Hits::next),
            SearchAction::Previous => return self.go_to_hit(Hits::previous),
            SearchAction::GoTo(slice) => return self.go_to(slice),
        }
        Vec::new()
    }

    /// Closes the bar; a search in files is stopped.
    pub(super) fn close_search(&mut self) -> Vec<Effect> {
        self.search.is_open = false;
        self.search.found = None;
        vec![Effect::StopSearch]
    }

    fn go_to_hit(
        &mut self,
        step: fn(&Hits, &crate::trace::Trace, Ns, Option<SliceRef>) -> Option<SliceRef>,
    ) -> Vec<Effect> {
        let (Some(shown), Some(trace)) = (self.shown_hits(), self.trace.clone()) else {
            return Vec::new();
        };
        let from = self.view.map_or_else(Ns::default, |view| view.time_at(0.0));
        match step(&shown.hits, &trace, from, self.selection) {
            Some(slice) => self.go_to(slice),
            None => Vec::new(),
        }
    }
}

impl Search {
    /// Makes an expression of the text. A small letter stands for both cases while the text has no
    /// capital.
    pub(super) fn understand(&mut self) {
        self.trouble = None;
        if self.text.is_empty() {
            self.pattern = None;
            return;
        }
        let meant = if self.is_regex {
            self.text.clone()
        } else {
            regex::escape(&self.text)
        };
        let any_case = !self.text.chars().any(char::is_uppercase);
        let pattern = if any_case {
            format!("(?i){meant}")
        } else {
            meant
        };
        match Regex::new(&pattern) {
            Ok(_) => self.pattern = Some(pattern),
            Err(error) => self.trouble = Some(super::regex_trouble(&error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str, is_regex: bool) -> Option<String> {
        let mut search = Search {
            text: text.to_owned(),
            is_regex,
            ..Search::default()
        };
        search.understand();
        search.pattern
    }

    #[test]
    fn a_text_is_taken_as_it_stands_and_small_letters_for_both_cases() {
        assert_eq!(
            pattern("gemm<128>", false).as_deref(),
            Some("(?i)gemm<128>")
        );
        assert_eq!(pattern("a.b", false).as_deref(), Some(r"(?i)a\.b"));
        assert_eq!(pattern("AllReduce", false).as_deref(), Some("AllReduce"));
        assert_eq!(pattern("^nccl.*Ring", true).as_deref(), Some("^nccl.*Ring"));
        assert_eq!(pattern("", false), None);
    }

    #[test]
    fn a_wrong_expression_is_told_and_the_last_good_one_holds() {
        let mut search = Search {
            text: "nccl".to_owned(),
            is_regex: true,
            ..Search::default()
        };
        search.understand();
        search.text = "nccl(".to_owned();
        search.understand();
        assert!(
            search
                .trouble
                .as_deref()
                .is_some_and(|t| t.contains("unclosed group"))
        );
        assert_eq!(search.pattern.as_deref(), Some("(?i)nccl"));
    }
}
