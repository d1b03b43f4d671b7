//! The base name of a kernel: what is left of a full name when the parts that say nothing about its family are gone.
//!
//! Owns the reading of demangled, mangled and truncated names. Names come from files, so every text must give an
//! answer, in one pass over it.

use std::borrow::Cow;

/// The name without return type, template arguments and parameter list; namespaces stay, and so does the case.
///
/// `(anonymous namespace)` and `<unnamed>` are namespaces. Names that are no C++ (`Memcpy HtoD (Pageable -> Device)`,
/// `triton_poi_fused_add_0`) stay whole. Of a mangled name, the leading namespaces and identifiers are read. Text
/// that is cut short or unbalanced gives what can be read of it. Takes time linear in the length.
///
/// ```
/// use overlane::classify::base_name;
///
/// let name = "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, 2>(float*, int)";
/// assert_eq!(base_name(name), "at::native::(anonymous namespace)::CatArrayBatchedCopy");
/// assert_eq!(base_name("_ZN5aiter13allgather_vecIDF16bLi8EEEv"), "aiter::allgather_vec");
/// ```
#[must_use]
pub fn base_name(name: &str) -> Cow<'_, str> {
    let trimmed = without_rocm_suffix(name.trim());
    if let Some(base) = read_mangled(trimmed) {
        return Cow::Owned(base);
    }
    let base = Reader::new(trimmed).read();
    if base.is_empty() || base == trimmed {
        Cow::Borrowed(trimmed)
    } else {
        Cow::Owned(base)
    }
}

/// AMD's tools mark kernel descriptors with `.kd`, and demanglers print that as ` [clone .kd]`.
fn without_rocm_suffix(name: &str) -> &str {
    let name = name.strip_suffix(" [clone .kd]").unwrap_or(name);
    name.strip_suffix(".kd").unwrap_or(name)
}

/// The namespaces and identifiers that an Itanium-mangled name starts with, up to its first template argument.
fn read_mangled(name: &str) -> Option<String> {
    let rest = name.strip_prefix("_Z")?;
    let (is_nested, mut rest) = match rest.strip_prefix('N') {
        Some(rest) => (true, rest.trim_start_matches(['r', 'V', 'K'])),
        None => (false, rest),
    };
    let mut parts = Vec::new();
    if let Some(after) = rest.strip_prefix("St") {
        parts.push("std");
        rest = after;
    }
    let identifiers_from = parts.len();
    loop {
        rest = rest.strip_prefix('L').unwrap_or(rest);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Some(length) = rest
            .get(..digits)
            .and_then(|text| text.parse::<usize>().ok())
        else {
            break;
        };
        let after = rest.get(digits..).unwrap_or_default();
        // A length that does not fit is a name that was cut short: its rest is the identifier.
        let part = after.get(..length).unwrap_or(after);
        if part.is_empty() {
            break;
        }
        let is_anonymous = part.starts_with("_GLOBAL__N");
        parts.push(if is_anonymous {
            "(anonymous namespace)"
        } else {
            part
        });
        rest = after.get(part.len()..).unwrap_or_default();
        if !is_nested {
            break;
        }
    }
    (parts.len() > identifiers_from).then(|| parts.join("::"))
}

/// Operators with more than letters, a longer one before any that it starts with.
const OPERATORS: [&str; 12] = [
    "<=>", "->*", "<<=", ">>=", "()", "[]", "<<", ">>", "<=", "->", "<", ">",
];

/// What may stand between a parameter list and the `::` of a name inside that function.
const QUALIFIERS: [&str; 4] = [" const", " volatile", " &&", " &"];

/// A bracketed part of the name that stands at its top level.
#[derive(Clone, Copy)]
struct Group {
    /// Where it starts in the output.
    start: usize,
    role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Part of the name, such as `(anonymous namespace)` or `{lambda(int)#1}`.
    Kept,
    TemplateArguments,
    /// The parameters of the kernel, or of a function around it.
    Parameters,
}

/// One pass over a demangled name.
struct Reader<'a> {
    rest: &'a str,
    out: String,
    /// The brackets that are open, outermost first.
    open: Brackets,
    group: Option<Group>,
    /// The end of the last space at the top level: what stands before it is the return type.
    word_start: usize,
    /// Inside `operator unsigned int`, where a space ends no return type.
    is_in_operator: bool,
}

impl<'a> Reader<'a> {
    fn new(name: &'a str) -> Self {
        Self {
            rest: name,
            out: String::with_capacity(name.len()),
            open: Brackets::default(),
            group: None,
            word_start: 0,
            is_in_operator: false,
        }
    }

    fn read(mut self) -> String {
        let mut has_parameters = false;
        while let Some(c) = self.rest.chars().next() {
            if self.take_operator() {
                continue;
            }
            let before = self.out.chars().next_back();
            if c == ' ' && self.group.is_none() && !self.is_in_operator {
                self.word_start = self.out.len() + 1;
            }
            if self.group.is_none() && Brackets::is_opening(c) {
                let role = self.role_of(c, before);
                let start = self.out.len();
                self.group = Some(Group { start, role });
            }
            self.take(c.len_utf8());
            // An arrow in a template argument closes nothing.
            if c == '>' && before == Some('-') {
                continue;
            }
            self.open.see(c);
            if self.open.is_empty()
                && let Some(group) = self.group.take()
                && self.end(group)
            {
                has_parameters = true;
                break;
            }
        }
        // Cut short inside a bracket: a template argument or parameter goes, as it would have at its end.
        if let Some(group) = self.group
            && group.role != Role::Kept
        {
            self.out.truncate(group.start);
            has_parameters |= group.role == Role::Parameters;
        }
        // Without a parameter list this may be any text, of which only `void` is surely a return type.
        let base = if has_parameters {
            self.out.get(self.word_start..).unwrap_or_default()
        } else {
            self.out.strip_prefix("void ").unwrap_or(&self.out)
        };
        base.trim_start_matches(['*', '&']).trim().to_owned()
    }

    /// Moves some bytes of the name to the output.
    fn take(&mut self, bytes: usize) {
        if let Some((taken, rest)) = self.rest.split_at_checked(bytes) {
            self.out.push_str(taken);
            self.rest = rest;
        } else {
            self.rest = "";
        }
    }

    /// Takes `operator` and its sign, whose brackets are none; says whether it stood here.
    fn take_operator(&mut self) -> bool {
        const WORD: &str = "operator";
        let Some(after) = self.rest.strip_prefix(WORD) else {
            return false;
        };
        let is_inside_word = |c: char| c.is_alphanumeric() || c == '_';
        if self.out.ends_with(is_inside_word) || after.starts_with(is_inside_word) {
            return false;
        }
        let sign = OPERATORS.iter().find(|sign| after.starts_with(**sign));
        self.is_in_operator |= self.group.is_none();
        self.take(WORD.len() + sign.map_or(0, |sign| sign.len()));
        true
    }

    /// What a bracket at the top level starts.
    fn role_of(&self, bracket: char, before: Option<char>) -> Role {
        // At the start of a name part a bracket is the name: `(anonymous namespace)`, `<unnamed>`. After a space it is
        // the remark of a copy: `Memset (Device)`.
        let is_glued = self.is_in_operator || before.is_some_and(|c| c != ' ' && c != ':');
        match bracket {
            '<' if is_glued => Role::TemplateArguments,
            '(' if is_glued && !self.out.ends_with("decltype") => Role::Parameters,
            _ => Role::Kept,
        }
    }

    /// Ends a group at the top level; says whether it was the parameter list of the kernel itself.
    fn end(&mut self, group: Group) -> bool {
        if group.role == Role::Kept {
            return false;
        }
        self.out.truncate(group.start);
        if group.role == Role::TemplateArguments {
            return false;
        }
        self.is_in_operator = false;
        let mut after = self.rest;
        while let Some(shorter) = QUALIFIERS.iter().find_map(|word| after.strip_prefix(word)) {
            after = shorter;
        }
        let is_of_enclosing_function = after.starts_with("::");
        if is_of_enclosing_function {
            self.rest = after;
        }
        !is_of_enclosing_function
    }
}

/// The open brackets. A closing one without a partner is ignored, and a round, square or curly one closes the
/// angles inside it, which were comparisons.
#[derive(Default)]
struct Brackets {
    stack: Vec<char>,
    /// How many of `(`, `[`, `{` are in the stack: without it, a search for a partner could take quadratic time.
    round: usize,
    square: usize,
    curly: usize,
}

impl Brackets {
    fn is_opening(c: char) -> bool {
        matches!(c, '(' | '[' | '{' | '<')
    }

    fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }

    fn count(&mut self, opening: char) -> Option<&mut usize> {
        match opening {
            '(' => Some(&mut self.round),
            '[' => Some(&mut self.square),
            '{' => Some(&mut self.curly),
            _ => None,
        }
    }

    fn see(&mut self, c: char) {
        match c {
            '(' | '[' | '{' | '<' => {
                self.stack.push(c);
                if let Some(count) = self.count(c) {
                    *count += 1;
                }
            }
            ')' => self.close('('),
            ']' => self.close('['),
            '}' => self.close('{'),
            '>' => {
                self.stack.pop_if(|top| *top == '<');
            }
            _ => {}
        }
    }

    fn close(&mut self, opening: char) {
        if self.count(opening).is_none_or(|count| *count == 0) {
            return;
        }
        while let Some(top) = self.stack.pop() {
            if let Some(count) = self.count(top) {
                *count = count.saturating_sub(1);
            }
            if top == opening {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
