//! Images that measure: each prints figures of what its command line asks for.
//!
//! They are for the board of [`Machine::CortexM3`]. Cargo builds them from `apps/`; where nothing has
//! changed that takes a moment.

use crate::elf::{absolute, cargo};
use crate::sources::Sources;
use crate::{BoardError, Machine, Phase, Watch, child};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The board that they are for.
const MACHINE: Machine = Machine::CortexM3;
/// An image that does not end by itself is ended after this long.
const LIMIT: Duration = Duration::from_mins(5);

/// Images of `apps/costs` are run so that an instruction takes 2^10 ns, as the board's counter has to
/// tell one from the next.
pub const SHIFT: u32 = 10;

/// How images are built.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    /// The package in `apps/`.
    pub package: &'a str,
    /// One of its images; `None`: all of them.
    pub image: Option<&'a str>,
    /// Cargo's profile: `release`, or `small` for few bytes.
    pub profile: &'a str,
    /// The package's features that are on.
    pub features: &'a [&'a str],
}

impl<'a> Build<'a> {
    /// One image of `apps/costs`, with all options of the kernel off.
    pub const fn costs(image: &'a str) -> Build<'a> {
        Build {
            package: "flyball-costs",
            image: Some(image),
            profile: "release",
            features: &[],
        }
    }

    /// One image of `apps/minimal`, of as few bytes as can be.
    pub const fn minimal(image: &'a str) -> Build<'a> {
        Build {
            package: "flyball-minimal",
            image: Some(image),
            profile: "small",
            features: &["small"],
        }
    }

    /// Builds what has to be built.
    ///
    /// # Errors
    /// [`BoardError`], if there are no sources, no cargo or no target, or if cargo fails.
    pub fn make(&self, watch: &mut Watch<'_>) -> Result<(), BoardError> {
        let sources = Sources::find();
        let (apps, target) = (sources.folder()?.join("apps"), sources.target()?);
        let features = self.features.join(",");
        let mut args = vec!["--package", self.package, "--profile", self.profile];
        args.extend(["--features", &features]);
        args.extend(self.image.into_iter().flat_map(|name| ["--bin", name]));
        cargo(MACHINE, &apps, &target, &args, watch)
    }
}

/// Returns the path of an image that was built last with this profile, by its name.
///
/// # Errors
/// [`BoardError`], if there are no sources, or no such image.
pub fn find(name: &str, profile: &str) -> Result<PathBuf, BoardError> {
    let folder = Sources::find().target()?.join(MACHINE.triple());
    absolute(&folder.join(profile).join(name))
}

/// Runs the image `elf` with the words of its command line, an instruction taking 2^`shift` ns.
/// Returns what it printed.
///
/// # Errors
/// [`BoardError::Board`] with what it printed if it says that something is wrong, and what may go
/// wrong with any program.
pub fn run(
    elf: &Path,
    shift: u32,
    words: &[&str],
    watch: &mut Watch<'_>,
) -> Result<String, BoardError> {
    let folder = tempfile::tempdir().map_err(|error| BoardError::Host {
        what: "a temporary folder cannot be made",
        error,
    })?;
    let name = elf.file_name().unwrap_or_default().to_string_lossy();
    let (program, flags) = MACHINE.emulator_of(1, shift, &[&[&*name], words].concat());
    let mut command = Command::new(program);
    command.args(flags).arg("-kernel").arg(elf);
    let mut watch = || watch(Phase::Running);
    let ended = child::run(command, program, folder.path(), Some(LIMIT), &mut watch)?;
    if ended.status.success() {
        return Ok(ended.printed);
    }
    if !ended.printed.is_empty() {
        return Err(BoardError::Board(ended.printed));
    }
    Err(BoardError::Emulator {
        program,
        status: ended.status.to_string(),
        said: ended.said,
    })
}

/// Bytes of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Code, constants, and what variables begin with.
    pub code: u64,
    /// Variables, stacks among them.
    pub ram: u64,
    /// Of the code, functions of the crate `flyball-policy`. What of it was made part of other
    /// functions is not counted, here and below.
    pub policy: u64,
    /// Of the code, functions that ask the policy, set the timer and switch to the thread that was
    /// chosen.
    pub dispatcher: u64,
}

/// In the names of the policy's functions. No other function has its crate's name: generic
/// parameters are left out.
const POLICY: &[&str] = &["flyball_policy"];
/// In those of the dispatcher's: modules, as the compiler writes them, and the handler that switches.
const DISPATCHER: &[&str] = &[
    "flyball_kernel8schedule",
    "flyball_machine_cortexm3cpu",
    "PendSV",
];

/// Returns how large the image `elf` is.
///
/// # Errors
/// [`BoardError::Host`] if it cannot be read, and [`BoardError::Image`] if it is no image.
pub fn size(elf: &Path) -> Result<Size, BoardError> {
    let bytes = fs::read(elf).map_err(|error| BoardError::Host {
        what: "the board's image cannot be read",
        error,
    })?;
    let elf = object::File::parse(&*bytes).map_err(|error| BoardError::Image(error.to_string()))?;
    let mut size = Size::default();
    for section in elf.sections() {
        match section.kind() {
            SectionKind::Text | SectionKind::ReadOnlyData => size.code += section.size(),
            SectionKind::Data => {
                size.code += section.size();
                size.ram += section.size();
            }
            SectionKind::UninitializedData => size.ram += section.size(),
            _ => {}
        }
    }
    let sum = |words: &[&str]| -> u64 {
        let functions = elf.symbols().filter(|it| it.kind() == SymbolKind::Text);
        let named = functions.filter(|it| {
            it.name()
                .is_ok_and(|name| words.iter().any(|word| name.contains(word)))
        });
        named.map(|it| it.size()).sum()
    };
    size.policy = sum(POLICY);
    size.dispatcher = sum(DISPATCHER);
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_image_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image");
        assert!(matches!(size(&path), Err(BoardError::Host { .. })));
        fs::write(&path, "no image").unwrap();
        let error = size(&path).unwrap_err();
        assert!(matches!(error, BoardError::Image(_)), "{error}");
    }
}
