//! Numbers as people read them.
//!
//! All times in a table have one unit, and all in a column as many decimal places, so that digits
//! of equal weight stand below each other. What is rounded keeps its exact value in a tooltip.

use flyball_trace::Duration;
use maud::{Markup, html};
use std::fmt::Write;

/// A unit of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unit {
    nanos: u64,
    pub(super) name: &'static str,
}

const UNITS: [Unit; 4] = [
    unit(1, "ns"),
    unit(1_000, "µs"),
    unit(1_000_000, "ms"),
    unit(1_000_000_000, "s"),
];
const MILLISECONDS: Unit = UNITS[2];

const fn unit(nanos: u64, name: &'static str) -> Unit {
    Unit { nanos, name }
}

/// The most decimal places.
const PLACES: u32 = 3;

/// No time, or one without end, is no number.
fn is_number(length: Duration) -> bool {
    !length.is_zero() && length < Duration::MAX
}

impl Unit {
    /// The unit that suits all of the lengths: the largest in which none is below one, or, where
    /// the longest is at least five, below a hundredth. (So it is 40 to 2000 ms, but 0.1 to 30 s.)
    /// In a coarser one, if the longest would have more than six digits.
    pub(super) fn common(lengths: impl IntoIterator<Item = Option<Duration>>) -> Unit {
        let lengths = lengths
            .into_iter()
            .flatten()
            .filter(|&length| is_number(length));
        let range = lengths.fold(None, |range: Option<(u64, u64)>, length| {
            let nanos = length.as_nanos();
            let (least, most) = range.unwrap_or((nanos, nanos));
            Some((least.min(nanos), most.max(nanos)))
        });
        let Some((least, most)) = range else {
            return MILLISECONDS;
        };
        let fits = |unit: &&Unit| {
            least >= unit.nanos || (least >= unit.nanos / 100 && most / 5 >= unit.nanos)
        };
        let short = |unit: &&Unit| most / unit.nanos < 1_000_000;
        let fine = UNITS.iter().rev().find(fits);
        let coarse = UNITS.iter().find(short);
        match (fine, coarse) {
            (Some(fine), Some(coarse)) if fine.nanos >= coarse.nanos => *fine,
            (_, Some(coarse)) => *coarse,
            _ => UNITS[3],
        }
    }

    /// The largest unit that is not larger than the length.
    pub(super) fn within(length: Duration) -> Unit {
        let units = UNITS.iter().rev();
        let mut fitting = units.filter(|unit| length.as_nanos() >= unit.nanos);
        *fitting.next().unwrap_or(&UNITS[0])
    }

    /// How many decimal places it takes to write the lengths exactly, up to a few.
    pub(super) fn places(self, lengths: impl IntoIterator<Item = Option<Duration>>) -> u32 {
        let needed = lengths
            .into_iter()
            .flatten()
            .filter(|&length| is_number(length))
            .map(|length| {
                let rest = |places: u32| {
                    !(u128::from(length.as_nanos()) * 10_u128.pow(places))
                        .is_multiple_of(u128::from(self.nanos))
                };
                (0..PLACES).find(|&places| !rest(places)).unwrap_or(PLACES)
            });
        needed.max().unwrap_or(0)
    }

    /// The length in this unit, rounded to so many places.
    pub(super) fn number(self, length: Duration, places: u32) -> String {
        let scale = 10_u128.pow(places);
        let (nanos, unit) = (u128::from(length.as_nanos()), u128::from(self.nanos));
        let rounded = (nanos * scale * 2 + unit) / (unit * 2);
        let (whole, fraction) = (rounded / scale, rounded % scale);
        if rounded == 0 && nanos > 0 {
            return "~0".into();
        }
        let mut text = grouped(whole);
        if places > 0 {
            let width = places as usize;
            // Writing to a string cannot fail.
            let _ = write!(text, ".{fraction:0width$}");
        }
        text
    }
}

/// A length by itself, with its unit, rounded to four digits.
pub(super) fn length(length: Duration) -> Markup {
    html! { span title=(length) { (short(length)) } }
}

/// The same as text.
pub(super) fn short(length: Duration) -> String {
    if length == Duration::MAX {
        return "without end".into();
    }
    if length.is_zero() {
        return "0".into();
    }
    let unit = Unit::within(length);
    let digits = (length.as_nanos() / unit.nanos).to_string().len();
    let most = u32::try_from(4_usize.saturating_sub(digits)).unwrap_or(0);
    let places = unit.places([Some(length)]).min(most);
    format!("{} {}", unit.number(length, places), unit.name)
}

/// A cell of a table with a length; a dash where it is not known.
pub(super) fn cell(length: Option<Duration>, unit: Unit, places: u32) -> Markup {
    match length {
        None => html! { td.num.none { "–" } },
        Some(Duration::MAX) => html! { td.num title="without end" { "∞" } },
        Some(length) => html! {
            td.num title=(length) { (unit.number(length, places)) }
        },
    }
}

/// A cell with a number; zero is written as faintly as it deserves.
pub(super) fn count(number: u64) -> Markup {
    html! { td.num.none[number == 0] { (grouped(u128::from(number))) } }
}

/// Digits in groups of three, from five digits on.
pub(super) fn grouped(number: u128) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::with_capacity(digits.len() * 2);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}'); // a narrow space that does not break
        }
        text.push(digit);
    }
    text
}

/// Millionths as a percentage with two places.
pub(super) fn percent(millionths: u64) -> String {
    let hundredths = (millionths + 50) / 100;
    format!("{}.{:02} %", hundredths / 100, hundredths % 100)
}

/// Millionths as a number with four places, as utilisations have.
pub(super) fn parts(millionths: u64) -> String {
    let parts = (millionths + 50) / 100;
    format!("{}.{:04}", parts / 10_000, parts % 10_000)
}

/// `1 task`, `2 tasks`.
pub(super) fn counted(number: u64, what: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {what}{s}", grouped(u128::from(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(ns: u64) -> Duration {
        Duration::from_nanos(ns)
    }

    #[test]
    fn a_table_has_one_unit() {
        let common = |list: &[u64]| Unit::common(list.iter().map(|&length| Some(ns(length)))).name;
        assert_eq!(common(&[]), "ms");
        assert_eq!(common(&[0, u64::MAX]), "ms");
        assert_eq!(common(&[3_000_000, 1_000_000_000]), "ms");
        assert_eq!(common(&[40_000_000, 2_000_000_000]), "ms");
        assert_eq!(common(&[100_000_000, 30_000_000_000]), "s");
        assert_eq!(common(&[10_000, 7_000_000]), "ms");
        assert_eq!(common(&[9_999, 7_000_000]), "µs");
        assert_eq!(common(&[5, 12]), "ns");
        assert_eq!(common(&[5, 90_000_000_000]), "ms");
        assert_eq!(common(&[2_000_000_000]), "s");
    }

    #[test]
    fn numbers_are_rounded_to_a_few_places() {
        let ms = MILLISECONDS;
        assert_eq!(
            ms.places([Some(ns(2_000_000)), None, Some(ns(2_500_000))]),
            1
        );
        assert_eq!(ms.places([Some(ns(1))]), 3);
        assert_eq!(ms.number(ns(2_500_000), 1), "2.5");
        assert_eq!(ms.number(ns(2_000_499), 3), "2.000");
        assert_eq!(ms.number(ns(2_000_500), 3), "2.001");
        assert_eq!(ms.number(ns(1), 3), "~0");
        assert_eq!(
            ms.number(ns(12_345_678_000_000), 0),
            "12\u{202f}345\u{202f}678"
        );
        assert_eq!(short(ns(12_345_678)), "12.35 ms");
        assert_eq!(short(ns(118_000_000_000)), "118 s");
        assert_eq!(short(ns(0)), "0");
        assert_eq!(percent(850_149), "85.01 %");
        assert_eq!(parts(1_176_451), "1.1765");
    }
}
