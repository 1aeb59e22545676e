//! Mode changes of a task set: a table of changes, the next one first.
//!
//! ```text
//! change     16 bytes: when, 8 bytes; the task, 2; what, 1; nothing, 1; the row of its new mode, 2; nothing, 2
//! ```

use super::{CHANGES_AT, Image, ImageError, Stretch};
use flyball_policy::Encode;
use flyball_trace::Duration;

/// How long a row is.
pub(super) const CHANGE: usize = 16;

/// A task's part in a mode change, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// When, counted from [`Common::start`](super::Common::start).
    pub at: Duration,
    /// The task's number.
    pub task: u16,
    /// Its part.
    pub kind: ChangeKind,
}

/// A task's part in a mode change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeKind {
    /// The task starts. Its phase counts from here.
    Start,
    /// From its next job on it is what the row of this number says; [`Image::task`] has it.
    NewMode(u16),
    /// The task stops: with the job that it works on, or else with the next one, which does
    /// nothing.
    Stop,
}

impl Encode for Change {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        let (what, row) = match self.kind {
            ChangeKind::Start => (0_u8, 0_u16),
            ChangeKind::NewMode(row) => (1, row),
            ChangeKind::Stop => (2, 0),
        };
        (self.at, self.task, what, 0_u8).emit(put);
        (row, 0_u16).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Change> {
        let (at, task, what, _) = <(Duration, u16, u8, u8)>::parse(bytes)?;
        let (row, _) = <(u16, u16)>::parse(bytes)?;
        let kind = match what {
            0 => ChangeKind::Start,
            1 => ChangeKind::NewMode(row),
            2 => ChangeKind::Stop,
            _ => return None,
        };
        Some(Change { at, task, kind })
    }
}

impl Image<'_> {
    /// A change, if there is one of that number. Later ones have higher numbers.
    pub fn change(self, number: u32) -> Option<Change> {
        let table = Stretch {
            at: self.word(CHANGES_AT)?,
            count: self.word(CHANGES_AT + 4)?,
        };
        let at = table.place(number, CHANGE)?;
        Change::parse(&mut self.bytes.get(at..)?)
    }

    /// How many of the tasks there are from the start: those that no change begins. O(changes).
    pub fn first(self) -> u16 {
        let changes = (0..).map_while(|number| self.change(number));
        let begin = changes.filter(|change| change.kind == ChangeKind::Start);
        self.tasks()
            .saturating_sub(u16::try_from(begin.count()).unwrap_or(u16::MAX))
    }

    /// Changes come in the order of time, are all there, and are about tasks and rows that there
    /// are; tasks begin in the order of their numbers, and all of them do.
    pub(super) fn check_changes(self) -> Result<(), ImageError> {
        let count = self.word(CHANGES_AT + 4).ok_or(ImageError::Truncated)?;
        let (mut last, mut begun) = (Duration::ZERO, self.first());
        for number in 0..count {
            let change = self.change(number).ok_or(ImageError::Change)?;
            let is_sound = match change.kind {
                ChangeKind::Start => change.task == begun && begun < self.tasks(),
                ChangeKind::NewMode(row) => {
                    change.task < begun && self.can_become(change.task, row)
                }
                ChangeKind::Stop => change.task < begun,
            };
            if !is_sound || change.at < last {
                return Err(ImageError::Change);
            }
            begun += u16::from(change.kind == ChangeKind::Start);
            last = change.at;
        }
        if begun == self.tasks() {
            Ok(())
        } else {
            Err(ImageError::Change)
        }
    }

    /// Whether there is such a row, and a task stays what it cannot but be: periodic or not, and
    /// given up when it is late or not.
    fn can_become(self, task: u16, row: u16) -> bool {
        let [is, becomes] = [task, row].map(|number| {
            let task = self.task(number)?;
            Some((task.arrival, task.on_miss))
        });
        is.is_some() && is == becomes
    }
}
