//! A part of a CPU.

use core::fmt;

/// A part of a CPU, from nothing to all of it, in millionths; written as a decimal fraction:
/// `0.25`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Share(u32);

impl Share {
    /// The whole CPU.
    pub const ONE: Share = Share(1_000_000);

    /// So many millionths; at most the whole CPU.
    pub const fn from_millionths(millionths: u32) -> Share {
        if millionths > Share::ONE.0 {
            Share::ONE
        } else {
            Share(millionths)
        }
    }

    /// How many millionths it is.
    pub const fn millionths(self) -> u32 {
        self.0
    }

    /// Reads a decimal fraction from 0 to 1 with at most six digits behind the point.
    pub(crate) fn parse(text: &str) -> Option<Share> {
        let share = Share(millionths(text)?);
        (share <= Share::ONE).then_some(share)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&decimal(self.0))
    }
}

/// Reads a decimal fraction with at most six digits behind the point, in millionths.
pub(crate) fn millionths(text: &str) -> Option<u32> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !are_digits(whole) || !are_digits(part) || part.len() > 6 {
        return None;
    }
    let millionths = format!("{part:0<6}").parse::<u32>().ok()?;
    let whole = whole.parse::<u32>().ok()?.checked_mul(Share::ONE.0)?;
    whole.checked_add(millionths)
}

/// Writes so many millionths as such a fraction.
pub(crate) fn decimal(millionths: u32) -> String {
    let (whole, part) = (millionths / Share::ONE.0, millionths % Share::ONE.0);
    let part = format!("{part:06}");
    match part.trim_end_matches('0') {
        "" => format!("{whole}.0"),
        part => format!("{whole}.{part}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_parts_of_a_cpu() {
        assert_eq!(Share::parse("1"), Some(Share::ONE));
        assert_eq!(Share::parse("0.05").map(Share::millionths), Some(50_000));
        assert_eq!(Share::from_millionths(2_000_000), Share::ONE);
        for wrong in [
            "",
            ".5",
            "1.",
            "-0.1",
            "1.000001",
            "0.0000001",
            "5e-1",
            "99999999999",
            "inf",
        ] {
            assert_eq!(Share::parse(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn it_is_read_as_it_is_written(millionths in 0_u32..=1_000_000) {
            let share = Share::from_millionths(millionths);
            prop_assert_eq!(Share::parse(&share.to_string()), Some(share));
        }
    }
}
