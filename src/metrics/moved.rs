//! Which ranks were moved in time because the user asked for it: one list for the status bar and the
//! command line, so that nothing is shifted silently.

use crate::trace::{IssueKind, MovedBy, Trace};

/// Which ranks were moved and by what, and which could not be, one phrase each: `ranks 1-3 moved by
/// collectives`. Empty where nothing was asked for.
#[must_use]
pub fn moved_phrases(trace: &Trace) -> Vec<String> {
    let moved = |by_hand: bool| {
        let ranks = trace.ranks.iter();
        let ranks = ranks.filter(|rank| {
            let moved = rank.alignment.moved;
            moved.is_some_and(|m| (m.why == MovedBy::Hand) == by_hand)
        });
        runs(ranks.map(|r| r.id.0))
    };
    let stayed = trace.ranks.iter().filter(|rank| {
        let issue = trace.health.find(IssueKind::RankNotAligned, rank.file);
        issue.is_some()
    });
    let told = [
        moved(false).map(|ranks| format!("{ranks} aligned by collectives")),
        moved(true).map(|ranks| format!("{ranks} moved as asked for")),
        runs(stayed.map(|r| r.id.0)).map(|ranks| format!("{ranks} not aligned by collectives")),
    ];
    let lost = trace.health.issues().iter();
    let lost = lost.filter(|i| i.kind == IssueKind::NoRankToMove);
    let lost = lost.map(|i| format!("not there to be moved: {}", i.first.what));
    told.into_iter().flatten().chain(lost).collect()
}

/// What was done with each rank, one sentence each, as the health list has it.
#[must_use]
pub fn moved_details(trace: &Trace) -> Vec<&str> {
    use IssueKind::{NoRankToMove, RankMoved, RankNotAligned};
    let issues = trace.health.issues().iter();
    let of_moves = |kind| matches!(kind, RankMoved | RankNotAligned | NoRankToMove);
    let issues = issues.filter(|issue| of_moves(issue.kind));
    issues.map(|issue| issue.first.what.as_str()).collect()
}

/// `rank 1`, `ranks 0, 2-5`; `None` without any. The numbers ascend.
fn runs(ranks: impl Iterator<Item = u32>) -> Option<String> {
    const NAMED: usize = 12;
    let mut found: Vec<(u32, u32)> = Vec::new();
    for rank in ranks {
        match found.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(rank) => *last = rank,
            _ => found.push((rank, rank)),
        }
    }
    let word = match found.as_slice() {
        [] => return None,
        [(first, last)] if first == last => "rank",
        _ => "ranks",
    };
    let run = |&(first, last): &(u32, u32)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    };
    let mut words: Vec<String> = found.iter().take(NAMED).map(run).collect();
    if found.len() > NAMED {
        words.push("…".to_owned());
    }
    Some(format!("{word} {}", words.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_told_as_runs() {
        let told = |ranks: &[u32]| runs(ranks.iter().copied());
        assert_eq!(told(&[]), None);
        assert_eq!(told(&[7]).unwrap(), "rank 7");
        assert_eq!(told(&[0, 2, 3, 4, 9]).unwrap(), "ranks 0, 2-4, 9");
        assert_eq!(told(&[u32::MAX]).unwrap(), "rank 4294967295");
        let odd: Vec<u32> = (0..40).map(|n| 2 * n + 1).collect();
        assert!(told(&odd).unwrap().ends_with("21, 23, …"));
        assert!(moved_phrases(&Trace::default()).is_empty());
        assert!(moved_details(&Trace::default()).is_empty());
    }
}
