//! Where the images are, and how they are built.
//!
//! There is one a machine, `runner`, and one for each scheduler of the user's own, `runner-mine`
//! for example; and for a machine with several CPUs `supervised`, which has a supervisor. Those in
//! the folder that [`IMAGES`] names come first, and then those that are installed with the command.
//! The others are built from the sources in `apps/`, which takes a while the first time only.

use crate::child;
use crate::generated::Generated;
use crate::sources::Sources;
use crate::{BoardError, Machine, Options, Phase, Watch};
use flyball_catalogue::Origin;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The name of the image that has every policy of the catalogue.
const RUNNER: &str = "runner";

/// The name of the image that has I+PI on each CPU, and a supervisor above.
const SUPERVISED: &str = "supervised";

/// The environment variable that names a folder with built images.
pub const IMAGES: &str = "FLYBALL_IMAGES";

/// What would change how cargo builds, if the environment of the caller has it set: the images have
/// settings of their own.
pub(crate) const FOREIGN: [&str; 5] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_BUILD_RUSTFLAGS",
    "RUSTC_WORKSPACE_WRAPPER",
];

/// What an image tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// What happened.
    Trace,
    /// What the kernel did, in instructions.
    Counts,
    /// What a supervisor of several CPUs saw.
    Supervised,
}

/// The image for a scheduler; it is built if it has to be. What the catalogue has is in the
/// machine's one image. A scheduler of the user's own has an image of its own, and so has each
/// whose kernel's work is counted, as the choice among all schedulers is work, too.
///
/// # Errors
/// [`BoardError`] if there is none, or it cannot be built.
pub fn find(
    machine: Machine,
    options: &Options<'_>,
    kind: Kind,
    watch: &mut Watch<'_>,
) -> Result<PathBuf, BoardError> {
    let own = format!("{RUNNER}-{}", options.scheduler.name());
    let names = match (kind, options.origin) {
        (Kind::Supervised, _) => [SUPERVISED, SUPERVISED],
        (_, Origin::Catalogue) => [RUNNER, own.as_str()],
        (_, Origin::Crate { .. } | Origin::Unknown) => [own.as_str(), own.as_str()],
    };
    if let Some(folder) = env::var_os(IMAGES)
        && kind != Kind::Counts
    {
        let paths = names.map(|name| Path::new(&folder).join(name));
        if let Some(path) = paths.iter().find(|path| path.is_file()) {
            return absolute(path);
        }
    }
    let sources = Sources::find();
    let ready = match (kind, options.origin) {
        (Kind::Supervised, _) => Some(SUPERVISED),
        (Kind::Trace, Origin::Catalogue) => Some(RUNNER),
        _ => None,
    };
    if let Some(name) = ready {
        let installed = sources.images().join(place(machine, kind, name));
        if installed.is_file() {
            return absolute(&installed);
        }
        return built(machine, &sources, kind, name, watch);
    }
    let Some(image) = Generated::new(machine, options, kind) else {
        return Err(BoardError::NoImage {
            machine: machine.name(),
            policy: options.policy.to_owned(),
            known: machine.policies().collect(),
        });
    };
    let target = sources.target()?;
    let package = image.write(&sources.folder()?.join("apps"), &target)?;
    let folder = target.join(folder(machine, kind));
    build(machine, &package, &folder, &image.name, watch)?;
    absolute(&target.join(place(machine, kind, &image.name)))
}

/// Builds the images that have all policies of the catalogue, and those with a supervisor, for all
/// machines. Returns each with its path among those that are installed.
///
/// # Errors
/// [`BoardError`].
pub fn to_install(watch: &mut Watch<'_>) -> Result<Vec<(PathBuf, PathBuf)>, BoardError> {
    let sources = Sources::find();
    let mut images = Vec::new();
    for machine in Machine::ALL {
        let supervised = machine
            .supervises()
            .then_some((Kind::Supervised, SUPERVISED));
        for (kind, name) in [(Kind::Trace, RUNNER)].into_iter().chain(supervised) {
            let image = built(machine, &sources, kind, name, watch)?;
            images.push((image, place(machine, kind, name)));
        }
    }
    Ok(images)
}

/// Builds an image of `apps`, if it has to be; returns where it is.
fn built(
    machine: Machine,
    sources: &Sources,
    kind: Kind,
    name: &str,
    watch: &mut Watch<'_>,
) -> Result<PathBuf, BoardError> {
    let target = sources.target()?;
    let (apps, folder) = (sources.folder()?.join("apps"), folder(machine, kind));
    build(machine, &apps, &target.join(folder), name, watch)?;
    absolute(&target.join(place(machine, kind, name)))
}

/// The features with which an image's program is built.
pub(crate) fn features(machine: Machine, kind: Kind) -> impl Iterator<Item = &'static str> {
    let probe = match kind {
        Kind::Trace | Kind::Supervised => None,
        Kind::Counts => Some("probe"),
    };
    machine.features().iter().copied().chain(probe)
}

/// The part of the target folder where it is built: apart from those with other features.
fn folder(machine: Machine, kind: Kind) -> PathBuf {
    match kind {
        Kind::Trace | Kind::Supervised => features(machine, kind).collect(),
        Kind::Counts => PathBuf::from("counts"),
    }
}

/// Where the image `name` is, within the target folder or among those that are installed.
fn place(machine: Machine, kind: Kind, name: &str) -> PathBuf {
    let folder = folder(machine, kind).join(machine.triple());
    folder.join(profile(machine, name)).join(name)
}

/// Cargo's profile for the image `name`. All policies together are small enough for the least of the
/// machines only if the compiler is told so.
fn profile(machine: Machine, name: &str) -> &'static str {
    if machine == Machine::Lm3s6965 && name == RUNNER {
        "compact"
    } else {
        "release"
    }
}

pub(crate) fn absolute(path: &Path) -> Result<PathBuf, BoardError> {
    path.canonicalize().map_err(|error| BoardError::Host {
        what: "the board's image cannot be found",
        error,
    })
}

/// Builds the binary `name` of the package or workspace in `sources`.
fn build(
    machine: Machine,
    sources: &Path,
    target: &Path,
    name: &str,
    watch: &mut Watch<'_>,
) -> Result<(), BoardError> {
    let mut args = vec!["--profile", profile(machine, name), "--bin", name];
    if name == SUPERVISED {
        args.extend(["--package", "flyball-supervised"]);
    }
    if name == RUNNER {
        args.extend(["--package", "flyball-runner"]);
        let features = machine.features().iter();
        args.extend(features.flat_map(|name| ["--features", name]));
    }
    cargo(machine, sources, target, &args, watch)
}

/// Has cargo build what `args` say, of the package or workspace in `sources`, for a machine.
pub(crate) fn cargo(
    machine: Machine,
    sources: &Path,
    target: &Path,
    args: &[&str],
    watch: &mut Watch<'_>,
) -> Result<(), BoardError> {
    let folder = tempfile::tempdir().map_err(|error| BoardError::Host {
        what: "a temporary folder cannot be made",
        error,
    })?;
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--quiet", "--target-dir"])
        .arg(target)
        .args(["--target", machine.triple()])
        .args(args)
        .current_dir(sources);
    for variable in FOREIGN {
        cargo.env_remove(variable);
    }
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PROFILE_") {
            cargo.env_remove(name);
        }
    }
    let mut watch = || watch(Phase::Building);
    let ended = child::run(cargo, "cargo", folder.path(), None, &mut watch)?;
    if ended.status.success() {
        return Ok(());
    }
    if lacks(machine.triple(), sources) {
        return Err(BoardError::NoTriple(machine.triple()));
    }
    Err(BoardError::Build(ended.said))
}

/// Whether the tool chain lacks the libraries for `triple`.
fn lacks(triple: &str, sources: &Path) -> bool {
    let output = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", triple])
        .current_dir(sources)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    output.is_ok_and(|output| {
        let folder = String::from_utf8_lossy(&output.stdout);
        output.status.success() && !Path::new(folder.trim()).is_dir()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_catalogue::Edf;
    use std::ops::ControlFlow;

    #[test]
    fn a_policy_without_an_image_is_named() {
        let mut watch = |_| ControlFlow::Continue(());
        let options = Options {
            origin: Origin::Unknown,
            ..Options::of(&Edf)
        };
        let error = find(Machine::CortexM3, &options, Kind::Trace, &mut watch).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no image of policy \"edf\" for machine cortex-m3"
        );
        assert!(error.remedy().is_some_and(|help| help.contains("fp-rr")));
    }

    #[test]
    fn a_missing_target_is_noticed() {
        assert!(!lacks("no-such-target", Path::new(".")));
        // The compiler knows it, and it is not installed for this.
        assert!(lacks("msp430-none-elf", Path::new(".")));
    }
}
