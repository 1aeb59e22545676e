//! The critical sections of a task's jobs.

use flyball_model::{Step, Task};
use flyball_trace::Duration;
use std::collections::{BTreeMap, BTreeSet};

/// What the critical sections of a task are like that begin where it locks some mutex.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Section {
    /// The longest that a job computes in one, by what it does and not by what it declares; [`Duration::MAX`]: more
    /// than 64 bits hold, or without end.
    pub(crate) longest: Duration,
    /// Other mutexes that it locks in them.
    pub(crate) inner: BTreeSet<u16>,
    /// Whether it may cease to compute in them for another reason: it suspends itself, waits for a semaphore or a
    /// queue, or yields.
    pub(crate) pauses: bool,
}

/// The critical sections of each mutex that a task uses. O(steps · mutexes that are held at once).
pub(crate) fn of(task: &Task) -> BTreeMap<u16, Section> {
    let mut walk = Walk::default();
    walk.steps(&task.behaviour);
    // A job that goes on forever may leave some open.
    while !walk.open.is_empty() {
        walk.unlock();
    }
    walk.found
}

/// A section that the walk is in, with how often its steps are done from here on.
struct Open {
    mutex: u16,
    times: u64,
    section: Section,
}

/// A walk over the steps of a job.
#[derive(Default)]
struct Walk {
    open: Vec<Open>,
    found: BTreeMap<u16, Section>,
}

impl Walk {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Lock(mutex) => self.lock(*mutex),
                Step::Unlock(_) => self.unlock(),
                Step::Compute(length)
                | Step::Overrun { actual: length, .. }
                | Step::Stalling {
                    compute: length, ..
                } => {
                    for open in &mut self.open {
                        open.section.longest += length.longest() * open.times;
                    }
                }
                Step::Suspend(_)
                | Step::Wait(_)
                | Step::Send(_)
                | Step::Receive(_)
                | Step::Yield => {
                    for open in &mut self.open {
                        open.section.pauses = true;
                    }
                }
                Step::Repeat { times, body } => self.repeat(*times, body),
                Step::Raise { .. }
                | Step::Lower { .. }
                | Step::Signal(_)
                | Step::TrySend(_)
                | Step::TryReceive(_)
                | Step::Result(_)
                | Step::Control => {}
            }
        }
    }

    fn lock(&mut self, mutex: u16) {
        for outer in &mut self.open {
            outer.section.inner.insert(mutex);
        }
        self.open.push(Open {
            mutex,
            times: 1,
            section: Section::default(),
        });
    }

    /// The last one that was locked is the first one that is unlocked.
    fn unlock(&mut self) {
        let Some(Open { mutex, section, .. }) = self.open.pop() else {
            return;
        };
        let found = self.found.entry(mutex).or_default();
        found.longest = found.longest.max(section.longest);
        found.inner.extend(section.inner);
        found.pauses |= section.pauses;
    }

    /// Each round leaves the mutexes as it found them: sections that are open compute in all of them.
    fn repeat(&mut self, times: Option<u32>, body: &[Step]) {
        let rounds = times.map_or(u64::MAX, u64::from);
        let before: Vec<u64> = self.open.iter().map(|open| open.times).collect();
        for open in &mut self.open {
            open.times = open.times.saturating_mul(rounds);
        }
        self.steps(body);
        for (open, times) in self.open.iter_mut().zip(before) {
            open.times = times;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_model::Length;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn compute(length: u64) -> Step {
        Step::Compute(Length::Fixed(ms(length)))
    }

    fn repeat(times: u32, body: Vec<Step>) -> Step {
        let times = Some(times);
        Step::Repeat { times, body }
    }

    fn forever(body: Vec<Step>) -> Step {
        Step::Repeat { times: None, body }
    }

    fn found(steps: Vec<Step>) -> Vec<(u16, u64, Vec<u16>, bool)> {
        let mut task = Task::periodic("t", ms(100), ms(1));
        task.behaviour = steps;
        let of = |(mutex, section): (u16, Section)| {
            let inner = section.inner.into_iter().collect();
            (mutex, section.longest / ms(1), inner, section.pauses)
        };
        super::of(&task).into_iter().map(of).collect()
    }

    #[test]
    fn the_longest_section_counts_with_what_it_really_computes() {
        let overrun = Step::Overrun {
            declared: Length::Fixed(ms(1)),
            actual: Length::OneOf(vec![ms(2), ms(5)]),
        };
        let steps = vec![
            compute(9),
            Step::Lock(1),
            compute(3),
            Step::Unlock(1),
            Step::Suspend(Length::Fixed(ms(1))),
            Step::Lock(1),
            overrun,
            Step::Unlock(1),
        ];
        assert_eq!(found(steps), [(1, 5, vec![], false)]);
    }

    /// Mutex 0 is held for 1 + 3 · (2 · 1 + 1) ms, mutex 1 for 2 ms at a time, and mutex 2 for none.
    #[test]
    fn repetitions_multiply_what_is_inside_of_a_section() {
        let inner = vec![Step::Lock(1), repeat(2, vec![compute(1)]), Step::Unlock(1)];
        let round = inner.into_iter().chain([compute(1)]).collect();
        let steps = vec![
            repeat(7, vec![Step::Lock(2), Step::Yield, Step::Unlock(2)]),
            Step::Lock(0),
            compute(1),
            repeat(3, round),
            Step::Unlock(0),
        ];
        let wanted = [
            (0, 10, vec![1], false),
            (1, 2, vec![], false),
            (2, 0, vec![], true),
        ];
        assert_eq!(found(steps), wanted);
    }

    /// How long the section of a job with these steps is.
    fn longest(steps: Vec<Step>) -> Duration {
        let mut task = Task::periodic("t", ms(100), ms(1));
        task.behaviour = steps;
        super::of(&task)[&0].longest
    }

    #[test]
    fn what_goes_on_forever_in_a_section_has_no_end() {
        let endless = || vec![Step::Lock(0), forever(vec![compute(1)])];
        assert_eq!(longest(endless()), Duration::MAX);
        let unlocked = endless().into_iter().chain([Step::Unlock(0)]);
        assert_eq!(longest(unlocked.collect()), Duration::MAX);
        let idle = forever(vec![Step::Suspend(Length::Fixed(ms(1)))]);
        assert_eq!(longest(vec![Step::Lock(0), compute(2), idle]), ms(2));
        let rounds = forever(vec![Step::Lock(0), compute(3), Step::Unlock(0)]);
        assert_eq!(longest(vec![rounds]), ms(3));
    }
}
