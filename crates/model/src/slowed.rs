//! Task sets at other operating points: the same jobs, whose computations take as long as they do
//! there.

use crate::behaviour::demand;
use crate::share::Share;
use crate::speeds::{Slowdown, Speeds};
use crate::taskset::{Length, Step, Task, TaskSet};
use flyball_trace::{Duration, Speed};

impl TaskSet {
    /// The set whose tasks, by their numbers, always run at these operating points of `speeds`, with what
    /// all of it takes there; a platform has one point then. O(steps).
    #[must_use]
    pub fn slowed(&self, speeds: &Speeds, speed: impl Fn(usize) -> Speed) -> TaskSet {
        let mut slowed = self.clone();
        slowed.platform.speeds = None;
        for (number, task) in slowed.tasks.iter_mut().enumerate() {
            task.slow(&|stalls| speeds.slowdown(speed(number), stalls));
        }
        slowed
    }
}

impl Task {
    /// Makes its computations as long as they take at a `pace`, which depends on the part of the time
    /// in which they wait for memory.
    fn slow(&mut self, pace: &impl Fn(Share) -> Slowdown) {
        let compute = |steps: &[Step]| demand(steps).map_or(Duration::MAX, |sum| sum.compute);
        let before = compute(&self.behaviour);
        slow(&mut self.behaviour, self.stalls, pace);
        // What the task declares beyond its steps may be any of them, or wait for nothing.
        let beyond = pace(Share::default()).stretch(self.wcet.saturating_sub(before));
        self.wcet = compute(&self.behaviour) + beyond;
        self.stalls = Share::default();
        self.speed = None;
    }
}

fn slow(steps: &mut [Step], stalls: Share, pace: &impl Fn(Share) -> Slowdown) {
    for step in steps {
        match step {
            Step::Compute(length) => length.stretch(pace(stalls)),
            Step::Overrun { declared, actual } => {
                declared.stretch(pace(stalls));
                actual.stretch(pace(stalls));
            }
            Step::Stalling { compute, stalls } => {
                compute.stretch(pace(*stalls));
                *step = Step::Compute(compute.clone());
            }
            Step::Repeat { body, .. } => slow(body, stalls, pace),
            _ => {}
        }
    }
}

impl Length {
    /// Makes each length as long as it takes at this pace.
    fn stretch(&mut self, pace: Slowdown) {
        match self {
            Length::Fixed(time) => *time = pace.stretch(*time),
            Length::Uniform { min, max } => {
                (*min, *max) = (pace.stretch(*min), pace.stretch(*max));
            }
            Length::OneOf(times) | Length::Cycle { lengths: times, .. } => {
                for time in times {
                    *time = pace.stretch(*time);
                }
            }
            Length::Empirical(times) => {
                for (time, _) in times {
                    *time = pace.stretch(*time);
                }
            }
            Length::Normal {
                mean,
                deviation,
                min,
                max,
            } => {
                for time in [mean, deviation, min, max] {
                    *time = pace.stretch(*time);
                }
            }
        }
    }
}
