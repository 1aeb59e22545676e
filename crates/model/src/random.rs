//! Random numbers that are the same on every machine, and with every version of Flyball.
//!
//! The generator is ChaCha with 8 rounds, whose output is fixed by its definition; what is made of
//! its numbers is written out here, because a library may improve how it does that.

use crate::taskset::Length;
use flyball_trace::{Duration, Time};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// A stream of random numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// The stream of that seed and number. Different streams of a seed are independent.
    pub fn new(seed: u64, stream: u64) -> Random {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(stream);
        Random(generator)
    }

    /// The stream with that address: other addresses give streams that are independent of it.
    pub fn addressed(address: [u64; 4]) -> Random {
        let mut key = [0; 32];
        for (bytes, word) in key.chunks_exact_mut(8).zip(address) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Random(ChaCha8Rng::from_seed(key))
    }

    /// A number from 0 on and below 1: one of the multiples of 2^-53, each equally likely.
    pub fn unit(&mut self) -> f64 {
        const SCALE: f64 = f64::EPSILON / 2.0; // 2^-53
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit exactly")]
        let bits = (self.0.next_u64() >> 11) as f64;
        bits * SCALE
    }

    /// A length from `least` to `most`, all equally likely but for parts in 2^64.
    pub fn uniform(&mut self, least: Duration, most: Duration) -> Duration {
        let choices = u128::from(most.saturating_sub(least).as_nanos()) + 1;
        // Below `choices`, which is 2^64 at most.
        let chosen = ((u128::from(self.0.next_u64()) * choices) >> 64) as u64;
        least + Duration::from_nanos(chosen)
    }

    /// A length of a normal distribution without what is below `least` or above `most`.
    ///
    /// The sum of twelve uniform numbers stands for the normal one (Irwin-Hall: the same mean and
    /// variance, and no value beyond six deviations), because it is the same on every machine.
    fn normal(
        &mut self,
        mean: Duration,
        deviation: Duration,
        least: Duration,
        most: Duration,
    ) -> Duration {
        // Where hardly any number is between the limits, they are so near to each other that all
        // numbers there are about equally likely.
        const TRIES: usize = 100;
        for _ in 0..TRIES {
            // In 2^-32 of a deviation.
            let mut sum = -6 * (1_i128 << 32);
            for _ in 0..6 {
                let bits = self.0.next_u64();
                sum += i128::from(bits >> 32) + i128::from(bits & u64::from(u32::MAX));
            }
            let off = (i128::from(deviation.as_nanos()) * sum) >> 32;
            let drawn = u64::try_from(i128::from(mean.as_nanos()) + off);
            let drawn = drawn.map(Duration::from_nanos);
            if let Ok(drawn) = drawn
                && (least..=most).contains(&drawn)
            {
                return drawn;
            }
        }
        self.uniform(least, most)
    }

    /// A length that a task may have next time; it is asked for at `now`, counted from the start.
    pub fn draw(&mut self, length: &Length, now: Time) -> Duration {
        match length {
            Length::Fixed(length) => *length,
            Length::Uniform { min, max } => self.uniform(*min, *max),
            Length::OneOf(lengths) => {
                let last = Duration::from_nanos(lengths.len().saturating_sub(1) as u64);
                let chosen = self.uniform(Duration::ZERO, last).as_nanos();
                let chosen = usize::try_from(chosen).ok().and_then(|at| lengths.get(at));
                chosen.copied().unwrap_or_default()
            }
            Length::Cycle { lengths, every } => length_at(lengths, *every, now),
            Length::Empirical(seen) => {
                let all: u64 = seen.iter().map(|(_, times)| u64::from(*times)).sum();
                let last = Duration::from_nanos(all.saturating_sub(1));
                let mut chosen = self.uniform(Duration::ZERO, last).as_nanos();
                for (length, times) in seen {
                    match chosen.checked_sub(u64::from(*times)) {
                        Some(less) => chosen = less,
                        None => return *length,
                    }
                }
                Duration::ZERO
            }
            Length::Normal {
                mean,
                deviation,
                min,
                max,
            } => self.normal(*mean, *deviation, *min, *max),
        }
    }

    /// A whole number from `least` (not zero) to `most`, whose logarithm is uniform: the number is
    /// k with probability ln((k + 1) / k) / ln((most + 1) / least).
    pub fn log_uniform(&mut self, least: u64, most: u64) -> u64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "what is lost is below the random bits"
        )]
        let (low, high) = (libm::log(least as f64), libm::log(most as f64 + 1.0));
        let drawn = libm::exp(low + self.unit() * (high - low));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "rounds down, as it should; the result is above zero, and saturates"
        )]
        (drawn as u64).clamp(least, most)
    }
}

/// The length that is valid at `now`, of some that are valid one after the other.
fn length_at(lengths: &[Duration], every: Duration, now: Time) -> Duration {
    let turn = now.as_nanos() / every.as_nanos().max(1);
    let at = usize::try_from(turn % (lengths.len() as u64).max(1)).ok();
    at.and_then(|at| lengths.get(at))
        .copied()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Duration {
        Duration::from_micros(us)
    }

    fn drawn(length: &Length) -> Vec<u64> {
        let mut random = Random::new(1, 2);
        let draw = |_| random.draw(length, Time::ZERO).as_nanos() / 1_000;
        (0..10_000).map(draw).collect()
    }

    /// Within limits that hardly cut anything: the mean, and two thirds within one deviation.
    #[test]
    fn normal_lengths_have_their_mean_and_deviation() {
        let [mean, deviation, min, max] = [1_000, 100, 500, 1_500].map(us);
        let normal = |min, max| Length::Normal {
            mean,
            deviation,
            min,
            max,
        };
        let all = drawn(&normal(min, max));
        let sum: u64 = all.iter().sum();
        assert!((9_950_000..10_050_000).contains(&sum), "{sum}");
        let near = all.iter().filter(|&&one| (900..1_100).contains(&one));
        assert!((6_600..7_050).contains(&near.count()));
        // Limits that are close together cut nearly all, and no value is beyond them.
        let all = drawn(&normal(us(990), us(1_001)));
        assert!(all.iter().all(|one| (990..=1_001).contains(one)));
        assert!(all.contains(&990) && all.contains(&1_000));
    }

    #[test]
    fn empirical_lengths_come_as_often_as_they_were_seen() {
        let all = drawn(&Length::Empirical(vec![(us(3), 1), (us(5), 9)]));
        let threes = all.iter().filter(|&&one| one == 3).count();
        assert!((900..1_100).contains(&threes), "{threes}");
        assert_eq!(all.iter().filter(|&&one| one == 5).count(), 10_000 - threes);
    }
}
