//! The path box: a text field with suggestions, for systems that have no file dialog.
//!
//! Owns the text, the suggestions for it and the paths that were put on the list. Listing folders
//! is not done here, since a folder may lie on a slow network.

use super::Effect;
use std::path::{Path, PathBuf};

/// What the path is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathBoxMode {
    /// Files and folders to open.
    Open,
    /// Files and folders to compare with.
    Compare,
    /// A file to write.
    Save {
        /// What will be written.
        contents: String,
    },
}

impl PathBoxMode {
    /// Whether paths are to be read, so that there may be several.
    #[must_use]
    pub fn is_to_read(&self) -> bool {
        matches!(self, Self::Open | Self::Compare)
    }
}

/// Why a file was not written yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveAnswer {
    /// There is one; the next press replaces it.
    Exists,
    /// It cannot be, in one sentence.
    Refused(String),
}

/// The state of an open path box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathBox {
    /// What the path is for.
    pub mode: PathBoxMode,
    /// What was typed.
    pub text: String,
    /// What it could become; full paths, folders with a separator at the end.
    pub suggestions: Vec<String>,
    /// The highlighted suggestion.
    pub highlighted: Option<usize>,
    /// Paths that were put on the list.
    pub listed: Vec<PathBuf>,
    /// What came of trying to write to the path in the field.
    pub answer: Option<SaveAnswer>,
    /// Counts the times the text was replaced from outside, so that the field puts its cursor at
    /// the end.
    pub replaced: u32,
}

impl PathBox {
    /// An open box with a text to start from.
    #[must_use]
    pub fn new(mode: PathBoxMode, text: String) -> Self {
        Self {
            mode,
            text,
            suggestions: Vec::new(),
            highlighted: None,
            listed: Vec::new(),
            answer: None,
            replaced: 1,
        }
    }

    pub(super) fn edit(&mut self, text: String) -> Effect {
        let text = restart(text);
        self.text = text;
        self.highlighted = None;
        // It was about another path.
        self.answer = None;
        self.complete()
    }

    pub(super) fn complete(&self) -> Effect {
        Effect::CompletePath {
            text: self.text.clone(),
        }
    }

    pub(super) fn suggest(&mut self, text: &str, candidates: Vec<String>) {
        // Answers to an older text would make the list jump.
        if text == self.text {
            self.suggestions = candidates;
            self.highlighted = None;
        }
    }

    pub(super) fn move_highlight(&mut self, by: i32) {
        let count = i32::try_from(self.suggestions.len()).unwrap_or(i32::MAX);
        if count == 0 {
            return;
        }
        let now = self
            .highlighted
            .and_then(|i| i32::try_from(i).ok())
            .unwrap_or(if by > 0 { -1 } else { 0 });
        self.highlighted = usize::try_from((now + by).rem_euclid(count)).ok();
    }

    /// Takes a suggestion: the named one, else the highlighted one, else what all have in common.
    pub(super) fn take(&mut self, text: Option<String>) -> Option<Effect> {
        let chosen = text
            .or_else(|| self.suggestions.get(self.highlighted?).cloned())
            .or_else(|| common_prefix(&self.suggestions))?;
        if chosen.len() <= self.text.len() && self.highlighted.is_none() && chosen != self.text {
            return None;
        }
        self.replaced += 1;
        Some(self.edit(chosen))
    }

    pub(super) fn add(&mut self) -> Option<Effect> {
        let path = self.typed().filter(|_| self.mode.is_to_read())?;
        if !self.listed.contains(&path) {
            self.listed.push(path);
        }
        self.replaced += 1;
        let folder = folder_of(&self.text).to_owned();
        Some(self.edit(folder))
    }

    /// The path that stands in the field.
    #[must_use]
    pub fn typed(&self) -> Option<PathBuf> {
        let text = self.text.trim();
        (!text.is_empty()).then(|| expand_home(text))
    }

    /// Every path that would be opened: the list, and the field where it names something more than
    /// the folder that the list came from.
    #[must_use]
    pub fn all(&self) -> Vec<PathBuf> {
        let mut paths = self.listed.clone();
        let is_rest = !self.listed.is_empty() && self.text.ends_with(std::path::MAIN_SEPARATOR);
        if let Some(path) = self
            .typed()
            .filter(|p| !is_rest && !self.listed.contains(p))
        {
            paths.push(path);
        }
        paths
    }
}

/// A second absolute path or home folder typed behind the first one starts anew, as in most
/// programs that complete paths: the box comes filled with a folder that one may not want.
fn restart(text: String) -> String {
    let starts = ["//", "/~"].map(|mark| text.rfind(mark));
    match starts.into_iter().flatten().max() {
        // Windows shares begin with two slashes.
        Some(at) if at > 0 => text.get(at + 1..).unwrap_or_default().to_owned(),
        _ => text,
    }
}

/// The folder part of a typed path, with its separator.
#[must_use]
pub fn folder_of(text: &str) -> &str {
    text.rfind(['/', std::path::MAIN_SEPARATOR])
        .and_then(|i| text.get(..=i))
        .unwrap_or("")
}

/// `~` and `~/x` in the user's home folder.
#[must_use]
pub fn expand_home(text: &str) -> PathBuf {
    let home = || std::env::home_dir().filter(|h| !h.as_os_str().is_empty());
    match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => home().map_or_else(
            || PathBuf::from(text),
            |home| home.join(Path::new(rest.trim_start_matches('/'))),
        ),
        _ => PathBuf::from(text),
    }
}

fn common_prefix(texts: &[String]) -> Option<String> {
    let (first, rest) = texts.split_first()?;
    let mut end = first.len();
    for text in rest {
        let same = first
            .char_indices()
            .zip(text.chars())
            .take_while(|((_, a), b)| a == b)
            .map(|((i, c), _)| i + c.len_utf8())
            .last()
            .unwrap_or(0);
        end = end.min(same);
    }
    first.get(..end).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_box(text: &str, suggestions: &[&str]) -> PathBox {
        let mut path_box = PathBox::new(PathBoxMode::Open, text.to_owned());
        path_box.suggest(text, suggestions.iter().map(|s| (*s).to_owned()).collect());
        path_box
    }

    #[test]
    fn an_absolute_path_behind_another_starts_anew() {
        for (typed, wanted) in [
            ("/home//data/x", "/data/x"),
            ("/a/b/~/x", "~/x"),
            ("//server/share", "//server/share"),
            ("/a/b", "/a/b"),
        ] {
            assert_eq!(restart(typed.to_owned()), wanted);
        }
    }

    #[test]
    fn tab_takes_what_all_suggestions_share() {
        let mut path_box = open_box("/t/r", &["/t/rank0.json", "/t/rank1.json"]);
        assert!(path_box.take(None).is_some());
        assert_eq!(path_box.text, "/t/rank");
    }

    #[test]
    fn the_highlight_wraps_and_is_taken() {
        let mut path_box = open_box("/t/", &["/t/a", "/t/b"]);
        path_box.move_highlight(-1);
        assert_eq!(path_box.highlighted, Some(1));
        path_box.move_highlight(1);
        assert_eq!(path_box.highlighted, Some(0));
        assert!(path_box.take(None).is_some());
        assert_eq!(path_box.text, "/t/a");
    }

    #[test]
    fn suggestions_for_an_older_text_are_dropped() {
        let mut path_box = open_box("/t/ab", &[]);
        path_box.suggest("/t/a", vec!["/t/ab".into(), "/t/ac".into()]);
        assert!(path_box.suggestions.is_empty());
    }

    #[test]
    fn several_paths_can_be_listed() {
        let mut path_box = open_box("/t/rank0.json", &[]);
        assert!(path_box.add().is_some());
        assert_eq!(path_box.text, "/t/");
        assert_eq!(path_box.all(), [PathBuf::from("/t/rank0.json")]);
        path_box.edit("/t/rank1.json".into());
        assert_eq!(path_box.all().len(), 2);
    }

    #[test]
    fn prefixes_are_cut_between_characters() {
        assert_eq!(
            common_prefix(&["/tµx".into(), "/tµy".into()]).as_deref(),
            Some("/tµ")
        );
        assert_eq!(
            common_prefix(&["/tä".into(), "/tö".into()]).as_deref(),
            Some("/t")
        );
    }
}
