//! How close to the edge? How much longer jobs may compute before a test says no.
//!
//! * The *breakdown utilisation*: all WCETs, and blocking with them, are scaled by one factor, as
//!   far as the test accepts (Lehoczky, Sha and Ding, RTSS 1989).
//! * The *slack* of a task: how much its WCET alone may grow (Vestal 1994; Bini, Di Natale and
//!   Buttazzo 2008), outside of critical sections: blocking times stay as they are.
//!
//! Both search by bisection, with any test, and say what is proven ([`Margin`]). That relies on the
//! test being *sustainable* in the WCETs (Baruah and Burns 2006): what it accepts, it also accepts
//! with smaller ones. The tests of one CPU are, and dividing tasks among CPUs is not: a longer job
//! may lead first fit to a better division. With a test that is not, the result is still accepted
//! and its successor still is not, but there may be larger ones that are accepted, and smaller ones
//! that are not.
//!
//! A test that stops has not said no. What it has accepted before is then a bound from below,
//! [`Margin::AtLeast`], to a thousandth, and nothing is said of what is above.
//!
//! # Fractions of nanoseconds
//!
//! A scaled execution time C · f is rounded *up* to whole nanoseconds. So the factor that is found
//! is sure: with it, all execution times are no longer than those that were accepted. It is below
//! the exact one by less than a nanosecond a task. To scale all times by a common denominator
//! instead would be exact for tests that do not depend on the unit, but those of global policies do
//! (see [`gedf`](crate::gedf)), and a million times the period leaves 64 bits after five hours.
//!
//! Sets that ask for more than all CPUs are rejected without asking. Just below that, where a
//! search for the edge often ends, the exact tests take longest: give the test a small
//! [`WorkLimit`].
//!
//! Complexity: about log₂ of the result in runs of the test. [`fixed_priority_slacks`] does better
//! than asking for one slack after the other.

pub use crate::margin::Margin;

use crate::ranking::Ranking;
use crate::utilisation::overloaded;
use crate::{Answer, Level, LevelMismatch, SporadicTask, Stop, Supply, Utilisation, WorkLimit};
use core::fmt;
use flyball_trace::Duration;

/// A factor in millionths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factor(u64);

impl Factor {
    /// Leaves as it is.
    pub const ONE: Factor = Factor(1_000_000);

    /// The factor of `ppm` millionths.
    pub const fn from_ppm(ppm: u64) -> Factor {
        Factor(ppm)
    }

    /// In millionths.
    pub const fn ppm(self) -> u64 {
        self.0
    }

    /// The tasks with their WCETs times this factor, rounded up, and at least 1 ns. Blocking grows
    /// along, rounded up, too: critical sections are parts of jobs.
    ///
    /// # Errors
    /// [`Answer::Rejects`] if a WCET is then longer than any period, and [`Stop::TimeRange`] if a
    /// blocking is too long to count.
    pub fn scale(self, tasks: &[SporadicTask]) -> Result<Vec<SporadicTask>, Answer> {
        let times = |length: Duration| {
            let product = u128::from(length.as_nanos()) * u128::from(self.0);
            u64::try_from(product.div_ceil(1_000_000))
                .ok()
                .map(Duration::from_nanos)
        };
        let scaled = |task: &SporadicTask| {
            let wcet = times(task.wcet()).map(|wcet| wcet.max(Duration::from_nanos(1)));
            let task = wcet
                .and_then(|wcet| task.with_wcet(wcet).ok())
                .ok_or(Answer::Rejects)?;
            let blocking = times(task.blocking());
            let blocked = blocking.and_then(|blocking| task.with_blocking(blocking).ok());
            blocked.ok_or(Answer::Stopped(Stop::TimeRange))
        };
        tasks.iter().map(scaled).collect()
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000))
    }
}

impl fmt::Debug for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Where a task set breaks down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breakdown {
    /// The largest factor for the WCETs with which the set passes. Below one if it does not
    /// pass as it is.
    pub factor: Factor,
    /// The utilisation of the set times this factor.
    pub utilisation: Utilisation,
}

/// Scales all WCETs by the same factor as far as `passes` accepts: see [`Factor::scale`]. If the
/// tasks as they are are accepted, the factor is one at least.
///
/// [`Margin::Nothing`] if it rejects even WCETs of 1 ns, or if there is no task.
pub fn breakdown(
    tasks: &[SporadicTask],
    passes: impl FnMut(&[SporadicTask]) -> Answer,
) -> Margin<Breakdown> {
    breakdown_on(1, tasks, passes)
}

/// The same on so many CPUs.
pub fn breakdown_on(
    cpus: u32,
    tasks: &[SporadicTask],
    passes: impl FnMut(&[SporadicTask]) -> Answer,
) -> Margin<Breakdown> {
    breakdown_by_any(cpus, tasks, false, [passes])
}

/// The same of several tests of which one has to accept. Each is asked only of factors above those
/// that the tests before it accept, which is cheaper than to ask all of them of each factor;
/// `is_known` says that the tasks as they are are accepted.
pub fn breakdown_by_any(
    cpus: u32,
    tasks: &[SporadicTask],
    is_known: bool,
    tests: impl IntoIterator<Item = impl FnMut(&[SporadicTask]) -> Answer>,
) -> Margin<Breakdown> {
    if tasks.is_empty() {
        return Margin::Nothing;
    }
    let mut found = if is_known {
        Margin::Exactly(Factor::ONE.ppm())
    } else {
        Margin::Nothing
    };
    for mut passes in tests {
        let ask = |ppm| match Factor(ppm).scale(tasks) {
            Ok(tasks) if demand_more_than(cpus, &tasks) => Answer::Rejects,
            Ok(tasks) => passes(&tasks),
            Err(answer) => answer,
        };
        let next = match found.proven() {
            Some(&low) => larger(low, 1, u64::MAX, ask),
            None => largest(Factor::ONE.ppm(), u64::MAX, ask),
        };
        // What a test before did not know is not known by this one, either.
        found = match (found.stopped(), next) {
            (Some(stop), Margin::Exactly(ppm)) => Margin::AtLeast(ppm, stop),
            (Some(stop), Margin::Nothing) => Margin::NotKnown(stop),
            (_, next) => next,
        };
    }
    // Larger factors are not tried.
    if found == Margin::Exactly(u64::MAX) {
        found = Margin::AtLeast(u64::MAX, Stop::TimeRange);
    }
    found.map(|ppm| Breakdown {
        factor: Factor(ppm),
        utilisation: Utilisation::of(tasks).times_ppm(ppm),
    })
}

/// How much the WCET of the task at position `index` may grow so that `passes` still accepts the
/// set. [`Margin::Nothing`] if it rejects the set as it is, or if there is no such task.
pub fn slack(
    tasks: &[SporadicTask],
    index: usize,
    passes: impl FnMut(&[SporadicTask]) -> Answer,
) -> Margin<Duration> {
    slack_on(1, tasks, index, passes)
}

/// The same on so many CPUs.
pub fn slack_on(
    cpus: u32,
    tasks: &[SporadicTask],
    index: usize,
    mut passes: impl FnMut(&[SporadicTask]) -> Answer,
) -> Margin<Duration> {
    let Some(&task) = tasks.get(index) else {
        return Margin::Nothing;
    };
    let mut longer = tasks.to_vec();
    // No job may compute for longer than its period.
    let room = task.t().saturating_sub(task.c());
    let growth = largest(room / 2, room, |growth| {
        let Some(grown) = grow(&task, growth) else {
            return Answer::Rejects;
        };
        longer[index] = grown;
        if demand_more_than(cpus, &longer) {
            Answer::Rejects
        } else {
            passes(&longer)
        }
    });
    growth.map(Duration::from_nanos)
}

/// The [`slack`] of every task under fixed priorities, by response-time analysis. `limit` holds for
/// each analysis of the set.
///
/// Each probe looks only at the tasks that the change concerns, stops at the first miss, and
/// starts from the response times of the last probe that passed. 100 tasks: about 0.1 s.
///
/// # Errors
/// If there are not as many levels as tasks.
pub fn fixed_priority_slacks(
    tasks: &[SporadicTask],
    levels: &[Level],
    limit: WorkLimit,
) -> Result<Vec<Margin<Duration>>, LevelMismatch> {
    let mut ranking = Ranking::new(Supply::CPU, tasks, levels)?;
    let mut finishes = vec![0; tasks.len()];
    let mut slacks = vec![Margin::Nothing; tasks.len()];
    match ranking.holds(0, &mut finishes, limit) {
        Answer::Accepts => {}
        Answer::Rejects => return Ok(slacks),
        Answer::Stopped(stop) => return Ok(vec![Margin::NotKnown(stop); tasks.len()]),
    }
    for index in 0..tasks.len() {
        let task = ranking.tasks[index];
        // Every job that waits for this task, or is of it, ends later by the growth at least.
        let spare = |(task, &finish): (&SporadicTask, &u64)| {
            task.d().saturating_sub(task.j()).saturating_sub(finish)
        };
        let concerned = ranking.first_of_level(index)..tasks.len();
        let later = ranking.tasks[concerned.clone()]
            .iter()
            .zip(&finishes[concerned]);
        let most = later.map(spare).min().unwrap_or(0);
        let mut passed = finishes.clone();
        let growth = largest(most, most, |growth| {
            if growth == 0 {
                return Answer::Accepts; // It has just been found to hold.
            }
            let Some(grown) = grow(&task, growth) else {
                return Answer::Rejects;
            };
            ranking.tasks[index] = grown;
            let mut probe = passed.clone();
            let answer = ranking.holds(index, &mut probe, limit);
            if answer.accepts() {
                passed = probe;
            }
            answer
        });
        ranking.tasks[index] = task;
        slacks[ranking.places[index]] = growth.map(Duration::from_nanos);
    }
    Ok(slacks)
}

fn demand_more_than(cpus: u32, tasks: &[SporadicTask]) -> bool {
    match cpus {
        1 => overloaded(tasks),
        _ => Utilisation::of(tasks).cmp_cpus(cpus).is_gt(),
    }
}

/// `None` if it computes for longer than any period then.
fn grow(task: &SporadicTask, growth: u64) -> Option<SporadicTask> {
    let wcet = task.wcet().checked_add(Duration::from_nanos(growth))?;
    task.with_wcet(wcet).ok()
}

/// The largest value up to `most` that is accepted, given that larger ones are harder. Begins at
/// `guess` and doubles it while it is accepted, then bisects.
pub(crate) fn largest(guess: u64, most: u64, mut ask: impl FnMut(u64) -> Answer) -> Margin<u64> {
    let guess = guess.min(most);
    let beyond = ask(guess);
    if beyond.accepts() {
        return larger(guess, guess, most, ask);
    }
    let none = if guess > 0 { ask(0) } else { beyond };
    match none {
        Answer::Accepts => between(0, guess, beyond, ask),
        Answer::Rejects => Margin::Nothing,
        Answer::Stopped(stop) => Margin::NotKnown(stop),
    }
}

/// The same, where `low` is known to be accepted. Begins at `step` above it.
fn larger(mut low: u64, step: u64, most: u64, mut ask: impl FnMut(u64) -> Answer) -> Margin<u64> {
    let mut step = step.max(1);
    while low < most {
        let high = low.saturating_add(step).min(most);
        match ask(high) {
            Answer::Accepts => low = high,
            answer => return between(low, high, answer, ask),
        }
        step = high;
    }
    Margin::Exactly(most)
}

/// The same, where `low` is accepted, and `beyond` is said of `high`. Where a test stops, which tells
/// little of the edge, it is looked for to a thousandth.
fn between(
    mut low: u64,
    mut high: u64,
    mut beyond: Answer,
    mut ask: impl FnMut(u64) -> Answer,
) -> Margin<u64> {
    while high - low > beyond.stopped().map_or(1, |_| (low / 1_000).max(1)) {
        let middle = low + (high - low) / 2;
        match ask(middle) {
            Answer::Accepts => low = middle,
            answer => (high, beyond) = (middle, answer),
        }
    }
    match beyond.stopped() {
        Some(stop) => Margin::AtLeast(low, stop),
        None => Margin::Exactly(low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{edf_demand, fixed_priority, priority};

    fn task(c: u64, t: u64, d: u64) -> SporadicTask {
        let ms = Duration::from_millis;
        SporadicTask::new(ms(c), ms(t), ms(d)).unwrap()
    }

    fn edf(tasks: &[SporadicTask]) -> Answer {
        Answer::from(&edf_demand::test(tasks, WorkLimit::default()))
    }

    /// What is proven, where nothing stopped.
    fn exactly<T: Clone>(margin: &Margin<T>) -> Option<T> {
        assert_eq!(margin.stopped(), None);
        margin.proven().cloned()
    }

    #[test]
    fn largest_finds_every_edge() {
        for most in 0..20 {
            for edge in 0..=most {
                for guess in 0..25 {
                    let found = largest(guess, most, |value| Answer::accepts_if(value <= edge));
                    assert_eq!(found, Margin::Exactly(edge), "{guess} {most}");
                }
            }
        }
        assert_eq!(largest(5, 9, |_| Answer::Rejects), Margin::Nothing);
        assert_eq!(
            largest(1, u64::MAX, |_| Answer::Accepts),
            Margin::Exactly(u64::MAX)
        );
    }

    /// Of several tests, it is the edge of the one that accepts most.
    #[test]
    fn any_of_several_tests() {
        // Of C = 1 ms, a millionth is a nanosecond.
        let tasks = [SporadicTask::new(
            Duration::from_millis(1),
            Duration::from_secs(1),
            Duration::from_secs(1),
        )
        .unwrap()];
        let edges = [0, 400_000, 1_000_000, 2_345_678];
        for draw in 0..64 {
            let [one, two, three] = [draw / 16, draw / 4 % 4, draw % 4].map(|place| edges[place]);
            let most = one.max(two).max(three);
            let tests = [one, two, three]
                .map(|edge| move |tasks: &[SporadicTask]| Answer::accepts_if(tasks[0].c() <= edge));
            for is_known in [false, most >= 1_000_000] {
                let found = breakdown_by_any(1, &tasks, is_known, tests);
                let found = found.map(|it| it.factor.ppm());
                let expected = if most == 0 {
                    Margin::Nothing
                } else {
                    Margin::Exactly(most)
                };
                assert_eq!(found, expected, "{one} {two} {three}");
            }
        }
        let stop = Stop::WorkLimit;
        let stops = |_: &[SporadicTask]| Answer::Stopped(stop);
        let found = breakdown_by_any(1, &tasks, true, [stops]);
        assert_eq!(
            found.map(|it| it.factor),
            Margin::AtLeast(Factor::ONE, stop)
        );
    }

    /// Values up to 5 are accepted, those above 9 are rejected, and the test stops in between.
    #[test]
    fn where_a_test_stops_nothing_is_claimed() {
        let stop = Stop::WorkLimit;
        for guess in 0..25 {
            let found = largest(guess, 20, |value| match value {
                ..=5 => Answer::Accepts,
                6..=9 => Answer::Stopped(stop),
                _ => Answer::Rejects,
            });
            assert_eq!(found, Margin::AtLeast(5, stop), "{guess}");
        }
        let found = largest(3, 20, |_| Answer::Stopped(stop));
        assert_eq!(found, Margin::NotKnown(stop));
    }

    /// T = C = 1 ns: nothing can be added. And of two tasks of 2 ns every 5 ns that may take 2.5 ns
    /// each, only what whole nanoseconds prove is claimed.
    #[test]
    fn no_more_is_claimed_than_is_proven() {
        let ns = |c, t| {
            let ns = Duration::from_nanos;
            SporadicTask::new(ns(c), ns(t), ns(t)).unwrap()
        };
        let factor = |tasks: &[SporadicTask]| exactly(&breakdown(tasks, edf)).unwrap().factor.ppm();
        assert_eq!(factor(&[ns(1, 1)]), 1_000_000);
        assert_eq!(factor(&[ns(2, 3)]), 1_500_000);
        assert_eq!(factor(&[ns(3, 2)]), 666_666);
        assert_eq!(factor(&[ns(2, 5); 2]), 1_000_000);
        // Blocking that is too long to count is no "no".
        let long = Duration::from_nanos(u64::MAX / 2);
        let blocked = ns(1, 1 << 40).with_blocking(long).unwrap();
        let found = breakdown(&[blocked], |_| Answer::Accepts);
        assert_eq!(found.stopped(), Some(Stop::TimeRange));
    }

    /// A set with U = 1 whose test takes longer than the limit: what it holds with is known, and it
    /// is not said that it holds with no more.
    #[test]
    fn a_margin_stops_at_the_limit() {
        let limit = WorkLimit::steps(2_000);
        let ns = Duration::from_nanos;
        let task = |t, c, d| SporadicTask::new(ns(c), ns(t), ns(d)).unwrap();
        let tasks = [
            task(999_983, 499_991, 1_999_966),
            task(999_979, 499_989, 999_978),
            task(999_962_000_357, 999_981, 1_999_924_000_714),
        ];
        assert!(Utilisation::of(&tasks).cmp_one().is_eq());
        let passes = |tasks: &[SporadicTask]| Answer::from(&edf_demand::test(tasks, limit));
        let found = breakdown(&tasks, passes);
        assert_eq!(found.stopped(), Some(Stop::WorkLimit));
        let slacks: Vec<_> = (0..3).map(|task| slack(&tasks, task, passes)).collect();
        assert_eq!(slacks, [Margin::NotKnown(Stop::WorkLimit); 3]);
        let levels = priority::rate_monotonic(&tasks);
        let slacks = fixed_priority_slacks(&tasks, &levels, WorkLimit::steps(5)).unwrap();
        assert_eq!(slacks, [Margin::NotKnown(Stop::WorkLimit); 3]);
    }

    #[test]
    fn implicit_deadlines_break_down_at_one_under_edf() {
        let tasks = [task(1, 4, 4), task(1, 8, 8)];
        let found = exactly(&breakdown(&tasks, edf)).unwrap();
        // 1/(3/8) = 2.666666…
        assert_eq!(found.factor.to_string(), "2.666666");
        assert_eq!(found.utilisation.to_string(), "1.0000");
        assert!(found.utilisation.cmp_one().is_lt());
        // Each may take the 5/8 that are free.
        let us = Duration::from_micros;
        assert_eq!(slack(&tasks, 0, edf), Margin::Exactly(us(2_500)));
        assert_eq!(slack(&tasks, 1, edf), Margin::Exactly(us(5_000)));
        assert_eq!(slack(&tasks, 2, edf), Margin::Nothing);
    }

    #[test]
    fn a_set_that_fails_breaks_down_below_one() {
        let tasks = [task(3, 4, 4), task(3, 8, 8)];
        let found = exactly(&breakdown(&tasks, edf)).unwrap();
        assert_eq!(found.factor.ppm(), 888_888);
        assert_eq!(slack(&tasks, 0, edf), Margin::Nothing);
        assert_eq!(breakdown(&tasks, |_| Answer::Rejects), Margin::Nothing);
        assert_eq!(breakdown(&[], edf), Margin::Nothing);
    }

    #[test]
    fn slacks_under_fixed_priorities_by_hand() {
        // R = 3, 6, 20 for C = 3, 3, 5 and T = D = 7, 12, 20. The third completes just in time, so
        // the others have nothing to give: 3 + δ three times and 3 twice and 5 are over 20.
        let tasks = [task(3, 7, 7), task(3, 12, 12), task(5, 20, 20)];
        let levels = priority::rate_monotonic(&tasks);
        let limit = WorkLimit::default();
        let slacks = fixed_priority_slacks(&tasks, &levels, limit).unwrap();
        assert_eq!(slacks, [Margin::Exactly(Duration::ZERO); 3]);
        let relaxed = [tasks[0], tasks[1], task(2, 20, 20)];
        // 3·2 + 3·2 + 2 = 14 is the end of the second job of the first and of all others, and so
        // is 14 of the time: nothing to give until the third may take the next jobs as well.
        let slacks = fixed_priority_slacks(&relaxed, &levels, limit).unwrap();
        let us = Duration::from_micros;
        assert_eq!(
            slacks,
            [1_000, 1_500, 3_000].map(|it| Margin::Exactly(us(it)))
        );
        for (index, &slack_of_one) in slacks.iter().enumerate() {
            let test = |tasks: &[SporadicTask]| {
                Answer::from(&fixed_priority::test(tasks, &levels, limit).unwrap())
            };
            assert_eq!(slack(&relaxed, index, test), slack_of_one);
        }
    }
}
