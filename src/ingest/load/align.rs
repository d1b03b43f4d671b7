//! Where ranks are put on the axis that all of them share.

use crate::time::{DurNs, Ns};
use crate::trace::Survey;

/// How a rank is put on the common axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shift {
    /// How far it is moved; `None` where it stays because its times mean something.
    pub(super) moved: Option<DurNs>,
    /// Whether its times are epoch times.
    pub(super) epoch: bool,
}

/// Decides the shift of every rank from its survey and whether its file states a base.
///
/// Ranks with epoch times share one axis as they are. Relative times without a base cannot be
/// compared with anything: such a rank is moved so that it starts where the others do. One rank
/// alone stays where it is.
pub(super) fn shifts(ranks: &[(Option<Survey>, bool)]) -> Vec<Shift> {
    let origin = origin(ranks);
    ranks
        .iter()
        .map(|(survey, based)| {
            let Some(survey) = survey else {
                return Shift::default();
            };
            let moves = !(survey.epoch || *based) && ranks.len() > 1;
            Shift {
                moved: origin.filter(|_| moves).map(|at| at - survey.first),
                epoch: survey.epoch,
            }
        })
        .collect()
}

/// Where the earliest rank starts, all of them being in place; `None` without any valid slice.
pub(super) fn origin(ranks: &[(Option<Survey>, bool)]) -> Option<Ns> {
    let surveys = || ranks.iter().filter_map(|(s, based)| Some(((*s)?, *based)));
    let fixed = surveys()
        .filter(|(s, based)| s.epoch || *based)
        .map(|(s, _)| s.first)
        .min();
    // Without any fixed rank the first relative one stays where it is.
    fixed.or_else(|| surveys().map(|(s, _)| s.first).next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(first: i64, epoch: bool) -> Survey {
        Survey {
            first: Ns(first),
            epoch,
        }
    }

    #[test]
    fn relative_ranks_move_to_the_start_of_the_others() {
        let ranks = [
            (Some(survey(50, false)), false),
            (Some(survey(1_000, true)), true),
            (None, false),
            (Some(survey(900, false)), true),
        ];
        let moved: Vec<_> = shifts(&ranks).iter().map(|s| s.moved).collect();
        assert_eq!(moved, [Some(DurNs(850)), None, None, None]);
        assert_eq!(origin(&ranks), Some(Ns(900)));
        // Without an axis the first one is it.
        let ranks = [
            (Some(survey(50, false)), false),
            (Some(survey(9, false)), false),
        ];
        let moved: Vec<_> = shifts(&ranks).iter().map(|s| s.moved).collect();
        assert_eq!(moved, [Some(DurNs(0)), Some(DurNs(41))]);
        assert_eq!(shifts(&ranks[1..]), [Shift::default()]);
    }
}
