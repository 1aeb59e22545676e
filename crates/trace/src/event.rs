//! What can happen in a schedule, and its compact binary form.
//!
//! An [`Event`] is what programs work with; a [`Record`] is the same thing in 24 bytes, for ring
//! buffers in a kernel's memory and for files:
//!
//! ```text
//!  0        8        16     20     22     23     24      little-endian
//!  | time   | value  | job  | task | kind | cpu  |
//! ```
//!
//! `value` is the absolute deadline of a release, the object of a block, or a length of time. The
//! width is fixed so that a ring can drop its oldest record without decoding it.
//!
//! Order in a trace is the order in which things happened; times never go backwards on one CPU.

use crate::{CpuId, Duration, Object, TaskId, Time};
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
    /// A release was left out, because an earlier job is late.
    Skip {
        /// Whose job.
        task: TaskId,
        /// The job that will never run.
        job: u32,
    },
    /// A task began or went on to run on this CPU, in place of another one or of idleness.
    Dispatch {
        /// Who runs now.
        task: TaskId,
        /// The job it works on.
        job: u32,
    },
    /// The CPU has nothing to run.
    Idle,
    /// The running task lost the CPU to another one, though it could have gone on.
    Preempt {
        /// Who lost the CPU.
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
        /// Who offered.
        task: TaskId,
        /// The job it worked on.
        job: u32,
    },
    /// The running task has to wait for something.
    Block {
        /// Who waits.
        task: TaskId,
        /// The job it works on.
        job: u32,
        /// What it waits for.
        on: Object,
    },
    /// What a task waited for has come (or will not come any more); it can run.
    Wake {
        /// Who can run again.
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
        /// The most urgent task that waits for it; `None`: nobody waits any more.
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
    /// Releasing jobs and waking sleepers from the timer.
    Release,
    /// Choosing who runs.
    Scheduling,
    /// Changing from one task's registers to another's.
    ContextSwitch,
    /// The periodic tick itself.
    Tick,
    /// An interrupt from another CPU.
    Ipi,
    /// Refilling caches after a preemption. This is charged to the preempted job, not to the
    /// kernel: it lengthens the job's execution.
    Cache,
}

impl Cause {
    /// Every cause, in the order in which a kernel comes to them.
    pub const ALL: [Cause; 6] = [
        Cause::Tick,
        Cause::Release,
        Cause::Ipi,
        Cause::Scheduling,
        Cause::ContextSwitch,
        Cause::Cache,
    ];

    const fn code(self) -> u16 {
        match self {
            Cause::Release => 0,
            Cause::Scheduling => 1,
            Cause::ContextSwitch => 2,
            Cause::Tick => 3,
            Cause::Ipi => 4,
            Cause::Cache => 5,
        }
    }

    fn from_code(code: u16) -> Option<Cause> {
        Cause::ALL.into_iter().find(|cause| cause.code() == code)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Cause::Release => "release",
            Cause::Scheduling => "scheduling",
            Cause::ContextSwitch => "context switch",
            Cause::Tick => "tick",
            Cause::Ipi => "ipi",
            Cause::Cache => "cache",
        })
    }
}

impl Kind {
    /// The task that the event is about, if it is about one.
    pub const fn task(&self) -> Option<TaskId> {
        match *self {
            Kind::Release { task, .. }
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
            | Kind::Exit { task } => Some(task),
            Kind::Idle | Kind::Tick | Kind::Overhead { .. } => None,
        }
    }

    /// The same kind of event about other tasks: `name` tells the new name of each.
    ///
    /// The cores of a partitioned system count their tasks each from zero; one trace of all of them
    /// needs one count.
    #[must_use]
    pub fn renamed(mut self, name: impl Fn(TaskId) -> TaskId) -> Kind {
        if let Kind::Block {
            on: Object::Task(other),
            ..
        } = &mut self
        {
            *other = name(TaskId(*other)).0;
        }
        if let Kind::Inherit {
            from: Some(from), ..
        } = &mut self
        {
            *from = name(*from);
        }
        match &mut self {
            Kind::Release { task, .. }
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
            | Kind::Exit { task } => *task = name(*task),
            Kind::Idle | Kind::Tick | Kind::Overhead { .. } => {}
        }
        self
    }

    /// The field's word for the kind: `release`, `dispatch`, …
    pub const fn name(&self) -> &'static str {
        match self {
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
            Kind::Overhead { .. } => "overhead",
        }
    }
}

/// An event in 24 bytes. Every event has exactly one record; not every 24 bytes are a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record(pub [u8; Record::SIZE]);

impl Record {
    /// The length of a record in bytes.
    pub const SIZE: usize = 24;

    /// The event that this record stands for, or `None` if the bytes are not one.
    pub fn decode(&self) -> Option<Event> {
        let [
            t0,
            t1,
            t2,
            t3,
            t4,
            t5,
            t6,
            t7,
            v0,
            v1,
            v2,
            v3,
            v4,
            v5,
            v6,
            v7,
            j0,
            j1,
            j2,
            j3,
            i0,
            i1,
            code,
            cpu,
        ] = self.0;
        let value = u64::from_le_bytes([v0, v1, v2, v3, v4, v5, v6, v7]);
        let job = u32::from_le_bytes([j0, j1, j2, j3]);
        let task = TaskId(u16::from_le_bytes([i0, i1]));
        let small = u16::try_from(value).ok();
        let kind = match code {
            0 => Kind::Release {
                task,
                job,
                deadline: Time::from_nanos(value),
            },
            1 => Kind::Skip { task, job },
            2 => Kind::Dispatch { task, job },
            3 => Kind::Idle,
            4 => Kind::Preempt { task, job },
            5 => Kind::BurstEnd { task, job },
            6 => Kind::Yield { task, job },
            7 => Kind::Block {
                task,
                job,
                on: unpack_object(value)?,
            },
            8 => Kind::Wake { task, job },
            9 => Kind::Lock {
                task,
                mutex: small?,
            },
            10 => Kind::Unlock {
                task,
                mutex: small?,
            },
            11 if value == u64::MAX => Kind::Inherit {
                to: task,
                from: None,
            },
            11 => Kind::Inherit {
                to: task,
                from: Some(TaskId(small?)),
            },
            12 => Kind::Complete { task, job },
            13 => Kind::Miss { task, job },
            14 => Kind::Abort { task, job },
            15 => Kind::Start { task },
            16 => Kind::Exit { task },
            17 => Kind::Tick,
            18 => Kind::Overhead {
                cause: Cause::from_code(task.0)?,
                length: Duration::from_nanos(value),
            },
            _ => return None,
        };
        let event = Event {
            time: Time::from_nanos(u64::from_le_bytes([t0, t1, t2, t3, t4, t5, t6, t7])),
            cpu: CpuId(cpu),
            kind,
        };
        // Fields that the kind does not use are zero; anything else is not a record.
        (Record::from(event) == *self).then_some(event)
    }
}

impl From<Event> for Record {
    fn from(event: Event) -> Record {
        let (code, task, job, value) = match event.kind {
            Kind::Release {
                task,
                job,
                deadline,
            } => (0, task.0, job, deadline.as_nanos()),
            Kind::Skip { task, job } => (1, task.0, job, 0),
            Kind::Dispatch { task, job } => (2, task.0, job, 0),
            Kind::Idle => (3, 0, 0, 0),
            Kind::Preempt { task, job } => (4, task.0, job, 0),
            Kind::BurstEnd { task, job } => (5, task.0, job, 0),
            Kind::Yield { task, job } => (6, task.0, job, 0),
            Kind::Block { task, job, on } => (7, task.0, job, pack_object(on)),
            Kind::Wake { task, job } => (8, task.0, job, 0),
            Kind::Lock { task, mutex } => (9, task.0, 0, u64::from(mutex)),
            Kind::Unlock { task, mutex } => (10, task.0, 0, u64::from(mutex)),
            Kind::Inherit { to, from } => {
                (11, to.0, 0, from.map_or(u64::MAX, |from| u64::from(from.0)))
            }
            Kind::Complete { task, job } => (12, task.0, job, 0),
            Kind::Miss { task, job } => (13, task.0, job, 0),
            Kind::Abort { task, job } => (14, task.0, job, 0),
            Kind::Start { task } => (15, task.0, 0, 0),
            Kind::Exit { task } => (16, task.0, 0, 0),
            Kind::Tick => (17, 0, 0, 0),
            Kind::Overhead { cause, length } => (18, cause.code(), 0, length.as_nanos()),
        };
        let mut bytes = [0; Record::SIZE];
        bytes[0..8].copy_from_slice(&event.time.as_nanos().to_le_bytes());
        bytes[8..16].copy_from_slice(&value.to_le_bytes());
        bytes[16..20].copy_from_slice(&job.to_le_bytes());
        bytes[20..22].copy_from_slice(&task.to_le_bytes());
        bytes[22] = code;
        bytes[23] = event.cpu.0;
        Record(bytes)
    }
}

fn pack_object(object: Object) -> u64 {
    let (kind, number) = match object {
        Object::Mutex(n) => (0, n),
        Object::Semaphore(n) => (1, n),
        Object::Condition(n) => (2, n),
        Object::Queue(n) => (3, n),
        Object::Task(n) => (4, n),
        Object::Clock => (5, 0),
    };
    kind << 16 | u64::from(number)
}

fn unpack_object(value: u64) -> Option<Object> {
    let number = u16::try_from(value & 0xffff).ok()?;
    Some(match value >> 16 {
        0 => Object::Mutex(number),
        1 => Object::Semaphore(number),
        2 => Object::Condition(number),
        3 => Object::Queue(number),
        4 => Object::Task(number),
        5 => Object::Clock,
        _ => return None,
    })
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
        match self.kind {
            Kind::Release { job, deadline, .. } => write!(f, " job {job} deadline {deadline}"),
            Kind::Skip { job, .. }
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
            Kind::Overhead { cause, length } => write!(f, " {cause} {length}"),
            Kind::Idle | Kind::Tick | Kind::Start { .. } | Kind::Exit { .. } => Ok(()),
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kind() -> impl Strategy<Value = Kind> {
        let task = || any::<u16>().prop_map(TaskId);
        let object = prop_oneof![
            any::<u16>().prop_map(Object::Mutex),
            any::<u16>().prop_map(Object::Semaphore),
            any::<u16>().prop_map(Object::Condition),
            any::<u16>().prop_map(Object::Queue),
            any::<u16>().prop_map(Object::Task),
            Just(Object::Clock),
        ];
        prop_oneof![
            (task(), any::<u32>(), any::<u64>()).prop_map(|(task, job, d)| Kind::Release {
                task,
                job,
                deadline: Time::from_nanos(d)
            }),
            (task(), any::<u32>(), object).prop_map(|(task, job, on)| Kind::Block {
                task,
                job,
                on
            }),
            (task(), any::<u32>()).prop_map(|(task, job)| Kind::Skip { task, job }),
            (task(), any::<u32>()).prop_map(|(task, job)| Kind::Dispatch { task, job }),
            (task(), any::<u32>()).prop_map(|(task, job)| Kind::Preempt { task, job }),
            (task(), any::<u32>()).prop_map(|(task, job)| Kind::BurstEnd { task, job }),
            (task(), any::<u32>()).prop_map(|(task, job)| Kind::Yield { task, job }),
            (task(), any::<u32>()).prop_map(|(task, job)| Kind::Wake { task, job }),
            (task(), any::<u32>()).prop_map(|(task, job)| Kind::Complete { task, job }),
            (task(), any::<u32>()).prop_map(|(task, job)| Kind::Miss { task, job }),
            (task(), any::<u32>()).prop_map(|(task, job)| Kind::Abort { task, job }),
            (task(), any::<u16>()).prop_map(|(task, mutex)| Kind::Lock { task, mutex }),
            (task(), any::<u16>()).prop_map(|(task, mutex)| Kind::Unlock { task, mutex }),
            (task(), proptest::option::of(task()))
                .prop_map(|(to, from)| Kind::Inherit { to, from }),
            task().prop_map(|task| Kind::Start { task }),
            task().prop_map(|task| Kind::Exit { task }),
            Just(Kind::Idle),
            Just(Kind::Tick),
            (proptest::sample::select(&Cause::ALL[..]), any::<u64>()).prop_map(|(cause, ns)| {
                Kind::Overhead {
                    cause,
                    length: Duration::from_nanos(ns),
                }
            }),
        ]
    }

    proptest! {
        #[test]
        fn a_record_gives_back_its_event(time in any::<u64>(), cpu in any::<u8>(), kind in kind()) {
            let event = Event { time: Time::from_nanos(time), cpu: CpuId(cpu), kind };
            prop_assert_eq!(Record::from(event).decode(), Some(event));
        }

        #[test]
        fn bytes_that_decode_are_the_record_of_what_they_decode_to(bytes in any::<[u8; 24]>(), code in 0u8..22) {
            let mut bytes = bytes;
            bytes[22] = code;
            if let Some(event) = Record(bytes).decode() {
                prop_assert_eq!(Record::from(event).0, bytes);
            }
        }
    }

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
    }
}
