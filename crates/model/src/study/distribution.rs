//! What a study's tasks are drawn from: the distributions, and those that have names.
//!
//! The names are those of the paper in [`study`](super): three ranges of periods, and six
//! distributions of utilisations. SchedCAT, whose generator this kind of study is usually made
//! with, has a wider light part of the bimodal ones (0.001 to 0.5, where the paper prints 0.1);
//! they are `schedcat-bimodal-light` and so on.

use crate::share::Share;
use flyball_trace::Duration;

/// Periods, uniform in whole microseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Periods {
    /// What they are called: lower-case letters, digits and dashes.
    pub name: String,
    /// No period is shorter. Whole microseconds, not zero.
    pub shortest: Duration,
    /// No period is longer. Whole microseconds.
    pub longest: Duration,
}

/// Utilisations of tasks: one of several shapes, by weight.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Utilisations {
    /// What they are called: lower-case letters, digits and dashes.
    pub name: String,
    /// The shapes; at least one, and not all without weight.
    pub modes: Vec<Mode>,
}

/// One of several shapes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode {
    /// How many of all weights' sum are of this shape.
    pub weight: u32,
    /// The shape.
    pub shape: Shape,
}

/// How utilisations are distributed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// All from the first to the second are equally likely. The first is not zero.
    Uniform(Share, Share),
    /// Exponential with this mean, not zero; what is above 1 is drawn again.
    Exponential(Share),
}

const MS: u64 = 1_000_000;

/// The periods that have names.
const PERIODS: [(&str, u64, u64); 3] = [
    ("short", 3 * MS, 33 * MS),
    ("moderate", 10 * MS, 100 * MS),
    ("long", 50 * MS, 250 * MS),
];

const LIGHT: Shape = Shape::Uniform(
    Share::from_millionths(1_000),
    Share::from_millionths(100_000),
);
const WIDE: Shape = Shape::Uniform(
    Share::from_millionths(1_000),
    Share::from_millionths(500_000),
);
const MEDIUM: Shape = Shape::Uniform(
    Share::from_millionths(100_000),
    Share::from_millionths(400_000),
);
const HEAVY: Shape = Shape::Uniform(
    Share::from_millionths(500_000),
    Share::from_millionths(900_000),
);

const fn exponential(millionths: u32) -> Shape {
    Shape::Exponential(Share::from_millionths(millionths))
}

/// The utilisations that have names, by weighted shapes.
const UTILISATIONS: [(&str, &[(u32, Shape)]); 12] = [
    ("uniform-light", &[(1, LIGHT)]),
    ("uniform-medium", &[(1, MEDIUM)]),
    ("uniform-heavy", &[(1, HEAVY)]),
    ("bimodal-light", &[(8, LIGHT), (1, HEAVY)]),
    ("bimodal-medium", &[(6, LIGHT), (3, HEAVY)]),
    ("bimodal-heavy", &[(4, LIGHT), (5, HEAVY)]),
    ("schedcat-bimodal-light", &[(8, WIDE), (1, HEAVY)]),
    ("schedcat-bimodal-medium", &[(6, WIDE), (3, HEAVY)]),
    ("schedcat-bimodal-heavy", &[(4, WIDE), (5, HEAVY)]),
    ("exponential-light", &[(1, exponential(100_000))]),
    ("exponential-medium", &[(1, exponential(250_000))]),
    ("exponential-heavy", &[(1, exponential(500_000))]),
];

impl Periods {
    /// The periods of that name.
    pub fn named(name: &str) -> Option<Periods> {
        let mut all = PERIODS.into_iter();
        let (_, shortest, longest) = all.find(|(known, ..)| *known == name)?;
        Some(Periods {
            name: name.to_owned(),
            shortest: Duration::from_nanos(shortest),
            longest: Duration::from_nanos(longest),
        })
    }

    /// The names that there are.
    pub fn names() -> Vec<&'static str> {
        PERIODS.map(|(name, ..)| name).to_vec()
    }
}

impl Utilisations {
    /// The utilisations of that name.
    pub fn named(name: &str) -> Option<Utilisations> {
        let mut all = UTILISATIONS.into_iter();
        let (_, modes) = all.find(|(known, _)| *known == name)?;
        let mode = |&(weight, shape)| Mode { weight, shape };
        Some(Utilisations {
            name: name.to_owned(),
            modes: modes.iter().map(mode).collect(),
        })
    }

    /// The names that there are.
    pub fn names() -> Vec<&'static str> {
        UTILISATIONS.map(|(name, _)| name).to_vec()
    }

    /// The smallest that is ever drawn; of an exponential shape, nothing.
    pub fn least(&self) -> Share {
        let modes = self.modes.iter().filter(|mode| mode.weight > 0);
        let least = modes.map(|mode| match mode.shape {
            Shape::Uniform(from, _) => from,
            Shape::Exponential(_) => Share::default(),
        });
        least.min().unwrap_or_default()
    }

    /// Whether as many tasks as one likes can come up to a utilisation between these two, in
    /// millionths of a CPU. `true` where it is not known, as of several shapes.
    pub fn reaches(&self, from: u64, to: u64) -> bool {
        let [
            Mode {
                shape: Shape::Uniform(least, most),
                ..
            },
        ] = self.modes[..]
        else {
            return u64::from(self.least().millionths()) <= to;
        };
        let (least, most) = (u64::from(least.millionths()), u64::from(most.millionths()));
        // As few tasks as come up to `from` if all are as large as can be.
        let tasks = from.div_ceil(most.max(1)).max(1);
        tasks.saturating_mul(least) <= to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_name_can_be_drawn() {
        for name in Utilisations::names() {
            let found = Utilisations::named(name).unwrap();
            assert!(
                found.modes.iter().map(|mode| mode.weight).sum::<u32>() > 0,
                "{name}"
            );
            assert!(found.least() < Share::ONE);
        }
        for name in Periods::names() {
            let found = Periods::named(name).unwrap();
            assert!(found.shortest < found.longest);
        }
        assert_eq!(Periods::named("medium"), None);
        assert_eq!(Utilisations::named("light"), None);
    }

    /// Tasks of 0.5 to 0.9: one gives 0.5 to 0.9, two give 1.0 to 1.8, three 1.5 to 2.7.
    #[test]
    fn what_cannot_be_reached_is_known() {
        let heavy = Utilisations::named("uniform-heavy").unwrap();
        assert!(!heavy.reaches(300_000, 499_999));
        assert!(heavy.reaches(400_000, 500_000));
        assert!(!heavy.reaches(900_001, 999_999));
        assert!(heavy.reaches(900_001, 1_000_000));
        assert!(heavy.reaches(1_800_001, 1_900_000));
        let light = Utilisations::named("bimodal-light").unwrap();
        assert!(light.reaches(900_001, 999_999) && !light.reaches(100, 999));
    }
}
