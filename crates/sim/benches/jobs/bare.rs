//! A bare event loop of global EDF: what a simulator without a kernel, without overheads and
//! without a trace would take, and so a bound for one that has them.
//!
//! It does what the schedule needs and nothing else: a heap of releases, a heap of the jobs that
//! wait, and two tournaments of the CPUs, for the job that ends first and for the one whose
//! deadline is last.

use flyball_model::TaskSet;
use flyball_trace::Duration;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// No task runs there.
const IDLE: usize = usize::MAX;

/// The best of some values, one a CPU, kept up to date in O(log CPUs).
struct Tournament {
    leaves: usize,
    /// Row 1 is the root; the children of row `n` are rows `2 * n` and `2 * n + 1`.
    rows: Vec<(u64, usize)>,
}

impl Tournament {
    /// All values are the largest there is. The smallest wins; of equals the first.
    fn new(count: usize) -> Tournament {
        let leaves = count.next_power_of_two();
        let mut rows = vec![(u64::MAX, 0); 2 * leaves];
        for (number, row) in rows[leaves..].iter_mut().enumerate() {
            row.1 = number;
        }
        Tournament { leaves, rows }
    }

    fn best(&self) -> (u64, usize) {
        self.rows[1]
    }

    fn set(&mut self, number: usize, value: u64) {
        let mut row = self.leaves + number;
        self.rows[row].0 = value;
        while row > 1 {
            row /= 2;
            self.rows[row] = self.rows[2 * row].min(self.rows[2 * row + 1]);
        }
    }
}

/// Simulates periodic tasks under global EDF, on all CPUs of the set's platform, and returns how
/// many jobs have been completed by `until`. Deadlines are periods.
///
/// # Panics
/// If a deadline is missed: what happens then is not implemented.
pub(crate) fn simulate(set: &TaskSet, until: Duration) -> u64 {
    let until = until.as_nanos();
    let cpus = usize::from(set.platform.cpus);
    let length = |length: Option<Duration>| length.expect("all are periodic").as_nanos();
    let tasks = set.tasks.iter();
    let tasks: Vec<(u64, u64)> = tasks
        .map(|task| (length(task.arrival.period()), task.wcet.as_nanos()))
        .collect();
    // What the job of each task has left to compute, and when it is due.
    let mut left = vec![0; tasks.len()];
    let mut deadline = vec![0; tasks.len()];
    let mut releases: BinaryHeap<_> = (0..tasks.len()).map(|task| Reverse((0, task))).collect();
    let mut waiting = BinaryHeap::new();
    let mut runs = vec![IDLE; cpus];
    let mut free: Vec<usize> = (0..cpus).rev().collect();
    let mut ends = Tournament::new(cpus);
    // The latest deadline wins: the values are what is left of time afterwards.
    let mut latest = Tournament::new(cpus);
    let mut jobs = 0;
    loop {
        let (end, cpu) = ends.best();
        let release = releases.peek().map_or(u64::MAX, |&Reverse((at, _))| at);
        if end <= release {
            if end > until {
                break;
            }
            left[runs[cpu]] = 0;
            jobs += 1;
            let next = waiting.pop().map(|Reverse((_, task))| task);
            runs[cpu] = next.unwrap_or(IDLE);
            if let Some(task) = next {
                ends.set(cpu, end + left[task]);
                latest.set(cpu, u64::MAX - deadline[task]);
            } else {
                ends.set(cpu, u64::MAX);
                latest.set(cpu, u64::MAX);
                free.push(cpu);
            }
            continue;
        }
        if release >= until {
            break;
        }
        let Some(mut first) = releases.peek_mut() else {
            break;
        };
        let (now, task) = first.0;
        let (period, wcet) = tasks[task];
        assert!(left[task] == 0, "a deadline has been missed");
        first.0.0 = now + period;
        // The heap is put in order again.
        drop(first);
        left[task] = wcet;
        deadline[task] = now + period;
        let cpu = if let Some(cpu) = free.pop() {
            cpu
        } else {
            let (least, cpu) = latest.best();
            if deadline[task] >= u64::MAX - least {
                waiting.push(Reverse((deadline[task], task)));
                continue;
            }
            let old = runs[cpu];
            left[old] = ends.rows[ends.leaves + cpu].0 - now;
            waiting.push(Reverse((deadline[old], old)));
            cpu
        };
        runs[cpu] = task;
        ends.set(cpu, now + wcet);
        latest.set(cpu, u64::MAX - deadline[task]);
    }
    jobs
}
