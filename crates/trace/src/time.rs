//! Instants and lengths of time, in whole nanoseconds.
//!
//! Both are 64 bits wide, which lasts 584 years, so nothing here ever wraps. The largest value of
//! either type means *never* or *without end*, and arithmetic saturates there: never plus 5 ms is
//! still never. That is the one meaning that every caller wants, and it is the reason why these are
//! types of their own instead of `core::time::Duration` (which is 96 bits wide and panics).

use core::fmt;
use core::ops::{Add, AddAssign, Div, Mul, Rem, Sub};

/// An instant: nanoseconds since boot, or since the start of a simulation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Time(u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Duration(u64);

impl Time {
    /// The instant of boot.
    pub const ZERO: Time = Time(0);
    /// An instant that never comes.
    pub const NEVER: Time = Time(u64::MAX);

    /// The instant `ns` nanoseconds after boot.
    pub const fn from_nanos(ns: u64) -> Time {
        Time(ns)
    }

    /// The instant `ms` milliseconds after boot; [`Time::NEVER`] if that does not fit.
    pub const fn from_millis(ms: u64) -> Time {
        Time(ms.saturating_mul(1_000_000))
    }

    /// Nanoseconds since boot.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Whole milliseconds since boot.
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }

    /// Whether this instant never comes.
    pub const fn is_never(self) -> bool {
        self.0 == u64::MAX
    }

    /// How much time went by from `earlier` to this instant; zero if `earlier` is in fact later.
    pub const fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);
    /// Without end.
    pub const MAX: Duration = Duration(u64::MAX);

    /// A length of `ns` nanoseconds.
    pub const fn from_nanos(ns: u64) -> Duration {
        Duration(ns)
    }

    /// A length of `us` microseconds; [`Duration::MAX`] if that does not fit.
    pub const fn from_micros(us: u64) -> Duration {
        Duration(us.saturating_mul(1_000))
    }

    /// A length of `ms` milliseconds; [`Duration::MAX`] if that does not fit.
    pub const fn from_millis(ms: u64) -> Duration {
        Duration(ms.saturating_mul(1_000_000))
    }

    /// A length of `s` seconds; [`Duration::MAX`] if that does not fit.
    pub const fn from_secs(s: u64) -> Duration {
        Duration(s.saturating_mul(1_000_000_000))
    }

    /// The length in nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Whether this is no time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// This length less `other`; zero if `other` is longer.
    #[must_use]
    pub const fn saturating_sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }

    /// The sum, or `None` if it does not fit into 64 bits.
    pub const fn checked_add(self, other: Duration) -> Option<Duration> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Duration(sum)),
            None => None,
        }
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    fn add(self, length: Duration) -> Time {
        Time(self.0.saturating_add(length.0))
    }
}

impl AddAssign<Duration> for Time {
    fn add_assign(&mut self, length: Duration) {
        *self = *self + length;
    }
}

/// Saturates at the instant of boot.
impl Sub<Duration> for Time {
    type Output = Time;
    fn sub(self, length: Duration) -> Time {
        Time(self.0.saturating_sub(length.0))
    }
}

impl Add for Duration {
    type Output = Duration;
    fn add(self, other: Duration) -> Duration {
        Duration(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, other: Duration) {
        *self = *self + other;
    }
}

impl Mul<u64> for Duration {
    type Output = Duration;
    fn mul(self, times: u64) -> Duration {
        Duration(self.0.saturating_mul(times))
    }
}

/// How often `length` fits in, rounded down. Panics if `length` is zero, as integer division does.
impl Div for Duration {
    type Output = u64;
    fn div(self, length: Duration) -> u64 {
        self.0 / length.0
    }
}

/// What is left after taking out `length` as often as it fits. Panics if `length` is zero.
impl Rem for Duration {
    type Output = Duration;
    fn rem(self, length: Duration) -> Duration {
        Duration(self.0 % length.0)
    }
}

impl core::iter::Sum for Duration {
    fn sum<I: Iterator<Item = Duration>>(lengths: I) -> Duration {
        lengths.fold(Duration::ZERO, Add::add)
    }
}

/// Writes nanoseconds exactly, in the largest unit that is not larger than the value: `12.5ms`.
fn write_nanos(f: &mut fmt::Formatter<'_>, ns: u64) -> fmt::Result {
    let (unit, digits, name) = match ns {
        0 => return f.pad("0"),
        1_000_000_000.. => (1_000_000_000, 9, "s"),
        1_000_000.. => (1_000_000, 6, "ms"),
        1_000.. => (1_000, 3, "us"),
        _ => (1, 0, "ns"),
    };
    let mut text = Text::default();
    let (whole, mut fraction) = (ns / unit, ns % unit);
    fmt::Write::write_fmt(&mut text, format_args!("{whole}"))?;
    if fraction > 0 {
        let mut places = digits;
        while fraction % 10 == 0 {
            fraction /= 10;
            places -= 1;
        }
        fmt::Write::write_fmt(&mut text, format_args!(".{fraction:0places$}"))?;
    }
    fmt::Write::write_str(&mut text, name)?;
    f.pad(text.as_str())
}

/// A few bytes of text on the stack, so that widths in format strings work without a heap. The
/// longest time, 18446744073.709551615s, has 22 characters.
#[derive(Default)]
struct Text {
    bytes: [u8; 24],
    len: usize,
}

impl Text {
    fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.len]).unwrap_or("")
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let end = self.len + s.len();
        let room = self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?;
        room.copy_from_slice(s.as_bytes());
        self.len = end;
        Ok(())
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_never() {
            f.pad("never")
        } else {
            write_nanos(f, self.0)
        }
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Duration::MAX {
            f.pad("forever")
        } else {
            write_nanos(f, self.0)
        }
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn never_stays_never() {
        assert_eq!(Time::NEVER + Duration::from_millis(5), Time::NEVER);
        assert_eq!(
            Time::from_nanos(u64::MAX - 1) + Duration::from_nanos(9),
            Time::NEVER
        );
        assert_eq!(Time::ZERO - Duration::from_nanos(1), Time::ZERO);
        assert_eq!(Time::ZERO.since(Time::from_nanos(4)), Duration::ZERO);
    }

    #[test]
    fn display_is_exact_and_short() {
        let shown = |ns| Duration::from_nanos(ns).to_string();
        assert_eq!(shown(0), "0");
        assert_eq!(shown(999), "999ns");
        assert_eq!(shown(1_000), "1us");
        assert_eq!(shown(12_500_000), "12.5ms");
        assert_eq!(shown(1_000_000_001), "1.000000001s");
        assert_eq!(shown(u64::MAX - 1), "18446744073.709551614s");
        assert_eq!(shown(u64::MAX), "forever");
        assert_eq!(
            std::format!("{:>8}|", Duration::from_millis(2)),
            "     2ms|"
        );
    }
}
