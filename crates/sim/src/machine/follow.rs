//! A simulation that follows what was [`Seen`] on a machine, on a CPU with a kernel of its own.

use super::{CPU, Node};
use crate::program::Call;
use crate::seen::{KernelEntry, Seen};
use flyball_catalogue::Scheduler;
use flyball_policy::{CpuId, Duration, Time};
use flyball_trace::{Kind, Sink};

/// The shortest time that there is. Where what was seen is followed, threads start so long after time zero: on a machine all
/// are there before the first one starts. What comes right after something else comes so long after it.
pub(super) const MOMENT: Duration = Duration::from_nanos(1);

/// How far a simulation has come in what was seen.
pub(super) struct Follow {
    entries: Vec<KernelEntry>,
    /// The first entry that has not been simulated yet.
    next: usize,
    tolerance: Duration,
    /// How long an entry takes that decides nothing.
    usual: Option<Duration>,
    /// What was seen of this entry.
    entry: Option<KernelEntry>,
    /// The timer, sources and sinks do not interrupt before this instant.
    interrupts_from: Time,
}

impl Follow {
    pub(super) fn new(seen: &Seen, cpu: CpuId) -> Follow {
        let entries = seen.of(cpu);
        let first = entries.first().map(|first| first.began);
        let mut known: Vec<Duration> = entries.iter().filter_map(|entry| entry.took).collect();
        known.sort_unstable();
        Follow {
            usual: known.get(known.len() / 2).copied(),
            entries,
            next: 0,
            tolerance: seen.tolerance(),
            entry: None,
            interrupts_from: first
                .filter(|&first| first <= Time::ZERO + seen.tolerance())
                .unwrap_or_default(),
        }
    }

    /// An entry of the kernel begins.
    pub(super) fn begin(&mut self, now: Time) {
        self.entry = None;
        while let Some(entry) = self.entries.get(self.next)
            && entry.began <= now
        {
            self.next += 1;
            if entry.began >= now {
                self.entry = Some(*entry);
                break;
            }
        }
    }

    /// When an interrupt comes that is due at `due`.
    pub(super) fn interrupt(&self, due: Time) -> Time {
        due.max(self.interrupts_from)
    }

    fn is_near(&self, a: Time, b: Time) -> bool {
        a.since(b).max(b.since(a)) <= self.tolerance
    }

    /// When the entry that began at `now` is over, where the simulation would say `leave`.
    fn left(&mut self, now: Time, leave: Time, is_new: bool) -> Time {
        let entry = self.entry.take();
        // A task that begins to compute has not been in the kernel.
        let took = entry.and_then(|entry| entry.took).or(self.usual);
        let took = took.filter(|_| leave > now).map(|took| now + took);
        let decided = entry.and_then(|entry| entry.decided);
        let left = decided.filter(|_| is_new).or(took);
        let left = left.filter(|&at| self.is_near(at, leave));
        let left = left.unwrap_or(leave);
        // It was over when the next one began.
        let next = self.entries.get(self.next).map(|next| next.began);
        match next {
            Some(next) if next < left && self.is_near(next, left) => next.max(now),
            _ => left,
        }
    }
}

impl<S: Scheduler, T: Sink> Node<S, T> {
    /// When a CPU leaves the kernel, which it entered at `now`, where the simulation would say `leave`; and what the
    /// task that runs has left to compute follows, too.
    pub(super) fn as_seen(&mut self, now: Time, leave: Time, is_new: bool) -> Time {
        let Some(mut follow) = self.follow.take() else {
            return leave;
        };
        let leave = follow.left(now, leave, is_new);
        follow.interrupts_from = Time::ZERO;
        if let Some(next) = follow.entries.get(follow.next).map(|next| next.began) {
            let due = self.interrupt_due();
            let call = self.call(&follow, leave);
            if call.is_some_and(|(_, at)| at == next) {
                // What interrupts comes after it.
                follow.interrupts_from = next + MOMENT;
            } else if due <= next + MOMENT && follow.is_near(due, next) {
                follow.interrupts_from = next;
            }
            if let Some((row, at)) = call {
                self.threads[row].program.left = at.since(leave);
            }
        }
        self.follow = Some(follow);
        leave
    }

    /// Whether the timer, sources and sinks have to wait, as they did on the machine.
    #[inline]
    pub(super) fn is_held(&self, now: Time) -> bool {
        self.follow
            .as_ref()
            .is_some_and(|follow| now < follow.interrupts_from)
    }

    /// When the timer is due, a source, a sink, or a job that does not come with the clock.
    pub(super) fn interrupt_due(&self) -> Time {
        let arrival = self.arrivals.peek().map(|arrival| arrival.0.0);
        self.core
            .next_timer(CPU)
            .min(arrival.unwrap_or(Time::NEVER))
            .min(self.devices.next)
    }

    /// The row of the running task, and when it makes its next call, if that was seen near to where the simulation has it, or
    /// something else was seen there: it goes on at `leave`.
    fn call(&self, follow: &Follow, leave: Time) -> Option<(usize, Time)> {
        let row = self.lanes[CPU.index()].running?;
        let program = &self.threads[row].program;
        let ends = leave + program.left;
        let mut program = program.clone();
        let call = loop {
            match program.step(ends) {
                Call::Result(_) | Call::Stalls(_) => {}
                call => break call,
            }
        };
        let later = follow.entries[follow.next..].iter();
        let mut near = later
            .take_while(|entry| entry.began <= ends + follow.tolerance)
            .filter(|entry| follow.is_near(entry.began, ends));
        let seen = near
            .find(|entry| self.may_begin(call, entry))
            .map(|entry| entry.began);
        // Of these there is no event where nothing comes of them.
        let may_be_silent = matches!(call, Call::Signal(_) | Call::Wait(_) | Call::Control);
        let late = || {
            // The task has lost the CPU before it came to that.
            let next = follow.entries.get(follow.next)?.began;
            let is_late = !may_be_silent && ends <= next && follow.is_near(next, ends);
            is_late.then_some(next + MOMENT * 2)
        };
        Some((row, seen.or_else(late)?))
    }

    /// Whether what happens first in an entry is what a call does.
    fn may_begin(&self, call: Call, entry: &KernelEntry) -> bool {
        let fills = |n: u16, rises: bool| {
            let is_same = matches!(entry.first, Kind::Fill { queue, .. } if queue == n && entry.rises == rises);
            is_same && !self.devices.are_due(n, rises, entry.began)
        };
        let blocks = matches!(entry.first, Kind::Block { .. });
        let wakes = matches!(
            entry.first,
            Kind::Wake { .. } | Kind::Arrive { .. } | Kind::Release { .. } | Kind::Skip { .. }
        );
        match call {
            Call::Compute(_) | Call::Result(_) | Call::Stalls(_) | Call::Control => false,
            Call::Suspend(_) | Call::Wait(_) => blocks,
            Call::Yield => matches!(entry.first, Kind::Yield { .. }),
            Call::Lock(_) => {
                blocks || matches!(entry.first, Kind::Lock { .. } | Kind::Inherit { .. })
            }
            Call::Unlock(_) => matches!(entry.first, Kind::Unlock { .. } | Kind::Inherit { .. }),
            Call::Signal(_) => wakes,
            Call::Send(n) | Call::TrySend(n) => fills(n, true) || blocks || wakes,
            Call::Receive(n) | Call::TryReceive(n) => fills(n, false) || blocks || wakes,
            Call::Raise(n, _) => fills(n, true),
            Call::Lower(n, _) => fills(n, false),
            Call::End => matches!(entry.first, Kind::Complete { .. }),
        }
    }
}
