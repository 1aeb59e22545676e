//! Files that are either there in full or not at all.
//!
//! A report is first written to a temporary file in the same folder, brought to the disk, and only
//! then given its name, which replaces an older file of that name in one step. A program that reads
//! the file meanwhile sees the old one or the new one, and a full disk or a lost power supply
//! leaves the old one as it was. If anything fails, the temporary file is removed.
//!
//! What is no ordinary file (`/dev/stdout`, `/dev/null`, a named pipe) is written to as it is:
//! giving its name to a file would put the device itself out of the way.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A file was not written.
#[derive(Debug)]
pub struct WriteError {
    /// The file, as it was asked for.
    pub path: PathBuf,
    /// What was the matter.
    pub error: io::Error,
}

impl WriteError {
    /// What the user can do about it.
    pub fn remedy(&self) -> &'static str {
        match self.error.kind() {
            ErrorKind::NotFound => "make its folder first, or check the spelling",
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                "choose a folder that you may write to"
            }
            ErrorKind::IsADirectory => "this is a folder; add a file name",
            ErrorKind::NotADirectory => {
                "a part of the path is a file, not a folder; choose another"
            }
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                "the disk is full; make room, or choose another disk"
            }
            ErrorKind::FileTooLarge => "the file is larger than may be; choose another disk",
            ErrorKind::InvalidFilename => "choose a shorter or simpler name",
            _ => "try again, or choose another place",
        }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        write!(f, "{path} cannot be written: {}", self.error)
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Writes a file as a whole. A link is followed; an older file keeps its permissions.
///
/// # Errors
/// [`WriteError`]. An ordinary file is as it was then, and nothing is left beside it.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write(path, bytes).map_err(|error| WriteError {
        path: path.to_owned(),
        error,
    })
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path);
    let target = target.as_deref().unwrap_or(path);
    let old = match fs::metadata(target) {
        Ok(old) if old.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        Ok(old) if !old.is_file() => {
            let mut device = OpenOptions::new().write(true).open(target)?;
            device.write_all(bytes)?;
            return device.flush();
        }
        Ok(old) => Some(old),
        Err(_) => None,
    };
    if path.file_name().is_none() || path.as_os_str().to_string_lossy().ends_with('/') {
        return Err(ErrorKind::IsADirectory.into());
    }
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut temporary = temporary_file(folder)?;
    if let Some(old) = old {
        if old.permissions().readonly() {
            return Err(ErrorKind::PermissionDenied.into());
        }
        temporary.as_file().set_permissions(old.permissions())?;
    }
    // Through the file itself: errors of the other way name the temporary file.
    temporary.as_file_mut().write_all(bytes)?;
    temporary.as_file().sync_all()?;
    temporary.persist(target).map_err(|error| error.error)?;
    sync_folder(folder);
    Ok(())
}

/// An empty file with the permissions that new files have.
fn temporary_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".flyball-");
    #[cfg(unix)]
    {
        // Temporary files are private otherwise; a report is not. The user's mask applies.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    // Without the temporary name, which says nothing to a user.
    builder
        .tempfile_in(folder)
        .map_err(|error| error.kind().into())
}

/// The new name is on the disk once its folder is. Some systems cannot do that for a folder; the
/// file itself is safe in any case.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
