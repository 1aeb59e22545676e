//! The trace: the first events, in a file of the host.
//!
//! They are kept in a stretch of memory until that is full, or until the end. Then the host takes
//! all of it in one semihosting call. The board's time counts instructions, of which it executes
//! none meanwhile, so a schedule is not disturbed however long it is, but for the some 80
//! instructions that the call takes, once in half a million events. A board with little memory does
//! so every 512 events, which is an instruction for every six of them.

use core::ffi::CStr;
use flyball_script::Alias;
use flyball_trace::{Event, Record, Sink, TaskId};
use semihosting::fs::File;
use semihosting::io::{self, Seek, SeekFrom, Write};

/// How many events are kept: 201 MB of the host's.
const MOST: u64 = 8 << 20;

/// How the file begins: what it is, how many events there were, and how many of them it has.
const MAGIC: &[u8; 8] = b"FLYRUN01";

/// Keeps the first events of a cluster of CPUs, and counts all. CPUs and tasks have the numbers
/// that they have in their cluster.
pub struct TraceBuffer {
    file: File,
    memory: &'static mut [u8],
    used: usize,
    total: u64,
}

impl TraceBuffer {
    /// An empty tape for the `cluster`-th cluster, which goes round in `memory`. Makes the file.
    ///
    /// # Errors
    /// Those of the host.
    pub fn new(memory: &'static mut [u8], cluster: u8) -> io::Result<TraceBuffer> {
        // "flyball-trace-007.bin"
        let mut name = *b"flyball-trace-000.bin\0";
        let digits = [cluster / 100, cluster / 10 % 10, cluster % 10];
        for (place, digit) in name[14..].iter_mut().zip(digits) {
            *place += digit;
        }
        // There is a zero at the end.
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
        let mut file = File::create(name)?;
        file.write_all(MAGIC)?;
        file.write_all(&[0; 16])?;
        Ok(TraceBuffer {
            file,
            memory,
            used: 0,
            total: 0,
        })
    }

    /// Hands over what is in memory.
    #[cold]
    #[inline(never)]
    fn hand_over(&mut self) -> io::Result<()> {
        let used = core::mem::take(&mut self.used);
        self.file.write_all(&self.memory[..used])
    }

    /// Completes the file.
    ///
    /// # Errors
    /// Those of the host.
    pub fn finish(&mut self) -> io::Result<()> {
        self.hand_over()?;
        self.file.seek(SeekFrom::Start(MAGIC.len() as u64))?;
        self.file.write_all(&self.total.to_le_bytes())?;
        self.file.write_all(&self.total.min(MOST).to_le_bytes())
    }

    /// From now on `row` is the task of that number, which has come from another cluster.
    pub fn name(&mut self, row: TaskId, number: usize) {
        if Self::ENABLED {
            let task = TaskId(u16::try_from(number).unwrap_or(u16::MAX));
            self.keep(Alias { row, task }.encode());
        }
    }

    fn keep(&mut self, record: Record) {
        self.total += 1;
        if self.total > MOST {
            return;
        }
        if !self.append(record) {
            if let Err(error) = self.hand_over() {
                crate::output::lost(&error);
            }
            self.append(record);
        }
    }

    fn append(&mut self, record: Record) -> bool {
        let rest = self.memory.get_mut(self.used..);
        let place = rest.and_then(|rest| rest.first_chunk_mut());
        let has_place = place.is_some();
        if let Some(place) = place {
            *place = record.0;
            self.used += Record::SIZE;
        }
        has_place
    }
}

impl Sink for TraceBuffer {
    const ENABLED: bool = !cfg!(feature = "probe");
    const BUDGETS: bool = Self::ENABLED;
    const FILLS: bool = Self::ENABLED;

    #[expect(
        clippy::inline_always,
        reason = "where the kind is known nothing is left of the choice among kinds"
    )]
    #[inline(always)]
    fn record(&mut self, event: Event) {
        self.keep(Record::from(event));
    }
}
