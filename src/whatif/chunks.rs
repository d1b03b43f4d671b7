//! A matrix product and its collective cut into chunks, so that one chunk is sent while the next is
//! computed: tensor parallelism's pipeline.

use super::ModelError;
use super::number::{float, nanoseconds, not_negative, positive, sum};
use crate::time::DurNs;

/// The most chunks that are answered for.
pub(super) const MOST_CHUNKS: u32 = 1_000_000;

/// What is cut, uncut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunksInput {
    /// The product as one kernel, its launch included.
    pub gemm: DurNs,
    /// The collective as one, its latency included.
    pub comm: DurNs,
    /// Latency of every collective, however small: each chunk pays it again.
    pub alpha: DurNs,
    /// What launching a kernel costs: each chunk pays it again.
    pub launch: DurNs,
    /// A ring exchange that begins with the local chunk, in place of one collective a chunk.
    pub ring: bool,
}

/// One number of chunks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chunked {
    /// How many.
    pub chunks: u32,
    /// From the first start to the last end.
    pub total: DurNs,
    /// What of it is not computation: `total - K g`.
    pub exposed: DurNs,
    /// How many times as fast as uncut.
    pub speed_up: f64,
}

/// What `chunks` chunks take.
///
/// With `g` the product of a chunk and `c` its collective: `g + (K-1) max(g, c) + c`, and for a ring
/// `g + (K-1) max(g, c)` with the communication over `K - 1` hops, since the local chunk needs none.
/// One chunk is the sum in both. Latency and launch cost are part of the uncut times; the rest of
/// those is divided by K (by K - 1), and both are paid for every chunk.
///
/// # Errors
/// [`ModelError`] for times that are not more than zero, a latency or launch cost that is longer
/// than the whole it is a part of, no chunk, or more than a million.
pub fn chunks(input: ChunksInput, chunks: u32) -> Result<Chunked, ModelError> {
    positive(input.gemm, "the GEMM time")?;
    positive(input.comm, "the communication time")?;
    not_negative(input.alpha, "alpha")?;
    not_negative(input.launch, "the launch cost")?;
    part("alpha", input.alpha, "the communication time", input.comm)?;
    part("the launch cost", input.launch, "the GEMM time", input.gemm)?;
    match chunks {
        0 => return Err(ModelError::NotPositive("the number of chunks")),
        1..=MOST_CHUNKS => {}
        _ => {
            return Err(ModelError::TooMany {
                what: "chunks",
                limit: MOST_CHUNKS.into(),
                advice: "ask for fewer",
            });
        }
    }
    let uncut = sum(input.gemm, input.comm, "the sum of both times")?;
    let k = f64::from(chunks);
    let cut = |whole: DurNs, each: DurNs, by: f64| float(whole - each) / by + float(each);
    let g = cut(input.gemm, input.launch, k);
    let total = if chunks == 1 {
        float(uncut)
    } else if input.ring {
        let c = cut(input.comm, input.alpha, k - 1.0);
        g + (k - 1.0) * g.max(c)
    } else {
        let c = cut(input.comm, input.alpha, k);
        g + (k - 1.0) * g.max(c) + c
    };
    Ok(Chunked {
        chunks,
        total: nanoseconds(total, "the total time")?,
        exposed: nanoseconds(total - k * g, "the exposed time")?,
        speed_up: float(uncut) / total,
    })
}

fn part(
    part: &'static str,
    of_part: DurNs,
    whole: &'static str,
    of_whole: DurNs,
) -> Result<(), ModelError> {
    if of_part <= of_whole {
        Ok(())
    } else {
        Err(ModelError::PartOfWhole { part, whole })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: i64 = 1_000_000;

    fn input(gemm: i64, comm: i64, ring: bool) -> ChunksInput {
        ChunksInput {
            gemm: DurNs(gemm),
            comm: DurNs(comm),
            alpha: DurNs::ZERO,
            launch: DurNs::ZERO,
            ring,
        }
    }

    #[test]
    fn twenty_and_sixteen() {
        let ms = |k, ring| {
            let chunked = chunks(input(20 * MS, 16 * MS, ring), k).expect("an answer");
            chunked.total.0 / MS
        };
        assert_eq!([1, 2, 4, 8].map(|k| ms(k, false)), [36, 28, 24, 22]);
        assert_eq!((ms(1, true), ms(4, true)), (36, 21));
    }

    #[test]
    fn overheads_are_paid_for_every_chunk() {
        let costly = ChunksInput {
            alpha: DurNs(MS),
            launch: DurNs(2 * MS),
            ..input(20 * MS, 16 * MS, false)
        };
        // Uncut they are in the times; two chunks of 9 + 2 and 7.5 + 1: 11 + 11 + 8.5.
        assert_eq!(chunks(costly, 1).map(|c| c.total.0), Ok(36 * MS));
        let two = chunks(costly, 2).expect("an answer");
        assert_eq!((two.total.0, two.exposed.0), (30_500_000, 8_500_000));
        let many = chunks(costly, 1_000).expect("an answer");
        assert!(many.total.0 > 2_000 * MS && many.speed_up < 0.02);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let bad = |input| chunks(input, 4).expect_err("refused").to_string();
        let good = input(20, 16, false);
        for (input, part) in [
            (
                ChunksInput {
                    gemm: DurNs(0),
                    ..good
                },
                "greater than zero",
            ),
            (
                ChunksInput {
                    alpha: DurNs(-1),
                    ..good
                },
                "less than zero",
            ),
            (
                ChunksInput {
                    alpha: DurNs(17),
                    ..good
                },
                "longer than",
            ),
            (
                ChunksInput {
                    launch: DurNs(21),
                    ..good
                },
                "longer than",
            ),
            (input(i64::MAX, i64::MAX, true), "beyond"),
        ] {
            let said = bad(input);
            assert!(said.contains(part), "{said}");
        }
        assert!(chunks(good, 0).is_err() && chunks(good, u32::MAX).is_err());
    }

    /// One event after the other: chunk i is sent once it is computed and the link is free; in a
    /// ring, chunk i is computed once it has come.
    fn walked(g: f64, c: f64, k: u32, ring: bool) -> f64 {
        let (mut computed, mut sent) = (0.0_f64, 0.0_f64);
        for i in 0..k {
            if ring {
                if i > 0 {
                    sent += c;
                }
                computed = computed.max(sent) + g;
            } else {
                computed += g;
                sent = sent.max(computed) + c;
            }
        }
        computed.max(sent)
    }

    proptest! {
        #[test]
        fn the_formula_is_the_pipeline(
            gemm in 1..10_000_000_i64, comm in 1..10_000_000_i64, k in 2..200_u32,
            alpha in 0..1_000_i64, launch in 0..1_000_i64, ring: bool,
        ) {
            let (alpha, launch) = (alpha.min(comm), launch.min(gemm));
            let model = chunks(ChunksInput {
                alpha: DurNs(alpha), launch: DurNs(launch), ..input(gemm, comm, ring)
            }, k).expect("an answer");
            let f = |n: i64| float(DurNs(n));
            let hops = f64::from(if ring { k - 1 } else { k });
            let g = f(gemm - launch) / f64::from(k) + f(launch);
            let c = f(comm - alpha) / hops + f(alpha);
            prop_assert!((f(model.total.0) - walked(g, c, k, ring)).abs() <= 1.0);
        }
    }
}
