//! Why a board went no further, as it says itself.
//!
//! A line a fact, in any order: a word, and its value. The message of a panic is the last one, and
//! goes on to the end.
//!
//! ```text
//! thread 1
//! time 9301840
//! cause access to where nothing is
//! address 0xfffffff0
//! pc 0x00000a1c
//! ```

use flyball_script::image::Contents;
use flyball_trace::{TaskId, Time};
use std::fmt;

/// What a thread did that the board could not go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Which task; `None`: the kernel, or a thread of the board's own.
    pub task: Option<TaskId>,
    /// When. Time zero is when the task set starts.
    pub time: Time,
    /// What it did, in words: `division by zero`.
    pub cause: String,
    /// What a panic says.
    pub message: Option<String>,
    /// The address that could not be accessed.
    pub address: Option<u64>,
    /// The instruction.
    pub pc: Option<u64>,
    /// Where that is not known: where the function returns to that was called last. A guess.
    pub caller: Option<u64>,
}

/// Why bytes are not a board's report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultError {
    /// A line is not one of those that there are.
    Line(String),
    /// It does not say when, or not why.
    Incomplete,
}

impl fmt::Display for FaultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultError::Line(line) => write!(f, "it has no line like \"{line}\""),
            FaultError::Incomplete => f.write_str("it does not say when and why"),
        }
    }
}

impl std::error::Error for FaultError {}

impl Fault {
    /// Reads what a board wrote that ran a task set. A thread is numbered there within the cluster
    /// of the CPU, which is the first one if nothing else is said; `rows` has the tasks of each
    /// cluster. O(bytes).
    ///
    /// # Errors
    /// [`FaultError`].
    pub fn read(
        text: &str,
        contents: &Contents,
        rows: &[Vec<TaskId>],
    ) -> Result<Fault, FaultError> {
        let mut cpu = 0_u8;
        let (mut task, mut time, mut cause) = (None, None, None);
        let (mut message, mut address, mut pc, mut caller) = (None, None, None, None);
        let mut rest = text;
        while let Some((line, after)) = rest.split_once('\n') {
            rest = after;
            let wrong = || FaultError::Line(line.to_owned());
            let (word, value) = line.split_once(' ').ok_or_else(wrong)?;
            let number = || {
                let digits = value.strip_prefix("0x").ok_or_else(wrong)?;
                u64::from_str_radix(digits, 16).map_err(|_| wrong())
            };
            match word {
                "thread" => task = Some(TaskId(value.parse().map_err(|_| wrong())?)),
                "cpu" => cpu = value.parse().map_err(|_| wrong())?,
                "time" => time = Some(Time::from_nanos(value.parse().map_err(|_| wrong())?)),
                "cause" => cause = Some(value.to_owned()),
                "address" => address = Some(number()?),
                "pc" => pc = Some(number()?),
                "caller" => caller = Some(number()?),
                "message" => {
                    message = Some(format!("{value}\n{rest}").trim_end().to_owned());
                    rest = "";
                }
                _ => return Err(wrong()),
            }
        }
        let (Some(time), Some(cause), "") = (time, cause, rest) else {
            return Err(FaultError::Incomplete);
        };
        let cluster = rows.get(usize::from(cpu / contents.common.cluster.max(1)));
        Ok(Fault {
            task: task.and_then(|row: TaskId| cluster?.get(row.index()).copied()),
            time: Time::ZERO + time.since(contents.common.start),
            cause,
            message,
            address,
            pc,
            caller,
        })
    }
}

impl fmt::Display for Fault {
    /// When, why and where, but not which task: that has a name in the task set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.cause, self.time)?;
        for (what, address) in [
            ("address", self.address),
            ("instruction at", self.pc),
            ("called from", self.caller),
        ] {
            if let Some(address) = address {
                write!(f, ", {what} {address:#010x}")?;
            }
        }
        match &self.message {
            Some(message) => write!(f, ": {message}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_script::image::{Common, TaskContents};
    use flyball_trace::Duration;

    const COMMON: Common = Common {
        cpus: 1,
        cluster: 1,
        start: Time::from_nanos(1_000),
        end: Time::from_nanos(3_000),
        tick: Duration::ZERO,
        shape: 0,
        instruction: Duration::from_nanos(1),
    };

    fn read(text: &str) -> Result<Fault, FaultError> {
        let contents = Contents {
            common: COMMON,
            tasks: vec![TaskContents::default(); 2],
            ..Contents::default()
        };
        Fault::read(text, &contents, &[vec![TaskId(0), TaskId(1)]])
    }

    #[test]
    fn a_report_is_read() {
        let text =
            "thread 1\ntime 2500\ncause stack overflow\naddress 0x20001000\ncaller 0x00000abc\n";
        let fault = read(text).unwrap();
        assert_eq!(
            (fault.task, fault.time),
            (Some(TaskId(1)), Time::from_nanos(1_500))
        );
        assert_eq!((fault.pc, fault.caller), (None, Some(0xabc)));
        assert_eq!(
            fault.to_string(),
            "stack overflow at 1.5us, address 0x20001000, called from 0x00000abc"
        );
    }

    #[test]
    fn a_message_has_several_lines_and_a_thread_need_not_be_a_task() {
        let text = "thread 2\ntime 2500\ncause panic\nmessage at a.rs:1:\nno fuel\n";
        let fault = read(text).unwrap();
        assert_eq!(fault.task, None);
        assert_eq!(fault.message.as_deref(), Some("at a.rs:1:\nno fuel"));
    }

    #[test]
    fn damage_is_noticed() {
        let line = |text: &str| Err(FaultError::Line(text.to_owned()));
        assert_eq!(read(""), Err(FaultError::Incomplete));
        assert_eq!(read("time 3\n"), Err(FaultError::Incomplete));
        assert_eq!(read("time 3\ncause a\npc 0x"), Err(FaultError::Incomplete));
        assert_eq!(read("time 0x3\n"), line("time 0x3"));
        assert_eq!(read("pc 12\n"), line("pc 12"));
        assert_eq!(
            read("pc 0x10000000000000000\n"),
            line("pc 0x10000000000000000")
        );
        assert_eq!(read("thread 65536\n"), line("thread 65536"));
        assert_eq!(read("weather fine\n"), line("weather fine"));
    }
}
