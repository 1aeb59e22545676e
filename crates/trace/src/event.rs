//! What can happen in a schedule.
//!
//! Order in a trace is the order in which things happened; times never go backwards on one CPU.

use crate::{CpuId, Duration, Object, ServerId, Speed, TaskId, Time};
use core::fmt;

/// One thing that happened.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Event {
    /// When it happened.
    pub time: Time,
    /// The CPU on which it happened, or whose kernel noticed it.
    pub cpu: CpuId,
    /// What happened.
    pub kind: Kind,
}

/// The kinds of events. Jobs of a task are numbered from 1; job 0 stands for a thread that has no
/// jobs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A message or a signal asked for a job of a task whose jobs are released that way. It is
    /// released now, or as soon as the task's separation allows.
    Arrive {
        /// Whose job.
        task: TaskId,
        /// Which job.
        job: u32,
        /// The task that sent it, by the job that it works on; or, if an interrupt did, the one that
        /// it interrupted, if there was one.
        by: Option<TaskId>,
    },
    /// A job was released. The instant it counts from is `deadline` less the task's relative
    /// deadline, which is earlier than the event's time where the kernel noticed it late (at the
    /// next tick, for example).
    Release {
        /// Whose job.
        task: TaskId,
        /// Which job.
        job: u32,
        /// Absolute deadline; [`Time::NEVER`] where the task has none.
        deadline: Time,
    },
    /// A job was left out, because an earlier one is late: at its release, or while it waited.
    Skip {
        /// Whose job.
        task: TaskId,
        /// The job that will never run.
        job: u32,
    },
    /// A task began or went on to run on this CPU, in place of another one or of idleness.
    Dispatch {
        /// The task that runs now.
        task: TaskId,
        /// The job it works on.
        job: u32,
    },
    /// The CPU has nothing to run.
    Idle,
    /// The running task lost the CPU to another one, though it could have gone on.
    Preempt {
        /// The task that lost the CPU.
        task: TaskId,
        /// The job it worked on.
        job: u32,
    },
    /// The running task used up the burst that the policy had granted (its quantum, in round
    /// robin). If another task takes over, a [`Kind::Preempt`] follows.
    BurstEnd {
        /// Whose burst.
        task: TaskId,
        /// The job it worked on.
        job: u32,
    },
    /// The running task offered the CPU to its equals.
    Yield {
        /// The task that offered it.
        task: TaskId,
        /// The job it worked on.
        job: u32,
    },
    /// The running task has to wait for something.
    Block {
        /// The task that waits.
        task: TaskId,
        /// The job it works on.
        job: u32,
        /// What it waits for.
        on: Object,
    },
    /// What a task waited for has come (or will not come any more); it can run.
    Wake {
        /// The task that can run again.
        task: TaskId,
        /// The job it works on.
        job: u32,
    },
    /// A task became the owner of a mutex.
    Lock {
        /// The new owner.
        task: TaskId,
        /// Which mutex.
        mutex: u16,
    },
    /// The owner gave a mutex back.
    Unlock {
        /// The former owner.
        task: TaskId,
        /// Which mutex.
        mutex: u16,
    },
    /// Priority inheritance: `to` acts with the urgency of `from`, or with its own again.
    Inherit {
        /// Whose urgency changes.
        to: TaskId,
        /// The most urgent task that waits for it; `None`: no task waits any more.
        from: Option<TaskId>,
    },
    /// A job came to its end.
    Complete {
        /// Whose job.
        task: TaskId,
        /// Which job.
        job: u32,
    },
    /// A job was not complete at its deadline, or completed after it.
    Miss {
        /// Whose job.
        task: TaskId,
        /// Which job.
        job: u32,
    },
    /// A late job was given up.
    Abort {
        /// Whose job.
        task: TaskId,
        /// Which job.
        job: u32,
    },
    /// A thread came into being.
    Start {
        /// The new thread.
        task: TaskId,
    },
    /// A thread ended.
    Exit {
        /// The thread that ended.
        task: TaskId,
    },
    /// The periodic tick.
    Tick,
    /// A server has used up its budget.
    Exhaust {
        /// Whose budget.
        server: ServerId,
    },
    /// A server has CPU time up to another deadline than before, or more of it: a
    /// [`Kind::Budget`] that says how much follows, unless that is what it last had, and has not used.
    Replenish {
        /// Whose budget.
        server: ServerId,
        /// Up to when the budget counts.
        deadline: Time,
    },
    /// What is left of a server's budget from now on, until its tasks run.
    Budget {
        /// Whose budget.
        server: ServerId,
        /// How much CPU time is left; more than zero.
        left: Duration,
    },
    /// A server has run for longer than its budget was charged with: it had what others left over.
    Reclaim {
        /// Which server.
        server: ServerId,
        /// How much longer.
        length: Duration,
    },
    /// The reservation of a task has changed: from now on the task is entitled to `share` of a CPU in each
    /// `period`.
    Reserve {
        /// Whose reservation.
        task: TaskId,
        /// The share, in parts of [`Kind::WHOLE_CPU`].
        share: u32,
        /// The period.
        period: Duration,
    },
    /// A task gets less than it asks for: its share has been reduced, because the CPU is overloaded.
    Quality {
        /// The task.
        task: TaskId,
    },
    /// A queue holds another number of messages from now on. A message that a waiting thread gets at once is put
    /// in and taken out.
    Fill {
        /// Which queue.
        queue: u16,
        /// How many messages it holds.
        level: u16,
    },
    /// A source had messages for a queue that was full. They are lost.
    Overrun {
        /// Which queue.
        queue: u16,
        /// How many messages are lost.
        lost: u16,
    },
    /// A sink found fewer messages in a queue than it takes.
    Underrun {
        /// Which queue.
        queue: u16,
        /// How many messages were missing.
        missing: u16,
    },
    /// The CPU goes over to another operating point. The time that this takes is the kernel's.
    Speed {
        /// The new one.
        speed: Speed,
    },
    /// The CPU worked for the kernel, from the event's time on.
    Overhead {
        /// On what.
        cause: Cause,
        /// For how long.
        length: Duration,
    },
}

/// What a kernel spends time on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cause {
    /// Releasing jobs, waking sleepers and noticing misses, from the timer.
    Release,
    /// Choosing which task runs.
    Scheduling,
    /// Changing from one task's registers to another's.
    ContextSwitch,
    /// A task's call of the kernel.
    Call,
    /// The periodic tick itself.
    Tick,
    /// A run of the policy's controllers.
    Control,
    /// An interrupt from another CPU.
    Ipi,
    /// Going over to another operating point.
    Speed,
    /// Refilling caches after a preemption. This is charged to the preempted job, not to the
    /// kernel: it lengthens the job's execution.
    Cache,
}

impl Cause {
    /// Every cause, in the order in which a kernel comes to them.
    pub const ALL: [Cause; 9] = [
        Cause::Call,
        Cause::Tick,
        Cause::Control,
        Cause::Release,
        Cause::Ipi,
        Cause::Scheduling,
        Cause::Speed,
        Cause::ContextSwitch,
        Cause::Cache,
    ];

    pub(crate) const fn code(self) -> u16 {
        match self {
            Cause::Release => 0,
            Cause::Scheduling => 1,
            Cause::ContextSwitch => 2,
            Cause::Tick => 3,
            Cause::Ipi => 4,
            Cause::Cache => 5,
            Cause::Call => 6,
            Cause::Speed => 7,
            Cause::Control => 8,
        }
    }

    pub(crate) fn from_code(code: u16) -> Option<Cause> {
        Cause::ALL.into_iter().find(|cause| cause.code() == code)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Cause::Release => "release",
            Cause::Scheduling => "scheduling",
            Cause::ContextSwitch => "context switch",
            Cause::Call => "call",
            Cause::Tick => "tick",
            Cause::Control => "control",
            Cause::Ipi => "ipi",
            Cause::Speed => "speed",
            Cause::Cache => "cache",
        })
    }
}

impl Kind {
    /// The share of a whole CPU, in [`Kind::Reserve`].
    pub const WHOLE_CPU: u32 = 1 << 28;

    /// A share of [`Kind::Reserve`] in millionths of a CPU, to the nearest.
    pub fn share_ppm(share: u32) -> u64 {
        let whole = u64::from(Kind::WHOLE_CPU);
        (u64::from(share) * 1_000_000 + whole / 2) / whole
    }

    /// The task that the event is about, if it is about one.
    pub const fn task(&self) -> Option<TaskId> {
        let mut kind = *self;
        match kind.task_mut() {
            Some(task) => Some(*task),
            None => None,
        }
    }

    const fn task_mut(&mut self) -> Option<&mut TaskId> {
        match self {
            Kind::Arrive { task, .. }
            | Kind::Release { task, .. }
            | Kind::Skip { task, .. }
            | Kind::Dispatch { task, .. }
            | Kind::Preempt { task, .. }
            | Kind::BurstEnd { task, .. }
            | Kind::Yield { task, .. }
            | Kind::Block { task, .. }
            | Kind::Wake { task, .. }
            | Kind::Lock { task, .. }
            | Kind::Unlock { task, .. }
            | Kind::Inherit { to: task, .. }
            | Kind::Complete { task, .. }
            | Kind::Miss { task, .. }
            | Kind::Abort { task, .. }
            | Kind::Start { task }
            | Kind::Exit { task }
            | Kind::Reserve { task, .. }
            | Kind::Quality { task } => Some(task),
            Kind::Exhaust { .. }
            | Kind::Replenish { .. }
            | Kind::Budget { .. }
            | Kind::Reclaim { .. }
            | Kind::Fill { .. }
            | Kind::Overrun { .. }
            | Kind::Underrun { .. }
            | Kind::Idle
            | Kind::Tick
            | Kind::Speed { .. }
            | Kind::Overhead { .. } => None,
        }
    }

    /// The server that the event is about, if it is about one.
    pub const fn server(&self) -> Option<ServerId> {
        let mut kind = *self;
        match kind.server_mut() {
            Some(server) => Some(*server),
            None => None,
        }
    }

    const fn server_mut(&mut self) -> Option<&mut ServerId> {
        match self {
            Kind::Exhaust { server }
            | Kind::Replenish { server, .. }
            | Kind::Budget { server, .. }
            | Kind::Reclaim { server, .. } => Some(server),
            _ => None,
        }
    }

    /// Whether the event says what a server has, or what a task is entitled to. Such events are made of times,
    /// and what follows from them is seen in other events.
    pub const fn is_of_reservation(&self) -> bool {
        let is_of_task = matches!(self, Kind::Reserve { .. } | Kind::Quality { .. });
        is_of_task || self.server().is_some()
    }

    /// The queue whose level the event is about, or that overran or ran empty.
    pub const fn queue(&self) -> Option<u16> {
        match *self {
            Kind::Fill { queue, .. }
            | Kind::Overrun { queue, .. }
            | Kind::Underrun { queue, .. } => Some(queue),
            _ => None,
        }
    }

    /// The same kind of event about other tasks: `name` tells the new name of each.
    ///
    /// The cores of a partitioned system count their tasks each from zero; one trace of all of them
    /// needs one count.
    #[must_use]
    #[expect(
        clippy::inline_always,
        reason = "so that a kind that is known stays so"
    )]
    #[inline(always)]
    pub fn renamed(mut self, name: impl Fn(TaskId) -> TaskId) -> Kind {
        match &mut self {
            Kind::Block {
                on: Object::Task(other),
                ..
            } => *other = name(TaskId(*other)).0,
            Kind::Inherit {
                from: Some(other), ..
            }
            | Kind::Arrive {
                by: Some(other), ..
            } => *other = name(*other),
            _ => {}
        }
        if let Some(task) = self.task_mut() {
            *task = name(*task);
        } else if let Some(server) = self.server_mut() {
            *server = ServerId::of(name(server.task()));
        }
        self
    }

    /// The field's word for the kind: `release`, `dispatch`, …
    pub const fn name(&self) -> &'static str {
        match self {
            Kind::Arrive { .. } => "arrive",
            Kind::Release { .. } => "release",
            Kind::Skip { .. } => "skip",
            Kind::Dispatch { .. } => "dispatch",
            Kind::Idle => "idle",
            Kind::Preempt { .. } => "preempt",
            Kind::BurstEnd { .. } => "burst end",
            Kind::Yield { .. } => "yield",
            Kind::Block { .. } => "block",
            Kind::Wake { .. } => "wake",
            Kind::Lock { .. } => "lock",
            Kind::Unlock { .. } => "unlock",
            Kind::Inherit { .. } => "inherit",
            Kind::Complete { .. } => "complete",
            Kind::Miss { .. } => "miss",
            Kind::Abort { .. } => "abort",
            Kind::Start { .. } => "start",
            Kind::Exit { .. } => "exit",
            Kind::Tick => "tick",
            Kind::Exhaust { .. } => "exhaust",
            Kind::Replenish { .. } => "replenish",
            Kind::Budget { .. } => "budget",
            Kind::Reclaim { .. } => "reclaim",
            Kind::Reserve { .. } => "reserve",
            Kind::Quality { .. } => "quality",
            Kind::Fill { .. } => "fill",
            Kind::Overrun { .. } => "overrun",
            Kind::Underrun { .. } => "underrun",
            Kind::Speed { .. } => "speed",
            Kind::Overhead { .. } => "overhead",
        }
    }
}

/// One line that a person can read: `     12.5ms cpu0 dispatch   task 3 job 2`.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>14} cpu{} {:<9}",
            self.time,
            self.cpu,
            self.kind.name()
        )?;
        if let Some(task) = self.kind.task() {
            write!(f, " task {task}")?;
        }
        if let Some(server) = self.kind.server() {
            write!(f, " server {server}")?;
        }
        match self.kind {
            Kind::Release { job, deadline, .. } => write!(f, " job {job} deadline {deadline}"),
            Kind::Arrive {
                job, by: Some(by), ..
            } => write!(f, " job {job} by task {by}"),
            Kind::Arrive { job, by: None, .. }
            | Kind::Skip { job, .. }
            | Kind::Dispatch { job, .. }
            | Kind::Preempt { job, .. }
            | Kind::BurstEnd { job, .. }
            | Kind::Yield { job, .. }
            | Kind::Wake { job, .. }
            | Kind::Complete { job, .. }
            | Kind::Miss { job, .. }
            | Kind::Abort { job, .. } => write!(f, " job {job}"),
            Kind::Block { job, on, .. } => write!(f, " job {job} on {on}"),
            Kind::Lock { mutex, .. } | Kind::Unlock { mutex, .. } => write!(f, " mutex {mutex}"),
            Kind::Inherit {
                from: Some(from), ..
            } => write!(f, " from task {from}"),
            Kind::Inherit { from: None, .. } => write!(f, " no more"),
            Kind::Reserve { share, period, .. } => {
                let ppm = Kind::share_ppm(share);
                write!(
                    f,
                    " share {}.{:04} % period {period}",
                    ppm / 10_000,
                    ppm % 10_000
                )
            }
            Kind::Fill { queue, level } => write!(f, " queue {queue} level {level}"),
            Kind::Overrun { queue, lost } => write!(f, " queue {queue} lost {lost}"),
            Kind::Underrun { queue, missing } => write!(f, " queue {queue} missing {missing}"),
            Kind::Speed { speed } => write!(f, " {}", speed.0),
            Kind::Overhead { cause, length } => write!(f, " {cause} {length}"),
            Kind::Replenish { deadline, .. } => write!(f, " deadline {deadline}"),
            Kind::Budget { left, .. } => write!(f, " left {left}"),
            Kind::Reclaim { length, .. } => write!(f, " {length}"),
            Kind::Idle
            | Kind::Tick
            | Kind::Start { .. }
            | Kind::Exit { .. }
            | Kind::Quality { .. }
            | Kind::Exhaust { .. } => Ok(()),
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Object::Mutex(n) => write!(f, "mutex {n}"),
            Object::Semaphore(n) => write!(f, "semaphore {n}"),
            Object::Condition(n) => write!(f, "condition {n}"),
            Object::Queue(n) => write!(f, "queue {n}"),
            Object::Task(n) => write!(f, "task {n}"),
            Object::Clock => f.write_str("clock"),
            Object::Token => f.write_str("token"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_reads_as_one_line() {
        let event = Event {
            time: Time::from_nanos(12_500_000),
            cpu: CpuId(0),
            kind: Kind::Block {
                task: TaskId(3),
                job: 2,
                on: Object::Mutex(1),
            },
        };
        assert_eq!(
            std::format!("{event}"),
            "        12.5ms cpu0 block     task 3 job 2 on mutex 1"
        );
        let kind = Kind::Reserve {
            task: TaskId(3),
            share: Kind::WHOLE_CPU / 8,
            period: Duration::from_millis(40),
        };
        assert_eq!(
            std::format!("{}", Event { kind, ..event }),
            "        12.5ms cpu0 reserve   task 3 share 12.5000 % period 40ms"
        );
    }

    #[test]
    fn reservations_are_of_tasks_with_any_name() {
        let (task, share, period) = (TaskId(3), 5, Duration::from_millis(40));
        let reserve = |task| Kind::Reserve {
            task,
            share,
            period,
        };
        let quality = |task| Kind::Quality { task };
        for (kind, other) in [
            (reserve(task), reserve(TaskId(7))),
            (quality(task), quality(TaskId(7))),
        ] {
            assert_eq!(kind.renamed(|_| TaskId(7)), other);
            assert!(kind.is_of_reservation() && kind.server().is_none());
        }
        let server = ServerId(3);
        assert!(Kind::Exhaust { server }.is_of_reservation());
        assert!(!Kind::Start { task }.is_of_reservation());
    }

    #[test]
    fn shares_are_rounded_to_millionths() {
        let ppm = [
            0,
            1,
            134,
            135,
            Kind::WHOLE_CPU / 3,
            Kind::WHOLE_CPU,
            u32::MAX,
        ];
        assert_eq!(
            ppm.map(Kind::share_ppm),
            [0, 0, 0, 1, 333_333, 1_000_000, 16_000_000]
        );
    }
}
