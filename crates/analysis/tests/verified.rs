//! Response times against those of the crate `response-time-analysis`, whose analyses are proven in
//! Coq (PROSA; Bozhko and Brandenburg, ECRTS 2020).
//!
//! There a response time counts from the release of a job, and here from its arrival, which is up
//! to the jitter before it: so ours is theirs and the jitter. The task that is looked at has none
//! there, as its jobs arrive a period apart, and the worst job is released as late as it may be.
//!
//! Under EDF that makes a difference beyond the bound, as deadlines count from there, too. A job
//! whose deadline is D after its arrival is one whose deadline is D − J or more after its release.
//! With that their bound is safe for our tasks, but not always the exact one, as they allow a late
//! release a late deadline.

use flyball_analysis::{
    Level, Response, SporadicTask, Utilisation, WorkLimit, edf_response, fixed_priority,
};
use flyball_trace::Duration;
use proptest::prelude::*;
use response_time_analysis::arrival::Sporadic;
use response_time_analysis::demand::RBF;
use response_time_analysis::time::{Duration as Their, Service};
use response_time_analysis::wcet::Scalar;
use response_time_analysis::{edf, fixed_priority as their_fixed_priority};

/// Computes, comes again, is due, and is released late, in nanoseconds.
type Times = (u64, u64, u64, u64);

/// Where their fixed points are given up.
const LIMIT: u64 = 1_000_000;

fn sets() -> impl Strategy<Value = Vec<Times>> {
    let task = (1..20_u64, 4..80_u64, 1..100_u64, 0..100_u64);
    prop::collection::vec(task, 1..6).prop_filter("is overloaded", |tasks| {
        Utilisation::of(&ours(tasks)).parts_per_million() < 999_000
    })
}

fn ours(tasks: &[Times]) -> Vec<SporadicTask> {
    let ns = Duration::from_nanos;
    let task = |&(c, t, d, j): &Times| {
        let task = SporadicTask::new(ns(c), ns(t), ns(d.max(c)));
        task.unwrap().with_jitter(ns(j)).unwrap()
    };
    tasks.iter().map(task).collect()
}

/// What their task asks for, for a look at the task of number `this`.
fn theirs(tasks: &[Times], this: usize) -> Vec<RBF<Sporadic, Scalar>> {
    let demand = |(number, &(c, t, _, j)): (usize, &Times)| {
        let jitter = if number == this { 0 } else { j };
        let arrivals = Sporadic::new(Their::from(t), Their::from(jitter));
        RBF::new(arrivals, Scalar::new(Service::from(c)))
    };
    tasks.iter().enumerate().map(demand).collect()
}

fn bounds(responses: Vec<Response>) -> Vec<u64> {
    let bound = |response: Response| response.bound().unwrap().as_nanos();
    responses.into_iter().map(bound).collect()
}

fn under_edf(tasks: &[Times]) -> Vec<u64> {
    let due = |number: usize| {
        let (c, _, d, j) = tasks[number];
        Their::from(d.max(c) - j.min(d.max(c)))
    };
    let response = |this: usize| {
        let demands = theirs(tasks, this);
        let task = |number: usize| edf::fully_preemptive::Task {
            rbf: &demands[number],
            deadline: due(number),
        };
        let other = (0..tasks.len()).filter(|&it| it != this).map(task);
        let other: Vec<_> = other.collect();
        let found =
            edf::fully_preemptive::dedicated_uniproc_rta(&task(this), &other, Their::from(LIMIT));
        u64::from(found.unwrap()) + tasks[this].3
    };
    (0..tasks.len()).map(response).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The first task is the most urgent.
    #[test]
    fn fixed_priorities_with_jitter(tasks in sets()) {
        let levels: Vec<Level> = (0..8).rev().map(Level).skip(8 - tasks.len()).collect();
        let found = fixed_priority::response_times(&ours(&tasks), &levels, WorkLimit::default());
        let response = |this: usize| {
            let demands = theirs(&tasks, this);
            let found = their_fixed_priority::fully_preemptive::dedicated_uniproc_rta(
                &demands[this],
                &demands[..this],
                Their::from(LIMIT),
            );
            u64::from(found.unwrap()) + tasks[this].3
        };
        let expected: Vec<u64> = (0..tasks.len()).map(response).collect();
        prop_assert_eq!(bounds(found.unwrap()), expected);
    }

    #[test]
    fn earliest_deadline_first(tasks in sets()) {
        let tasks: Vec<Times> = tasks.into_iter().map(|(c, t, d, _)| (c, t, d, 0)).collect();
        let found = edf_response::response_times(&ours(&tasks), WorkLimit::default());
        prop_assert_eq!(bounds(found), under_edf(&tasks));
    }

    /// Jitter of less than what is left of the deadlines: D − J is not negative.
    #[test]
    fn earliest_deadline_first_with_jitter(tasks in sets()) {
        let tasks: Vec<Times> =
            tasks.into_iter().map(|(c, t, d, j)| (c, t, d.max(c), j.min(d.max(c)))).collect();
        let found = bounds(edf_response::response_times(&ours(&tasks), WorkLimit::default()));
        let expected = under_edf(&tasks);
        for (ours, theirs) in found.iter().zip(&expected) {
            prop_assert!(ours <= theirs, "{found:?} {expected:?}");
        }
        if tasks.len() == 1 {
            prop_assert_eq!(&found, &expected);
        }
    }
}
