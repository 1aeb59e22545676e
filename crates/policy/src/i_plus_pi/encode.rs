//! Settings as bytes.
//!
//! ```text
//! kpi, krr, zrr                              4 bytes each, multiples of 2⁻¹⁶
//! the shortest burst, the longest            8 bytes each, in ns
//! the rule for the round's set point: 1 byte, and its length of time: 8 bytes, in ns
//! division, sequence, wake                   1 byte each
//! feedforward, reinitialise                  1 byte each
//! ```

use super::{Division, Gain, Gains, Round, Sequence, Settings, Wake};
use crate::Encode;
use flyball_trace::Duration;

/// One byte for each of a few variants.
macro_rules! variants {
    ($($type:ident: $($variant:ident)*;)*) => {$(
        impl Encode for $type {
            fn emit(&self, put: &mut dyn FnMut(&[u8])) {
                (*self as u8).emit(put);
            }

            fn parse(bytes: &mut &[u8]) -> Option<$type> {
                let byte = u8::parse(bytes)?;
                [$($type::$variant),*].into_iter().find(|&variant| variant as u8 == byte)
            }
        }
    )*};
}

variants! {
    Division: Shares Demand;
    Sequence: Admission Deadline Urgency;
    Wake: Wait Next Round;
}

impl Encode for Gain {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.bits().emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Gain> {
        Gain::from_bits(i32::parse(bytes)?)
    }
}

impl Encode for Gains {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        for gain in self.parts() {
            gain.emit(put);
        }
    }

    fn parse(bytes: &mut &[u8]) -> Option<Gains> {
        let (kpi, krr, zrr) = Encode::parse(bytes)?;
        Gains::new(kpi, krr, zrr).ok()
    }
}

impl Encode for Round {
    /// A function is no number: it is written as a rule that there is not, which is refused when it
    /// is read.
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        match *self {
            Round::PerTask(burst) => (0_u8, burst),
            Round::PerReady(burst) => (1, burst),
            Round::Constant(round) => (2, round),
            Round::Function(_) => (u8::MAX, Duration::ZERO),
        }
        .emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Round> {
        let (rule, length) = Encode::parse(bytes)?;
        match rule {
            0_u8 => Some(Round::PerTask(length)),
            1 => Some(Round::PerReady(length)),
            2 => Some(Round::Constant(length)),
            _ => None,
        }
    }
}

impl Encode for Settings {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.gains, self.shortest, self.longest, self.round).emit(put);
        (self.division, self.sequence, self.wake).emit(put);
        (self.feedforward, self.reinitialise).emit(put);
    }

    /// `None` also for gains that are not stable.
    fn parse(bytes: &mut &[u8]) -> Option<Settings> {
        let (gains, shortest, longest, round) = Encode::parse(bytes)?;
        let (division, sequence, wake) = Encode::parse(bytes)?;
        let (feedforward, reinitialise) = Encode::parse(bytes)?;
        Some(Settings {
            gains,
            shortest,
            longest,
            round,
            division,
            sequence,
            wake,
            feedforward,
            reinitialise,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All rules, sequences and so on, and gains that are stable.
    fn settings() -> impl Strategy<Value = Settings> {
        let gain = |range: core::ops::Range<u32>| range.prop_map(|n| Gain::ratio(n, 1_000));
        let gains = (gain(1..1_000), gain(1..900), gain(600..950));
        let gains = gains.prop_filter_map("stable", |(a, b, c)| Gains::new(a, b, c).ok());
        let length = || any::<u64>().prop_map(Duration::from_nanos);
        let choices = (0..3, 0..3, 0..3, any::<[bool; 3]>());
        (gains, length(), length(), length(), choices).prop_map(
            |(gains, shortest, longest, length, (rule, sequence, wake, [a, b, c]))| Settings {
                gains,
                shortest,
                longest,
                round: match rule {
                    0 => Round::PerTask(length),
                    1 => Round::PerReady(length),
                    _ => Round::Constant(length),
                },
                division: if a {
                    Division::Shares
                } else {
                    Division::Demand
                },
                sequence: match sequence {
                    0 => Sequence::Admission,
                    1 => Sequence::Deadline,
                    _ => Sequence::Urgency,
                },
                wake: match wake {
                    0 => Wake::Wait,
                    1 => Wake::Next,
                    _ => Wake::Round,
                },
                feedforward: b,
                reinitialise: c,
            },
        )
    }

    fn bytes_of(settings: &Settings) -> Vec<u8> {
        let mut bytes = Vec::new();
        settings.emit(&mut |part| bytes.extend(part));
        bytes
    }

    proptest! {
        #[test]
        fn settings_survive_being_bytes(settings in settings()) {
            let bytes = bytes_of(&settings);
            let back = Settings::parse(&mut &bytes[..]).unwrap();
            // Functions cannot be compared, but there are none in what is read.
            prop_assert_eq!(format!("{back:?}"), format!("{settings:?}"));
        }

        /// Whatever else is accepted is what some settings are written as.
        #[test]
        fn bytes_that_are_not_settings_are_refused(at in 0..42_usize, with in any::<u8>()) {
            let mut bytes = bytes_of(&Settings::default());
            prop_assert_eq!(bytes.len(), 42);
            bytes[at] = with;
            if let Some(settings) = Settings::parse(&mut &bytes[..]) {
                prop_assert_eq!(bytes_of(&settings), bytes);
            }
        }
    }

    #[test]
    fn what_is_no_settings_is_refused() {
        let function = Settings {
            round: Round::Function(|_| Duration::from_millis(1)),
            ..Settings::default()
        };
        assert!(Settings::parse(&mut &bytes_of(&function)[..]).is_none());
        // All zero: no gains, so not stable.
        assert!(Settings::parse(&mut &[0; 42][..]).is_none());
        for (at, wrong) in [
            (28, 3),
            (37, 2),
            (38, 3),
            (39, 3),
            (40, 2),
            (41, 2),
            (3, 128),
        ] {
            let mut bytes = bytes_of(&Settings::default());
            bytes[at] = wrong;
            assert!(
                Settings::parse(&mut &bytes[..]).is_none(),
                "byte {at}: {wrong}"
            );
        }
    }
}
