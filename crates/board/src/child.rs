//! Other programs: they are watched while they run, and killed if they are not wanted any more.

use crate::BoardError;
use std::io::{ErrorKind, Read};
use std::ops::ControlFlow;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{fs, path::Path};

/// How a program ended, what it printed, and what it said on its standard error.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) printed: String,
    pub(crate) said: String,
}

/// Where a program prints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Its standard output.
    Output,
    /// Its standard error.
    Error,
}

/// Is told what a program prints, while it runs.
pub type Live<'a> = dyn FnMut(Stream, &[u8]) + 'a;

/// What has been written to a file since the last look.
struct Tail {
    stream: Stream,
    file: fs::File,
}

impl Tail {
    fn open(stream: Stream, path: &Path) -> std::io::Result<Tail> {
        let file = fs::File::open(path)?;
        Ok(Tail { stream, file })
    }

    fn tell(&mut self, live: &mut Live<'_>) -> std::io::Result<()> {
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes)?;
        if !bytes.is_empty() {
            live(self.stream, &bytes);
        }
        Ok(())
    }
}

/// The files of what it prints and says.
const PRINTED: &str = "stdout.txt";
const SAID: &str = "stderr.txt";

/// A child that does not outlive the function that waits for it.
struct Guard(Child);

impl Drop for Guard {
    fn drop(&mut self) {
        // It may have ended already. QEMU can ignore a polite request, so this is none.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs `command`, the program `name`, until it ends. `watch` is asked some ten times a second
/// whether to go on. What the program says goes through a file in `folder`, since a pipe that is
/// not read would stop it.
pub(crate) fn run(
    command: Command,
    name: &'static str,
    folder: &Path,
    limit: Option<Duration>,
    watch: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Ended, BoardError> {
    run_live(command, name, folder, limit, None, watch)
}

/// The same. If `live` is there it is told as often what the program prints, and the program has this
/// one's standard input.
pub(crate) fn run_live(
    mut command: Command,
    name: &'static str,
    folder: &Path,
    limit: Option<Duration>,
    mut live: Option<&mut Live<'_>>,
    watch: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Ended, BoardError> {
    const SHORT: Duration = Duration::from_millis(2);
    const LONG: Duration = Duration::from_millis(50);
    let host = |what| move |error| BoardError::Host { what, error };
    let file = |name| {
        let file = fs::File::create(folder.join(name));
        file.map_err(host("a temporary file cannot be written"))
    };
    let input = match live {
        Some(_) => Stdio::inherit(),
        None => Stdio::null(),
    };
    command
        .stdin(input)
        .stdout(file(PRINTED)?)
        .stderr(file(SAID)?);
    let tail = |(stream, name)| {
        let tail = Tail::open(stream, &folder.join(name));
        tail.map_err(host("a temporary file cannot be read"))
    };
    let mut tails = [
        tail((Stream::Output, PRINTED))?,
        tail((Stream::Error, SAID))?,
    ];
    let child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => BoardError::NoProgram(name),
        _ => BoardError::Host { what: name, error },
    })?;
    let mut child = Guard(child);
    let started = Instant::now();
    let mut pause = SHORT;
    let status = loop {
        let ended = child.0.try_wait().map_err(host(name))?;
        if let Some(live) = &mut live {
            for tail in &mut tails {
                let told = tail.tell(live);
                told.map_err(host("a temporary file cannot be read"))?;
            }
        }
        // Ctrl-C ends the child as well, so the question comes before the answer is believed.
        if watch().is_break() {
            return Err(BoardError::Interrupted);
        }
        if let Some(status) = ended {
            break status;
        }
        if let Some(limit) = limit.filter(|&limit| started.elapsed() > limit) {
            return Err(BoardError::TooLong(limit));
        }
        sleep(pause);
        pause = (pause * 2).min(LONG);
    };
    let text = |name| {
        let text = fs::read(folder.join(name)).map_err(host("a temporary file cannot be read"))?;
        Ok::<_, BoardError>(String::from_utf8_lossy(&text).into_owned())
    };
    Ok(Ended {
        status,
        printed: text(PRINTED)?,
        said: text(SAID)?,
    })
}

/// What a program has printed and said that was ended.
pub(crate) fn said(folder: &Path) -> String {
    [PRINTED, SAID]
        .map(|name| fs::read(folder.join(name)).unwrap_or_default())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(program: &str, args: &[&str], limit: Option<Duration>) -> Result<Ended, BoardError> {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(program);
        command.args(args);
        let mut watch = || ControlFlow::Continue(());
        run(command, "it", folder.path(), limit, &mut watch)
    }

    #[test]
    fn a_program_ends_or_is_ended() {
        let ended = start("sh", &["-c", "echo yes; echo no >&2; exit 3"], None).unwrap();
        assert_eq!(ended.status.code(), Some(3));
        assert_eq!((&*ended.printed, &*ended.said), ("yes\n", "no\n"));
        let limit = Duration::from_millis(20);
        let late = start("sleep", &["60"], Some(limit));
        assert!(matches!(late, Err(BoardError::TooLong(_))));
        let none = start("flyball-has-no-such-program", &[], None);
        assert!(matches!(none, Err(BoardError::NoProgram("it"))));
    }

    #[test]
    fn what_it_prints_is_told_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        // It ends as soon as what it has printed first has been told.
        command.args([
            "-c",
            "echo one; while ! [ -e told ]; do :; done; echo two >&2",
        ]);
        command.current_dir(folder.path());
        let mut told = Vec::new();
        let mut live = |stream, bytes: &[u8]| {
            fs::write(folder.path().join("told"), "").unwrap();
            told.push((stream, String::from_utf8(bytes.into()).unwrap()));
        };
        let limit = Some(Duration::from_mins(1));
        let mut watch = || ControlFlow::Continue(());
        let ended = run_live(
            command,
            "it",
            folder.path(),
            limit,
            Some(&mut live),
            &mut watch,
        )
        .unwrap();
        assert_eq!((&*ended.printed, &*ended.said), ("one\n", "two\n"));
        assert_eq!(
            told,
            [
                (Stream::Output, "one\n".to_owned()),
                (Stream::Error, "two\n".to_owned())
            ]
        );
    }

    #[test]
    fn an_interrupt_kills_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sleep");
        command.arg("60");
        let mut asked = 0;
        let mut watch = || {
            asked += 1;
            if asked > 2 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let ended = run(command, "sleep", folder.path(), None, &mut watch);
        assert!(matches!(ended, Err(BoardError::Interrupted)));
    }
}
