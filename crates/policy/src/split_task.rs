//! Where the jobs of a split task are: semi-partitioned scheduling.
//!
//! Each CPU has a kernel of its own. Most tasks stay where they are; a *split* one has several
//! parts on as many CPUs, and each of its jobs begins with the first, with that part's deadline.
//! When it has computed for its part it leaves the CPU, and arrives at the next one when that part
//! begins. When the job is complete the task migrates home, to the CPU of its first part, where its
//! next job is released (Kato, Yamasaki and Ishikawa, "Semi-partitioned scheduling of sporadic task
//! systems on multiprocessors", ECRTS 2009, section 3).
//!
//! ```text
//!   CPU 0   ▇▇▇____▇▇ = its part                    ▇▇
//!           |          ~~~ migrates ~~~~|   ~~~     |
//!   CPU 1                               __▇▇▇ done  |
//!           release                     next part   next release
//! ```
//!
//! This says where and when; the machine moves the thread from one kernel to another.

use flyball_trace::{CpuId, Duration, Time};

/// What one CPU does of each job of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Which CPU.
    pub cpu: CpuId,
    /// For how long at most, unless it is the last part.
    pub wcet: Duration,
    /// The start of the part, counted from the job's release; rising from part to part, and zero
    /// for the first.
    pub from: Duration,
    /// The part's deadline, counted from the job's release.
    pub until: Duration,
}

/// A split task on its way from CPU to CPU. `P` has its parts, in order, at least one.
#[derive(Clone, Debug)]
pub struct SplitTask<P> {
    parts: P,
    period: Duration,
    /// The release of its present job, or of the first one.
    release: Time,
    /// The present part: the one that began last.
    part: usize,
    /// The CPU time that it had used when that part began.
    had: Duration,
}

impl<P: AsRef<[Part]>> SplitTask<P> {
    /// A task whose jobs are released every `period`, the first at `release`.
    pub fn new(parts: P, period: Duration, release: Time) -> SplitTask<P> {
        debug_assert!(!parts.as_ref().is_empty() && !period.is_zero());
        SplitTask {
            parts,
            period,
            release,
            part: 0,
            had: Duration::ZERO,
        }
    }

    /// The index of the present part.
    pub fn part(&self) -> usize {
        self.part
    }

    /// The parts.
    pub fn parts(&self) -> &[Part] {
        self.parts.as_ref()
    }

    /// The CPU on which the task is released.
    pub fn home(&self) -> CpuId {
        self.parts()[0].cpu
    }

    /// The start of the next part, or the release of the next job: [`look`](SplitTask::look) has
    /// another answer then at the latest.
    pub fn next(&self) -> Time {
        match self.parts().get(self.part + 1) {
            Some(part) => self.release + part.from,
            None => self.release + self.period,
        }
    }

    /// The CPU time at which the present part is used up, and [`look`](SplitTask::look) has another
    /// answer; `None` in the last part.
    pub fn limit(&self) -> Option<Duration> {
        let is_last = self.part + 1 == self.parts().len();
        (!is_last).then(|| self.had + self.parts()[self.part].wcet)
    }

    /// Returns the CPU of the task at `now`; if it is migrating, the CPU that it goes to and the
    /// instant from which on it is there. `has_job`: a job is under way or waits; `used`: its CPU
    /// time so far. Times must not go back.
    pub fn look(&mut self, now: Time, has_job: bool, used: Duration) -> (CpuId, Time) {
        while self.next() <= now {
            let next = self.next();
            self.part = (self.part + 1) % self.parts().len();
            if self.part == 0 {
                self.release = next;
            }
            self.had = used;
        }
        let is_used_up = self.limit().is_some_and(|limit| used >= limit);
        if !has_job {
            (self.home(), now)
        } else if is_used_up {
            (self.parts()[self.part + 1].cpu, self.next())
        } else {
            (self.parts()[self.part].cpu, now)
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
    fn two() -> SplitTask<[Part; 2]> {
        let part = |cpu, wcet, from, until| Part {
            cpu: CpuId(cpu),
            wcet: ms(wcet),
            from: ms(from),
            until: ms(until),
        };
        SplitTask::new([part(0, 2, 0, 4), part(1, 3, 4, 10)], ms(10), at(1))
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
        // The next job has its part whatever the last one had.
        assert_eq!(way.look(at(11), true, ms(2)), (CpuId(0), at(11)));
        assert_eq!((way.part(), way.limit()), (0, Some(ms(4))));
    }

    #[test]
    fn a_late_task_goes_on_in_the_part_that_has_begun() {
        let mut way = two();
        // It had nothing of its first part, and gets the second one all the same.
        assert_eq!(way.look(at(5), true, ms(0)), (CpuId(1), at(5)));
        assert_eq!(way.look(at(11), true, ms(1)), (CpuId(0), at(11)));
        assert_eq!(way.limit(), Some(ms(3)));
        // Three periods later.
        assert_eq!(way.look(at(47), true, ms(1)), (CpuId(1), at(47)));
        assert_eq!(way.next(), at(51));
    }
}
