//! A simulation that follows what was [`Seen`] on a machine, on a CPU with a kernel of its own.

use super::{CPU, Node};
use crate::program::Call;
use crate::seen::{KernelEntry, Seen, Stretch};
use flyball_catalogue::Scheduler;
use flyball_kernel::Trigger;
use flyball_policy::{CpuId, Duration, Time};
use flyball_trace::{Kind, Object, Sink};

/// The shortest time that there is. Where what was seen is followed, threads start so long after time zero: on a machine all
/// are there before the first one starts. What comes right after something else comes so long after it.
pub(super) const MOMENT: Duration = Duration::from_nanos(1);

/// How much longer a computation may take for each time that the kernel comes between: the way into it and out of it is on no
/// account.
const INTERRUPTED: Duration = Duration::from_micros(2);

/// A task that goes on is back from the kernel, and looks at the clock, so much later.
const WAY_OUT: Duration = Duration::from_micros(1);

/// How many calls of which nothing is seen may come one after the other.
const MOST_SILENT: u64 = 8;

/// Whether a call leaves no event where nothing comes of it.
fn may_be_silent(call: Call) -> bool {
    matches!(
        call,
        Call::Signal(_)
            | Call::Wait(_)
            | Call::Control
            | Call::TrySend(_)
            | Call::TryReceive(_)
            | Call::Raise(..)
            | Call::Lower(..)
    )
}

/// How far a simulation has come in what was seen.
pub(super) struct Follow {
    entries: Vec<KernelEntry>,
    /// The first entry that has not been simulated yet.
    next: usize,
    /// The first one that has not begun.
    begun: usize,
    stretches: Vec<Stretch>,
    /// The first stretch that is not over yet.
    stretch: usize,
    tolerance: Duration,
    /// How long an entry takes that decides nothing.
    usual: Option<Duration>,
    /// By row: how often the kernel has come between since a computation began.
    interrupted: Vec<u64>,
    /// What was seen of this entry.
    entry: Option<KernelEntry>,
    /// The timer, sources and sinks do not interrupt before this instant.
    interrupts_from: Time,
}

impl Follow {
    pub(super) fn new(seen: &Seen, cpu: CpuId, rows: usize) -> Follow {
        let (entries, stretches) = seen.of(cpu);
        let first = entries.first().map(|first| first.began);
        let alone = stretches.iter().filter(|stretch| stretch.is_short);
        let mut known: Vec<Duration> = alone.map(|stretch| stretch.lost).collect();
        known.sort_unstable();
        Follow {
            usual: known.get(known.len() / 2).copied(),
            entries,
            next: 0,
            begun: 0,
            interrupted: vec![0; rows],
            stretches,
            stretch: 0,
            tolerance: seen.tolerance(),
            entry: None,
            interrupts_from: first
                .filter(|&first| first <= Time::ZERO + seen.tolerance())
                .unwrap_or_default()
                .max(Time::ZERO + MOMENT),
        }
    }

    /// An entry of the kernel begins: the last one that was seen until now, if that was shortly before and no other one was it.
    pub(super) fn begin(&mut self, now: Time) {
        let begun = self.entries[self.next..].iter();
        self.next += begun.take_while(|entry| entry.began <= now).count();
        self.entry = match self.next.checked_sub(1) {
            Some(last) if last >= self.begun => Some(self.entries[last]),
            _ => None,
        };
        self.entry = self.entry.filter(|entry| self.is_near(entry.began, now));
        self.begun = self.next;
    }

    /// When an interrupt comes that is due at `due`.
    pub(super) fn interrupt(&self, due: Time) -> Time {
        due.max(self.interrupts_from)
    }

    /// The task of a row begins to compute.
    #[inline]
    pub(super) fn computes(follow: &mut Option<Box<Follow>>, row: usize) {
        if let Some(follow) = follow {
            follow.interrupted[row] = 0;
        }
    }

    fn is_near(&self, a: Time, b: Time) -> bool {
        a.since(b).max(b.since(a)) <= self.tolerance
    }

    /// How long an entry takes that began at `now` and decides nothing, where the simulation would say `costs`. All those of a
    /// stretch together take what it has lost; controllers take more or less than they would, and the last entry.
    fn took(&mut self, now: Time, costs: Duration, controls: bool) -> Duration {
        let over = self.stretches[self.stretch..].iter();
        self.stretch += over.take_while(|stretch| stretch.until <= now).count();
        let Some(stretch) = self.stretches.get_mut(self.stretch) else {
            return costs;
        };
        if now < stretch.from {
            return costs;
        }
        let usual = self.usual.unwrap_or(costs);
        let mut later = self.entries[self.next..]
            .iter()
            .map(|entry| entry.began)
            .take_while(|&began| began < stretch.until)
            .peekable();
        let gap = later.peek().unwrap_or(&stretch.until).since(now);
        let is_last = later.peek().is_none();
        let took = if controls || is_last {
            let mut others = Duration::ZERO;
            while let Some(began) = later.next() {
                let next = later.peek().unwrap_or(&stretch.until);
                others += usual.min(next.since(began));
            }
            stretch.lost.saturating_sub(others)
        } else {
            costs.min(stretch.lost)
        };
        let took = took.min(gap);
        stretch.lost = stretch.lost.saturating_sub(took);
        took
    }

    /// When the entry that began at `now` is over, where the simulation would say `leave`.
    fn left(&mut self, now: Time, leave: Time, is_new: bool, controls: bool) -> Time {
        let entry = self.entry.take();
        let controls = controls || entry.is_some_and(|entry| entry.first.is_of_reservation());
        let left = match entry.and_then(|entry| entry.decided) {
            // All threads are there when a machine's kernel starts.
            Some(decided) if is_new && self.next == 1 => return decided,
            Some(decided) if is_new => Some(decided),
            // A task that begins to compute has not been in the kernel.
            _ if leave > now || entry.is_some() => {
                let costs = self.usual.filter(|_| !controls).unwrap_or(leave.since(now));
                Some(now + self.took(now, costs, controls))
            }
            _ => None,
        };
        let left = left.filter(|&at| self.is_near(at, leave));
        let left = left.unwrap_or(leave).max(now);
        // It was over when the next one began.
        let next = self.entries.get(self.next).map(|next| next.began);
        match next {
            Some(next) if next < left && self.is_near(next, left) => next.max(now),
            _ => left,
        }
    }
}

impl<S: Scheduler, T: Sink> Node<S, T> {
    /// When a task that goes on at `now` is back from the kernel.
    #[inline]
    pub(super) fn back(&self, now: Time) -> Time {
        match self.follow {
            Some(_) => now + WAY_OUT,
            None => now,
        }
    }

    /// When a CPU leaves the kernel, which it entered at `now`, where the simulation would say `leave`; and what the
    /// task that runs has left to compute follows, too.
    pub(super) fn as_seen(&mut self, now: Time, leave: Time, is_new: bool, controls: bool) -> Time {
        let Some(mut follow) = self.follow.take() else {
            return leave;
        };
        let leave = follow.left(now, leave, is_new, controls);
        follow.interrupts_from = Time::ZERO;
        if let Some(next) = follow.entries.get(follow.next).map(|next| next.began) {
            let due = self.interrupt_due();
            let call = self.call(&follow, leave);
            if due <= next + MOMENT && follow.is_near(due.max(leave), next) {
                // What interrupts comes with that, or after the call.
                let calls = call.is_some_and(|(_, at)| at == next);
                follow.interrupts_from = if calls { next + MOMENT } else { next };
            }
            if let Some((row, at)) = call {
                self.threads[row].program.left = at.since(leave);
            }
        }
        if let Some(row) = self.lanes[CPU.index()].running {
            follow.interrupted[row] += 1;
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
        let clock = self.core.next_timer(CPU);
        clock.min(self.arrival_due()).min(self.devices.next)
    }

    /// Whether sources and sinks come before the timer where both interrupt at once.
    pub(super) fn devices_first(&self, now: Time) -> bool {
        let entry = self.follow.as_ref().and_then(|follow| follow.entry);
        entry.is_some_and(|entry| match entry.first {
            Kind::Fill { queue, .. } => self.devices.are_due(queue, entry.rises, now),
            Kind::Overrun { queue, .. } => self.devices.are_due(queue, true, now),
            Kind::Underrun { queue, .. } => self.devices.are_due(queue, false, now),
            _ => false,
        })
    }

    /// The row of the running task, and when it makes its next call, if that was seen near to where the simulation has it, or
    /// something else was seen there: it goes on at `leave`.
    fn call(&self, follow: &Follow, leave: Time) -> Option<(usize, Time)> {
        let row = self.lanes[CPU.index()].running?;
        let tolerance = follow.tolerance + INTERRUPTED * follow.interrupted[row];
        let is_near = |a: Time, b: Time| a.since(b).max(b.since(a)) <= tolerance;
        let ends = leave + self.threads[row].program.left;
        let mut program = self.threads[row].program.clone();
        let later = follow.entries[follow.next..].iter();
        let near = later
            .take_while(|entry| entry.began <= ends + tolerance)
            .filter(|entry| is_near(entry.began, ends));
        let (mut silent, mut is_usually_silent) = (0, false);
        while silent < MOST_SILENT {
            let call = match program.step(ends) {
                Call::Result(_) | Call::Stalls(_) => continue,
                // That is no call.
                Call::Compute(_) if silent == 0 => return None,
                call => call,
            };
            if let Some(entry) = near.clone().find(|entry| self.may_begin(row, call, entry)) {
                // The silent ones before it do not come too late.
                let latest = entry.began - follow.usual.unwrap_or_default() * silent;
                let at = if silent > 0 { latest.min(ends) } else { latest };
                return Some((row, at.max(leave)));
            }
            is_usually_silent |=
                silent == 0 && matches!(call, Call::Signal(_) | Call::Wait(_) | Call::Control);
            if !may_be_silent(call) {
                break;
            }
            silent += 1;
        }
        // The task has lost the CPU before it came to that.
        let next = follow.entries.get(follow.next)?.began;
        let is_late = !is_usually_silent && ends <= next && is_near(next, ends);
        is_late.then_some((row, next + MOMENT * 2))
    }

    /// Whether what happens first in an entry is what a call of a row does.
    fn may_begin(&self, row: usize, call: Call, entry: &KernelEntry) -> bool {
        let fills = |n: u16, rises: bool| {
            let is_same = matches!(entry.first, Kind::Fill { queue, .. } if queue == n && entry.rises == rises);
            is_same && !self.devices.are_due(n, rises, entry.began)
        };
        let is_its = entry.first.task() == Some(self.details[row].number);
        let blocks =
            |object| is_its && matches!(entry.first, Kind::Block { on, .. } if on == object);
        let wakes = |object| entry.waited == Some(object);
        let releases = |trigger| {
            let comes = matches!(
                entry.first,
                Kind::Arrive { .. } | Kind::Release { .. } | Kind::Skip { .. }
            );
            comes && self.triggers.contains(&trigger)
        };
        let moves = |n: u16, rises: bool| fills(n, rises) || wakes(Object::Queue(n));
        let inherits = matches!(entry.first, Kind::Inherit { .. });
        match call {
            Call::Compute(_) | Call::Result(_) | Call::Stalls(_) => false,
            Call::Control => entry.first.is_of_reservation(),
            Call::Suspend(_) => blocks(Object::Clock),
            Call::Wait(n) => blocks(Object::Semaphore(n)),
            Call::Yield => is_its && matches!(entry.first, Kind::Yield { .. }),
            Call::Lock(n) => {
                let locks = is_its && matches!(entry.first, Kind::Lock { .. });
                locks || inherits || blocks(Object::Mutex(n))
            }
            Call::Unlock(_) => inherits || is_its && matches!(entry.first, Kind::Unlock { .. }),
            Call::Signal(n) => {
                let semaphore = self.semaphores[usize::from(n)];
                wakes(Object::Semaphore(n)) || releases(Trigger::Semaphore(semaphore))
            }
            Call::Send(n) | Call::TrySend(n) => {
                let waits = matches!(call, Call::Send(_)) && blocks(Object::Queue(n));
                let queue = self.queues[usize::from(n)];
                waits || moves(n, true) || releases(Trigger::Queue(queue))
            }
            Call::Receive(n) => moves(n, false) || blocks(Object::Queue(n)),
            Call::TryReceive(n) => moves(n, false),
            Call::Raise(n, _) => fills(n, true),
            Call::Lower(n, _) => fills(n, false),
            Call::End => is_its && matches!(entry.first, Kind::Complete { .. }),
        }
    }
}
