//! A random task set, by its address.
//!
//! Tasks are added until their utilisation is at most the slack below the cap. If one is too much,
//! the set is thrown away and another one begun, so that no task is favoured for being small. That
//! is how Gracioli et al. describe it ("we created tasks until reaching a fixed utilization cap";
//! with a slack of 0.05, the utilisation "is always between the interval U − 0.05 and U"); that the
//! whole set is thrown away, and not the last task, is our reading.
//!
//! Periods and execution times are whole microseconds: a period is drawn, and the execution time is
//! its part that the drawn utilisation is, rounded down, and one at least. What a set has is
//! therefore compared with the cap after rounding, exactly, in units of 2⁻⁶⁴.
//!
//! Complexity: O(n) a try; a set is reached in one of (mean utilisation of a task) / slack tries.

use core::fmt;
use flyball_model::MOST_TASKS;
use flyball_model::random::Random;
use flyball_model::study::{Cap, Mode, Periods, Scenario, Shape, Utilisations};
use flyball_trace::Duration;
use twox_hash::XxHash64;

/// How many sets may be thrown away for one that is kept.
pub const MOST_TRIES: u32 = 100_000;

/// A task whose deadline is the end of its period, in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Drawn {
    /// The most that one job computes.
    pub wcet: u64,
    /// The least time between two jobs.
    pub period: u64,
}

/// Where a set's random numbers come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// The study's seed.
    pub seed: u64,
    /// The utilisation that the set is to come up to.
    pub cap: Cap,
    /// Its number among the sets of that cap.
    pub index: u32,
}

/// In so many tries no set came up to its cap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawError {
    /// None of [`MOST_TRIES`] sets ended between slack and cap.
    Missed,
    /// A set would have more than [`MOST_TASKS`] tasks.
    TooMany,
}

impl fmt::Display for DrawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DrawError::Missed => write!(f, "none of {MOST_TRIES} random sets came up to the cap"),
            DrawError::TooMany => write!(f, "a set would have more than {MOST_TASKS} tasks"),
        }
    }
}

impl std::error::Error for DrawError {}

/// A utilisation in units of 2⁻⁶⁴.
const ONE: u128 = 1 << 64;

/// The set with that address.
///
/// # Errors
/// [`DrawError`], if the scenario's tasks hardly ever add up to the cap, or are too small.
pub fn draw(scenario: &Scenario, address: Address) -> Result<Vec<Drawn>, DrawError> {
    let cap = u128::from(address.cap.0);
    let most = cap * ONE / 1_000;
    let least = cap.saturating_sub(u128::from(scenario.slack.0)) * ONE / 1_000;
    let source = kind(&scenario.periods, &scenario.utilisations);
    let mut random = Random::addressed([
        address.seed,
        source,
        u64::from(address.cap.0),
        u64::from(address.index),
    ]);
    let mut tasks = Vec::new();
    for _ in 0..MOST_TRIES {
        tasks.clear();
        let mut used = 0;
        while used <= most {
            if tasks.len() == MOST_TASKS {
                return Err(DrawError::TooMany);
            }
            let task = one(scenario, &mut random);
            used += (u128::from(task.wcet) * ONE).div_ceil(u128::from(task.period));
            tasks.push(task);
            if (least..=most).contains(&used) {
                return Ok(tasks);
            }
        }
    }
    Err(DrawError::Missed)
}

fn one(scenario: &Scenario, random: &mut Random) -> Drawn {
    let utilisation = utilisation(&scenario.utilisations.modes, random);
    let period = whole(
        random,
        micros(scenario.periods.shortest),
        micros(scenario.periods.longest),
    );
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a period has far fewer than 53 bits, and a part of it fits"
    )]
    let wcet = (period as f64 * utilisation) as u64;
    Drawn {
        wcet: wcet.clamp(1, period),
        period,
    }
}

fn utilisation(modes: &[Mode], random: &mut Random) -> f64 {
    let weights: u64 = modes.iter().map(|mode| u64::from(mode.weight)).sum();
    let mut chosen = whole(random, 0, weights.saturating_sub(1));
    let mode = modes.iter().find(|mode| {
        let is_it = chosen < u64::from(mode.weight);
        chosen = chosen.saturating_sub(u64::from(mode.weight));
        is_it
    });
    let number = |share: flyball_model::Share| f64::from(share.millionths()) / 1e6;
    match mode.map(|mode| mode.shape) {
        Some(Shape::Uniform(from, to)) => {
            number(from) + random.unit() * (number(to) - number(from))
        }
        Some(Shape::Exponential(mean)) => loop {
            let drawn = -number(mean) * libm::log(1.0 - random.unit());
            if drawn <= 1.0 {
                return drawn;
            }
        },
        // No reader lets a distribution without any weight through.
        None => 1.0,
    }
}

/// A whole number from `least` to `most`, all equally likely.
fn whole(random: &mut Random, least: u64, most: u64) -> u64 {
    random
        .uniform(Duration::from_nanos(least), Duration::from_nanos(most))
        .as_nanos()
}

fn micros(period: Duration) -> u64 {
    period.as_nanos() / 1_000
}

/// What tells sets of one kind from those of another: their distributions, whatever they are
/// called. A study with one scenario more has the same sets in all others.
pub(crate) fn kind(periods: &Periods, utilisations: &Utilisations) -> u64 {
    let modes = utilisations.modes.iter().map(|mode| match mode.shape {
        Shape::Uniform(from, to) => format!("{} uniform {from} {to};", mode.weight),
        Shape::Exponential(mean) => format!("{} exponential {mean};", mode.weight),
    });
    let text = format!(
        "{} {}|{}",
        periods.shortest,
        periods.longest,
        modes.collect::<String>()
    );
    XxHash64::oneshot(0, text.as_bytes())
}

#[cfg(test)]
mod tests;
