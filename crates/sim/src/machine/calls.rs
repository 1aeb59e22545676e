//! What running tasks do: they compute, and then make the calls of their programs. Sporadic jobs
//! arrive.

use super::follow::Follow;
use super::{CPU, Node};
use crate::error::SimError;
use crate::program::Call;
use crate::run::Deadlock;
use core::task::Poll;
use flyball_catalogue::Scheduler;
use flyball_kernel::{Error, Trigger};
use flyball_policy::{CpuId, TaskId, Time};
use flyball_trace::Sink;
use std::cmp::Reverse;

/// How often a task may call the kernel while no time passes. Far beyond what a task set can mean.
const MOST_CALLS: u64 = 1_000_000;

impl<S: Scheduler, T: Sink> Node<S, T> {
    /// The running task of a CPU has computed until `now`. If that was all, it goes on with its
    /// program.
    #[expect(clippy::inline_always, reason = "as for `next_on`")]
    #[inline(always)]
    pub(super) fn compute<const PLAIN: bool>(
        &mut self,
        cpu: CpuId,
        now: Time,
    ) -> Result<(), SimError> {
        match self.pause::<PLAIN>(cpu, now) {
            Some(row) => self.act(cpu, row, now),
            None => Ok(()),
        }
    }

    /// The running task of a CPU has computed until `now`. Returns its row if that was all; not if
    /// its job has been given up from elsewhere and the CPU has not heard of it yet:
    /// what it did since is for nothing, and the task may be at its next job on another CPU.
    #[expect(clippy::inline_always, reason = "as for `next_on`")]
    #[inline(always)]
    pub(super) fn pause<const PLAIN: bool>(&mut self, cpu: CpuId, now: Time) -> Option<usize> {
        let lane = &mut self.lanes[cpu.index()];
        let row = lane.running?;
        let ran = now.since(lane.resumed);
        lane.resumed = now;
        if !PLAIN && let Some(clocks) = &mut self.clocks {
            let stalls = self.threads[row].program.stalls();
            clocks.ran(cpu, self.details[row].number, stalls, ran);
        }
        if self.core.running_task(cpu).map(TaskId::index) != Some(row) {
            return None;
        }
        self.count_events(cpu, row, ran);
        let program = &mut self.threads[row].program;
        program.left = program.left.saturating_sub(ran);
        program.left.is_zero().then_some(row)
    }

    /// The running task makes its calls until it computes again, has to wait, or another task has
    /// become more urgent.
    #[inline(never)]
    pub(super) fn act(&mut self, cpu: CpuId, row: usize, now: Time) -> Result<(), SimError> {
        const ENDLESS: Time = Time::NEVER;
        let at = self.back(now);
        if self.calls.0 != now {
            self.calls = (now, 0);
        }
        loop {
            self.calls.1 += 1;
            if self.calls.1 > MOST_CALLS * self.threads.len() as u64 {
                return Err(SimError::Stuck {
                    task: self.details[row].name.clone(),
                    at: now,
                });
            }
            self.lanes[cpu.index()].unpaid += 1;
            let core = &mut self.core;
            let call = self.threads[row].program.step(at);
            let called = match call {
                Call::Compute(length) => {
                    // Computing is no call.
                    self.lanes[cpu.index()].unpaid -= 1;
                    let program = &mut self.threads[row].program;
                    let length = program.draw(length);
                    program.compute(length);
                    Follow::computes(&mut self.follow, row);
                    if !program.left.is_zero() {
                        return Ok(());
                    }
                    Ok(Poll::Ready(()))
                }
                Call::Result(result) => {
                    // Nor is it to note how the job went.
                    self.lanes[cpu.index()].unpaid -= 1;
                    self.threads[row].program.note(result);
                    continue;
                }
                Call::Stalls(millionths) => {
                    // Nor is it to go on to work of another kind.
                    self.lanes[cpu.index()].unpaid -= 1;
                    self.stall(cpu, row, millionths);
                    continue;
                }
                Call::Suspend(length) => {
                    let length = self.threads[row].program.draw(length);
                    core.sleep_until(cpu, now + length, now)
                }
                Call::Yield => core.yield_now(cpu, now).map(Poll::Ready),
                Call::Control => {
                    core.control(cpu, now);
                    Ok(Poll::Ready(()))
                }
                Call::Lock(n) => {
                    match core.lock(cpu, self.mutexes[usize::from(n)], ENDLESS, now) {
                        Err(Error::Deadlock) => {
                            self.deadlock.get_or_insert(Deadlock {
                                task: self.details[row].number,
                                mutex: n,
                                at: now,
                            });
                            // The kernel refuses to wait for ever; the task does it all the same.
                            self.core.sleep_until(cpu, ENDLESS, now)
                        }
                        locked => locked,
                    }
                }
                Call::Unlock(n) => core
                    .unlock(cpu, self.mutexes[usize::from(n)], now)
                    .map(Poll::Ready),
                Call::Wait(n) => core.wait(cpu, self.semaphores[usize::from(n)], ENDLESS, now),
                Call::Signal(n) => self.signal(cpu, n, now),
                Call::Send(n) => self.send(cpu, n, true, now),
                Call::TrySend(n) => self.send(cpu, n, false, now),
                Call::TryReceive(n) => core
                    .receive_now(cpu, self.queues[usize::from(n)], (), now)
                    .map(|_| Poll::Ready(())),
                Call::Raise(n, by) => self.change_gauge(cpu, n, by, true, now),
                Call::Lower(n, by) => self.change_gauge(cpu, n, by, false, now),
                Call::Receive(n) => {
                    core.receive(cpu, self.queues[usize::from(n)], (), ENDLESS, now)
                }
                Call::End => {
                    self.counts.jobs += 1;
                    let result = self.threads[row].program.take_result();
                    if self.threads[row].once {
                        core.exit_with(cpu, result, now).map(|()| Poll::Pending)
                    } else {
                        core.wait_next_with(cpu, result, now)
                    }
                }
            };
            let called = called.map_err(|error| self.failed(row, now, error))?;
            if call == Call::End && self.details[row].next.is_some() {
                self.turn(row)?;
            }
            if called.is_pending() {
                return Ok(());
            }
            // A call that takes time is over before the next one, and others may come in between.
            if !self.costs.call.is_zero() || self.follow.is_some() {
                return Ok(());
            }
            // Another task may be more urgent now. A job whose last call this was is complete all
            // the same: what it had left to do takes no time.
            let is_done = call != Call::End && self.threads[row].program.is_done();
            if self.core.needs_resched(cpu) && !is_done {
                return Ok(());
            }
        }
    }

    fn signal(&mut self, cpu: CpuId, n: u16, now: Time) -> Result<Poll<()>, Error> {
        let semaphore = self.semaphores[usize::from(n)];
        let releases = self.triggers.contains(&Trigger::Semaphore(semaphore));
        self.lanes[cpu.index()].released += u64::from(releases);
        self.core.signal(cpu, semaphore, now).map(Poll::Ready)
    }

    /// The running task sends a message, and waits for room or goes on without.
    fn send(&mut self, cpu: CpuId, n: u16, waits: bool, now: Time) -> Result<Poll<()>, Error> {
        let queue = self.queues[usize::from(n)];
        let releases = self.triggers.contains(&Trigger::Queue(queue));
        self.lanes[cpu.index()].released += u64::from(releases);
        if waits {
            return self.core.send(cpu, queue, &(), Time::NEVER, now);
        }
        let sent = self.core.send_now(cpu, queue, &(), now);
        sent.map(|_| Poll::Ready(()))
    }

    /// The running task raises or lowers a gauge.
    fn change_gauge(
        &mut self,
        cpu: CpuId,
        n: u16,
        by: u16,
        rises: bool,
        now: Time,
    ) -> Result<Poll<()>, Error> {
        let gauge = self.gauges[usize::from(n)].ok_or(Error::Unknown)?;
        let changed = if rises {
            self.core.raise_level(cpu, gauge, by, true, now)
        } else {
            self.core.lower_level(cpu, gauge, by, true, now)
        };
        changed.map(|_| Poll::Ready(()))
    }

    pub(super) fn failed(&self, row: usize, at: Time, error: Error) -> SimError {
        SimError::Call {
            task: self.details[row].name.clone(),
            at,
            error,
        }
    }

    /// When the kernel hears next of a job that its clock does not release; [`Time::NEVER`]: of none.
    #[inline]
    pub(super) fn arrival_due(&self) -> Time {
        let first = self.arrivals.peek();
        first.map_or(Time::NEVER, |&Reverse((at, _))| at)
    }

    /// The kernel hears of jobs that its clock does not release. Returns of how many.
    pub(super) fn arrive(&mut self, now: Time) -> Result<u32, SimError> {
        let mut arrived = 0;
        while let Some(&Reverse((at, row))) = self.arrivals.peek()
            && at <= now
        {
            self.arrivals.pop();
            let thread = self.threads[row].handle;
            let Some(arrivals) = &mut self.details[row].arrivals else {
                continue;
            };
            let arrival = arrivals.peek().arrival;
            match self.core.release(CPU, thread, arrival, now) {
                // A task that is tens of thousands of jobs behind loses some; the trace says so.
                Ok(()) | Err(Error::Full) => arrived += 1,
                // It has ended, so nothing more arrives.
                Err(Error::Dead) => continue,
                Err(error) => return Err(self.failed(row, now, error)),
            }
            arrivals.next();
            self.arrivals.push(Reverse((arrivals.peek().release, row)));
        }
        Ok(arrived)
    }
}
