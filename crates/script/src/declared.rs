//! What a program in C or C++ says of its threads, in its image: `FLYBALL_THREAD` of `<flyball.h>`.

use core::fmt;
use core::mem::offset_of;

/// What is said of a thread: `struct flyball_thread`. Times are nanoseconds; zeros mean that nothing is said.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Declared {
    version: u32,
    size: u32,
    name: [u8; 16],
    /// The time between releases of a periodic thread.
    pub period: u64,
    /// The least time between releases of a sporadic thread.
    pub separation: u64,
    /// The relative deadline; zero: the period, or the separation.
    pub deadline: u64,
    /// How long a job computes at most; zero: not known.
    pub execution_time: u64,
    /// How long after its creation the first job of a periodic thread is released.
    pub phase: u64,
    /// The part of a CPU, in millionths.
    pub share: u32,
    /// The relative importance.
    pub importance: u16,
    /// What happens when a job is late, as `<flyball.h>` numbers it.
    pub late: u8,
    /// The priority of `SCHED_FIFO`.
    pub priority: u8,
    /// The bytes of the stack.
    pub stack_size: u32,
    reserved: u32,
}

/// The version of what is said, as `<flyball.h>` has it.
const VERSION: u32 = 1;

/// A share of all.
const ALL: u32 = 1_000_000;

/// The largest number of what happens when a job is late.
const LATE: u8 = 3;

/// The highest priority.
const HIGHEST: u8 = 32;

/// Why bytes do not say anything of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeclaredError {
    /// They end within a declaration.
    Length {
        /// How many bytes there are.
        bytes: usize,
    },
    /// A declaration, by its number, has another version than is known here, or another length.
    Version(usize),
    /// A declaration has no name, or one that is no text.
    Name(usize),
    /// A declaration has neither a period nor a separation, or both.
    Jobs(usize),
    /// A number in a declaration is not one of those that there are: a share of more than all, for example.
    Range(usize),
}

impl fmt::Display for DeclaredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeclaredError::Length { bytes } => write!(
                f,
                "{bytes} bytes are no whole declarations of {} bytes each",
                Declared::SIZE
            ),
            DeclaredError::Version(at) => {
                write!(f, "declaration {at} is of another version, or none")
            }
            DeclaredError::Name(at) => write!(f, "declaration {at} has no name"),
            DeclaredError::Jobs(at) => {
                write!(
                    f,
                    "declaration {at} needs a period or a separation, and not both"
                )
            }
            DeclaredError::Range(at) => write!(
                f,
                "declaration {at} has a share, a priority or a choice for late jobs that there is not"
            ),
        }
    }
}

impl core::error::Error for DeclaredError {}

impl Declared {
    /// The bytes that it takes.
    pub const SIZE: usize = size_of::<Declared>();

    /// Its name, without a zero at the end.
    pub fn name(&self) -> &[u8] {
        self.name.split(|&byte| byte == 0).next().unwrap_or(&[])
    }

    /// Its name with zeros at the end.
    pub fn label(&self) -> &[u8; 16] {
        &self.name
    }

    /// Sees that it makes sense, as the `at`-th.
    ///
    /// # Errors
    /// [`DeclaredError`].
    pub fn check(&self, at: usize) -> Result<(), DeclaredError> {
        // The structure has 80 bytes.
        if self.version != VERSION || self.size as usize != Declared::SIZE || self.reserved != 0 {
            return Err(DeclaredError::Version(at));
        }
        let name = self.name();
        let is_whole = name.len() < self.name.len();
        if name.is_empty() || !is_whole || core::str::from_utf8(name).is_err() {
            return Err(DeclaredError::Name(at));
        }
        if (self.period == 0) == (self.separation == 0) {
            return Err(DeclaredError::Jobs(at));
        }
        if self.share > ALL || self.late > LATE || self.priority > HIGHEST {
            return Err(DeclaredError::Range(at));
        }
        Ok(())
    }

    /// Reads what a program says of its threads. O(bytes).
    pub fn read(section: &[u8]) -> impl Iterator<Item = Result<Declared, DeclaredError>> + '_ {
        let (whole, rest) = section.as_chunks::<{ Declared::SIZE }>();
        let bytes = section.len();
        let length = (!rest.is_empty()).then_some(Err(DeclaredError::Length { bytes }));
        let declared = whole.iter().enumerate().map(|(at, bytes)| {
            let declared = Declared::decode(bytes);
            declared.check(at).map(|()| declared)
        });
        length.into_iter().chain(declared)
    }

    /// The machines are little-endian.
    fn decode(bytes: &[u8; Declared::SIZE]) -> Declared {
        // What is read is within the bytes: the offsets are those of the fields.
        fn at<const N: usize>(bytes: &[u8; Declared::SIZE], offset: usize) -> [u8; N] {
            let field = bytes.get(offset..).and_then(|rest| rest.first_chunk());
            field.copied().unwrap_or([0; N])
        }
        macro_rules! field {
            ($name:ident) => {
                at(bytes, offset_of!(Declared, $name))
            };
        }
        let [late] = field!(late);
        let [priority] = field!(priority);
        Declared {
            version: u32::from_le_bytes(field!(version)),
            size: u32::from_le_bytes(field!(size)),
            name: field!(name),
            period: u64::from_le_bytes(field!(period)),
            separation: u64::from_le_bytes(field!(separation)),
            deadline: u64::from_le_bytes(field!(deadline)),
            execution_time: u64::from_le_bytes(field!(execution_time)),
            phase: u64::from_le_bytes(field!(phase)),
            share: u32::from_le_bytes(field!(share)),
            importance: u16::from_le_bytes(field!(importance)),
            late,
            priority,
            stack_size: u32::from_le_bytes(field!(stack_size)),
            reserved: u32::from_le_bytes(field!(reserved)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A good one, as a compiler for the boards lays it out.
    fn good() -> [u8; Declared::SIZE] {
        let mut bytes = [0; Declared::SIZE];
        bytes[0] = 1;
        bytes[4] = 80;
        bytes[8..15].copy_from_slice(b"control");
        bytes[24..32].copy_from_slice(&10_000_000_u64.to_le_bytes());
        bytes[40..48].copy_from_slice(&4_000_000_u64.to_le_bytes());
        bytes[48..56].copy_from_slice(&1_000_000_u64.to_le_bytes());
        bytes[56..64].copy_from_slice(&5_u64.to_le_bytes());
        bytes[64..68].copy_from_slice(&250_000_u32.to_le_bytes());
        bytes[68] = 3;
        bytes[70] = 1;
        bytes[71] = 7;
        bytes[73] = 16;
        bytes
    }

    fn first(bytes: &[u8]) -> Result<Declared, DeclaredError> {
        Declared::read(bytes).next().unwrap()
    }

    #[test]
    fn a_declaration_is_read() {
        let found = first(&good()).unwrap();
        assert_eq!(found.name(), b"control");
        assert_eq!((found.period, found.separation), (10_000_000, 0));
        assert_eq!(
            (found.deadline, found.execution_time),
            (4_000_000, 1_000_000)
        );
        assert_eq!((found.phase, found.share), (5, 250_000));
        assert_eq!((found.importance, found.late, found.priority), (3, 1, 7));
        assert_eq!(found.stack_size, 4096);
        assert_eq!(Declared::read(&[]).count(), 0);
        assert_eq!(Declared::read(&[good(), good()].concat()).count(), 2);
    }

    #[test]
    fn damage_is_noticed() {
        for cut in 1..Declared::SIZE {
            let found = first(&good()[..cut]);
            assert_eq!(found, Err(DeclaredError::Length { bytes: cut }));
        }
        for (at, value, error) in [
            (0, 2, DeclaredError::Version(0)),
            (4, 72, DeclaredError::Version(0)),
            (76, 1, DeclaredError::Version(0)),
            (8, 0, DeclaredError::Name(0)),
            (9, 0xff, DeclaredError::Name(0)),
            (32, 1, DeclaredError::Jobs(0)),
            (67, 9, DeclaredError::Range(0)),
            (70, 4, DeclaredError::Range(0)),
            (71, 33, DeclaredError::Range(0)),
        ] {
            let mut bytes = good();
            bytes[at] = value;
            assert_eq!(first(&bytes), Err(error), "{at}");
        }
        let mut unnamed = good();
        unnamed[8..24].fill(b'a');
        assert_eq!(first(&unnamed), Err(DeclaredError::Name(0)));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400), begins in any::<bool>()) {
            let mut bytes = bytes;
            if begins && bytes.len() >= 24 {
                bytes[..24].copy_from_slice(&good()[..24]);
            }
            for found in Declared::read(&bytes) {
                match found {
                    Ok(found) => prop_assert!(!found.name().is_empty()),
                    Err(error) => prop_assert!(!error.to_string().is_empty()),
                }
            }
        }
    }
}
