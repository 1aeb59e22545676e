//! What is accepted, run: global EDF and global fixed priorities from one unit of time to the next,
//! with arrivals as early as they may be and with random ones.

use crate::gedf::random::{Random, accepts, sets};
use flyball_analysis::gedf::{Set, Task, Test, response_times};
use flyball_analysis::{Level, WorkLimit};
use std::cmp::Reverse;

/// A job that is under way.
#[derive(Clone, Copy)]
pub(crate) struct Job {
    pub(crate) task: usize,
    deadline: u64,
    /// When it has to be complete: at its deadline, or earlier.
    end: u64,
    left: u64,
}

/// Whether a job takes longer than `within` says of its task, up to `until`. `gap` is how much
/// longer than a period there is to the next arrival of a task, and how long to the first one. Jobs
/// with the smallest `key` run.
fn is_late<K: Ord>(
    tasks: &[Task],
    within: &[u64],
    cpus: u32,
    until: u64,
    key: impl Fn(&Job) -> K,
    mut gap: impl FnMut(&Task) -> u64,
) -> bool {
    let mut next: Vec<u64> = tasks.iter().map(&mut gap).collect();
    let mut jobs: Vec<Job> = Vec::new();
    for now in 0..until {
        for (task, next) in next.iter_mut().enumerate() {
            if *next == now {
                let Task {
                    wcet,
                    period,
                    deadline,
                } = tasks[task];
                jobs.push(Job {
                    task,
                    deadline: now + deadline,
                    end: now + within[task],
                    left: wcet,
                });
                *next += period + gap(&tasks[task]);
            }
        }
        jobs.sort_unstable_by_key(&key);
        for job in jobs.iter_mut().take(cpus as usize) {
            job.left -= 1;
        }
        jobs.retain(|job| job.left > 0);
        if jobs.iter().any(|job| job.end <= now + 1) {
            return true;
        }
    }
    false
}

/// Late by fixed priorities, in any of a few rounds: the tasks' positions, the most urgent one
/// first.
pub(crate) fn is_late_by_priorities(
    tasks: &[Task],
    cpus: u32,
    order: &[usize],
    random: &mut Random,
) -> bool {
    let key = |job: &Job| order.iter().position(|&task| task == job.task);
    is_late_by(tasks, cpus, key, random)
}

/// The same by levels, of which the larger are the more urgent; equals are served in the order of
/// their arrival.
pub(crate) fn is_late_by_levels(
    tasks: &[Task],
    cpus: u32,
    levels: &[Level],
    random: &mut Random,
) -> bool {
    let key = |job: &Job| {
        let arrival = job.deadline - tasks[job.task].deadline;
        (Reverse(levels[job.task]), arrival, job.task)
    };
    is_late_by(tasks, cpus, key, random)
}

fn is_late_by<K: Ord>(
    tasks: &[Task],
    cpus: u32,
    key: impl Fn(&Job) -> K + Copy,
    random: &mut Random,
) -> bool {
    let longest = tasks.iter().map(|task| task.period).max().unwrap_or(1);
    let deadlines: Vec<u64> = tasks.iter().map(|task| task.deadline).collect();
    let until = 30 * longest;
    (0..4).any(|round| is_late(tasks, &deadlines, cpus, until, key, gaps(round, random)))
}

/// How arrivals are spread: not at all, a little, or now and then by up to a period.
fn gaps(round: u32, random: &mut Random) -> impl FnMut(&Task) -> u64 {
    move |task| match round {
        0 => 0,
        1 => random.between(0, 1),
        _ if random.between(0, 3) == 0 => random.between(0, task.period),
        _ => 0,
    }
}

/// Nor does any job take longer than the bound of its response time, if there is one.
#[test]
fn nothing_that_is_accepted_is_late() {
    let [mut accepted, mut only, mut late, mut bounded] = [0_u64; 4];
    for seed in 0..sets(2000) {
        let mut random = Random(seed ^ 0x5eed);
        let longest = random.between(6, 20);
        let (tasks, cpus) = random.set(longest);
        if tasks.len() <= cpus as usize {
            continue;
        }
        let by = Test::ALL
            .into_iter()
            .find(|&which| accepts(which, &tasks, cpus));
        accepted += u64::from(by.is_some());
        only += u64::from(by == Some(Test::Rtalc));
        let until = 30 * longest;
        let set = Set::new(tasks.clone()).unwrap();
        let bounds = response_times(&set, cpus, WorkLimit::default());
        bounded += u64::from(bounds.is_some());
        let within = bounds.unwrap_or_else(|| tasks.iter().map(|task| task.deadline).collect());
        for round in 0..4 {
            let last = usize::try_from(random.between(0, tasks.len() as u64 - 1)).unwrap();
            // Of equal deadlines that of the task `last` comes last.
            let key = |job: &Job| (job.deadline, job.task == last, job.task);
            if is_late(&tasks, &within, cpus, until, key, gaps(round, &mut random)) {
                late += 1;
                assert_eq!(by, None, "{tasks:?} on {cpus}");
            }
        }
    }
    println!(
        "{accepted} accepted, {only} of them by the last test only, {bounded} with bounds, {late} late"
    );
    assert!(accepted > 200 && only > 20 && bounded > 150 && late > 200);
}
