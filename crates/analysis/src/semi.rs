//! Semi-partitioned EDF: each task has a CPU, but for a few that no CPU has room for, which are
//! split.
//!
//! A split task has *shares*, one on each of several CPUs, and each of its jobs goes from one to
//! the next at instants that count from its release. On its CPU a share is a task like any other,
//! with a WCET, a deadline and the period, and an exact test of each CPU (processor demand,
//! [`edf_demand`]) says whether it has room:
//!
//! ```text
//!   release                                                   deadline
//!      |------- share 0, on CPU 2 -----|---- share 1, on CPU 0 ----|
//!    from 0                     until 0 = from 1                until 1
//! ```
//!
//! Jobs do not run on two CPUs at once, since a share begins where the one before it has to have
//! ended. How a task is split is the difference: [`edf_wm`](crate::edf_wm) and
//! [`c_equals_d`](crate::c_equals_d).
//!
//! Complexity: n m tests of a CPU for tasks that need not be split, and a few m for each share.

use crate::partition::by_utilisation;
use crate::{NoRoom, SporadicTask, Stop, WorkLimit, edf_demand, partitioned};
use flyball_trace::Duration;

/// For how many places on each CPU the work of one test has to do where a share is looked for.
const PLACES: usize = 4;

/// What a CPU does of each job of a task.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Share {
    /// Which CPU, from 0.
    pub cpu: usize,
    /// For how long at most.
    pub wcet: Duration,
    /// From when on, counted from the job's release.
    pub from: Duration,
    /// By when, counted from the job's release.
    pub until: Duration,
}

/// CPUs and the tasks and shares on them, all of which hold.
pub(crate) struct Cpus {
    here: Vec<Vec<SporadicTask>>,
    limit: WorkLimit,
    /// Why a test of a CPU stopped, if one did.
    stopped: Option<Stop>,
}

impl Cpus {
    pub(crate) fn count(&self) -> usize {
        self.here.len()
    }

    /// Whether `cpu` is known to hold with `task`, too; puts it there if so.
    fn take(&mut self, cpu: usize, task: SporadicTask) -> bool {
        let here = &mut self.here[cpu];
        here.push(task);
        let answer = partitioned::hold(here, self.limit);
        self.stopped = self.stopped.or(answer.stopped());
        if !answer.accepts() {
            here.pop();
        }
        answer.accepts()
    }

    /// Whether `cpu` is known to have room for a share.
    pub(crate) fn has_room(&mut self, cpu: usize, task: &SporadicTask, share: Share) -> bool {
        let Some(share) = as_task(task, share) else {
            return false;
        };
        let has_room = self.take(cpu, share);
        if has_room {
            self.here[cpu].pop();
        }
        has_room
    }

    /// The largest WCET up to `most` with which `cpu` is known to have room for the share that
    /// `share` makes of it; room for more has to mean room for less.
    pub(crate) fn most(
        &mut self,
        cpu: usize,
        task: &SporadicTask,
        most: Duration,
        share: impl Fn(Duration) -> Share,
    ) -> Duration {
        let part = |wcet| as_task(task, share(Duration::from_nanos(wcet)));
        let (here, limit) = (
            &self.here[cpu],
            self.limit.divided(PLACES * self.here.len()),
        );
        let found = edf_demand::largest_beside(here, most.as_nanos(), part, limit);
        self.stopped = self.stopped.or(found.stopped());
        found
            .proven()
            .copied()
            .map_or(Duration::ZERO, Duration::from_nanos)
    }
}

/// The share as its CPU sees it; `None` if there is nothing to do, or no time.
fn as_task(task: &SporadicTask, share: Share) -> Option<SporadicTask> {
    let window = share.until.saturating_sub(share.from);
    SporadicTask::new(share.wcet, task.period(), window).ok()
}

/// How a task is split that no CPU has room for: into shares in the order in which a job goes
/// through them, for which the CPUs have room. Whatever it says is tested again.
pub(crate) type Cut = fn(&mut Cpus, &SporadicTask) -> Option<Vec<Share>>;

/// The shares of each of the `tasks`, of which most have a single one: first-fit by falling
/// utilisation, and whatever no CPU has room for is split by `cut`, if it `may_be_split`.
///
/// # Errors
/// [`NoRoom`] for the first task that is not known to have a place.
pub(crate) fn split(
    tasks: &[SporadicTask],
    cpus: usize,
    limit: WorkLimit,
    may_be_split: impl Fn(usize) -> bool,
    cut: Cut,
) -> Result<Vec<Vec<Share>>, NoRoom> {
    let mut all = Cpus {
        here: vec![Vec::new(); cpus],
        limit,
        stopped: None,
    };
    let mut shares = vec![Vec::new(); tasks.len()];
    for number in by_utilisation(tasks) {
        let task = tasks[number];
        if let Some(cpu) = (0..cpus).find(|&cpu| all.take(cpu, task)) {
            shares[number] = vec![Share {
                cpu,
                wcet: task.wcet(),
                from: Duration::ZERO,
                until: task.deadline(),
            }];
            continue;
        }
        let is_plain = task.j() == 0 && task.b() == 0 && may_be_split(number);
        let parts = Some(&task).filter(|_| is_plain);
        let parts = parts.and_then(|task| cut(&mut all, task)).filter(|parts| {
            let mut parts = parts.iter();
            parts.all(|part| as_task(&task, *part).is_some_and(|known| all.take(part.cpu, known)))
        });
        shares[number] = parts.ok_or(NoRoom {
            task: number,
            stopped: all.stopped,
        })?;
    }
    Ok(shares)
}

#[cfg(test)]
mod tests {
    use crate::{NoRoom, Share, SporadicTask, Stop, WorkLimit, c_equals_d, edf_wm};
    use flyball_trace::Duration;
    use proptest::prelude::*;

    fn us(n: u64) -> Duration {
        Duration::from_micros(n)
    }

    fn task(c: u64, t: u64) -> SporadicTask {
        SporadicTask::new(us(c), us(t), us(t)).unwrap()
    }

    fn no_room(task: usize) -> Result<Vec<Vec<Share>>, NoRoom> {
        Err(NoRoom {
            task,
            stopped: None,
        })
    }

    fn share(cpu: usize, wcet: u64, from: u64, until: u64) -> Share {
        Share {
            cpu,
            wcet: us(wcet),
            from: us(from),
            until: us(until),
        }
    }

    /// By hand: three tasks of 2/3 on two CPUs. Of 30 us, C=D has the first 10 done at once on one
    /// CPU, which leaves the other task there 20 of 30. The other 10 are due within 20, beside 20
    /// due within 30.
    #[test]
    fn two_thirds_on_two_cpus() {
        let set = [task(20, 30); 3];
        let zero = c_equals_d::split(&set, 2, WorkLimit::default(), |_| true).unwrap();
        assert_eq!(zero[0], [share(0, 20, 0, 30)]);
        assert_eq!(zero[1], [share(1, 20, 0, 30)]);
        assert_eq!(zero[2], [share(0, 10, 0, 10), share(1, 10, 10, 30)]);
        // Windows of 15 each: 10 in each of them fit beside 20 in 30.
        let windows = edf_wm::split(&set, 2, WorkLimit::default(), |_| true).unwrap();
        assert_eq!(windows[2], [share(0, 10, 0, 15), share(1, 10, 15, 30)]);
        // A task that may not be split is not split.
        assert_eq!(
            edf_wm::split(&set, 2, WorkLimit::default(), |task| task != 2),
            no_room(2)
        );
        // More than there is.
        let four = [task(20, 30); 4];
        assert_eq!(
            edf_wm::split(&four, 2, WorkLimit::default(), |_| true),
            no_room(3)
        );
        assert_eq!(
            c_equals_d::split(&four, 2, WorkLimit::default(), |_| true),
            no_room(3)
        );
    }

    /// With a limit of three steps, the test of a CPU with two tasks stops: then the answer stays
    /// open.
    #[test]
    fn a_test_that_stops_leaves_it_open() {
        let set =
            [task(20, 30); 3].map(|it| SporadicTask::new(it.wcet(), it.period(), us(29)).unwrap());
        for split in [edf_wm::split, c_equals_d::split] {
            let open = split(&set, 2, WorkLimit::steps(3), |_| true).unwrap_err();
            assert_eq!(open.stopped, Some(Stop::WorkLimit));
        }
    }

    /// Five tasks of 0.51 on four CPUs.
    #[test]
    fn what_cannot_be_partitioned() {
        let set = [task(51, 100); 5];
        for split in [edf_wm::split, c_equals_d::split] {
            let shares = split(&set, 4, WorkLimit::default(), |_| true).unwrap();
            assert!(shares[..4].iter().all(|shares| shares.len() == 1));
            assert_eq!(shares[4].len(), 2);
        }
    }

    proptest! {
        /// Shares add up to their task, one after the other, on different CPUs; those of a CPU
        /// hold.
        #[test]
        fn shares_add_up(
            numbers in prop::collection::vec((1_u64..100, 0_usize..4), 1..12),
            cpus in 1_usize..5,
        ) {
            let periods = [20, 50, 60, 100];
            let set: Vec<_> = numbers
                .iter()
                .map(|&(percent, period)| task((periods[period] * percent / 100).max(1), periods[period]))
                .collect();
            for split in [edf_wm::split, c_equals_d::split] {
                let Ok(shares) = split(&set, cpus, WorkLimit::default(), |_| true) else {
                    continue;
                };
                let mut here = vec![Vec::new(); cpus];
                for (task, shares) in set.iter().zip(&shares) {
                    prop_assert_eq!(shares.iter().map(|share| share.wcet).sum::<Duration>(), task.wcet());
                    prop_assert_eq!(shares[0].from, Duration::ZERO);
                    prop_assert!(shares.last().unwrap().until <= task.deadline());
                    for pair in shares.windows(2) {
                        prop_assert!(pair[0].until <= pair[1].from);
                        prop_assert!(pair[0].cpu != pair[1].cpu);
                    }
                    for share in shares {
                        let window = share.until.saturating_sub(share.from);
                        here[share.cpu].push(SporadicTask::new(share.wcet, task.period(), window).unwrap());
                    }
                }
                for here in here {
                    prop_assert!(crate::edf_demand::test(&here, WorkLimit::default()).holds());
                }
            }
        }
    }
}
