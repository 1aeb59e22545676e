//! C=D: tasks that no CPU has room for are split so that all shares but the last have no time to
//! spare.
//!
//! A share whose deadline is its WCET is served at once, come what may; so a job of a split task
//! runs for C₁ on one CPU from its release on, and goes on on another one, where it has D − C₁ left
//! for the rest:
//!
//! ```text
//!   CPU 1      ▇▇▇▇|                         C₁ = D₁
//!   CPU 0          |___▇▇___▇▇▇▇|            C − C₁ within D − C₁
//! ```
//!
//! Each share is as large as the exact test of its CPU allows, and on the CPU where it can be
//! largest; a rest that has no room anywhere is split again. Room for a share means room for a
//! shorter one, whose job runs in a part of the same time.
//!
//! Source: Burns, Davis, Wang and Zhang, "Partitioned EDF scheduling for multiprocessors using a
//! C=D task splitting scheme", Real-Time Systems 48(1), 2012. They fill one CPU after the other;
//! here tasks are placed first-fit, and split only if that fails.
//!
//! Complexity: see [`semi`].

use crate::semi::{self, Cpus, Share};
use crate::{NoRoom, SporadicTask, WorkLimit};
use flyball_trace::Duration;

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
    let until = task.deadline().min(task.period());
    let mut parts: Vec<Share> = Vec::new();
    let mut left = task.wcet();
    let mut from = Duration::ZERO;
    loop {
        let unused = |cpu: &usize| parts.iter().all(|part| part.cpu != *cpu);
        let unused: Vec<usize> = (0..cpus.count()).filter(unused).collect();
        let rest = |cpu, wcet| Share {
            cpu,
            wcet,
            from,
            until,
        };
        let home = unused
            .iter()
            .copied()
            .find(|&cpu| cpus.has_room(cpu, task, rest(cpu, left)));
        if let Some(cpu) = home {
            parts.push(rest(cpu, left));
            return Some(parts);
        }
        // Something has to be left for the last share.
        let most = left.saturating_sub(Duration::from_nanos(1));
        let zero = |cpu, wcet| Share {
            until: from + wcet,
            ..rest(cpu, wcet)
        };
        let shares = unused
            .iter()
            .map(|&cpu| (cpus.most(cpu, task, most, |wcet| zero(cpu, wcet)), cpu));
        // The largest; of equals the first CPU.
        let (wcet, cpu) = shares.max_by_key(|&(most, cpu)| (most, std::cmp::Reverse(cpu)))?;
        if wcet.is_zero() || unused.len() < 2 {
            return None;
        }
        parts.push(zero(cpu, wcet));
        left = left.saturating_sub(wcet);
        from += wcet;
    }
}
