//! Where the jobs of a split task are: semi-partitioned scheduling.
//!
//! Each CPU has a kernel of its own. Most tasks stay where they are; a *split* one has several
//! subtasks on as many CPUs, and each of its jobs begins with the first, with that subtask's
//! deadline. When it has computed for its subtask it leaves the CPU, and arrives at the next one
//! when that subtask begins. When the job is complete the task migrates home, to the CPU of its
//! first subtask, where its next job is released (Kato, Yamasaki and Ishikawa, "Semi-partitioned
//! scheduling of sporadic task systems on multiprocessors", ECRTS 2009, section 3).
//!
//! ```text
//!   CPU 0   ▇▇▇____▇▇ = its subtask                    ▇▇
//!           |          ~~~ migrates ~~~~|   ~~~     |
//!   CPU 1                               __▇▇▇ done  |
//!           release                     next subtask   next release
//! ```
//!
//! This says where and when; the machine moves the thread from one kernel to another.

use flyball_trace::{CpuId, Duration, Time};

/// What one CPU does of each job of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subtask {
    /// Which CPU.
    pub cpu: CpuId,
    /// For how long at most, unless it is the last subtask.
    pub wcet: Duration,
    /// The start of the subtask, counted from the job's release; rising from subtask to subtask,
    /// and zero for the first.
    pub from: Duration,
    /// The subtask's deadline, counted from the job's release.
    pub until: Duration,
}

/// A split task on its way from CPU to CPU. `P` has its subtasks, in order, at least one.
#[derive(Clone, Debug)]
pub struct SplitTask<P> {
    subtasks: P,
    period: Duration,
    /// The release of its present job, or of the first one.
    release: Time,
    /// The present subtask: the one that began last.
    subtask: usize,
    /// The CPU time that it had used when that subtask began.
    had: Duration,
}

impl<P: AsRef<[Subtask]>> SplitTask<P> {
    /// A task whose jobs are released every `period`, the first at `release`.
    pub fn new(subtasks: P, period: Duration, release: Time) -> SplitTask<P> {
        debug_assert!(!subtasks.as_ref().is_empty() && !period.is_zero());
        SplitTask {
            subtasks,
            period,
            release,
            subtask: 0,
            had: Duration::ZERO,
        }
    }

    /// The index of the present subtask.
    pub fn subtask(&self) -> usize {
        self.subtask
    }

    /// The subtasks.
    pub fn subtasks(&self) -> &[Subtask] {
        self.subtasks.as_ref()
    }

    /// The CPU on which the task is released.
    pub fn home(&self) -> CpuId {
        self.subtasks()[0].cpu
    }

    /// The start of the next subtask, or the release of the next job: [`look`](SplitTask::look) has
    /// another answer then at the latest.
    pub fn next(&self) -> Time {
        match self.subtasks().get(self.subtask + 1) {
            Some(subtask) => self.release + subtask.from,
            None => self.release + self.period,
        }
    }

    /// The CPU time at which the present subtask is used up, and [`look`](SplitTask::look) has
    /// another answer; `None` in the last subtask.
    pub fn limit(&self) -> Option<Duration> {
        let is_last = self.subtask + 1 == self.subtasks().len();
        (!is_last).then(|| self.had + self.subtasks()[self.subtask].wcet)
    }

    /// Returns the CPU of the task at `now`; if it is migrating, the CPU that it goes to and the
    /// instant from which on it is there. `has_job`: a job is under way or waits; `used`: its CPU
    /// time so far. Times must not go back.
    pub fn look(&mut self, now: Time, has_job: bool, used: Duration) -> (CpuId, Time) {
        while self.next() <= now {
            let next = self.next();
            self.subtask = (self.subtask + 1) % self.subtasks().len();
            if self.subtask == 0 {
                self.release = next;
            }
            self.had = used;
        }
        let is_used_up = self.limit().is_some_and(|limit| used >= limit);
        if !has_job {
            (self.home(), now)
        } else if is_used_up {
            (self.subtasks()[self.subtask + 1].cpu, self.next())
        } else {
            (self.subtasks()[self.subtask].cpu, now)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn at(n: u64) -> Time {
        Time::from_millis(n)
    }

    /// 2 ms on CPU 0 within 4 ms, then 3 ms on CPU 1, every 10 ms from 1 ms on.
    fn two() -> SplitTask<[Subtask; 2]> {
        let subtask = |cpu, wcet, from, until| Subtask {
            cpu: CpuId(cpu),
            wcet: ms(wcet),
            from: ms(from),
            until: ms(until),
        };
        SplitTask::new([subtask(0, 2, 0, 4), subtask(1, 3, 4, 10)], ms(10), at(1))
    }

    #[test]
    fn a_task_that_has_used_up_its_part_waits_for_the_next_one() {
        let mut way = two();
        assert_eq!(way.look(at(2), true, ms(1)), (CpuId(0), at(2)));
        assert_eq!((way.next(), way.limit()), (at(5), Some(ms(2))));
        assert_eq!(way.look(at(3), true, ms(2)), (CpuId(1), at(5)));
        assert_eq!(way.look(at(5), true, ms(2)), (CpuId(1), at(5)));
        assert_eq!((way.next(), way.limit()), (at(11), None));
        assert_eq!(way.look(at(8), true, ms(5)), (CpuId(1), at(8)));
    }

    #[test]
    fn a_task_without_a_job_goes_home() {
        let mut way = two();
        assert_eq!(way.look(at(3), false, ms(2)), (CpuId(0), at(3)));
        assert_eq!(way.look(at(6), false, ms(2)), (CpuId(0), at(6)));
        // The next job has its subtask whatever the last one had.
        assert_eq!(way.look(at(11), true, ms(2)), (CpuId(0), at(11)));
        assert_eq!((way.subtask(), way.limit()), (0, Some(ms(4))));
    }

    #[test]
    fn a_late_task_goes_on_in_the_part_that_has_begun() {
        let mut way = two();
        // It had nothing of its first subtask, and gets the second one all the same.
        assert_eq!(way.look(at(5), true, ms(0)), (CpuId(1), at(5)));
        assert_eq!(way.look(at(11), true, ms(1)), (CpuId(0), at(11)));
        assert_eq!(way.limit(), Some(ms(3)));
        // Three periods later.
        assert_eq!(way.look(at(47), true, ms(1)), (CpuId(1), at(47)));
        assert_eq!(way.next(), at(51));
    }
}
