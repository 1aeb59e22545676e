//! The compact binary form of an event.
//!
//! An [`Event`] is what programs work with; a [`Record`] is the same thing in 24 bytes, for ring
//! buffers in a kernel's memory and for files:
//!
//! ```text
//!  0        8        16     20     22     23     24      little-endian
//!  | time   | value  | job  | task | kind | cpu  |
//! ```
//!
//! `value` is the absolute deadline of a release or a budget, the object of a block, or a length of time. `job` is
//! the share in a reservation, whose period is `value`.
//! `task` is a server's number in events of servers, that of a queue in events of queues, and an operating point where a CPU changes to it. The
//! width is fixed so that a ring can drop its oldest record without decoding it.

use crate::{Cause, CpuId, Duration, Event, Kind, Object, ServerId, Speed, TaskId, Time};

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
        let server = ServerId::of(task);
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
            11 => Kind::Inherit {
                to: task,
                from: unpack_task(value)?,
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
            19 => Kind::Arrive {
                task,
                job,
                by: unpack_task(value)?,
            },
            20 => Kind::Exhaust { server },
            21 => Kind::Replenish {
                server,
                deadline: Time::from_nanos(value),
            },
            22 => Kind::Budget {
                server,
                left: Duration::from_nanos(value),
            },
            23 => Kind::Reclaim {
                server,
                length: Duration::from_nanos(value),
            },
            24 => Kind::Speed {
                speed: Speed(u8::try_from(task.0).ok()?),
            },
            _ => of_reservation(code, task, job, value)?,
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
    #[expect(
        clippy::inline_always,
        reason = "where the kind is known nothing is left of the choice"
    )]
    #[inline(always)]
    fn from(event: Event) -> Record {
        let (code, task, job, value): (u8, _, _, _) = match event.kind {
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
            Kind::Inherit { to, from } => (11, to.0, 0, pack_task(from)),
            Kind::Complete { task, job } => (12, task.0, job, 0),
            Kind::Miss { task, job } => (13, task.0, job, 0),
            Kind::Abort { task, job } => (14, task.0, job, 0),
            Kind::Start { task } => (15, task.0, 0, 0),
            Kind::Exit { task } => (16, task.0, 0, 0),
            Kind::Tick => (17, 0, 0, 0),
            Kind::Overhead { cause, length } => (18, cause.code(), 0, length.as_nanos()),
            Kind::Arrive { task, job, by } => (19, task.0, job, pack_task(by)),
            Kind::Exhaust { server } => (20, server.0, 0, 0),
            Kind::Replenish { server, deadline } => (21, server.0, 0, deadline.as_nanos()),
            Kind::Budget { server, left } => (22, server.0, 0, left.as_nanos()),
            Kind::Reclaim { server, length } => (23, server.0, 0, length.as_nanos()),
            Kind::Speed { speed } => (24, u16::from(speed.0), 0, 0),
            Kind::Fill { queue, level } => (25, queue, 0, u64::from(level)),
            Kind::Overrun { queue, lost } => (26, queue, 0, u64::from(lost)),
            Kind::Underrun { queue, missing } => (27, queue, 0, u64::from(missing)),
            Kind::Reserve {
                task,
                share,
                period,
            } => (28, task.0, share, period.as_nanos()),
            Kind::Quality { task } => (29, task.0, 0, 0),
        };
        let mut bytes = [0; Record::SIZE];
        bytes[0..8].copy_from_slice(&event.time.as_nanos().to_le_bytes());
        bytes[8..16].copy_from_slice(&value.to_le_bytes());
        // In one piece, which takes fewer stores.
        let rest = u64::from(job)
            | u64::from(task) << 32
            | u64::from(code) << 48
            | u64::from(event.cpu.0) << 56;
        bytes[16..24].copy_from_slice(&rest.to_le_bytes());
        Record(bytes)
    }
}

/// An event of a reservation, or of a queue.
fn of_reservation(code: u8, task: TaskId, share: u32, value: u64) -> Option<Kind> {
    match code {
        28 => Some(Kind::Reserve {
            task,
            share,
            period: Duration::from_nanos(value),
        }),
        29 => Some(Kind::Quality { task }),
        _ => of_queue(code, task.0, u16::try_from(value).ok()?),
    }
}

/// An event of a queue.
fn of_queue(code: u8, queue: u16, number: u16) -> Option<Kind> {
    Some(match code {
        25 => Kind::Fill {
            queue,
            level: number,
        },
        26 => Kind::Overrun {
            queue,
            lost: number,
        },
        27 => Kind::Underrun {
            queue,
            missing: number,
        },
        _ => return None,
    })
}

/// A task, or none, which is a number that no task has.
fn pack_task(task: Option<TaskId>) -> u64 {
    task.map_or(u64::MAX, |task| u64::from(task.0))
}

#[expect(clippy::option_option, reason = "no task is a value, too")]
fn unpack_task(value: u64) -> Option<Option<TaskId>> {
    if value == u64::MAX {
        return Some(None);
    }
    u16::try_from(value).ok().map(|number| Some(TaskId(number)))
}

fn pack_object(object: Object) -> u64 {
    let (kind, number) = match object {
        Object::Mutex(n) => (0, n),
        Object::Semaphore(n) => (1, n),
        Object::Condition(n) => (2, n),
        Object::Queue(n) => (3, n),
        Object::Task(n) => (4, n),
        Object::Clock => (5, 0),
        Object::Token => (6, 0),
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
        6 => Object::Token,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
