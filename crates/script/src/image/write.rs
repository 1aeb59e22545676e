//! Writing images, which needs a heap.

use super::change::CHANGE;
use super::{Arrival, Change, Common, HEADER, MAGIC, OnMiss, Op, PART, Part, TASK, VERSION};
use flyball_policy::CpuSet;
use flyball_policy::i_plus_pi::Fraction;
use flyball_trace::Duration;

/// All that is in an image.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// What the set has in common.
    pub common: Common,
    /// Whether each mutex has priority inheritance.
    pub mutexes: Vec<bool>,
    /// Each semaphore's initial value.
    pub semaphores: Vec<u32>,
    /// Each queue's capacity.
    pub queues: Vec<u16>,
    /// The tasks: first those that there are from the start, then those that begin later, in order.
    pub tasks: Vec<TaskContents>,
    /// What becomes of tasks. These rows are numbered from the last task on.
    pub forms: Vec<TaskContents>,
    /// What becomes of the set, in the order of time.
    pub changes: Vec<Change>,
}

/// All that an image has of a task. See [`super::Task`].
#[derive(Clone, Debug, Default)]
pub struct TaskContents {
    /// How its jobs are released.
    pub arrival: Arrival,
    /// What happens when one is late.
    pub on_miss: OnMiss,
    /// The period; zero where there is none.
    pub period: Duration,
    /// When the first job is released.
    pub phase: Duration,
    /// The relative deadline; [`Duration::MAX`]: none.
    pub deadline: Duration,
    /// The worst-case execution time.
    pub wcet: Duration,
    /// The priority.
    pub priority: u8,
    /// The first CPU of its cluster.
    pub cpu: u8,
    /// The CPUs of its cluster that it may run on; none: all of them.
    pub cpus: CpuSet,
    /// The part of the CPU that it asks for.
    pub share: Fraction,
    /// Its relative importance in overload.
    pub importance: u16,
    /// What its jobs do, [`Op::End`] at the end.
    pub operations: Vec<Op>,
    /// The random lengths, in the order in which jobs need them.
    pub lengths: Vec<Duration>,
    /// The parts that it is split into; none if it is not.
    pub parts: Vec<Part>,
}

impl Contents {
    /// The image; `None` if a table has more than 65,535 rows, or it is longer than 4 GiB.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let resources = self.mutexes.len() + self.semaphores.len() + self.queues.len();
        let tasks_at = HEADER + resources * 4;
        let rows = self.tasks.len() + self.forms.len();
        let changes_at = tasks_at + rows * TASK;
        let mut tail_at = changes_at + self.changes.len() * CHANGE;
        let mut bytes = Vec::with_capacity(tail_at);
        let mut tail = Vec::new();
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        // The length: known at the end.
        bytes.extend([0; 4]);
        let counts = [
            self.tasks.len(),
            self.mutexes.len(),
            self.semaphores.len(),
            self.queues.len(),
        ];
        for count in counts {
            bytes.extend(u16::try_from(count).ok()?.to_le_bytes());
        }
        let common = &self.common;
        for time in [
            common.start.as_nanos(),
            common.end.as_nanos(),
            common.tick.as_nanos(),
        ] {
            bytes.extend(time.to_le_bytes());
        }
        for at in [HEADER, tasks_at] {
            bytes.extend(u32::try_from(at).ok()?.to_le_bytes());
        }
        for word in common.settings.0 {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(common.instruction.as_nanos().to_le_bytes());
        for number in [changes_at, self.changes.len()] {
            bytes.extend(u32::try_from(number).ok()?.to_le_bytes());
        }
        bytes.extend(u16::try_from(rows).ok()?.to_le_bytes());
        bytes.extend([common.cpus, common.cluster]);
        for &inherits in &self.mutexes {
            bytes.extend(u32::from(inherits).to_le_bytes());
        }
        for initial in &self.semaphores {
            bytes.extend(initial.to_le_bytes());
        }
        for &capacity in &self.queues {
            bytes.extend(u32::from(capacity).to_le_bytes());
        }
        for task in self.tasks.iter().chain(&self.forms) {
            let TaskContents {
                operations,
                lengths,
                parts,
                ..
            } = task;
            bytes.extend([
                task.arrival as u8,
                task.on_miss as u8,
                task.priority,
                task.cpu,
            ]);
            bytes.extend([0; 4]);
            for time in [task.period, task.phase, task.deadline, task.wcet] {
                bytes.extend(time.as_nanos().to_le_bytes());
            }
            let mut stretch = |bytes: &mut Vec<u8>, count: usize, size: usize| {
                bytes.extend(u32::try_from(tail_at).ok()?.to_le_bytes());
                bytes.extend(u32::try_from(count).ok()?.to_le_bytes());
                tail_at += count * size;
                Some(())
            };
            stretch(&mut bytes, operations.len(), Op::SIZE)?;
            stretch(&mut bytes, lengths.len(), 8)?;
            bytes.extend(task.share.bits().to_le_bytes());
            bytes.extend(task.importance.to_le_bytes());
            bytes.extend([0; 2]);
            stretch(&mut bytes, parts.len(), PART)?;
            bytes.extend(task.cpus.bits().to_le_bytes());
            tail.extend(operations.iter().flat_map(|op| op.encode()));
            tail.extend(
                lengths
                    .iter()
                    .flat_map(|time| time.as_nanos().to_le_bytes()),
            );
            for part in parts {
                tail.extend([part.cpu.0, 0, 0, 0, 0, 0, 0, 0]);
                for time in [part.wcet, part.from, part.until] {
                    tail.extend(time.as_nanos().to_le_bytes());
                }
            }
        }
        for change in &self.changes {
            bytes.extend(change.encode());
        }
        bytes.extend(tail);
        let length = u32::try_from(bytes.len()).ok()?;
        bytes[12..16].copy_from_slice(&length.to_le_bytes());
        Some(bytes)
    }
}
