//! Where the jobs of a split task are to be: semi-partitioned scheduling.
//!
//! Each CPU has a kernel of its own. Most tasks stay where they are; a *split* one has several parts, and
//! each of its jobs works on the first one, with that part's deadline. When it has had its part it leaves
//! the CPU, and comes to the next one when that part begins. When it is done it goes home, to the CPU of
//! its first part, where its next job is released (Kato, Yamasaki and Ishikawa, "Semi-partitioned
//! scheduling of sporadic task systems on multiprocessors", ECRTS 2009, section 3).
//!
//! ```text
//!   CPU 0   ▇▇▇____▇▇ = its part                    ▇▇
//!           |          ~~~ under way ~~~|   ~~~     |
//!   CPU 1                               __▇▇▇ done  |
//!           release                     next part   next release
//! ```
//!
//! This says where and when; to take the thread from one kernel to another is what the machine does.

use flyball_trace::{CpuId, Duration, Time};

/// What one CPU does of each job of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Which CPU.
    pub cpu: CpuId,
    /// For how long at most, unless it is the last part.
    pub wcet: Duration,
    /// From when on, counted from the job's release; rising from part to part, and zero for the first.
    pub from: Duration,
    /// The part's deadline, counted from the job's release.
    pub until: Duration,
}

/// The way of a split task. `P` has its parts, in order, at least one.
#[derive(Clone, Debug)]
pub struct SplitTask<P> {
    parts: P,
    period: Duration,
    /// When its present job was released, or the first is going to be.
    release: Time,
    /// The part whose time it is.
    part: usize,
    /// The CPU time that it had used when that part began.
    had: Duration,
}

impl<P: AsRef<[Part]>> SplitTask<P> {
    /// The way of a task whose jobs are released every `period`, the first at `release`.
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

    /// The number of the part whose time it is.
    pub fn part(&self) -> usize {
        self.part
    }

    /// The parts.
    pub fn parts(&self) -> &[Part] {
        self.parts.as_ref()
    }

    /// Where the task is released.
    pub fn home(&self) -> CpuId {
        self.parts()[0].cpu
    }

    /// When the next part begins, or the next job is released: the latest time at which to
    /// [`look`](SplitTask::look) again.
    pub fn next(&self) -> Time {
        match self.parts().get(self.part + 1) {
            Some(part) => self.release + part.from,
            None => self.release + self.period,
        }
    }

    /// The CPU time that it will have used when it has had its part, and it is time to
    /// [`look`](SplitTask::look) again; nothing limits the last part.
    pub fn limit(&self) -> Option<Duration> {
        let is_last = self.part + 1 == self.parts().len();
        (!is_last).then(|| self.had + self.parts()[self.part].wcet)
    }

    /// Where the task is to be at `now`, or if it is on its way, where to and from when on. `has_job`: it
    /// works on a job, or has one to work on; `used`: its CPU time so far. Times must not go back.
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
    fn who_has_had_his_part_waits_for_the_next_one() {
        let mut way = two();
        assert_eq!(way.look(at(2), true, ms(1)), (CpuId(0), at(2)));
        assert_eq!((way.next(), way.limit()), (at(5), Some(ms(2))));
        assert_eq!(way.look(at(3), true, ms(2)), (CpuId(1), at(5)));
        assert_eq!(way.look(at(5), true, ms(2)), (CpuId(1), at(5)));
        assert_eq!((way.next(), way.limit()), (at(11), None));
        assert_eq!(way.look(at(8), true, ms(5)), (CpuId(1), at(8)));
    }

    #[test]
    fn who_is_done_goes_home() {
        let mut way = two();
        assert_eq!(way.look(at(3), false, ms(2)), (CpuId(0), at(3)));
        assert_eq!(way.look(at(6), false, ms(2)), (CpuId(0), at(6)));
        // The next job has its part whatever the last one had.
        assert_eq!(way.look(at(11), true, ms(2)), (CpuId(0), at(11)));
        assert_eq!((way.part(), way.limit()), (0, Some(ms(4))));
    }

    #[test]
    fn who_is_late_goes_on_where_it_is_time_for() {
        let mut way = two();
        // He has had nothing of his first part, and has the second one all the same.
        assert_eq!(way.look(at(5), true, ms(0)), (CpuId(1), at(5)));
        assert_eq!(way.look(at(11), true, ms(1)), (CpuId(0), at(11)));
        assert_eq!(way.limit(), Some(ms(3)));
        // Three periods later.
        assert_eq!(way.look(at(47), true, ms(1)), (CpuId(1), at(47)));
        assert_eq!(way.next(), at(51));
    }
}
