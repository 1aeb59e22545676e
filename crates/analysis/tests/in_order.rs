//! First come, first served in a server, against a server that goes from one unit of time to the next
//! and gives its budgets as late as it may, or at random.

use flyball_analysis::supply::{Inside, Rule};
use flyball_analysis::{Level, Response, SporadicTask, WorkLimit, fixed_priority};
use flyball_trace::Duration;
use proptest::prelude::*;
use std::collections::VecDeque;

fn units(count: u64) -> Duration {
    Duration::from_nanos(count)
}

/// What a server has, and when it has to have given it.
#[derive(Clone, Copy, Debug)]
struct Server {
    budget: u64,
    period: u64,
    deadline: u64,
    is_hard: bool,
}

/// A job: when it comes, what it computes, and whose it is.
type Job = (u64, u64, usize);

/// The longest response time of each task, if `gives` says whether the server is served in a unit in
/// which it need not be.
fn run(server: Server, jobs: &[Job], tasks: usize, mut gives: impl FnMut() -> bool) -> Vec<u64> {
    let mut worst = vec![0; tasks];
    let mut queue: VecDeque<(u64, u64, usize)> = VecDeque::new();
    let (mut left, mut until) = (0_u64, 0_u64);
    let mut jobs = jobs.iter().peekable();
    let mut now = 0_u64;
    while jobs.peek().is_some() || !queue.is_empty() {
        while let Some(&&(at, length, task)) = jobs.peek().filter(|job| job.0 == now) {
            let is_dense = left * server.deadline > until.saturating_sub(now) * server.budget;
            if queue.is_empty() && (now >= until || is_dense) {
                (left, until) = (server.budget, now + server.deadline);
            }
            queue.push_back((at, length, task));
            jobs.next();
        }
        if left == 0 && !queue.is_empty() && (!server.is_hard || now >= until) {
            (left, until) = (server.budget, until + server.period);
        }
        let is_forced = until.saturating_sub(now) <= left;
        if left > 0 && !queue.is_empty() && (is_forced || gives()) {
            left -= 1;
            let first = queue.front_mut().unwrap();
            first.1 -= 1;
            if first.1 == 0 {
                let (at, _, task) = *first;
                worst[task] = worst[task].max(now + 1 - at);
                queue.pop_front();
            }
        }
        now += 1;
    }
    worst
}

fn server() -> impl Strategy<Value = Server> {
    (1_u64..5, 0_u64..5, 0_u64..4, any::<bool>()).prop_map(|(budget, slack, rest, is_hard)| {
        Server {
            budget,
            period: budget + slack + rest,
            deadline: budget + slack,
            is_hard,
        }
    })
}

/// Execution times and periods.
fn tasks() -> impl Strategy<Value = Vec<(u64, u64)>> {
    prop::collection::vec((1_u64..4, 4_u64..40), 1..4)
}

/// The bounds, if the jobs of each task are done before its next one.
fn bounds(server: Server, tasks: &[(u64, u64)]) -> Option<Vec<u64>> {
    let known: Vec<_> = tasks
        .iter()
        .map(|&(wcet, period)| {
            SporadicTask::new(units(wcet), units(period), units(period)).unwrap()
        })
        .collect();
    let [budget, period, deadline] = [server.budget, server.period, server.deadline].map(units);
    let rule = if server.is_hard {
        Rule::HardConstantBandwidth
    } else {
        Rule::SoftConstantBandwidth
    };
    let server = SporadicTask::new(budget, period, deadline).unwrap();
    let supply = Inside::InOrder.supply(rule, &server).unwrap();
    let same = vec![Level(0); tasks.len()];
    let limit = WorkLimit::default();
    fixed_priority::response_times_on(supply, &known, &same, limit)
        .unwrap()
        .into_iter()
        .zip(tasks)
        .map(|(response, &(_, period))| match response {
            Response::Bounded(response) => Some(response.as_nanos()).filter(|it| *it <= period),
            _ => None,
        })
        .collect()
}

/// Jobs of each task from `first` on, at least a period apart and by `gap` more.
fn jobs(tasks: &[(u64, u64)], mut first: impl FnMut() -> u64, end: u64) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (task, &(wcet, period)) in tasks.iter().enumerate() {
        let mut at = first();
        while at < end {
            jobs.push((at, wcet, task));
            at += period + first();
        }
    }
    jobs.sort_by_key(|job| job.0);
    jobs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn no_job_takes_longer(
        server in server(),
        tasks in tasks(),
        gaps in prop::collection::vec(0_u64..12, 1..20),
        eager in prop::collection::vec(any::<bool>(), 1..30),
    ) {
        let Some(bounds) = bounds(server, &tasks) else { return Ok(()) };
        let mut gaps = gaps.into_iter().cycle();
        let jobs = jobs(&tasks, || gaps.next().unwrap(), 200);
        let mut eager = eager.into_iter().cycle();
        let seen = run(server, &jobs, tasks.len(), || eager.next().unwrap());
        for (seen, bound) in seen.iter().zip(&bounds) {
            prop_assert!(seen <= bound, "{:?} {:?}: {:?}, {:?}", server, tasks, seen, bound);
        }
    }

    /// If all come at once, and each budget as late as it may, the last of some instant takes as long:
    /// where the deadline is the end of the period.
    #[test]
    fn the_bound_is_reached(server in server(), tasks in tasks()) {
        let server = Server { deadline: server.period, ..server };
        let Some(bounds) = bounds(server, &tasks) else { return Ok(()) };
        let jobs = jobs(&tasks, || 0, 400);
        let seen = run(server, &jobs, tasks.len(), || false);
        prop_assert_eq!(seen.iter().max(), bounds.iter().max(), "{:?} {:?}", server, tasks);
    }
}

/// A whole CPU: the task that comes last waits for all others once.
#[test]
fn a_cpu_is_a_server() {
    let whole = Server {
        budget: 1,
        period: 1,
        deadline: 1,
        is_hard: true,
    };
    assert_eq!(
        bounds(whole, &[(2, 10), (3, 12), (4, 20)]),
        Some(vec![9; 3])
    );
    // With a half of it: two budgets of three after the first blackout of three.
    let half = Server {
        budget: 3,
        period: 6,
        deadline: 6,
        is_hard: true,
    };
    assert_eq!(bounds(half, &[(2, 20), (3, 20)]), Some(vec![11; 2]));
    assert_eq!(bounds(half, &[(2, 20), (9, 20)]), None);
}
