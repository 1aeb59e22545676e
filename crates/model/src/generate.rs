//! Random task sets for experiments.
//!
//! The utilisations come from UUniFast-Discard. The first half draws `n` values that add up to `U`,
//! each such vector equally likely (Bini and Buttazzo, *Measuring the performance of schedulability
//! tests*, Real-Time Systems 30, 2005), and vectors in which a task needs more than one CPU are
//! thrown away (Davis and Burns, *Improved priority assignment for global fixed priority
//! pre-emptive scheduling*, Real-Time Systems 47, 2011), so that `U` may be above 1. Periods are
//! log-uniform: as many tasks between 10 and 100 ms as between 100 ms and 1 s (Emberson, Stafford
//! and Davis, *Techniques for the synthesis of multiprocessor tasksets*, WATERS 2010).
//!
//! Options and seed determine the set to the last bit on every machine: the random numbers are
//! `ChaCha8`'s, and powers and logarithms are computed by `libm`'s portable code instead of the
//! platform's. What else is computed are single IEEE 754 operations, which have one result.
//!
//! Each quantity draws from a stream of its own. So two sets that differ in one option, such as
//! their deadlines, agree in everything that the option does not touch.
//!
//! A draw costs O(n); how many there are grows as `U` nears `n`, up to the limit in the options.

mod error;

pub use error::GenerateError;

use crate::check::{MOST_CPUS, MOST_TASKS};
use crate::random::Random;
use crate::taskset::{Platform, Task, TaskSet};
use flyball_trace::Duration;

/// What a random task set is to be like.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Number of tasks, 1 to [`MOST_TASKS`].
    pub tasks: usize,
    /// Utilisation of the whole set, above 0 and at most the number of tasks.
    pub utilisation: f64,
    /// No period is shorter. Above zero.
    pub shortest_period: Duration,
    /// No period is longer.
    pub longest_period: Duration,
    /// All periods are multiples of this; above zero. A coarse one keeps hyperperiods short.
    pub granularity: Duration,
    /// How deadlines relate to periods.
    pub deadlines: Deadlines,
    /// When first jobs are released.
    pub phases: Phases,
    /// Number of CPUs of the platform, 1 to [`MOST_CPUS`]. Has no influence on the tasks.
    pub cpus: u8,
    /// How many vectors of utilisations may be thrown away before [`generate`] gives up.
    pub discards: u32,
    /// Sets with the same options and different seeds are independent of each other.
    pub seed: u64,
}

/// What random numbers are drawn for. Each has a stream of its own, so that asking for other
/// deadlines leaves the periods as they are.
#[derive(Clone, Copy)]
enum Stream {
    Utilisations,
    Periods,
    Deadlines,
    Phases,
}

/// How relative deadlines are chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Deadlines {
    /// Each is the task's period T.
    Implicit,
    /// Each is any whole number of nanoseconds from C + (T − C)·`from` to T, equally likely, where
    /// C is the worst-case execution time. `from` is 0 to 1; 0 allows any deadline that a job
    /// alone could meet.
    Constrained {
        /// Where between C and T the range begins.
        from: f64,
    },
}

/// How the phases of tasks are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phases {
    /// All are released together at the start: the worst case for many schedulers.
    Zero,
    /// Each is any whole number of nanoseconds below the task's period, equally likely.
    Random,
}

impl Default for Options {
    /// Ten tasks that use 70 % of one CPU, with periods of 10 ms to 1 s in whole milliseconds.
    fn default() -> Options {
        Options {
            tasks: 10,
            utilisation: 0.7,
            shortest_period: Duration::from_millis(10),
            longest_period: Duration::from_secs(1),
            granularity: Duration::from_millis(1),
            deadlines: Deadlines::Implicit,
            phases: Phases::Zero,
            cpus: 1,
            discards: 10_000,
            seed: 1,
        }
    }
}

/// Makes a random task set of periodic tasks, named `T1`, `T2`, …
///
/// The utilisation of the result is off by what rounding to whole nanoseconds does: by at most half
/// a nanosecond a period, or by up to a whole one where an execution time had to be raised to 1 ns.
///
/// # Errors
/// If no set can have these options, or if [`Options::discards`] were not enough.
///
/// ```
/// use flyball_model::generate::{Options, generate};
/// let set = generate(&Options { tasks: 5, seed: 42, ..Options::default() })?;
/// assert_eq!(set.tasks.len(), 5);
/// # Ok::<(), flyball_model::generate::GenerateError>(())
/// ```
pub fn generate(options: &Options) -> Result<TaskSet, GenerateError> {
    let multiples = options.check()?;
    let mut random = Random::new(options.seed, Stream::Utilisations as u64);
    let utilisations = (0..=options.discards)
        .map(|_| uunifast(options.tasks, options.utilisation, &mut random))
        .find(|vector| vector.iter().all(|&utilisation| utilisation <= 1.0))
        .ok_or(GenerateError::Discarded(options.discards))?;

    let mut periods = Random::new(options.seed, Stream::Periods as u64);
    let mut deadlines = Random::new(options.seed, Stream::Deadlines as u64);
    let mut phases = Random::new(options.seed, Stream::Phases as u64);
    let tasks = utilisations
        .iter()
        .enumerate()
        .map(|(index, &utilisation)| {
            let period = options.granularity * periods.log_uniform(multiples.0, multiples.1);
            let wcet = portion(period, utilisation).max(Duration::from_nanos(1));
            let mut task = Task::periodic(format!("T{}", index + 1), period, wcet);
            if let Deadlines::Constrained { from } = options.deadlines {
                let slack = period.saturating_sub(wcet);
                task.deadline = Some(deadlines.uniform(wcet + portion(slack, from), period));
            }
            if options.phases == Phases::Random {
                let last = period.saturating_sub(Duration::from_nanos(1));
                task.phase = phases.uniform(Duration::ZERO, last);
            }
            task
        });
    Ok(TaskSet {
        name: format!("random {}", options.seed),
        source: Some(options.describe()),
        tasks: tasks.collect(),
        platform: Platform {
            cpus: options.cpus,
            ..Platform::default()
        },
        ..TaskSet::default()
    })
}

impl Options {
    /// Checks the options; the shortest and longest period, counted in granules.
    fn check(&self) -> Result<(u64, u64), GenerateError> {
        if self.tasks == 0 || self.tasks > MOST_TASKS {
            return Err(GenerateError::Tasks(self.tasks));
        }
        if self.cpus == 0 || self.cpus > MOST_CPUS {
            return Err(GenerateError::Cpus(self.cpus));
        }
        if !(self.utilisation > 0.0 && self.utilisation <= f64_of(self.tasks)) {
            return Err(GenerateError::Utilisation(self.utilisation, self.tasks));
        }
        if let Deadlines::Constrained { from } = self.deadlines
            && !(0.0..=1.0).contains(&from)
        {
            return Err(GenerateError::Deadlines(from));
        }
        let (shortest, longest) = (self.shortest_period, self.longest_period);
        if shortest.is_zero() || longest == Duration::MAX {
            return Err(GenerateError::Periods(shortest, longest));
        }
        if self.granularity.is_zero() {
            return Err(GenerateError::Granularity(
                shortest,
                longest,
                self.granularity,
            ));
        }
        let first = shortest.as_nanos().div_ceil(self.granularity.as_nanos());
        let last = longest / self.granularity;
        match (shortest <= longest, first <= last) {
            (false, _) => Err(GenerateError::Periods(shortest, longest)),
            (true, false) => Err(GenerateError::Granularity(
                shortest,
                longest,
                self.granularity,
            )),
            (true, true) => Ok((first, last)),
        }
    }

    /// What a set of these options is called: how many tasks it has, what they ask of how many CPUs, and the seed.
    pub fn title(&self) -> String {
        let [tasks, cpus] =
            [self.tasks, self.cpus.into()].map(|number| if number == 1 { "" } else { "s" });
        format!(
            "{} task{tasks} with utilisation {} of {} CPU{cpus}, seed {}",
            self.tasks, self.utilisation, self.cpus, self.seed
        )
    }

    /// The options in words, so that a file tells how to make the set again.
    fn describe(&self) -> String {
        let deadlines = match self.deadlines {
            Deadlines::Implicit => "implicit deadlines".to_owned(),
            Deadlines::Constrained { from } => {
                format!("deadlines uniform from C + {from} (T - C) to T")
            }
        };
        let phases = match self.phases {
            Phases::Zero => "no phases",
            Phases::Random => "random phases",
        };
        format!(
            "generated with UUniFast-Discard: seed {}, {} tasks, utilisation {}, periods \
             log-uniform from {} to {} in steps of {}, {deadlines}, {phases}",
            self.seed,
            self.tasks,
            self.utilisation,
            self.shortest_period,
            self.longest_period,
            self.granularity,
        )
    }
}

/// Draws `tasks` utilisations that add up to `total` (Bini and Buttazzo 2005, figure 3): the sum of
/// the last i of them, divided by the sum of the last i + 1, is distributed as the i-th root of a
/// uniform number, so that each sum is drawn given the one before.
fn uunifast(tasks: usize, total: f64, random: &mut Random) -> Vec<f64> {
    let mut rest = total;
    let mut utilisations: Vec<f64> = (1..tasks)
        .rev()
        .map(|left| {
            let next = rest * libm::pow(random.unit(), 1.0 / f64_of(left));
            let utilisation = rest - next;
            rest = next;
            utilisation
        })
        .collect();
    utilisations.push(rest);
    utilisations
}

/// That portion of a length, rounded to a nanosecond; `portion` is 0 to 1.
fn portion(length: Duration, portion: f64) -> Duration {
    #[expect(
        clippy::cast_precision_loss,
        reason = "53 bits are as exact as the portion is"
    )]
    let nanos = libm::round(length.as_nanos() as f64 * portion);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not below zero; and a conversion that does not fit saturates"
    )]
    Duration::from_nanos(nanos as u64).min(length)
}

/// A count as a number to calculate with.
fn f64_of(count: usize) -> f64 {
    // At most 65,535 here, so that nothing is lost.
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

#[cfg(test)]
mod tests;
