//! Operations, and their form of 12 bytes.
//!
//! ```text
//!  0      2      4              12    little-endian
//!  | code | what | value        |
//! ```
//!
//! `what` is the number of a resource or of a counter, and `value` a length of time in nanoseconds,
//! a result, a number of millionths, the number of a distribution, how often something is repeated, or where to go on.

use flyball_trace::Duration;

/// What an operation is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value<T> {
    /// Always the same.
    Fixed(T),
    /// The next one of the task's random numbers; this is the number of its distribution.
    Drawn(u32),
}

/// A length of time.
pub type Length = Value<Duration>;

/// What a job says of itself when it ends.
pub type Outcome = Value<u8>;

/// One operation. Resources are counted as in the task set, operations from the first of the task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// Uses the CPU.
    Compute(Length),
    /// Sleeps.
    Suspend(Length),
    /// Offers the CPU to equals.
    Yield,
    /// Runs the policy's controllers.
    Control,
    /// Locks a mutex.
    Lock(u16),
    /// Unlocks it.
    Unlock(u16),
    /// Waits for a semaphore.
    Wait(u16),
    /// Signals it.
    Signal(u16),
    /// Sends a message.
    Send(u16),
    /// Receives a message.
    Receive(u16),
    /// Sends a message if there is room.
    TrySend(u16),
    /// Receives a message if there is one.
    TryReceive(u16),
    /// Raises a gauge by so much.
    Raise(u16, u16),
    /// Lowers a gauge by so much.
    Lower(u16, u16),
    /// Does one of the operations behind this one, which compute or sleep, and passes over the others: the
    /// first at the start, and the next one each time that `every` has passed.
    ByClock {
        /// How many there are, at least 1.
        count: u16,
        /// For how long each of them is done.
        every: Duration,
    },
    /// Sets a counter: what follows is done that often.
    Begin {
        /// Which counter: how many repetitions there are around this one.
        counter: u16,
        /// How often, at least once.
        times: u32,
    },
    /// Goes back to `to` unless the counter has run out. No counter: goes back always.
    Again {
        /// Which counter.
        counter: Option<u16>,
        /// Where the repeated operations begin.
        to: u32,
    },
    /// The job is done.
    End,
    /// When the job ends it says this of itself, unless another one of these follows.
    Result(Outcome),
    /// From here on the job waits for memory for this part of its computations, in millionths of
    /// their time at the fastest operating point. At the beginning of a task's first job it is 0.
    Stalls(u32),
}

impl<T> Value<T> {
    fn map<U>(self, other: impl FnOnce(T) -> U) -> Value<U> {
        match self {
            Value::Fixed(value) => Value::Fixed(other(value)),
            Value::Drawn(number) => Value::Drawn(number),
        }
    }
}

/// "No counter", as a number.
const ALWAYS: u16 = u16::MAX;

impl Op {
    /// The length of an operation in bytes.
    pub const SIZE: usize = 12;

    /// The operation as bytes.
    pub fn encode(self) -> [u8; Op::SIZE] {
        let value = |fixed: u16, value| match value {
            Value::Fixed(value) => (fixed, 0, value),
            Value::Drawn(number) => (fixed + 1, 0, u64::from(number)),
        };
        let length = |fixed, length: Length| value(fixed, length.map(Duration::as_nanos));
        let (code, what, value) = match self {
            Op::Compute(time) => length(0, time),
            Op::Suspend(time) => length(2, time),
            Op::Yield => (4, 0, 0),
            Op::Lock(n) => (5, n, 0),
            Op::Unlock(n) => (6, n, 0),
            Op::Wait(n) => (7, n, 0),
            Op::Signal(n) => (8, n, 0),
            Op::Send(n) => (9, n, 0),
            Op::Receive(n) => (10, n, 0),
            Op::Begin { counter, times } => (11, counter, u64::from(times)),
            Op::Again { counter, to } => (12, counter.unwrap_or(ALWAYS), u64::from(to)),
            Op::End => (13, 0, 0),
            Op::Result(result) => value(14, result.map(u64::from)),
            Op::Stalls(millionths) => (16, 0, u64::from(millionths)),
            Op::TrySend(n) => (17, n, 0),
            Op::TryReceive(n) => (18, n, 0),
            Op::ByClock { count, every } => (19, count, every.as_nanos()),
            Op::Control => (20, 0, 0),
            Op::Raise(n, by) => (21, n, u64::from(by)),
            Op::Lower(n, by) => (22, n, u64::from(by)),
        };
        let mut bytes = [0; Op::SIZE];
        bytes[0..2].copy_from_slice(&code.to_le_bytes());
        bytes[2..4].copy_from_slice(&what.to_le_bytes());
        bytes[4..12].copy_from_slice(&value.to_le_bytes());
        bytes
    }

    /// The operation that these bytes stand for; `None` if they are not one.
    pub fn decode(bytes: [u8; Op::SIZE]) -> Option<Op> {
        let [c0, c1, w0, w1, value @ ..] = bytes;
        let (code, what) = (u16::from_le_bytes([c0, c1]), u16::from_le_bytes([w0, w1]));
        let value = u64::from_le_bytes(value);
        let time = Length::Fixed(Duration::from_nanos(value));
        let number = || u32::try_from(value).ok();
        let op = match code {
            0 => Op::Compute(time),
            1 => Op::Compute(Value::Drawn(number()?)),
            2 => Op::Suspend(time),
            3 => Op::Suspend(Value::Drawn(number()?)),
            4 => Op::Yield,
            5 => Op::Lock(what),
            6 => Op::Unlock(what),
            7 => Op::Wait(what),
            8 => Op::Signal(what),
            9 => Op::Send(what),
            10 => Op::Receive(what),
            11 => Op::Begin {
                counter: what,
                times: number()?,
            },
            12 => Op::Again {
                counter: Some(what).filter(|&counter| counter != ALWAYS),
                to: number()?,
            },
            13 => Op::End,
            14 => Op::Result(Value::Fixed(u8::try_from(value).ok()?)),
            15 => Op::Result(Value::Drawn(number()?)),
            16 => Op::Stalls(number()?),
            17 => Op::TrySend(what),
            18 => Op::TryReceive(what),
            19 => Op::ByClock {
                count: what,
                every: Duration::from_nanos(value),
            },
            20 => Op::Control,
            21 => Op::Raise(what, u16::try_from(value).ok()?),
            22 => Op::Lower(what, u16::try_from(value).ok()?),
            _ => return None,
        };
        // What an operation does not use is zero.
        (op.encode() == bytes).then_some(op)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_that_decode_are_those_of_what_they_decode_to(bytes in any::<[u8; 12]>(), code in 0u8..24) {
            let mut bytes = bytes;
            (bytes[0], bytes[1]) = (code, 0);
            if let Some(op) = Op::decode(bytes) {
                prop_assert_eq!(op.encode(), bytes);
            }
            bytes[4..].fill(0);
            if let Some(op) = Op::decode(bytes) {
                prop_assert_eq!(op.encode(), bytes);
            }
        }
    }

    #[test]
    fn every_operation_has_its_bytes() {
        let time = Duration::from_nanos(u64::MAX - 1);
        let ops = [
            Op::Compute(Length::Fixed(time)),
            Op::Compute(Length::Drawn(3)),
            Op::Suspend(Length::Fixed(time)),
            Op::Suspend(Length::Drawn(u32::MAX)),
            Op::Yield,
            Op::Control,
            Op::Lock(1),
            Op::Unlock(2),
            Op::Wait(3),
            Op::Signal(4),
            Op::Send(5),
            Op::Receive(6),
            Op::Begin {
                counter: 7,
                times: u32::MAX,
            },
            Op::Again {
                counter: Some(0),
                to: 9,
            },
            Op::Again {
                counter: None,
                to: u32::MAX,
            },
            Op::End,
            Op::Result(Value::Fixed(u8::MAX)),
            Op::Result(Value::Drawn(u32::MAX)),
            Op::Stalls(1_000_000),
            Op::TrySend(8),
            Op::TryReceive(9),
            Op::Raise(10, u16::MAX),
            Op::Lower(11, 1),
            Op::ByClock {
                count: 2,
                every: time,
            },
        ];
        for op in ops {
            assert_eq!(Op::decode(op.encode()), Some(op));
        }
    }
}
