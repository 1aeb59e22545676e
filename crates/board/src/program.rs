//! Programs in C and C++ that are linked with the kernel: ELF files of `arm-none-eabi-gcc
//! -specs=flyball.specs` and its like for RISC-V.

pub mod declared;
pub mod functions;
pub mod threads;

use crate::child;
pub use crate::child::{Live, Stream};
use crate::{BoardError, Machine, Phase, Watch};
use flyball_model::TaskSet;
use flyball_script::{Declared, Destination};
use flyball_trace::file::Trace;
use functions::Functions;
use object::{Architecture, Object, ObjectSection, ObjectSymbol};
use std::ffi::OsStr;
use std::fs;
use std::num::NonZeroU32;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What stands before a seed in a program's memory. `shake.rs` of `flyball-capi` has it as well.
const MAGIC: u32 = 0x6b61_6873;

/// A program with a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    path: PathBuf,
    machine: Machine,
    policy: Option<String>,
    /// What it says of its threads.
    declared: Vec<u8>,
    /// Where a seed goes.
    seed: u64,
    /// Where it is said in which file the trace goes; `None`: its kernel records nothing.
    trace: Option<u64>,
}

/// How a program is run.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// On how many CPUs.
    pub cpus: u8,
    /// How long an instruction takes: 2^`shift` ns.
    pub shift: u32,
    /// The words after its name.
    pub words: &'a [&'a str],
    /// What decides at which instants threads are preempted; `None`: the policy alone does.
    pub seed: Option<NonZeroU32>,
    /// How long the emulator may take, of the host's time.
    pub limit: Duration,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Its exit code; `None`: it did not end in time, or the emulator was killed.
    pub code: Option<i32>,
    /// What it printed.
    pub printed: String,
}

impl Program {
    /// Looks at an ELF file.
    ///
    /// # Errors
    /// [`BoardError::Host`] if it cannot be read, and [`BoardError::Image`] if it is no program with this
    /// kernel.
    pub fn open(path: &Path) -> Result<Program, BoardError> {
        let bytes = read(path)?;
        let image = |why: &str| BoardError::Image(why.to_owned());
        let elf =
            object::File::parse(&*bytes).map_err(|error| BoardError::Image(error.to_string()))?;
        let machine = match elf.architecture() {
            Architecture::Arm => Machine::CortexM3,
            Architecture::Riscv64 => Machine::Riscv,
            _ => {
                return Err(image(
                    "it is for none of the emulated boards: link it with flyball.specs",
                ));
            }
        };
        let address = |name| {
            let mut symbols = elf.symbols();
            let symbol = symbols.find(|symbol| symbol.name() == Ok(name));
            symbol.map(|symbol| symbol.address())
        };
        let seed = address("__flyball_seed").ok_or_else(|| {
            image("it has no kernel of Flyball's, or no symbols: link it with flyball.specs, without -s")
        })?;
        Ok(Program {
            path: crate::elf::absolute(path)?,
            machine,
            policy: policy(&elf),
            declared: declarations(&elf).map_err(|error| BoardError::Image(error.to_string()))?,
            seed,
            trace: address("__flyball_trace"),
        })
    }

    /// The name of the policy that it is linked with, if it says that.
    pub fn policy(&self) -> Option<&str> {
        self.policy.as_deref()
    }

    /// What it says of its threads.
    ///
    /// # Errors
    /// [`BoardError::NoTaskSet`] if that is nothing, or damaged.
    pub fn declared(&self) -> Result<Vec<Declared>, BoardError> {
        declared::read(&self.declared).map_err(BoardError::NoTaskSet)
    }

    /// What it says of its threads, as a task set.
    ///
    /// # Errors
    /// [`BoardError::NoTaskSet`].
    pub fn task_set(&self) -> Result<TaskSet, BoardError> {
        let set = declared::task_set(&self.name(), &self.declared()?);
        set.map_err(BoardError::NoTaskSet)
    }

    /// What it runs on.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// On how many CPUs it can run.
    pub fn most_cpus(&self) -> u8 {
        match self.machine {
            Machine::Riscv => 8,
            Machine::CortexM3 | Machine::CortexM3At62 | Machine::Lm3s6965 => 1,
        }
    }

    /// Runs it in the current folder, where its files are.
    ///
    /// # Errors
    /// What may go wrong with any program; not what this one does.
    pub fn run(&self, start: &Start<'_>, watch: &mut Watch<'_>) -> Result<Outcome, BoardError> {
        self.run_live(start, None, watch)
    }

    /// The same. If `live` is there it is told what the program prints, while it runs, and the program
    /// has this one's standard input.
    ///
    /// # Errors
    /// As [`Program::run`].
    pub fn run_live(
        &self,
        start: &Start<'_>,
        live: Option<&mut Live<'_>>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, BoardError> {
        self.run_in(&temporary_folder()?, start, &[], live, watch)
    }

    /// Runs it, and reads what happened. What it prints is the same; `live` as in [`Program::run_live`].
    ///
    /// # Errors
    /// As [`Program::run`]; [`BoardError::NoRecorder`], and [`BoardError::Trace`] if what its kernel has recorded is
    /// damaged.
    pub fn run_traced(
        &self,
        start: &Start<'_>,
        live: Option<&mut Live<'_>>,
        watch: &mut Watch<'_>,
    ) -> Result<(Outcome, Trace), BoardError> {
        let address = self.trace.ok_or_else(|| BoardError::NoRecorder {
            policy: self.policy.clone(),
        })?;
        let host = |what| move |error| BoardError::Host { what, error };
        let folder = temporary_folder()?;
        let file = |name| folder.path().join(name);
        let (trace, destination) = (file("trace.bin"), file("destination.bin"));
        let bytes = Destination::encode(trace.as_os_str().as_bytes());
        let bytes = bytes.ok_or_else(|| {
            BoardError::Image("the name of the folder for temporary files is too long".to_owned())
        })?;
        fs::write(&destination, bytes).map_err(host("a temporary file cannot be written"))?;
        // A comma in a name is written twice.
        let name = destination.to_string_lossy().replace(',', ",,");
        let loader = format!("loader,file={name},addr={address:#x},force-raw=on");
        let outcome = self.run_in(&folder, start, &["-device", &loader], live, watch)?;
        let bytes = fs::read(&trace).map_err(host("the board's trace cannot be read"))?;
        let functions = self.functions()?;
        let about = threads::About {
            name: &self.name(),
            policy: self.policy.as_deref().unwrap_or_default(),
            cpus: start.cpus,
            functions: &functions,
        };
        Ok((outcome, threads::read(&bytes, &about)?))
    }

    /// Its file's name.
    pub fn name(&self) -> String {
        let name = self.path.file_name().map(OsStr::to_string_lossy);
        name.unwrap_or_default().into_owned()
    }

    /// Its functions.
    ///
    /// # Errors
    /// As [`Program::open`].
    pub fn functions(&self) -> Result<Functions, BoardError> {
        let bytes = read(&self.path)?;
        let elf = object::File::parse(&*bytes);
        let elf = elf.map_err(|error| BoardError::Image(error.to_string()))?;
        Ok(Functions::of(&elf))
    }

    /// Runs it, and tells the emulator this as well.
    fn run_in(
        &self,
        folder: &tempfile::TempDir,
        start: &Start<'_>,
        more: &[&str],
        live: Option<&mut Live<'_>>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, BoardError> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let words = [&[&*name], start.words].concat();
        let (program, flags) = self.machine.emulator_of(start.cpus, start.shift, &words);
        let mut command = Command::new(program);
        command.args(flags).args(more);
        command.arg("-kernel").arg(&self.path);
        if let Some(seed) = start.seed {
            let value = u64::from(seed.get()) << 32 | u64::from(MAGIC);
            let loader = format!("loader,addr={:#x},data={value:#x},data-len=8", self.seed);
            command.args(["-device", &loader]);
        }
        let mut watch = || watch(Phase::Running);
        let limit = Some(start.limit);
        // The emulator's own words are not the program's.
        let warning = format!("{program}: warning: ");
        let mut without_warnings = live.map(|live| WithoutWarnings {
            live,
            warning: warning.as_bytes(),
            line: Vec::new(),
        });
        let mut told = without_warnings
            .as_mut()
            .map(|it| move |stream, bytes: &[u8]| it.tell(stream, bytes));
        let live = told.as_mut().map(|live| live as &mut Live<'_>);
        let (code, text) =
            match child::run_live(command, program, folder.path(), limit, live, &mut watch) {
                Ok(ended) => (ended.status.code(), ended.printed + &ended.said),
                Err(BoardError::TooLong(_)) => (None, child::said(folder.path())),
                Err(error) => return Err(error),
            };
        if let Some(it) = without_warnings {
            it.end();
        }
        let lines = text.split_inclusive('\n');
        Ok(Outcome {
            code,
            printed: lines.filter(|line| !line.starts_with(&warning)).collect(),
        })
    }
}

/// Passes on what a program prints, but for lines of the emulator on its standard error.
struct WithoutWarnings<'a, 'b> {
    live: &'a mut Live<'b>,
    warning: &'a [u8],
    /// A line that is not complete yet.
    line: Vec<u8>,
}

impl WithoutWarnings<'_, '_> {
    fn tell(&mut self, stream: Stream, bytes: &[u8]) {
        if stream == Stream::Output {
            return (self.live)(stream, bytes);
        }
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.pass();
            }
        }
    }

    fn pass(&mut self) {
        if !self.line.is_empty() && !self.line.starts_with(self.warning) {
            (self.live)(Stream::Error, &self.line);
        }
        self.line.clear();
    }

    fn end(mut self) {
        self.pass();
    }
}

fn read(path: &Path) -> Result<Vec<u8>, BoardError> {
    fs::read(path).map_err(|error| BoardError::Host {
        what: "the program cannot be read",
        error,
    })
}

fn temporary_folder() -> Result<tempfile::TempDir, BoardError> {
    tempfile::tempdir().map_err(|error| BoardError::Host {
        what: "a temporary folder cannot be made",
        error,
    })
}

/// What a program says of its threads; nothing if it says nothing.
fn declarations(elf: &object::File<'_>) -> object::Result<Vec<u8>> {
    let section = elf.section_by_name(".flyball.threads");
    section.map_or(Ok(Vec::new()), |section| section.data().map(Vec::from))
}

/// The policy's name, which is in a section of its own.
fn policy(elf: &object::File<'_>) -> Option<String> {
    let section = elf.section_by_name(".flyball.policy")?;
    let name = section.data().ok()?.strip_suffix(&[0])?;
    let is_name = |byte: &u8| byte.is_ascii_graphic();
    let name = std::str::from_utf8(name).ok()?;
    (!name.is_empty() && name.bytes().all(|byte| is_name(&byte))).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_program_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        assert!(matches!(Program::open(&path), Err(BoardError::Host { .. })));
        fs::write(&path, "#!/bin/sh\n").unwrap();
        assert!(matches!(Program::open(&path), Err(BoardError::Image(_))));
        // The test itself is one of this computer's.
        let this = std::env::current_exe().unwrap();
        assert!(matches!(Program::open(&this), Err(BoardError::Image(_))));
    }
}
