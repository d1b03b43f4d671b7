//! The command palette: what was typed, which command is highlighted, and what a text matches.

/// State of the palette while it is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    /// What was typed.
    pub text: String,
    /// The highlighted one of the commands that match.
    pub highlighted: usize,
}

/// What a view may ask of the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaletteAction {
    /// The text changed.
    Edit(String),
    /// Another command is highlighted.
    Highlight(usize),
}

impl Palette {
    pub(super) fn apply(&mut self, action: PaletteAction) {
        match action {
            PaletteAction::Edit(text) => {
                self.text = text;
                self.highlighted = 0;
            }
            PaletteAction::Highlight(at) => self.highlighted = at,
        }
    }
}

/// How well the letters of a text stand in another one in their order, in any case: the less the
/// better; `None` where they do not. Letters that begin a word or follow each other are better.
#[must_use]
pub fn fuzzy(wanted: &str, text: &str) -> Option<usize> {
    let wanted = wanted.to_lowercase();
    let text = text.to_lowercase();
    let mut parts = wanted.split_whitespace();
    parts.try_fold(0_usize, |sum, part| Some(sum + fuzzy_word(part, &text)?))
}

fn fuzzy_word(wanted: &str, text: &str) -> Option<usize> {
    if let Some(at) = text.find(wanted) {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let is_word = before.is_none_or(|c| !c.is_alphanumeric());
        return Some(usize::from(!is_word));
    }
    let mut rest = text.chars();
    let mut gaps = 2_usize;
    for letter in wanted.chars() {
        let passed = rest.by_ref().position(|c| c == letter)?;
        gaps += passed;
    }
    Some(gaps)
}

#[cfg(test)]
mod tests {
    use super::fuzzy;

    #[test]
    fn letters_in_their_order_match_and_words_match_best() {
        assert_eq!(fuzzy("", "Zoom in"), Some(0));
        assert_eq!(fuzzy("zoom", "Zoom in"), Some(0));
        assert_eq!(fuzzy("oom", "Zoom in"), Some(1));
        assert!(fuzzy("zin", "Zoom in").is_some());
        assert_eq!(fuzzy("inz", "Zoom in"), None);
        // Words in any order.
        assert!(fuzzy("in zoom", "Zoom in").is_some());
        assert!(fuzzy("step", "Next step") < fuzzy("step", "Save the trace report"));
        assert!(fuzzy("ü", "Über").is_some());
    }
}
