//! `--table mfu` of `overlane report` and of `overlane diff`: its options, its rows and its notes.

use super::{CliError, output, overlap, select};
use crate::metrics::report::{Grid, MFU_COLUMNS, MFU_DELTA_COLUMNS};
use crate::metrics::{DevicePair, Observed, Query, Side, TypedFlops, mfu_deltas, mfu_rows};
use crate::trace::Trace;
use clap::Args;
use std::str::FromStr;

/// What MFU is told by the user.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Model FLOPs utilisation (--table mfu)")]
pub(super) struct MfuArguments {
    /// The device's peak in TFLOP/s, of the type that it computes in, such as 312. Without it there is
    /// no MFU.
    #[arg(long, value_name = "X")]
    peak_tflops: Option<Scaled<12>>,
    /// FLOPs of a step on one device, such as 1.2e15, in place of those counted from input shapes.
    #[arg(long, value_name = "N")]
    flops_per_step: Option<Scaled<0>>,
}

impl MfuArguments {
    fn typed(self) -> TypedFlops {
        TypedFlops {
            peak: self.peak_tflops.map(|Scaled(flops)| flops),
            per_step: self.flops_per_step.map(|Scaled(flops)| flops),
        }
    }

    /// Refuses them with any other table.
    pub(super) fn check(self, table: &'static str, is_mfu: bool) -> Result<(), CliError> {
        let given = [
            ("--peak-tflops", self.peak_tflops.is_some()),
            ("--flops-per-step", self.flops_per_step.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given && !is_mfu) {
            Some((option, _)) => Err(CliError::OptionWithTable {
                option,
                table,
                advice: "it is of --table mfu",
            }),
            None => Ok(()),
        }
    }
}

/// A positive decimal number as it is typed, such as `312`, `1.2e15` or `989.5`, times `10^SCALE`:
/// then a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scaled<const SCALE: i32>(u128);

/// Why a text is no such number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a number of FLOPs above zero; write it like 312, 989.5 or 1.2e15")]
struct ScaledError;

impl<const SCALE: i32> FromStr for Scaled<SCALE> {
    type Err = ScaledError;

    fn from_str(text: &str) -> Result<Self, ScaledError> {
        let number = exact(text.trim(), SCALE).filter(|n| *n > 0);
        number.map(Self).ok_or(ScaledError)
    }
}

/// The number times `10^scale`, where that is whole.
fn exact(text: &str, scale: i32) -> Option<u128> {
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = whole.to_owned() + fraction.trim_end_matches('0');
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let digits_after = i32::try_from(fraction.trim_end_matches('0').len()).ok()?;
    let power = scale.checked_add(exponent)?.checked_sub(digits_after)?;
    let number = digits.parse::<u128>().ok()?;
    let unit = 10_u128.checked_pow(power.unsigned_abs())?;
    if power >= 0 {
        number.checked_mul(unit)
    } else {
        (number % unit == 0).then_some(number / unit)
    }
}

/// The rows of one trace.
pub(super) fn utilisation(asked: MfuArguments, trace: &Trace, query: &Query) -> Grid {
    select::bad_files(trace);
    select::left_out(trace);
    if !trace.has_gpu_work() {
        output::note("the trace has no GPU work, so there is nothing to measure");
    }
    let launches = overlap::launches(trace);
    let observed = Observed {
        trace,
        launches: &launches,
        query: *query,
    };
    Grid::new(&MFU_COLUMNS, &mfu_rows(&observed, asked.typed()))
}

/// The rows of two.
pub(super) fn gains(asked: MfuArguments, a: &Side<'_>, b: &Side<'_>, pairs: &[DevicePair]) -> Grid {
    let (of_a, of_b) = (overlap::launches(a.trace), overlap::launches(b.trace));
    let first = Observed {
        trace: a.trace,
        launches: &of_a,
        query: a.query,
    };
    let second = Observed {
        trace: b.trace,
        launches: &of_b,
        query: b.query,
    };
    let rows = mfu_deltas(&first, &second, pairs, asked.typed());
    Grid::new(&MFU_DELTA_COLUMNS, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mfu_numbers_are_exact() {
        for (text, scale, wanted) in [
            ("312", 12, Some(312_000_000_000_000)),
            ("989.5", 12, Some(989_500_000_000_000)),
            ("1.2e15", 0, Some(1_200_000_000_000_000)),
            ("1.20E+3", 0, Some(1_200)),
            ("5000e-3", 0, Some(5)),
            (".5", 12, Some(500_000_000_000)),
            ("1.5", 0, None),
            ("", 0, None),
            (".", 0, None),
            ("-3", 0, None),
            ("+3", 0, None),
            ("3T", 12, None),
            ("1e99", 0, None),
            ("inf", 12, None),
        ] {
            assert_eq!(exact(text, scale), wanted, "{text}");
        }
        assert_eq!("0".parse::<Scaled<0>>(), Err(ScaledError));
    }
}
