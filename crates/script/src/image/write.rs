//! Writing images, which needs a heap.

use super::change::CHANGE;
use super::task::Stretch;
use super::{
    CONTROLLER_AT, Change, Common, HEADER, Interrupt, MAGIC, Op, Rest, SUBTASK, Subtask, Task,
    VERSION,
};
use flyball_policy::Encode;
use flyball_trace::{Duration, GaugeKind};

/// All that is in an image.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// What the set has in common.
    pub common: Common,
    /// The scheduler's name.
    pub scheduler: String,
    /// The scheduler's settings, as it writes them.
    pub settings: Vec<u8>,
    /// What a controller above the schedulers is told, as it writes it; nothing if there is none.
    pub controller: Vec<u8>,
    /// Whether each mutex has priority inheritance.
    pub mutexes: Vec<bool>,
    /// Each semaphore's initial value.
    pub semaphores: Vec<u32>,
    /// Each queue's capacity, and what kind of gauge it is if it is one.
    pub queues: Vec<(u16, Option<GaugeKind>)>,
    /// The tasks: first those that there are from the start, then those that begin later, in order.
    pub tasks: Vec<TaskContents>,
    /// What becomes of tasks. These rows are numbered from the last task on.
    pub new_modes: Vec<TaskContents>,
    /// What becomes of the set, in the order of time.
    pub changes: Vec<Change>,
    /// The interrupts by no clock of the kernel's, those of each cluster of CPUs together and in the order
    /// of time.
    pub interrupts: Vec<Interrupt>,
    /// How long a CPU takes from each operating point to each: as many rows as columns, at most 255.
    /// None if the policy chooses no points.
    pub transitions: Vec<Vec<Duration>>,
}

/// All that an image has of a task.
#[derive(Clone, Debug, Default)]
pub struct TaskContents {
    /// What the kernel knows of it.
    pub task: Task,
    /// What it tells the policy, as the policy writes it.
    pub params: Vec<u8>,
    /// What its jobs do, [`Op::End`] at the end.
    pub operations: Vec<Op>,
    /// The random lengths, in the order in which jobs need them.
    pub lengths: Vec<Duration>,
    /// The subtasks that it is split into, each with what it tells the policy; none if it is not
    /// split.
    pub subtasks: Vec<(Subtask, Vec<u8>)>,
}

/// What is behind the tables, which refer to it.
struct Tail {
    /// Where its first byte is.
    from: usize,
    bytes: Vec<u8>,
}

impl Tail {
    /// Adds `count` things, whose bytes `emit` writes; at a multiple of four.
    fn add(&mut self, count: usize, emit: impl FnOnce(&mut Vec<u8>)) -> Option<Stretch> {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let at = u32::try_from(self.from + self.bytes.len()).ok()?;
        emit(&mut self.bytes);
        let count = u32::try_from(count).ok()?;
        Some(Stretch { at, count })
    }

    /// Adds what takes as many bytes each.
    fn add_all(&mut self, values: &[impl Encode]) -> Option<Stretch> {
        self.add(values.len(), |tail| {
            for value in values {
                put(tail, value);
            }
        })
    }

    /// Adds bytes.
    fn add_bytes(&mut self, bytes: &[u8]) -> Option<Stretch> {
        self.add(bytes.len(), |tail| tail.extend(bytes))
    }
}

/// Writes a value behind `bytes`.
fn put(bytes: &mut Vec<u8>, value: &impl Encode) {
    value.emit(&mut |part| bytes.extend(part));
}

impl Contents {
    /// The image; `None` if a table has more than 65,535 rows, or it is longer than 4 GiB.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let resources = self.mutexes.len() + self.semaphores.len() + self.queues.len();
        let tasks_at = HEADER + resources * 4;
        let rows = self.tasks.len() + self.new_modes.len();
        let changes_at = tasks_at + rows * Task::SIZE;
        let mut tail = Tail {
            from: changes_at + self.changes.len() * CHANGE,
            bytes: Vec::new(),
        };
        let mut bytes = Vec::with_capacity(tail.from);
        bytes.extend(MAGIC);
        // The length is known at the end.
        put(&mut bytes, &(VERSION, 0_u32));
        let counts = [
            self.tasks.len(),
            self.mutexes.len(),
            self.semaphores.len(),
            self.queues.len(),
        ];
        for count in counts {
            put(&mut bytes, &u16::try_from(count).ok()?);
        }
        let common = &self.common;
        put(&mut bytes, &(common.start, common.end, common.tick));
        for at in [HEADER, tasks_at] {
            put(&mut bytes, &u32::try_from(at).ok()?);
        }
        put(&mut bytes, &tail.add_bytes(self.scheduler.as_bytes())?);
        put(&mut bytes, &tail.add_bytes(&self.settings)?);
        put(&mut bytes, &common.instruction);
        for number in [changes_at, self.changes.len()] {
            put(&mut bytes, &u32::try_from(number).ok()?);
        }
        put(&mut bytes, &u16::try_from(rows).ok()?);
        put(&mut bytes, &(common.cpus, common.cluster, common.shape));
        bytes.resize(CONTROLLER_AT, 0);
        put(&mut bytes, &tail.add_bytes(&self.controller)?);
        put(&mut bytes, &tail.add_all(&self.interrupts)?);
        let transitions = self.transitions.concat();
        put(
            &mut bytes,
            &tail.add(self.transitions.len(), |tail| {
                for length in &transitions {
                    put(tail, length);
                }
            })?,
        );
        bytes.resize(HEADER, 0);
        for &inherits in &self.mutexes {
            put(&mut bytes, &u32::from(inherits));
        }
        for initial in &self.semaphores {
            put(&mut bytes, initial);
        }
        for &(capacity, gauge) in &self.queues {
            let kind = match gauge {
                None => 0,
                Some(GaugeKind::Backlog) => 1,
                Some(GaugeKind::Stock) => 2,
            };
            put(&mut bytes, &(u32::from(capacity) | kind << 16));
        }
        for contents in self.tasks.iter().chain(&self.new_modes) {
            put(&mut bytes, &contents.row(&mut tail)?);
        }
        for change in &self.changes {
            put(&mut bytes, change);
        }
        bytes.extend(tail.bytes);
        let length = u32::try_from(bytes.len()).ok()?;
        bytes[12..16].copy_from_slice(&length.to_le_bytes());
        Some(bytes)
    }
}

impl TaskContents {
    /// The row of the task, whose rest goes behind the tables.
    fn row(&self, tail: &mut Tail) -> Option<Task> {
        let operations = tail.add(self.operations.len(), |tail| {
            tail.extend(self.operations.iter().flat_map(|op| op.encode()));
        })?;
        let lengths = tail.add_all(&self.lengths)?;
        let params = tail.add_bytes(&self.params)?;
        let mut rows = Vec::with_capacity(self.subtasks.len() * SUBTASK);
        for (subtask, params) in &self.subtasks {
            put(
                &mut rows,
                &(
                    u64::from(subtask.cpu.0),
                    subtask.wcet,
                    subtask.from,
                    subtask.until,
                ),
            );
            put(&mut rows, &tail.add_bytes(params)?);
        }
        let subtasks = tail.add(self.subtasks.len(), |tail| tail.extend(rows))?;
        Some(Task {
            rest: Rest {
                operations,
                lengths,
                subtasks,
                params,
            },
            ..self.task
        })
    }
}
