//! Lengths of time as people write them: `10ms`, `2.5 us`, `0`; and frequencies and powers.
//!
//! Everything is whole-number arithmetic. A decimal is accepted where it is a whole number of
//! nanoseconds (`1.5us`), and refused where it is not (`0.0005us`), so that nothing is ever rounded
//! behind the user's back. [`Duration`]'s `Display` writes what is read here.

use crate::error::{Kind, ModelError};
use crate::hint;
use crate::source::{Source, Span};
use core::fmt;
use flyball_trace::Duration;

/// What to write for a time, for messages.
pub(crate) const A_TIME: &str = "a time such as \"10ms\" or \"250us\"";

/// A unit of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    Nanoseconds,
    Microseconds,
    Milliseconds,
    Seconds,
    Minutes,
}

impl Unit {
    /// The unit of that name. The micro sign and the Greek letter mu look alike; both are taken.
    pub(crate) fn named(name: &str) -> Option<Unit> {
        Some(match name {
            "ns" => Unit::Nanoseconds,
            "us" | "\u{b5}s" | "\u{3bc}s" => Unit::Microseconds,
            "ms" => Unit::Milliseconds,
            "s" => Unit::Seconds,
            "min" => Unit::Minutes,
            _ => return None,
        })
    }

    /// Its length in nanoseconds.
    const fn nanos(self) -> u64 {
        match self {
            Unit::Nanoseconds => 1,
            Unit::Microseconds => 1_000,
            Unit::Milliseconds => 1_000_000,
            Unit::Seconds => 1_000_000_000,
            Unit::Minutes => 60_000_000_000,
        }
    }
}

/// Why a text is not a length of time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DurationError {
    /// It does not begin with a decimal number: `fast`, `1.2.3ms`, `.5s`.
    NotANumber,
    /// It has a number but no unit.
    NoUnit,
    /// It has this in place of a unit.
    UnknownUnit(String),
    /// It is below zero.
    Negative,
    /// It is not a whole number of nanoseconds.
    TooFine,
    /// It does not fit into 64 bits of nanoseconds, which is 584 years. The largest value of the
    /// type itself does not count: it means *without end*.
    TooLong,
}

impl DurationError {
    /// What the user can do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            DurationError::NotANumber => "write a number and a unit, as in \"1.5ms\"",
            DurationError::NoUnit | DurationError::UnknownUnit(_) => {
                "the units are ns, us, ms, s and min"
            }
            DurationError::Negative => "leave out the minus sign; no length of time is below zero",
            DurationError::TooFine => "time is counted in whole nanoseconds; round it to one",
            DurationError::TooLong => "the longest time is about 584 years (18446744073 s)",
        }
    }
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DurationError::NotANumber => f.write_str("is not a number with a unit"),
            DurationError::NoUnit => f.write_str("has no unit"),
            DurationError::UnknownUnit(unit) => write!(f, "has an unknown unit {unit:?}"),
            DurationError::Negative => f.write_str("is below zero"),
            DurationError::TooFine => f.write_str("is not a whole number of nanoseconds"),
            DurationError::TooLong => f.write_str("is too long"),
        }
    }
}

impl std::error::Error for DurationError {}

/// Reads a length of time: a decimal number, perhaps a space, and one of the units `ns`, `us` (or
/// `µs`), `ms`, `s` and `min`. Zero needs no unit.
///
/// # Errors
/// If the text is not a length of time, or if it cannot be held exactly: see [`DurationError`].
///
/// ```
/// use flyball_model::parse_duration;
/// use flyball_trace::Duration;
/// assert_eq!(parse_duration("2.5 ms"), Ok(Duration::from_micros(2_500)));
/// assert!(parse_duration("2.5").is_err());
/// ```
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let text = text.trim();
    let (number, unit) = split(text)?;
    match Unit::named(unit) {
        Some(unit) => parse_number(number, unit),
        None if unit.is_empty() => match parse_number(number, Unit::Nanoseconds) {
            Ok(Duration::ZERO) => Ok(Duration::ZERO),
            Err(error @ (DurationError::NotANumber | DurationError::Negative)) => Err(error),
            _ => Err(DurationError::NoUnit),
        },
        None => Err(DurationError::UnknownUnit(unit.to_owned())),
    }
}

/// The fault that `text` at `span` is no length of time.
pub(crate) fn not_a_time(
    source: &Source<'_>,
    span: &Span,
    text: &str,
    why: &DurationError,
) -> ModelError {
    let found = hint::quoted(text);
    let (kind, message) = match why {
        DurationError::Negative | DurationError::TooFine | DurationError::TooLong => {
            (Kind::OutOfRange, format!("{found} {why}"))
        }
        _ => (Kind::WrongType, format!("expected {A_TIME}, found {found}")),
    };
    source.error(kind, span, message).help(why.remedy())
}

/// Reads a plain decimal number as so many `unit`s.
pub(crate) fn parse_number(number: &str, unit: Unit) -> Result<Duration, DurationError> {
    let number = number.trim();
    if let Some(number) = number.strip_prefix('-') {
        // "-x" is no number at all, which is the better message.
        return parse_number(number, unit).and(Err(DurationError::Negative));
    }
    let (whole, fraction) = match number.split_once('.') {
        Some((_, "")) => return Err(DurationError::NotANumber),
        Some((whole, fraction)) => (whole, fraction),
        None => (number, ""),
    };
    match scaled(whole, fraction, unit.nanos()).map(Duration::from_nanos) {
        Ok(Duration::MAX) => Err(DurationError::TooLong),
        length => length,
    }
}

/// Reads a decimal number with a unit of these, as so many times the smallest thing that is counted;
/// `None` if it is none, or not a whole number of those, or does not fit.
pub(crate) fn parse_with(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, unit) = split(text.trim()).ok()?;
    let unit = units.iter().find(|it| it.0 == unit)?.1;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    scaled(whole, fraction, unit)
        .ok()
        .filter(|_| !fraction.is_empty())
}

/// `whole.fraction` times `unit`, a whole number.
fn scaled(whole: &str, fraction: &str, unit: u64) -> Result<u64, DurationError> {
    let all_digits = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
        return Err(DurationError::NotANumber);
    }
    let whole = whole.parse::<u64>().ok();
    let whole = whole.and_then(|whole| whole.checked_mul(unit));
    let whole = whole.ok_or(DurationError::TooLong)?;
    let part = fraction_of(fraction, unit)?;
    whole.checked_add(part).ok_or(DurationError::TooLong)
}

/// `0.fraction` times `unit`.
fn fraction_of(fraction: &str, unit: u64) -> Result<u64, DurationError> {
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() {
        return Ok(0);
    }
    // The last digit is not 0, so the fraction times 10^places is no multiple of 10, and one of the
    // factors 2^places and 5^places of 10^places has to come from the unit alone. No unit holds
    // more than 2^11 (a minute: 60·10^9 = 2^11·3·5^10), so more places than 11 are never exact.
    let places = u32::try_from(fraction.len()).map_err(|_| DurationError::TooFine)?;
    if places > 11 {
        return Err(DurationError::TooFine);
    }
    let digits: u128 = fraction.parse().map_err(|_| DurationError::TooFine)?;
    let scaled = digits * u128::from(unit);
    let one = 10_u128.pow(places);
    if !scaled.is_multiple_of(one) {
        return Err(DurationError::TooFine);
    }
    u64::try_from(scaled / one).map_err(|_| DurationError::TooLong)
}

/// Splits a text behind its number; spaces around the parts go.
fn split(text: &str) -> Result<(&str, &str), DurationError> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(DurationError::NotANumber);
    }
    let sign = text.len() - unsigned.len();
    let end = unsigned
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .map_or(text.len(), |end| sign + end);
    Ok((text[..end].trim(), text[end..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nanos(text: &str) -> Result<u64, DurationError> {
        parse_duration(text).map(Duration::as_nanos)
    }

    #[test]
    fn every_unit_is_known() {
        assert_eq!(nanos("7ns"), Ok(7));
        assert_eq!(nanos("7us"), Ok(7_000));
        assert_eq!(nanos("7\u{b5}s"), Ok(7_000));
        assert_eq!(nanos("7\u{3bc}s"), Ok(7_000));
        assert_eq!(nanos("7ms"), Ok(7_000_000));
        assert_eq!(nanos("7s"), Ok(7_000_000_000));
        assert_eq!(nanos("7min"), Ok(420_000_000_000));
    }

    #[test]
    fn spaces_leading_zeros_and_zero() {
        assert_eq!(nanos("  10 ms "), Ok(10_000_000));
        assert_eq!(nanos("007us"), Ok(7_000));
        assert_eq!(nanos("0"), Ok(0));
        assert_eq!(nanos("0.00"), Ok(0));
        assert_eq!(nanos("0min"), Ok(0));
    }

    #[test]
    fn decimals_are_exact_or_refused() {
        assert_eq!(nanos("1.5us"), Ok(1_500));
        assert_eq!(nanos("0.000000001s"), Ok(1));
        assert_eq!(
            nanos("1.50000000000000000000000000000ns"),
            Err(DurationError::TooFine)
        );
        assert_eq!(nanos("1.00000000000000000000000000000ns"), Ok(1));
        assert_eq!(nanos("0.0005us"), Err(DurationError::TooFine));
        assert_eq!(nanos("0.00000000005min"), Ok(3)); // 5·10^-11 · 60·10^9
        assert_eq!(nanos("0.000000000005min"), Err(DurationError::TooFine));
    }

    #[test]
    fn the_largest_value_means_without_end() {
        assert_eq!(nanos("18446744073709551614ns"), Ok(u64::MAX - 1));
        assert_eq!(nanos("18446744073.709551614s"), Ok(u64::MAX - 1));
        for text in [
            "18446744073709551615ns",
            "18446744073.709551615s",
            "18446744073.8s",
            "18446744074s",
            "99999999999999999999999999999ns",
            "307445735min",
        ] {
            assert_eq!(nanos(text), Err(DurationError::TooLong), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_says_why() {
        for text in [
            "",
            " ",
            "ms",
            "fast",
            ".5s",
            "5.s",
            "1.2.3ms",
            ".",
            "-",
            "-ms",
            "+5ms",
            "\u{661}ms",
        ] {
            assert_eq!(nanos(text), Err(DurationError::NotANumber), "{text:?}");
        }
        assert_eq!(nanos("10"), Err(DurationError::NoUnit));
        assert_eq!(
            nanos("99999999999999999999999999999"),
            Err(DurationError::NoUnit)
        );
        for (text, unit) in [
            ("10MS", "MS"),
            ("1e3ms", "e3ms"),
            ("1_000us", "_000us"),
            ("5 m s", "m s"),
        ] {
            assert_eq!(nanos(text), Err(DurationError::UnknownUnit(unit.into())));
        }
        assert_eq!(nanos("-5ms"), Err(DurationError::Negative));
        assert_eq!(nanos("-5"), Err(DurationError::Negative));
        assert_eq!(nanos("-0ms"), Err(DurationError::Negative));
    }

    proptest! {
        #[test]
        fn what_display_writes_is_read_back(ns in 0..u64::MAX) {
            prop_assert_eq!(nanos(&Duration::from_nanos(ns).to_string()), Ok(ns));
        }

        /// Against a model in plain long multiplication: shift the decimal point by the unit's
        /// power of ten, as a person would.
        #[test]
        fn decimals_are_a_shifted_point(
            whole in 0_u64..10_000_000_000, fraction in "[0-9]{0,12}", unit in 0_usize..4,
        ) {
            let (name, power) = [("ns", 0), ("us", 3), ("ms", 6), ("s", 9)][unit];
            let point = if fraction.is_empty() { "" } else { "." };
            let read = nanos(&format!("{whole}{point}{fraction}{name}"));
            let mut digits = fraction.clone();
            while digits.len() < power { digits.push('0'); }
            let (kept, lost) = digits.split_at(power);
            if lost.bytes().any(|digit| digit != b'0') {
                prop_assert_eq!(read, Err(DurationError::TooFine));
            } else {
                prop_assert_eq!(read, Ok(format!("{whole}{kept}").parse().unwrap_or(u64::MAX)));
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            let _ = parse_duration(&text);
        }
    }
}
