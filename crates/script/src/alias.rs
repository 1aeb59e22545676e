//! What a board's trace says besides events.

use flyball_trace::{Record, TaskId};

/// From now on a row of a kernel is another task of the set, which has come from another kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alias {
    /// The row.
    pub row: TaskId,
    /// The number of the task in the whole set.
    pub task: TaskId,
}

impl Alias {
    /// What no event has for its kind.
    const CODE: u8 = 0xff;
    const CODE_AT: usize = 22;

    /// A record that is no event.
    pub fn encode(self) -> Record {
        let mut bytes = [0; Record::SIZE];
        bytes[..2].copy_from_slice(&self.row.0.to_le_bytes());
        bytes[2..4].copy_from_slice(&self.task.0.to_le_bytes());
        bytes[Alias::CODE_AT] = Alias::CODE;
        Record(bytes)
    }

    /// What a record says, if it is none of an event but one of these.
    pub fn decode(record: &Record) -> Option<Alias> {
        let [r0, r1, t0, t1, ..] = record.0;
        let is_one = record.0[Alias::CODE_AT] == Alias::CODE;
        is_one.then_some(Alias {
            row: TaskId(u16::from_le_bytes([r0, r1])),
            task: TaskId(u16::from_le_bytes([t0, t1])),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_no_event() {
        let alias = Alias {
            row: TaskId(3),
            task: TaskId(0x1234),
        };
        let record = alias.encode();
        assert_eq!(record.decode(), None);
        assert_eq!(Alias::decode(&record), Some(alias));
        let event = flyball_trace::Event {
            time: flyball_trace::Time::ZERO,
            cpu: flyball_trace::CpuId(0),
            kind: flyball_trace::Kind::Idle,
        };
        assert_eq!(Alias::decode(&Record::from(event)), None);
    }
}
