//! The source of an image that has one scheduler: a package of two files, which cargo builds like
//! any other.

use crate::elf::{self, Kind};
use crate::{BoardError, Machine, Options};
use flyball_catalogue::Origin;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The package of an image.
pub(crate) struct Generated {
    /// The name of the package and of its binary.
    pub(crate) name: String,
    /// The path of the scheduler's type.
    path: &'static str,
    /// The name and the folder of the user's package that has the scheduler, if one has.
    package: Option<(&'static str, &'static str)>,
    machine: Machine,
    kind: Kind,
}

impl Generated {
    /// The package of an image for a scheduler; `None` if it is not known where its source is.
    pub(crate) fn new(machine: Machine, options: &Options<'_>, kind: Kind) -> Option<Generated> {
        let scheduler = options.scheduler;
        let (path, package) = match options.origin {
            Origin::Catalogue => {
                let path = flyball_catalogue::path(scheduler.name(), scheduler.shape())?;
                (path, None)
            }
            Origin::Crate {
                folder,
                package,
                path,
            } => (path, Some((package, folder))),
            Origin::Unknown => return None,
        };
        let shape = scheduler.shape().to_byte();
        // A policy may have any name, a package may not.
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let mut name: String = scheduler.name().chars().map(plain).collect();
        name = match package {
            Some((package, _)) => format!("runner-{package}-{name}"),
            None => format!("runner-{name}-{shape}"),
        };
        Some(Generated {
            name,
            path,
            package,
            machine,
            kind,
        })
    }

    /// Writes the package to a folder of its own in `target`, and returns that folder. Files that are
    /// there already stay as they are.
    pub(crate) fn write(&self, apps: &Path, target: &Path) -> Result<PathBuf, BoardError> {
        let features: Vec<_> = elf::features(self.machine, self.kind).collect();
        let kind = match features[..] {
            [] => "trace".to_owned(),
            _ => features.join("-"),
        };
        let folder = target.join("images").join(kind).join(&self.name);
        let write = || {
            fs::create_dir_all(&folder)?;
            replace(&folder.join("Cargo.toml"), &self.manifest(apps))?;
            replace(&folder.join("main.rs"), &self.program())?;
            let lock = folder.join("Cargo.lock");
            if !lock.is_file() {
                // The versions that the other images are built with.
                replace(&lock, &fs::read_to_string(apps.join("Cargo.lock"))?)?;
            }
            Ok(())
        };
        write().map_err(|error| BoardError::Host {
            what: "the source of the board's image cannot be written",
            error,
        })?;
        Ok(folder)
    }

    fn manifest(&self, apps: &Path) -> String {
        let features: Vec<_> = elf::features(self.machine, self.kind)
            .map(|name| format!("\"{name}\""))
            .collect();
        let features = features.join(", ");
        let apps = apps.display();
        let mut manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n\n\
             [workspace]\n\n\
             [[bin]]\nname = \"{name}\"\npath = \"main.rs\"\n\n\
             [profile.release]\nopt-level = 3\nlto = \"fat\"\ncodegen-units = 1\ndebug = true\n\
             panic = \"abort\"\n\n\
             [dependencies]\nflyball-runner = {{ path = '{apps}/runner', features = [{features}] }}\n\
             flyball-catalogue = {{ path = '{apps}/../crates/catalogue' }}\n",
            name = self.name,
        );
        if let Some((package, folder)) = self.package {
            // Writing to a string cannot fail.
            let _ = writeln!(
                manifest,
                "{package} = {{ path = '{folder}', default-features = false }}"
            );
        }
        manifest
    }

    fn program(&self) -> String {
        format!(
            "//! An image of one scheduler.\n#![no_std]\n#![no_main]\n\nflyball_runner::runner!({});\n",
            self.path
        )
    }
}

/// Writes a file whole or not at all, unless it has this text already.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    if fs::read_to_string(file).is_ok_and(|found| found == text) {
        return Ok(());
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    let new = tempfile::NamedTempFile::new_in(folder)?;
    fs::write(&new, text)?;
    new.persist(file)?;
    Ok(())
}
