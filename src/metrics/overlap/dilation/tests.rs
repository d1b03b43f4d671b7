//! Factors of samples that were worked out by hand.

use super::*;

fn identity(name: &str) -> Identity<'_> {
    Identity {
        name,
        shape: None,
        call: None,
        op: None,
        dims: None,
        bytes: None,
        group: None,
    }
}

fn samples(alone: &[i64], beside: &[(i64, i64)]) -> Samples {
    let id = |n: usize| SliceId(u32::try_from(n).unwrap());
    let of = |(n, (time, shared)): (usize, &(i64, i64))| Beside {
        slice: id(n),
        time: DurNs(*time),
        shared: DurNs(*shared),
    };
    Samples {
        alone: alone
            .iter()
            .enumerate()
            .map(|(n, d)| (id(n), DurNs(*d)))
            .collect(),
        beside: beside.iter().enumerate().map(of).collect(),
        beside_time: beside.iter().map(|(_, s)| i128::from(*s)).sum(),
    }
}

fn one(alone: &[i64], beside: &[(i64, i64)], tick: i64) -> Dilation<'static> {
    let sampled = Sampled::from([(identity("k"), samples(alone, beside))]);
    compare(sampled, &Sampled::new(), tick).remove(0)
}

fn factor(alone: &[i64], beside: &[(i64, i64)], tick: i64) -> Result<i64, NotComparable> {
    one(alone, beside, tick).factor.map(|f| f.estimate.0)
}

#[test]
fn the_factor_is_that_of_medians() {
    let alone = [100, 100, 100, 100, 100];
    let beside = [(140, 140); 5];
    let row = one(&alone, &beside, 1);
    let factor = row.factor.unwrap();
    assert_eq!(
        (factor.low.0, factor.estimate.0, factor.high.0),
        (14_000, 14_000, 14_000)
    );
    assert_eq!(row.lost.estimate, 5 * 40);
    // One wild value moves nothing.
    let wild = [
        (140, 140),
        (140, 140),
        (9_000, 9_000),
        (140, 140),
        (140, 140),
    ];
    assert_eq!(super::tests::factor(&alone, &wild, 1), Ok(14_000));
    // Of which 60 of 120 is beside: those 60 would be 40.
    assert_eq!(super::tests::factor(&alone, &[(120, 60); 5], 1), Ok(14_000));
}

#[test]
fn what_cannot_be_compared_says_why() {
    let (alone, beside) = ([100; 5], [(140, 140); 5]);
    assert_eq!(
        factor(&alone[..4], &beside, 1),
        Err(NotComparable::FewAlone)
    );
    assert_eq!(
        factor(&alone, &beside[..4], 1),
        Err(NotComparable::FewBeside)
    );
    // Less than a quarter beside: no sample, whatever the factor.
    assert_eq!(
        factor(&alone, &[(140, 34); 9], 1),
        Err(NotComparable::FewBeside)
    );
    assert_eq!(factor(&alone, &[(140, 35); 9], 1), Ok(26_000));
    // 100 ns are 20 steps of 5 ns, but not of 6.
    assert_eq!(factor(&alone, &beside, 5), Ok(14_000));
    assert_eq!(factor(&alone, &beside, 6), Err(NotComparable::Short));
    assert_eq!(
        factor(&alone, &[(89, 89); 5], 1),
        Err(NotComparable::Faster)
    );
    assert_eq!(factor(&alone, &[(90, 90); 5], 1), Ok(9_000));
    assert_eq!(one(&alone, &beside, 6).lost.estimate, 0);
}

#[test]
fn a_baseline_helps_where_too_few_ran_alone() {
    let of = |own: &[i64], other: &[i64]| {
        let sampled = Sampled::from([(identity("k"), samples(own, &[(150, 150); 6]))]);
        let base = Sampled::from([(identity("k"), samples(other, &[]))]);
        let row = compare(sampled, &base, 1).remove(0);
        (row.base_from, row.factor.map(|f| f.estimate.0))
    };
    assert_eq!(of(&[100; 5], &[75; 9]), (BaseFrom::Window, Ok(15_000)));
    assert_eq!(of(&[100; 4], &[75; 9]), (BaseFrom::Baseline, Ok(20_000)));
    let few = Err(NotComparable::FewAlone);
    assert_eq!(of(&[100; 4], &[75; 4]), (BaseFrom::Window, few));
}

#[test]
fn factors_are_weighted_by_the_time_beside() {
    // 8 x 140 at 1.4 and 8 x 40 at 2.0: 1440 would be 8 x 100 + 8 x 20 = 960, so 1.5.
    let product = samples(&[100; 8], &[(140, 140); 8]);
    let gelu = samples(&[20; 8], &[(40, 40); 8]);
    let other = samples(&[], &[(100, 100); 3]);
    let sampled = Sampled::from([
        (identity("product"), product),
        (identity("gelu"), gelu),
        (identity("other"), other),
    ]);
    let rows = compare(sampled, &Sampled::new(), 1);
    let (factor, covered) = together(&rows);
    assert_eq!(factor.unwrap().estimate, Factor(15_000));
    assert_eq!(covered, 1440);
    assert_eq!(rows.iter().map(|r| r.beside_time).sum::<i128>(), 1740);
}
