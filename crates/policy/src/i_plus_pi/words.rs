//! Settings as [`Words`].
//!
//! ```text
//! 0 kpi   1 krr   2 zrr          in multiples of 2⁻¹⁶
//! 3 the shortest burst   4 the longest                              in ns
//! 5 the rule for the round's set point   6 its length of time       in ns
//! 7 division   8 sequence   9 switches: 1 feedforward, 2 reinitialise   10 wake
//! ```

use super::{Division, Gain, Gains, Round, Sequence, Settings, Wake};
use crate::Words;
use flyball_trace::Duration;

const FEEDFORWARD: u64 = 1;
const REINITIALISE: u64 = 2;

impl Settings {
    /// The settings as words; `None` if a function chooses the round, which is no number.
    pub fn to_words(&self) -> Option<Words> {
        let (rule, length) = match self.round {
            Round::PerTask(burst) => (0, burst),
            Round::PerReady(burst) => (1, burst),
            Round::Constant(round) => (2, round),
            Round::Function(_) => return None,
        };
        let [kpi, krr, zrr] = self
            .gains
            .parts()
            .map(|gain| u64::from(gain.bits().unsigned_abs()));
        let switch = |on: bool, bit| if on { bit } else { 0 };
        Some(Words([
            kpi,
            krr,
            zrr,
            self.shortest.as_nanos(),
            self.longest.as_nanos(),
            rule,
            length.as_nanos(),
            match self.division {
                Division::Shares => 0,
                Division::Demand => 1,
            },
            match self.sequence {
                Sequence::Admission => 0,
                Sequence::Deadline => 1,
                Sequence::Urgency => 2,
            },
            switch(self.feedforward, FEEDFORWARD) | switch(self.reinitialise, REINITIALISE),
            match self.wake {
                Wake::Wait => 0,
                Wake::Next => 1,
                Wake::Round => 2,
            },
        ]))
    }

    /// The settings that [`Settings::to_words`] made these words of; `None` if no settings have them,
    /// which goes for unstable gains, too.
    pub fn from_words(words: Words) -> Option<Settings> {
        let [
            kpi,
            krr,
            zrr,
            shortest,
            longest,
            rule,
            length,
            division,
            sequence,
            switches,
            wake,
        ] = words.0;
        let gain = |bits| Gain::from_bits(i32::try_from(bits).ok()?);
        let length = Duration::from_nanos(length);
        Some(Settings {
            gains: Gains::new(gain(kpi)?, gain(krr)?, gain(zrr)?).ok()?,
            shortest: Duration::from_nanos(shortest),
            longest: Duration::from_nanos(longest),
            round: match rule {
                0 => Round::PerTask(length),
                1 => Round::PerReady(length),
                2 => Round::Constant(length),
                _ => return None,
            },
            division: match division {
                0 => Division::Shares,
                1 => Division::Demand,
                _ => return None,
            },
            sequence: match sequence {
                0 => Sequence::Admission,
                1 => Sequence::Deadline,
                2 => Sequence::Urgency,
                _ => return None,
            },
            wake: match wake {
                0 => Wake::Wait,
                1 => Wake::Next,
                2 => Wake::Round,
                _ => return None,
            },
            feedforward: switches & FEEDFORWARD != 0,
            reinitialise: switches & REINITIALISE != 0,
        })
        .filter(|_| switches <= FEEDFORWARD | REINITIALISE)
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

    proptest! {
        #[test]
        fn settings_survive_being_words(settings in settings()) {
            let words = settings.to_words().unwrap();
            let back = Settings::from_words(words).unwrap();
            // Functions cannot be compared, but there are none in what has words.
            prop_assert_eq!(format!("{back:?}"), format!("{settings:?}"));
        }

        /// Whatever else is accepted is somebody's words.
        #[test]
        fn words_that_are_not_settings_are_refused(at in 0..Words::COUNT, with in any::<u64>()) {
            let mut words = Settings::default().to_words().unwrap();
            words.0[at] = with;
            if let Some(settings) = Settings::from_words(words) {
                prop_assert_eq!(settings.to_words(), Some(words));
            }
        }
    }

    #[test]
    fn what_has_no_words_says_so() {
        let settings = Settings {
            round: Round::Function(|_| Duration::from_millis(1)),
            ..Settings::default()
        };
        assert_eq!(settings.to_words(), None);
        // All zero: no gains, so not stable.
        assert!(Settings::from_words(Words::NONE).is_none());
        for (at, wrong) in [
            (5, 3),
            (7, 2),
            (8, 3),
            (9, 4),
            (10, 3),
            (0, 1 << 31),
            (1, 1 << 40),
        ] {
            let mut words = Settings::default().to_words().unwrap();
            words.0[at] = wrong;
            assert!(Settings::from_words(words).is_none(), "word {at}: {wrong}");
        }
    }
}
