//! EDF-WM: tasks that no CPU has room for are split into windows of equal length.
//!
//! A job of a split task has s windows of D/s, one on each of s CPUs. Within a window it runs as a
//! task with this deadline for up to its share there, and then waits for the next one, where it
//! comes by itself; so a CPU never has to know what happens on another. The share of a CPU is as
//! large as its exact test allows, and s as small as possible:
//!
//! ```text
//!   s = 3      |-- D/3 --|-- D/3 --|-- D/3 --|
//!   CPU 1      ▇▇▇____▇▇
//!   CPU 0                __▇▇▇▇____
//!   CPU 3                          ▇_________
//! ```
//!
//! Source: Kato, Yamasaki and Ishikawa, "Semi-partitioned scheduling of sporadic task systems on
//! multiprocessors", ECRTS 2009. They bound a share by a closed form and a test of its own; here it
//! is the largest that the processor demand analysis accepts, to the nanosecond. A window of a
//! deadline beyond the period ends within the period, so that two jobs never have the same one.
//!
//! Complexity: see [`semi`].

use crate::semi::{self, Cpus, Share};
use crate::{NoRoom, SporadicTask, WorkLimit};
use flyball_trace::Duration;
use std::cmp::Reverse;

/// The shares of each of the `tasks` on `cpus` CPUs, in the order in which a job goes through them.
/// Those that `may_be_split` are split where no CPU has room for them as a whole. A test of a CPU
/// may take up to `limit`; where it stops, another CPU or a smaller share is tried.
///
/// # Errors
/// [`NoRoom`] for the first task that is not known to have a place.
pub fn split(
    tasks: &[SporadicTask],
    cpus: usize,
    limit: WorkLimit,
    may_be_split: impl Fn(usize) -> bool,
) -> Result<Vec<Vec<Share>>, NoRoom> {
    semi::split(tasks, cpus, limit, may_be_split, cut)
}

fn cut(cpus: &mut Cpus, task: &SporadicTask) -> Option<Vec<Share>> {
    let time = task.deadline().min(task.period()).as_nanos();
    for windows in 2..=cpus.count() {
        let window = Duration::from_nanos(time / windows as u64);
        let mut shares: Vec<(usize, Duration)> = (0..cpus.count())
            .map(|cpu| {
                let most = cpus.most(cpu, task, window.min(task.wcet()), |wcet| Share {
                    cpu,
                    wcet,
                    from: Duration::ZERO,
                    until: window,
                });
                (cpu, most)
            })
            .collect();
        // The largest first; of equals the first CPU.
        shares.sort_by_key(|&(_, most)| Reverse(most));
        let mut left = task.wcet();
        let mut parts = Vec::with_capacity(windows);
        for &(cpu, most) in shares.iter().take(windows) {
            let wcet = most.min(left);
            if wcet.is_zero() {
                break;
            }
            left = left.saturating_sub(wcet);
            let from = window * parts.len() as u64;
            parts.push(Share {
                cpu,
                wcet,
                from,
                until: from + window,
            });
        }
        if left.is_zero() {
            return Some(parts);
        }
    }
    None
}
