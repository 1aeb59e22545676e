//! The interpreter: where a job is in its task's operations, and what it does next.

use crate::op::{Length, Op, Outcome};
use flyball_trace::Duration;

/// What a job asks of the machine that it runs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// To compute that long.
    Compute(Length),
    /// To sleep that long.
    Suspend(Length),
    /// To offer the CPU to equals.
    Yield,
    /// To run the policy's controllers.
    Control,
    /// To lock a mutex.
    Lock(u16),
    /// To unlock it.
    Unlock(u16),
    /// To wait for a semaphore.
    Wait(u16),
    /// To signal it.
    Signal(u16),
    /// To send a message.
    Send(u16),
    /// To receive a message.
    Receive(u16),
    /// To send a message if there is room.
    TrySend(u16),
    /// To receive a message if there is one.
    TryReceive(u16),
    /// To raise a gauge by so much.
    Raise(u16, u16),
    /// To lower a gauge by so much.
    Lower(u16, u16),
    /// To note what the job says of itself when it ends. That takes no time, and is no call of the
    /// kernel.
    Result(Outcome),
    /// To wait for memory for this part of its computations from now on, in millionths of their time at
    /// the fastest operating point. To say so takes no time, and is no call of the kernel.
    Stalls(u32),
    /// To end the job.
    End,
}

/// How far a job has come. `C` has a counter for each repetition that can be around an operation.
#[derive(Clone, Debug)]
pub struct Place<C> {
    /// The next operation.
    at: u32,
    counters: C,
}

impl<C: AsRef<[u32]> + AsMut<[u32]>> Place<C> {
    /// The beginning of a job.
    pub const fn new(counters: C) -> Place<C> {
        Place { at: 0, counters }
    }

    /// Goes back to the beginning, for a new job.
    pub fn restart(&mut self) {
        self.at = 0;
    }

    /// The number of the next operation.
    #[inline]
    pub fn next(&self) -> u32 {
        self.at
    }

    /// Goes on behind the next operation, which does not jump, and has been done.
    #[inline]
    pub fn pass(&mut self) {
        self.at += 1;
    }

    /// Whether the job has done all that it had to do, but for saying how it went. `op` tells the
    /// operation of a number.
    pub fn is_done(&self, op: impl Fn(u32) -> Op) -> bool {
        let mut at = self.at;
        loop {
            match op(at) {
                Op::End => return true,
                Op::Result(_) | Op::Stalls(_) => at += 1,
                Op::Again {
                    counter: Some(counter),
                    ..
                } if self.counters.as_ref().get(usize::from(counter)) == Some(&1) => at += 1,
                _ => return false,
            }
        }
    }

    /// The next operation that is not a jump; the one after it comes next. Goes back to the
    /// beginning at the end of a job. `op` tells the operation of a number, and `now` the time since the start.
    #[inline]
    pub fn step(&mut self, op: impl Fn(u32) -> Op, now: impl FnOnce() -> Duration) -> Call {
        let mut now = Some(now);
        loop {
            let mut next = op(self.at);
            self.at += 1;
            if let Op::ByClock { count, every } = next
                && let Some(now) = now.take()
            {
                next = op(self.at + turn(now(), every, count));
                self.at += u32::from(count);
            }
            return match next {
                Op::Begin { counter, times } => {
                    if let Some(counter) = self.counters.as_mut().get_mut(usize::from(counter)) {
                        *counter = times;
                    }
                    continue;
                }
                Op::Again { counter: None, to } => {
                    self.at = to;
                    continue;
                }
                Op::Again {
                    counter: Some(counter),
                    to,
                } => {
                    if let Some(counter) = self.counters.as_mut().get_mut(usize::from(counter)) {
                        *counter = counter.saturating_sub(1);
                        if *counter > 0 {
                            self.at = to;
                        }
                    }
                    continue;
                }
                Op::Compute(length) => Call::Compute(length),
                Op::Suspend(length) => Call::Suspend(length),
                Op::Yield => Call::Yield,
                Op::Control => Call::Control,
                Op::Lock(n) => Call::Lock(n),
                Op::Unlock(n) => Call::Unlock(n),
                Op::Wait(n) => Call::Wait(n),
                Op::Signal(n) => Call::Signal(n),
                Op::Send(n) => Call::Send(n),
                Op::Receive(n) => Call::Receive(n),
                Op::TrySend(n) => Call::TrySend(n),
                Op::TryReceive(n) => Call::TryReceive(n),
                Op::Raise(n, by) => Call::Raise(n, by),
                Op::Lower(n, by) => Call::Lower(n, by),
                // No image and no script has one where an operation that computes or sleeps has to be.
                Op::ByClock { .. } => continue,
                Op::Result(result) => Call::Result(result),
                Op::Stalls(millionths) => Call::Stalls(millionths),
                Op::End => {
                    self.at = 0;
                    Call::End
                }
            };
        }
    }
}

/// Which of `count` things is valid at `now`, each of which is for so long.
fn turn(now: Duration, every: Duration, count: u16) -> u32 {
    let turns = now.as_nanos() / every.as_nanos().max(1);
    u32::try_from(turns % u64::from(count).max(1)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_only_has_a_result_to_tell_is_done() {
        let ops = [Op::Yield, Op::Result(Outcome::Fixed(3)), Op::End];
        let op = |at: u32| ops[usize::try_from(at).unwrap()];
        let mut place = Place::new([0; 0]);
        assert!(!place.is_done(op));
        assert_eq!(place.step(op, || Duration::ZERO), Call::Yield);
        assert!(place.is_done(op));
        assert_eq!(
            place.step(op, || Duration::ZERO),
            Call::Result(Outcome::Fixed(3))
        );
        assert!(place.is_done(op));
        assert_eq!(place.step(op, || Duration::ZERO), Call::End);
    }

    #[test]
    fn repetitions_nest() {
        // Twice: lock 0, and three times unlock 1.
        let ops = [
            Op::Begin {
                counter: 0,
                times: 2,
            },
            Op::Lock(0),
            Op::Begin {
                counter: 1,
                times: 3,
            },
            Op::Unlock(1),
            Op::Again {
                counter: Some(1),
                to: 3,
            },
            Op::Again {
                counter: Some(0),
                to: 1,
            },
            Op::End,
        ];
        let op = |at: u32| ops[usize::try_from(at).unwrap()];
        let mut place = Place::new([0; 2]);
        for _ in 0..2 {
            for _ in 0..2 {
                assert_eq!(place.step(op, || Duration::ZERO), Call::Lock(0));
                for _ in 0..3 {
                    assert!(!place.is_done(op));
                    assert_eq!(place.step(op, || Duration::ZERO), Call::Unlock(1));
                }
            }
            assert!(place.is_done(op));
            assert_eq!(place.step(op, || Duration::ZERO), Call::End);
        }
    }

    #[test]
    fn the_clock_says_which_operation_is_done() {
        let ms = Duration::from_millis;
        let compute = |length| Op::Compute(Length::Fixed(ms(length)));
        let by_clock = Op::ByClock {
            count: 2,
            every: ms(30),
        };
        let ops = [by_clock, compute(1), compute(3), Op::Yield, Op::End];
        let op = |at: u32| ops[usize::try_from(at).unwrap()];
        let mut place = Place::new([0; 0]);
        for (now, length) in [(0, 1), (29, 1), (30, 3), (59, 3), (60, 1), (95, 3)] {
            assert!(!place.is_done(op));
            let call = place.step(op, || ms(now));
            assert_eq!(call, Call::Compute(Length::Fixed(ms(length))));
            assert_eq!(place.step(op, || ms(now)), Call::Yield);
            assert_eq!(place.step(op, || ms(now)), Call::End);
        }
    }
}
