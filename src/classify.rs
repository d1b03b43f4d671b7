//! Decides what a GPU slice is: computation, communication or memory, from rules that are data.
//!
//! Owns the order in which things are asked ([`Rules::classify`]), the built-in rules and what a user's rule file does
//! to them. It sees names only, never times, and is asked once for every distinct name of a trace. The main type is
//! [`Rules`].

use std::borrow::Cow;
use std::path::Path;

use crate::trace::class::{GpuKind, KernelClass};

mod base_name;
mod error;
mod file;

pub use base_name::base_name;
pub use error::RulesError;

use file::{Entry, Matcher, Subject};

const BUILTIN_RULES: &str = include_str!("../assets/kernel_rules.toml");

/// The name in [`Classification::rule`] when the event category said that this is a copy or a fill.
pub const BY_CATEGORY: &str = "event category";
/// The name in [`Classification::rule`] when the event carried the name of a collective.
pub const BY_COLLECTIVE_NAME: &str = "collective name";
/// The name in [`Classification::rule`] when no rule matched.
pub const BY_DEFAULT: &str = "no rule";

/// Names that no rule may have, because they stand for decisions without a rule.
const RESERVED_NAMES: [&str; 3] = [BY_CATEGORY, BY_COLLECTIVE_NAME, BY_DEFAULT];

/// The class of a slice, and what decided it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Classification<'r> {
    /// The class.
    pub class: KernelClass,
    /// The name of the rule that decided, or [`BY_CATEGORY`], [`BY_COLLECTIVE_NAME`] or [`BY_DEFAULT`].
    pub rule: &'r str,
}

/// One rule, ready to match.
#[derive(Debug, Clone)]
struct Rule {
    name: String,
    class: KernelClass,
    subject: Subject,
    matcher: Matcher,
}

/// The rules in force: the user's, then the built-in ones that the user left.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    user: Vec<Rule>,
    /// Built-in rules for copies and fills, asked before the collective name.
    memory: Vec<Rule>,
    /// The other built-in rules, in the order of the file.
    kernel: Vec<Rule>,
}

impl Rules {
    /// The rules that come with the program.
    #[must_use]
    pub fn builtin() -> Self {
        // The text is part of the program and a test reads it, so there is no user to tell of an error.
        let entries =
            file::parse(Path::new("kernel_rules.toml"), BUILTIN_RULES).unwrap_or_default();
        let mut rules = Self::default();
        for entry in entries {
            if let Entry::Active(rule) = entry {
                let stage = match rule.class {
                    KernelClass::Memory => &mut rules.memory,
                    KernelClass::Computation | KernelClass::Communication => &mut rules.kernel,
                };
                stage.push(rule);
            }
        }
        rules
    }

    /// The built-in rules with those of a user's file in front.
    ///
    /// A rule with the name of a built-in one replaces it; with `enabled = false` it only takes it away. `path` is
    /// used in errors, nothing is read from it.
    ///
    /// # Errors
    ///
    /// The first thing in `text` that is no rule: see [`RulesError`].
    pub fn with_user_file(path: &Path, text: &str) -> Result<Self, RulesError> {
        let mut rules = Self::builtin();
        for entry in file::parse(path, text)? {
            let was_builtin = rules.remove_builtin(entry.name());
            match entry {
                Entry::Active(rule) => rules.user.push(rule),
                Entry::Disabled {
                    name,
                    line,
                    is_complete,
                } => {
                    if !was_builtin && !is_complete {
                        return Err(RulesError::NothingToDisable {
                            path: path.to_path_buf(),
                            line,
                            rule: name,
                        });
                    }
                }
            }
        }
        Ok(rules)
    }

    /// The class of a GPU slice from what its category said, its name, and whether its arguments name a collective.
    ///
    /// First match wins: the user's rules; copies and fills, by category or by name; the collective name; the other
    /// built-in rules; else computation.
    #[must_use]
    pub fn classify(
        &self,
        kind: GpuKind,
        name: &str,
        has_collective_name: bool,
    ) -> Classification<'_> {
        let candidate = Candidate::new(name);
        let decide = |class, rule| Classification { class, rule };
        if let Some(found) = candidate.first_match(&self.user) {
            return found;
        }
        if kind != GpuKind::Kernel {
            return decide(KernelClass::Memory, BY_CATEGORY);
        }
        if let Some(found) = candidate.first_match(&self.memory) {
            return found;
        }
        if has_collective_name {
            return decide(KernelClass::Communication, BY_COLLECTIVE_NAME);
        }
        candidate
            .first_match(&self.kernel)
            .unwrap_or(decide(KernelClass::Computation, BY_DEFAULT))
    }

    /// The names of the rules in the order in which they are asked.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let stages = [&self.user, &self.memory, &self.kernel];
        stages.into_iter().flatten().map(|rule| rule.name.as_str())
    }

    /// Takes a built-in rule away; says whether there was one.
    fn remove_builtin(&mut self, name: &str) -> bool {
        let before = self.memory.len() + self.kernel.len();
        self.memory.retain(|rule| rule.name != name);
        self.kernel.retain(|rule| rule.name != name);
        before != self.memory.len() + self.kernel.len()
    }
}

/// A name in the forms that rules look at.
struct Candidate<'a> {
    full: &'a str,
    full_lower: String,
    base: Cow<'a, str>,
    base_lower: String,
}

impl<'a> Candidate<'a> {
    fn new(name: &'a str) -> Self {
        let base = base_name(name);
        Self {
            full: name,
            full_lower: name.to_ascii_lowercase(),
            base_lower: base.to_ascii_lowercase(),
            base,
        }
    }

    fn first_match<'r>(&self, rules: &'r [Rule]) -> Option<Classification<'r>> {
        let rule = rules.iter().find(|rule| self.is_matched_by(rule))?;
        Some(Classification {
            class: rule.class,
            rule: &rule.name,
        })
    }

    fn is_matched_by(&self, rule: &Rule) -> bool {
        let (text, lower) = match rule.subject {
            Subject::Base => (&*self.base, &self.base_lower),
            Subject::Full => (self.full, &self.full_lower),
        };
        match &rule.matcher {
            Matcher::Prefix(patterns) => patterns.iter().any(|p| lower.starts_with(p.as_str())),
            Matcher::Contains(patterns) => patterns.iter().any(|p| lower.contains(p.as_str())),
            // The case stays here, so that an expression may ask for it with `(?-i)`.
            Matcher::Regex(expressions) => expressions.iter().any(|e| e.is_match(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{BUILTIN_RULES, Rules, file};

    #[test]
    fn the_built_in_file_is_read_whole() {
        let entries = file::parse(Path::new("kernel_rules.toml"), BUILTIN_RULES);
        let read = entries.map(|entries| entries.len());
        assert_eq!(read, Ok(Rules::builtin().names().count()));
        assert!(read.is_ok_and(|count| count > 20));
    }
}
