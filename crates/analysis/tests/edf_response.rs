//! Response times under EDF against the scheduler of `common`.

use crate::common;

use common::{Job, Random, densest, horizon, int, latest, random, simulate};
use flyball_analysis::{SporadicTask, WorkLimit, edf_response};
use flyball_trace::Duration;
use proptest::prelude::*;

fn bounds(tasks: &[SporadicTask]) -> Vec<i64> {
    edf_response::response_times(tasks, WorkLimit::default())
        .into_iter()
        .map(|response| int(response.bound().unwrap()))
        .collect()
}

/// The jobs that Spuri's theorem names: `this` at `phase`, and all others at 0.
fn named_by_the_theorem(tasks: &[SporadicTask], this: usize, phase: i64) -> Vec<Job> {
    let until = horizon(tasks);
    let mut jobs: Vec<Job> = Vec::new();
    for (index, task) in tasks.iter().enumerate() {
        jobs.extend(if index == this {
            latest(index, task, phase, until)
        } else {
            densest(index, task, until)
        });
    }
    jobs
}

/// The worst response of `this` among the finished `jobs`.
fn worst(jobs: &[Job], this: usize) -> i64 {
    let own = jobs.iter().filter(|job| job.task == this);
    own.filter_map(Job::response).max().unwrap_or(0)
}

fn observed(tasks: &[SporadicTask], this: usize) -> i64 {
    let phases = 0..int(tasks[this].period());
    let at = |phase| {
        let mut jobs = named_by_the_theorem(tasks, this, phase);
        simulate(&mut jobs, horizon(tasks), common::edf(this));
        worst(&jobs, this)
    };
    phases.map(at).max().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn exact_with_periods_that_divide_24((tasks, _) in common::small_set(false)) {
        for (this, bound) in bounds(&tasks).into_iter().enumerate() {
            prop_assert_eq!(bound, observed(&tasks, this), "task {}", this);
        }
    }

    #[test]
    fn exact_with_jitter((tasks, _) in common::small_set(true)) {
        for (this, bound) in bounds(&tasks).into_iter().enumerate() {
            prop_assert_eq!(bound, observed(&tasks, this), "task {}", this);
        }
    }

    #[test]
    fn exact_with_any_periods((tasks, _) in common::coprime_set(true)) {
        for (this, bound) in bounds(&tasks).into_iter().enumerate() {
            prop_assert_eq!(bound, observed(&tasks, this), "task {}", this);
        }
    }

    /// First in, first out among equal deadlines is at most one unit of time better.
    #[test]
    fn fifo_ties_are_within_a_unit((tasks, _) in common::small_set(true)) {
        for (this, bound) in bounds(&tasks).into_iter().enumerate() {
            let phases = 0..int(tasks[this].period());
            let at = |phase| {
                let mut jobs = named_by_the_theorem(&tasks, this, phase);
                simulate(&mut jobs, horizon(&tasks), common::edf_fifo(this));
                worst(&jobs, this)
            };
            let fifo = phases.map(at).max().unwrap();
            prop_assert!(fifo <= bound && bound <= fifo + 1, "task {}: {} {}", this, fifo, bound);
        }
    }

    #[test]
    fn no_arrivals_are_worse((tasks, _) in common::coprime_set(true), seed in any::<u64>()) {
        let mut seed = Random(seed);
        for (this, bound) in bounds(&tasks).into_iter().enumerate() {
            for _ in 0..8 {
                let mut jobs: Vec<Job> = Vec::new();
                for (index, task) in tasks.iter().enumerate() {
                    jobs.extend(random(index, task, &mut seed, 150));
                }
                simulate(&mut jobs, 150, common::edf(this));
                prop_assert!(worst(&jobs, this) <= bound, "task {}", this);
            }
        }
    }

    #[test]
    fn blocking_is_reached_if_it_happens(
        (tasks, _) in common::coprime_set(true),
        blockings in prop::collection::vec(0_u64..4, 8),
    ) {
        let ns = Duration::from_nanos;
        let tasks: Vec<_> = tasks
            .iter()
            .zip(blockings)
            .map(|(task, b)| task.with_blocking(ns(b)).unwrap())
            // With a deadline that may be over before the release, the bound is looser.
            .filter(|task| task.jitter() <= task.deadline())
            .collect();
        let longest = tasks.iter().map(|task| int(task.deadline())).max().unwrap_or(0);
        for (this, bound) in bounds(&tasks).into_iter().enumerate() {
            let mut reached = 0;
            for (phase, blocked) in (0..int(tasks[this].period()))
                .flat_map(|phase| tasks.iter().map(move |blocked| (phase, blocked)))
            {
                let from = int(blocked.deadline()) - int(blocked.jitter());
                let blocking = blocked.blocking().as_nanos();
                let mut jobs = named_by_the_theorem(&tasks, this, phase);
                if blocking > 0 {
                    let mut blocker = Job::new(tasks.len(), blocked, -1, 0);
                    blocker.deadline = -1;
                    blocker.left = blocking;
                    jobs.push(blocker);
                }
                simulate(&mut jobs, horizon(&tasks), common::edf(this));
                // Jobs for which this blocking is possible, or which come when it is over.
                let own = jobs.iter().filter(|job| {
                    let possible = from <= job.deadline && job.deadline < longest;
                    job.task == this && (possible || blocking == 0)
                });
                reached = reached.max(own.filter_map(Job::response).max().unwrap_or(0));
            }
            // Every task in turn blocks; one of them may do so for no time at all.
            prop_assert!(reached <= bound, "task {}: {} > {}", this, reached, bound);
            let bare: Vec<_> = tasks
                .iter()
                .map(|task| task.with_blocking(Duration::ZERO).unwrap())
                .collect();
            prop_assert_eq!(reached.max(bounds(&bare)[this]), bound, "task {}", this);
        }
    }
}
