//! Which rank a file is: what it states, else its name, else its place in the list.

use crate::trace::RankId;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Where a rank's number came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// `distributedInfo.rank`.
    Stated,
    /// The file's name.
    Name,
    /// The position in the list.
    Position,
}

/// One file's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbered {
    pub(super) id: RankId,
    pub(super) origin: Origin,
    /// The number it claims, where another file has it already.
    pub(super) claimed: Option<u32>,
}

/// Gives every file a number of its own. Input: what each states, and its name.
///
/// All first claims are honoured before a second claimant gets the next free number, so a
/// duplicate never takes the number of a file that stands behind it.
pub(super) fn number(files: &[(Option<u32>, String)]) -> Vec<Numbered> {
    let claims: Vec<(Option<u32>, Origin)> = files
        .iter()
        .map(|(stated, name)| match (stated, from_name(name)) {
            (Some(rank), _) => (Some(*rank), Origin::Stated),
            (None, Some(rank)) => (Some(rank), Origin::Name),
            (None, None) => (None, Origin::Position),
        })
        .collect();
    let mut taken = BTreeSet::new();
    let first: Vec<bool> = claims
        .iter()
        .map(|(claim, _)| claim.is_some_and(|rank| taken.insert(rank)))
        .collect();
    (0_u32..)
        .zip(claims)
        .zip(first)
        .map(|((position, (claim, origin)), first)| {
            if let (Some(rank), true) = (claim, first) {
                return Numbered {
                    id: RankId(rank),
                    origin,
                    claimed: None,
                };
            }
            let wanted = claim.unwrap_or(position);
            let free = (wanted..=u32::MAX)
                .chain(0..wanted)
                .find(|n| !taken.contains(n))
                .unwrap_or(wanted);
            taken.insert(free);
            Numbered {
                id: RankId(free),
                origin,
                claimed: claim,
            }
        })
        .collect()
}

/// The rank that the name of a file states: `rank-3`, `rank3`, `worker3`, `TP-3`; a bare `_3` only directly before the ending.
#[must_use]
pub fn from_name(name: &str) -> Option<u32> {
    static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)(?:^|[^a-z])(?:rank|worker)[-_ ]?(\d+)|(?:^|[^A-Za-z])TP-(\d+)").ok()
    });
    static TAIL: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"_(\d+)(?:\.json|\.pt\.trace|\.gz)").ok());
    let find = |pattern: &LazyLock<Option<Regex>>| {
        let found = pattern.as_ref()?.captures(name)?;
        found.iter().skip(1).flatten().next()?.as_str().parse().ok()
    };
    find(&WORD).or_else(|| find(&TAIL))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_ranks() {
        for (name, rank) in [
            ("rank-3.json", Some(3)),
            ("rank3.json.gz", Some(3)),
            ("profile_trace_rank_12.json.gz", Some(12)),
            ("worker7_step_12.1694128201553.pt.trace.json.gz", Some(7)),
            ("1782843274.7730265-TP-2-DECODE.trace.json.gz", Some(2)),
            ("trace_5.json", Some(5)),
            ("trace_5.pt.trace.json", Some(5)),
            ("benchmark_result_924719_1679055439_trace.json.gz", None),
            ("step_5_trace.json", None),
            ("frank3.json", None),
            ("HTTP-3.json", None),
            ("rank-99999999999.json", None),
        ] {
            assert_eq!(from_name(name), rank, "{name}");
        }
    }

    #[test]
    fn a_taken_rank_goes_to_the_next_free_number() {
        let files = [
            (Some(0), "a.json".to_owned()),
            (Some(0), "b.json".to_owned()),
            (Some(1), "c.json".to_owned()),
            (None, "d.json".to_owned()),
        ];
        let numbers: Vec<u32> = number(&files).iter().map(|n| n.id.0).collect();
        assert_eq!(numbers, [0, 2, 1, 3]);
        assert_eq!(number(&files)[1].claimed, Some(0));
    }
}
