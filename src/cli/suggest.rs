//! "Did you mean": the known word that is nearest to a mistyped one.

/// `"; did you mean 'x'?"` without the question mark, or nothing where no word is near.
pub(super) fn hint<'a>(typed: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(typed, known).map_or_else(String::new, |word| format!("; did you mean '{word}'"))
}

fn nearest<'a>(typed: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    // A third of the letters may be wrong; a word that only continues what was typed is near, too.
    let limit = typed.chars().count() / 3 + 1;
    known
        .map(|word| {
            let distance = distance(&typed, word);
            let continues = typed.len() >= 4 && word.contains(&typed);
            (
                if continues {
                    distance.min(limit)
                } else {
                    distance
                },
                word,
            )
        })
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// Insertions, deletions and replacements that turn one text into the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = Vec::with_capacity(row.len());
        next.push(left);
        for (y, above) in b.iter().zip(row.iter().skip(1)) {
            left = (diagonal + usize::from(x != *y))
                .min(above + 1)
                .min(left + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_edits() {
        for (a, b, edits) in [("", "abc", 3), ("abc", "abc", 0), ("kitten", "sitting", 3)] {
            assert_eq!(distance(a, b), edits, "{a} {b}");
        }
    }

    #[test]
    fn the_nearest_word_is_offered_and_a_far_one_is_not() {
        let known = [
            "idle_percent",
            "compute_percent",
            "comm_hidden_by_comp_percent",
        ];
        let hint = |typed| hint(typed, known.into_iter());
        assert_eq!(hint("idle_percnt"), "; did you mean 'idle_percent'");
        assert_eq!(
            hint("comm_hidden"),
            "; did you mean 'comm_hidden_by_comp_percent'"
        );
        assert_eq!(hint("zebra"), "");
    }
}
