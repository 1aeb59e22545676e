//! The trace: the first events, one after the other, in a stretch of memory.

use flyball_trace::{Event, Record, Sink};

/// Keeps the first events, and counts all.
pub struct Tape {
    memory: &'static mut [u8],
    used: usize,
    total: u64,
}

impl Tape {
    /// An empty tape.
    pub fn new(memory: &'static mut [u8]) -> Tape {
        Tape {
            memory,
            used: 0,
            total: 0,
        }
    }

    /// How many events there were.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many were kept.
    pub fn kept(&self) -> u64 {
        (self.used / Record::SIZE) as u64
    }

    /// Their records.
    pub fn records(&self) -> &[u8] {
        &self.memory[..self.used]
    }
}

impl Sink for Tape {
    fn record(&mut self, event: Event) {
        self.total += 1;
        let rest = self.memory.get_mut(self.used..);
        if let Some(place) = rest.and_then(|rest| rest.first_chunk_mut()) {
            *place = Record::from(event).0;
            self.used += Record::SIZE;
        }
    }
}
