//! The jobs of one thread against a plain list of jobs.

use super::*;
use flyball_policy::Inline;
use proptest::prelude::*;
use std::collections::VecDeque;

/// What the module says, said with a list of jobs.
#[derive(Default)]
struct Model {
    jobs: VecDeque<(Job, bool)>,
    skipping: bool,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Lets time pass; releases and deadlines happen on the way.
    Pass(u64),
    Arrive,
    Complete,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0u64..25).prop_map(Step::Pass),
        2 => Just(Step::Arrive),
        3 => Just(Step::Complete),
    ]
}

fn agrees(
    rule: Release,
    deadline: u64,
    on_miss: OnMiss,
    steps: &[Step],
) -> Result<(), TestCaseError> {
    let ns = Duration::from_nanos;
    let mut arrivals = Arrivals::<Inline<64>>::new(64);
    let start = Time::from_nanos(3);
    let mut jobs: Jobs = Jobs::new(rule, start, Some(ns(deadline)), on_miss).unwrap();
    let mut model = Model::default();
    let mut now = Time::ZERO;
    let mut last = 0;
    // Releases of a sporadic thread that are still to come, as a plain list.
    let mut to_come: VecDeque<Time> = VecDeque::new();
    let mut earliest = start;
    if !matches!(rule, Release::Sporadic { .. }) {
        to_come.push_back(start);
    }
    for &step in steps {
        let end = match step {
            Step::Pass(length) => now + ns(length),
            _ => now,
        };
        match step {
            Step::Arrive => {
                if let Release::Sporadic { separation } = rule {
                    let at = earliest.max(now);
                    // The 64 rows of this test have to suffice.
                    if model.jobs.len() + to_come.len() < 60 {
                        let at_once = jobs.arrive(now).unwrap();
                        prop_assert_eq!(at_once, at == now && to_come.is_empty());
                        to_come.push_back(at);
                        earliest = at + separation;
                    }
                } else {
                    prop_assert_eq!(jobs.arrive(now), Err(Error::NotSporadic));
                }
            }
            Step::Complete => {
                let done = model.jobs.pop_front();
                let late =
                    done.is_some_and(|(job, late)| !late && now > job.release + ns(deadline));
                prop_assert_eq!(jobs.current_is_late(now), late);
                jobs.complete(&mut arrivals);
            }
            Step::Pass(_) => {}
        }
        loop {
            let release = to_come.front().copied().unwrap_or(Time::NEVER);
            prop_assert_eq!(jobs.next_release(), release);
            let late = model.jobs.iter_mut().find(|(_, late)| !late);
            let watch = late
                .as_ref()
                .map_or(Time::NEVER, |(job, _)| job.release + ns(deadline));
            prop_assert_eq!(jobs.next_deadline(), watch);
            if watch <= end && watch <= release {
                let late = late.unwrap();
                late.1 = true;
                prop_assert_eq!(jobs.miss(&arrivals), Some(late.0));
            } else if release <= end {
                to_come.pop_front();
                last += 1;
                if let Release::Periodic { period } = rule {
                    to_come.push_back(release + period);
                }
                let job = Job {
                    number: last,
                    release,
                };
                let is_late = model.jobs.iter().any(|&(_, late)| late);
                model.skipping =
                    on_miss == OnMiss::Skip && (is_late || model.skipping && model.jobs.len() > 1);
                let waits = model.jobs.get(1).filter(|&&(_, late)| late);
                let lost = waits.map(|&(job, _)| job);
                let expected = if model.jobs.is_empty() {
                    model.jobs.push_back((job, false));
                    Released::Current(job)
                } else if model.skipping {
                    Released::Skipped(job)
                } else if let Some(lost) = lost.filter(|_| on_miss == OnMiss::Latest) {
                    model.jobs.remove(1);
                    model.jobs.push_back((job, false));
                    Released::Replaces { job, lost }
                } else {
                    model.jobs.push_back((job, false));
                    Released::Waits(job)
                };
                prop_assert_eq!(jobs.release(&mut arrivals), Ok(expected));
            } else {
                break;
            }
        }
        prop_assert_eq!(jobs.current(), model.jobs.front().map(|&(job, _)| job));
        now = end;
    }
    jobs.clear(&mut arrivals);
    // Every row of the list is free again.
    let mut list = ArrivalList::default();
    for _ in 0..64 {
        arrivals.push(&mut list, Job::default()).unwrap();
    }
    prop_assert_eq!(arrivals.push(&mut list, Job::default()), Err(Error::Full));
    Ok(())
}

#[cfg(not(miri))]
proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn jobs_are_kept_as_the_model_keeps_them(
        gap in 1u64..30,
        deadline in 1u64..80,
        rule in 0..3,
        on_miss in prop_oneof![
            Just(OnMiss::Continue), Just(OnMiss::Skip), Just(OnMiss::Abort), Just(OnMiss::Latest)
        ],
        steps in proptest::collection::vec(step(), 0..100),
    ) {
        let gap = Duration::from_nanos(gap);
        let rule = match rule {
            0 => Release::Once,
            1 => Release::Periodic { period: gap },
            _ => Release::Sporadic { separation: gap },
        };
        agrees(rule, deadline, on_miss, &steps)?;
    }
}

#[test]
fn nothing_is_zero() {
    let zero = Duration::ZERO;
    let one = Duration::from_nanos(1);
    for (rule, deadline) in [
        (Release::Periodic { period: zero }, None),
        (Release::Sporadic { separation: zero }, None),
        (Release::Periodic { period: one }, Some(zero)),
    ] {
        let jobs: Result<Jobs, _> = Jobs::new(rule, Time::ZERO, deadline, OnMiss::Continue);
        assert_eq!(jobs.err(), Some(Error::Invalid));
    }
}
