//! Where Flyball's sources are, and the images beside them.
//!
//! An installed command has both in `../share/flyball`, seen from its own folder: the sources as
//! they are in a checkout, and built images in `images`. Another command has the checkout that it
//! was built from, where cargo builds the images.

use crate::BoardError;
use std::env;
use std::path::{Path, PathBuf};

/// The environment variable that says where Flyball's sources are.
pub const SOURCES: &str = "FLYBALL_SOURCES";

/// How to get what a command without sources lacks.
pub const REMEDY: &str = "type `./x install` in a checkout of Flyball, which installs the command with its images and \
                          sources; or name a checkout in FLYBALL_SOURCES";

/// What a folder with sources has, at least.
const PARTS: [&str; 3] = ["apps/Cargo.toml", "crates/app/Cargo.toml", "Cargo.lock"];

/// A folder with Flyball's sources.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
    folder: PathBuf,
    said_by: &'static str,
}

impl Sources {
    /// The sources in `folder`, which `said_by` names, for messages.
    pub fn new(folder: PathBuf, said_by: &'static str) -> Sources {
        Sources { folder, said_by }
    }

    /// Those that [`SOURCES`] names; or else those that are installed with this command; or else
    /// those that it was built from.
    pub fn find() -> Sources {
        if let Some(folder) = env::var_os(SOURCES) {
            return Sources::new(folder.into(), SOURCES);
        }
        let installed = env::current_exe().and_then(|path| path.canonicalize());
        let installed = installed.ok().and_then(|path| installed_with(&path));
        installed.unwrap_or_else(|| {
            let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
            Sources::new(built, "where this command was built")
        })
    }

    /// The folder as an absolute path.
    ///
    /// # Errors
    /// [`BoardError::NoSources`] if something is missing there.
    pub fn folder(&self) -> Result<PathBuf, BoardError> {
        let missing = PARTS.iter().find(|part| !self.folder.join(part).is_file());
        let folder = self.folder.canonicalize().ok();
        folder
            .filter(|_| missing.is_none())
            .ok_or_else(|| BoardError::NoSources {
                folder: self.folder.clone(),
                said_by: self.said_by,
                missing: missing.unwrap_or(&PARTS[0]),
            })
    }

    /// Where built images are, if they are installed.
    pub(crate) fn images(&self) -> PathBuf {
        self.folder.join("images")
    }

    /// Where images are built: in a checkout beside their sources. Installed sources may be another
    /// user's, and stay as they are.
    ///
    /// # Errors
    /// [`BoardError::NoSources`].
    pub(crate) fn target(&self) -> Result<PathBuf, BoardError> {
        if !self.images().is_dir() {
            return Ok(self.folder()?.join("apps/target"));
        }
        let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let cache = cache.filter(|path| path.is_absolute());
        let home = || env::home_dir().map(|home| home.join(".cache"));
        let cache = cache.or_else(home).unwrap_or_else(env::temp_dir);
        Ok(cache.join("flyball"))
    }
}

/// The sources that are installed with the program at `path`.
fn installed_with(path: &Path) -> Option<Sources> {
    let folder = path.parent()?.parent()?.join("share/flyball");
    let found = Sources::new(folder, "which this command is installed with");
    found.images().is_dir().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn an_installed_command_knows_its_sources() {
        let prefix = tempfile::tempdir().unwrap();
        let command = prefix.path().join("bin/flyball");
        assert_eq!(installed_with(&command), None);
        fs::create_dir_all(prefix.path().join("share/flyball/images")).unwrap();
        let sources = installed_with(&command).unwrap();
        assert_eq!(sources.folder, prefix.path().join("share/flyball"));
        // Nothing is built among them.
        assert!(!sources.target().unwrap().starts_with(prefix.path()));
        let error = sources.folder().unwrap_err();
        assert!(
            error.to_string().contains("there is no apps/Cargo.toml"),
            "{error}"
        );
        assert!(
            error
                .remedy()
                .is_some_and(|help| help.contains("./x install"))
        );
    }

    #[test]
    fn a_command_of_the_checkout_has_the_checkout() {
        let sources = Sources::find();
        let folder = sources.folder().unwrap();
        assert!(folder.join("x").is_file());
        assert_eq!(sources.target().unwrap(), folder.join("apps/target"));
    }
}
