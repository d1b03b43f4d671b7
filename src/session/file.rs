//! The form of a session on disk: [`SessionFile`]. Times are absolute nanoseconds.
//!
//! Fields that are not known are passed over and those that are missing are as at the start, so that
//! older and newer files read; only a schema that is not known is refused.

mod choices;
mod compare;
mod lanes;

pub(super) use choices::{StoredGroups, StoredWhatIf};
pub(super) use compare::StoredCompare;
pub(super) use lanes::StoredLanes;

use super::bookmarks::{Bookmark, Bookmarks, Marked};
use super::lane_text::{lane_of_text, text_of};
use super::{CompareWith, OpenForm, Section};
use crate::time::{Ns, Window};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a session file says it is.
pub const SESSION_SCHEMA: &str = "overlane.session/1";
/// How names of session files end.
pub const SESSION_EXTENSION: &str = "overlane";

/// Why a session file was not read. The file is named by whoever tells it.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// Not the JSON that this program writes.
    #[error("is no session that can be read ({0})")]
    Damaged(String),
    /// Written by a later version, or something else.
    #[error("says that it is `{0}`, but this program reads `{SESSION_SCHEMA}`")]
    Schema(String),
}

/// What was open, and how it was looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionFile {
    pub(super) schema: String,
    /// What was opened.
    pub paths: Vec<PathBuf>,
    /// The files that were found there.
    pub files: Vec<PathBuf>,
    /// What of it was loaded, as the fields of the dialog.
    pub(super) options: StoredOptions,
    pub(super) window: Option<Span>,
    pub(super) view: Option<Span>,
    /// Distance of the lanes from their top.
    pub(super) scroll: f32,
    /// The device in focus: rank and number.
    pub(super) focus: Option<(u32, i64)>,
    pub(super) closed_sections: Vec<String>,
    /// A section in neither list was not there yet, and is as at the start.
    pub(super) open_sections: Vec<String>,
    pub(super) lanes: StoredLanes,
    pub(super) bookmarks: Vec<StoredMark>,
    pub(super) last_bookmark: u32,
    pub(super) search: StoredSearch,
    pub(super) what_if: StoredWhatIf,
    /// What the user says that process groups are for.
    pub(super) groups: StoredGroups,
    /// What it was compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) compare: Option<StoredCompare>,
}

/// A stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Span {
    start_ns: i64,
    end_ns: i64,
}

impl From<Window> for Span {
    fn from(window: Window) -> Self {
        Self {
            start_ns: window.start().0,
            end_ns: window.end().0,
        }
    }
}

impl From<Span> for Window {
    fn from(span: Span) -> Self {
        // No time of a trace lies beyond half the range, so lengths do not overflow.
        let held = |ns: i64| Ns(ns.clamp(i64::MIN / 2, i64::MAX / 2));
        Self::new(held(span.start_ns), held(span.end_ns))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct StoredOptions {
    no_python: bool,
    no_cpu_rows: bool,
    ranks: String,
    range: String,
    memory: String,
    align_collectives: bool,
    shifts: String,
}

impl From<OpenForm> for StoredOptions {
    fn from(form: OpenForm) -> Self {
        let OpenForm {
            no_python,
            no_cpu_rows,
            ranks,
            range,
            memory,
            align_collectives,
            shifts,
        } = form;
        Self {
            no_python,
            no_cpu_rows,
            ranks,
            range,
            memory,
            align_collectives,
            shifts,
        }
    }
}

impl From<StoredOptions> for OpenForm {
    fn from(stored: StoredOptions) -> Self {
        Self {
            no_python: stored.no_python,
            no_cpu_rows: stored.no_cpu_rows,
            ranks: stored.ranks,
            range: stored.range,
            memory: stored.memory,
            align_collectives: stored.align_collectives,
            shifts: stored.shifts,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct StoredSearch {
    pub(super) text: String,
    pub(super) is_regex: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredMark {
    number: u32,
    start_ns: i64,
    end_ns: i64,
    /// `window`, `slice` or `moment`.
    kind: String,
    /// The step or the slice.
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    lane: Option<String>,
    #[serde(default)]
    note: String,
}

impl StoredMark {
    pub(super) fn of(mark: &Bookmark) -> Self {
        let Span { start_ns, end_ns } = mark.window.into();
        let (kind, name, lane) = match &mark.what {
            Marked::Window(step) => ("window", step.clone(), None),
            Marked::Slice(lane, name) => ("slice", Some(name.clone()), Some(text_of(*lane))),
            Marked::Moment => ("moment", None, None),
        };
        Self {
            number: mark.number,
            start_ns,
            end_ns,
            kind: kind.to_owned(),
            name,
            lane,
            note: mark.note.clone(),
        }
    }

    fn mark(&self) -> Bookmark {
        let span = Span {
            start_ns: self.start_ns,
            end_ns: self.end_ns,
        };
        let lane = self.lane.as_deref().and_then(lane_of_text);
        let what = match (self.kind.as_str(), lane) {
            ("slice", Some(lane)) => Marked::Slice(lane, self.name.clone().unwrap_or_default()),
            ("moment", _) => Marked::Moment,
            // A kind that is not known has a place as well.
            _ => Marked::Window(self.name.clone()),
        };
        Bookmark {
            number: self.number,
            window: span.into(),
            what,
            note: self.note.clone(),
        }
    }
}

impl SessionFile {
    /// An empty one of this program's schema.
    pub(super) fn new() -> Self {
        Self {
            schema: SESSION_SCHEMA.to_owned(),
            ..Self::default()
        }
    }

    /// Reads the text of a session file.
    ///
    /// # Errors
    /// [`SessionError`] where the text is no session, or one of a schema that is not known.
    pub fn from_json(text: &str) -> Result<Self, SessionError> {
        #[derive(Deserialize)]
        struct Head {
            schema: Option<String>,
        }
        let damaged = |e: serde_json::Error| SessionError::Damaged(e.to_string());
        // The schema first: the fields of another one may have other types.
        let head: Head = serde_json::from_str(text).map_err(damaged)?;
        match head.schema {
            None => Err(SessionError::Damaged("it has no schema".to_owned())),
            Some(schema) if schema != SESSION_SCHEMA => Err(SessionError::Schema(schema)),
            Some(_) => serde_json::from_str(text).map_err(damaged),
        }
    }

    /// The text of the session file; `None` where a path cannot be written as text.
    #[must_use]
    pub fn to_json(&self) -> Option<String> {
        serde_json::to_string_pretty(self).ok()
    }

    pub(super) fn marks(&self) -> Bookmarks {
        let list: Vec<Bookmark> = self.bookmarks.iter().map(StoredMark::mark).collect();
        let most = list.iter().map(|m| m.number).max().unwrap_or(0);
        Bookmarks {
            list,
            last: self.last_bookmark.max(most),
        }
    }

    /// What the trace was compared with, if it was.
    pub(super) fn compared(&self) -> Option<CompareWith> {
        let stored = self.compare.clone().filter(|c| !c.paths.is_empty())?;
        Some(CompareWith {
            paths: stored.paths.clone(),
            as_before: Some(stored),
        })
    }

    pub(super) fn closed(&self) -> impl Iterator<Item = Section> {
        let names = |list: &[String], s: &Section| list.iter().any(|name| name == s.title());
        let is_closed = move |s: &Section| {
            let is_new = s.starts_closed() && !names(&self.open_sections, s);
            is_new || names(&self.closed_sections, s)
        };
        Section::ALL.into_iter().filter(is_closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::{Arranged, Derived, LaneKey};
    use crate::trace::{DeviceId, RankId, StreamId};

    /// Sections that start closed.
    const NEW: [Section; 4] = [
        Section::Findings,
        Section::Verdict,
        Section::Memory,
        Section::WhatIf,
    ];

    fn file() -> SessionFile {
        let (rank, gpu) = (RankId(1), DeviceId(0));
        let stream = LaneKey::Stream(rank, gpu, StreamId(7));
        let mut arranged = Arranged::default();
        arranged.hide(LaneKey::Derived(rank, gpu, Derived::Idle));
        arranged.toggle_pin(stream);
        arranged.rename(stream, "gemms \"7\"");
        let ranks = vec![LaneKey::Rank(rank), LaneKey::Rank(RankId(0))];
        arranged.order.insert(None, ranks);
        let pack = vec![StreamId(7), StreamId(20)];
        arranged.packs.insert((rank, gpu), vec![pack]);
        let marks = [
            (Marked::Window(Some("3".to_owned())), 10),
            (Marked::Slice(stream, "void k<1>(int)".to_owned()), 9),
            (Marked::Moment, 0),
        ];
        let marks = (1..).zip(marks).map(|(number, (what, len))| Bookmark {
            number,
            // Times beyond what a floating point number holds.
            window: Window::new(
                Ns(1_700_000_000_123_456_789),
                Ns(1_700_000_000_123_456_789 + len),
            ),
            what,
            note: "a\nnote".to_owned(),
        });
        SessionFile {
            paths: vec![PathBuf::from("/t/a.json")],
            window: Some(Span {
                start_ns: -5,
                end_ns: 1_700_000_000_123_456_789,
            }),
            focus: Some((1, 0)),
            closed_sections: vec!["Steps".to_owned()],
            open_sections: NEW.map(|s| s.title().to_owned()).to_vec(),
            lanes: StoredLanes::of([LaneKey::Threads(rank)].iter(), &arranged),
            bookmarks: marks.map(|m| StoredMark::of(&m)).collect(),
            last_bookmark: 9,
            ..SessionFile::new()
        }
    }

    #[test]
    fn a_session_survives_a_round_trip() {
        let file = file();
        let read = SessionFile::from_json(&file.to_json().unwrap()).unwrap();
        assert_eq!(read, file);
        let marks = read.marks();
        assert_eq!(marks.last, 9);
        assert_eq!(
            marks.list.iter().map(StoredMark::of).collect::<Vec<_>>(),
            file.bookmarks
        );
        assert!(matches!(marks.list[1].what, Marked::Slice(..)));
        let arranged = read.lanes.arranged();
        assert_eq!(
            StoredLanes::of([LaneKey::Threads(RankId(1))].iter(), &arranged),
            file.lanes
        );
        assert_eq!(arranged.order[&None].len(), 2);
        assert_eq!(read.closed().collect::<Vec<_>>(), [Section::Steps]);
    }

    #[test]
    fn unknown_fields_and_names_are_passed_over_and_missing_ones_are_as_at_the_start() {
        let text = format!(
            r#"{{"schema":"{SESSION_SCHEMA}","later":{{"a":[1]}},"closed_sections":["Later","Overlap"],
            "lanes":{{"hidden":["r0","q7"],"pinned":["r0","r0"],"order":{{"x":["r0"]}},"later":1}},
            "bookmarks":[{{"number":4,"start_ns":1,"end_ns":2,"kind":"later","more":0}}]}}"#
        );
        let file = SessionFile::from_json(&text).unwrap();
        let closed: Vec<Section> = file.closed().collect();
        assert_eq!((closed[0], &closed[1..]), (Section::Overlap, &NEW[..]));
        let lanes = file.lanes.arranged();
        assert_eq!((lanes.hidden.len(), lanes.pinned.len()), (1, 1));
        assert!(lanes.order.is_empty());
        let marks = file.marks();
        assert_eq!((marks.list.len(), marks.last), (1, 4));
        assert!(file.paths.is_empty() && file.window.is_none());
    }

    #[test]
    fn sections_that_a_file_does_not_know_are_as_at_the_start() {
        let closed = |lists: &str| -> Vec<Section> {
            let text = format!(r#"{{"schema":"{SESSION_SCHEMA}"{lists}}}"#);
            SessionFile::from_json(&text).unwrap().closed().collect()
        };
        assert_eq!(closed(""), NEW);
        assert_eq!(closed(r#","closed_sections":["Findings"]"#), NEW);
        assert_eq!(
            closed(r#","closed_sections":["Findings"],"open_sections":["What if"]"#),
            [Section::Findings, Section::Verdict, Section::Memory]
        );
    }

    #[test]
    fn another_schema_and_damage_are_told_in_one_sentence() {
        let error = SessionFile::from_json(r#"{"schema":"overlane.session/9","paths":7}"#);
        assert_eq!(
            error,
            Err(SessionError::Schema("overlane.session/9".to_owned()))
        );
        for damaged in ["", "{", "[]", "{}", r#"{"schema":7}"#] {
            let error = SessionFile::from_json(damaged).unwrap_err();
            assert!(matches!(error, SessionError::Damaged(_)), "{damaged}");
            assert!(!error.to_string().contains('\n'));
        }
        // Right schema, wrong types; times that no trace has.
        let text = format!(r#"{{"schema":"{SESSION_SCHEMA}","paths":7}}"#);
        assert!(SessionFile::from_json(&text).is_err());
        let span = Span {
            start_ns: i64::MIN,
            end_ns: i64::MAX,
        };
        assert!(Window::from(span).len().0 > 0);
    }
}
