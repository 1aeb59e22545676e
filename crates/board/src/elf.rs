//! Where the images are, and how they are built.
//!
//! There is one a policy, `runner-edf` for example. Those in the folder that [`IMAGES`] names come
//! first; the others are built from the sources in `apps/`, which takes a while the first time only.

use crate::child;
use crate::{BoardError, Machine, Phase, Watch};
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The environment variable that names a folder with built images.
pub const IMAGES: &str = "FLYBALL_IMAGES";

/// What would change how cargo builds, if whoever called us has set it: the images have settings of
/// their own.
const FOREIGN: [&str; 5] = [
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
}

/// The image for a policy, one for tasks that may run on some CPUs only if `has_affinities`; it is built
/// if it has to be.
///
/// # Errors
/// [`BoardError`] if there is none, or it cannot be built.
pub fn find(
    machine: Machine,
    policy: &str,
    has_affinities: bool,
    kind: Kind,
    watch: &mut Watch<'_>,
) -> Result<PathBuf, BoardError> {
    let no_image = || BoardError::NoImage {
        machine: machine.name(),
        policy: policy.to_owned(),
        known: machine.policies(),
    };
    let image = if has_affinities {
        machine.image_with_affinities(policy).ok_or_else(no_image)?
    } else {
        machine.image(policy)
    };
    let name = format!("runner-{image}");
    if let Some(folder) = env::var_os(IMAGES)
        && kind == Kind::Trace
    {
        let path = Path::new(&folder).join(&name);
        if path.is_file() {
            return absolute(&path);
        }
    }
    if !machine.policies().contains(&policy) {
        return Err(no_image());
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../apps");
    if !sources.join("Cargo.toml").is_file() {
        return Err(BoardError::NoSources(sources));
    }
    build(machine, &sources, &name, kind, watch)?;
    let folder = Path::new(kind.folder())
        .join(machine.triple())
        .join("release");
    absolute(&sources.join(folder).join(name))
}

impl Kind {
    /// Where it is built, apart from the others.
    fn folder(self) -> &'static str {
        match self {
            Kind::Trace => "target",
            Kind::Counts => "target/counts",
        }
    }

    fn features(self) -> &'static [&'static str] {
        match self {
            Kind::Trace => &[],
            Kind::Counts => &["--features", "probe"],
        }
    }
}

fn absolute(path: &Path) -> Result<PathBuf, BoardError> {
    path.canonicalize().map_err(|error| BoardError::Host {
        what: "the board's image cannot be found",
        error,
    })
}

fn build(
    machine: Machine,
    sources: &Path,
    name: &str,
    kind: Kind,
    watch: &mut Watch<'_>,
) -> Result<(), BoardError> {
    let folder = tempfile::tempdir().map_err(|error| BoardError::Host {
        what: "a temporary folder cannot be made",
        error,
    })?;
    let mut cargo = Command::new("cargo");
    cargo
        .args([
            "build",
            "--release",
            "--quiet",
            "--target-dir",
            kind.folder(),
        ])
        .args(["--bin", name, "--target", machine.triple()])
        .args(machine.packages())
        .args(kind.features())
        .current_dir(sources);
    for variable in FOREIGN {
        cargo.env_remove(variable);
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
    use std::ops::ControlFlow;

    #[test]
    fn a_policy_without_an_image_is_named() {
        let mut watch = |_| ControlFlow::Continue(());
        let error = find(Machine::CortexM3, "mine", false, Kind::Trace, &mut watch).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no image of policy \"mine\" for machine cortex-m3"
        );
        assert!(error.remedy().is_some_and(|help| help.contains("edf")));
    }

    #[test]
    fn a_missing_target_is_noticed() {
        assert!(!lacks("no-such-target", Path::new(".")));
        // The compiler knows it, and nobody installs it for this.
        assert!(lacks("msp430-none-elf", Path::new(".")));
    }
}
