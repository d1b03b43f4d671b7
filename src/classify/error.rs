//! What can be wrong with a user's rule file, each said with the file, the line and what to do.

use std::path::PathBuf;

/// Why a rule file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The text is no TOML, or has a field or value that rules do not have.
    #[error("{}, line {line}: {message}; correct the line, the built-in kernel_rules.toml shows every field", .path.display())]
    Syntax {
        /// The rule file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What the reader says, one line.
        message: String,
    },
    /// A rule without a class that is not switched off.
    #[error("{}, line {line}: rule \"{rule}\" has no class; add class = \"computation\", \"communication\" or \"memory\"", .path.display())]
    NoClass {
        /// The rule file.
        path: PathBuf,
        /// The line of the rule's name, counted from 1.
        line: usize,
        /// The name of the rule.
        rule: String,
    },
    /// A rule with none, or with more than one, of `prefix`, `contains` and `regex`.
    #[error("{}, line {line}: rule \"{rule}\" has {found} of prefix, contains and regex; give it exactly one", .path.display())]
    PatternFields {
        /// The rule file.
        path: PathBuf,
        /// The line of the rule's name, counted from 1.
        line: usize,
        /// The name of the rule.
        rule: String,
        /// How many of the three the rule has.
        found: usize,
    },
    /// An empty list of patterns, which would match nothing, or an empty pattern, which would match everything.
    #[error("{}, line {line}: rule \"{rule}\" has an empty pattern; write a part of a kernel name or remove the rule", .path.display())]
    EmptyPattern {
        /// The rule file.
        path: PathBuf,
        /// The line of the rule's name, counted from 1.
        line: usize,
        /// The name of the rule.
        rule: String,
    },
    /// A regular expression that cannot be compiled.
    #[error("{}, line {line}: rule \"{rule}\" has a bad regex '{pattern}' ({message}); correct it, or use contains for plain text", .path.display())]
    Regex {
        /// The rule file.
        path: PathBuf,
        /// The line of the rule's name, counted from 1.
        line: usize,
        /// The name of the rule.
        rule: String,
        /// The expression as written.
        pattern: String,
        /// What is wrong with it, one line.
        message: String,
    },
    /// Two rules of one file with the same name, or a name that this program gives to its own decisions.
    #[error("{}, line {line}: the rule name \"{rule}\" is already taken; rename one of the two", .path.display())]
    NameTaken {
        /// The rule file.
        path: PathBuf,
        /// The line of the second name, counted from 1.
        line: usize,
        /// The name.
        rule: String,
    },
    /// A bare `enabled = false` for a name that no built-in rule has.
    #[error("{}, line {line}: there is no built-in rule \"{rule}\" to switch off; take the name from the built-in kernel_rules.toml", .path.display())]
    NothingToDisable {
        /// The rule file.
        path: PathBuf,
        /// The line of the name, counted from 1.
        line: usize,
        /// The name.
        rule: String,
    },
}
