//! Files that are there in full or not at all.

use flyball_report::write::{WriteError, write_atomically};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// What is in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_new_file_and_an_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    write_atomically(&path, b"one").unwrap();
    write_atomically(&path, b"two").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(names(folder.path()), ["report.html"]);
}

#[test]
fn a_folder_that_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing/report.html");
    let error = write_atomically(&path, b"").unwrap_err();
    assert_eq!(error.error.kind(), ErrorKind::NotFound);
    assert_eq!(error.path, path);
    assert!(error.to_string().starts_with(&path.display().to_string()));
    assert_eq!(
        error.remedy(),
        "make its folder first, or check the spelling"
    );
    assert_eq!(names(folder.path()), [] as [&str; 0]);
}

#[test]
fn what_is_no_place_for_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let kind = |path: &Path| write_atomically(path, b"x").unwrap_err().error.kind();
    assert_eq!(kind(folder.path()), ErrorKind::IsADirectory);
    assert_eq!(
        kind(&folder.path().join("missing/")),
        ErrorKind::IsADirectory
    );
    assert_eq!(kind(Path::new("")), ErrorKind::IsADirectory);
    let file = folder.path().join("file");
    write_atomically(&file, b"x").unwrap();
    assert_eq!(kind(&file.join("below")), ErrorKind::NotADirectory);
    assert_eq!(
        kind(&folder.path().join("n".repeat(300))),
        ErrorKind::InvalidFilename
    );
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn every_kind_of_error_has_a_remedy() {
    for kind in [
        ErrorKind::StorageFull,
        ErrorKind::FileTooLarge,
        ErrorKind::Other,
    ] {
        let error = WriteError {
            path: "x".into(),
            error: kind.into(),
        };
        assert!(!error.remedy().is_empty() && error.to_string().starts_with("x cannot be written"));
    }
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::process::Command;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn new_files_are_no_secret_and_old_ones_keep_their_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.html");
        let usual = folder.path().join("usual");
        write_atomically(&path, b"one").unwrap();
        fs::write(&usual, b"").unwrap();
        assert_eq!(mode(&path), mode(&usual));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(mode(&path), 0o640);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let error = write_atomically(&path, b"three").unwrap_err();
        assert_eq!(error.error.kind(), ErrorKind::PermissionDenied);
        assert_eq!(fs::read(&path).unwrap(), b"two");
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (link, file) = (folder.path().join("link"), folder.path().join("file"));
        fs::write(&file, b"old").unwrap();
        symlink("file", &link).unwrap();
        write_atomically(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
    }

    #[test]
    fn a_folder_without_permission() {
        let folder = tempfile::tempdir().unwrap();
        let closed = folder.path().join("closed");
        fs::create_dir(&closed).unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
        let path = closed.join("report.html");
        match write_atomically(&path, b"x") {
            // Nothing is closed to a privileged user.
            Ok(()) => assert_eq!(fs::read(&path).unwrap(), b"x"),
            Err(error) => assert_eq!(error.remedy(), "choose a folder that you may write to"),
        }
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_stays_a_device_and_can_be_full() {
        let is_device = |path| fs::metadata(path).unwrap().file_type().is_char_device();
        write_atomically(Path::new("/dev/null"), b"x").unwrap();
        assert!(is_device("/dev/null"));
        let error = write_atomically(Path::new("/dev/full"), b"x").unwrap_err();
        assert_eq!(error.error.kind(), ErrorKind::StorageFull);
        assert_eq!(
            error.remedy(),
            "the disk is full; make room, or choose another disk"
        );
        assert!(is_device("/dev/full"));
    }

    const FOLDER: &str = "FLYBALL_TEST_FOLDER";

    /// The other half of the next test, in a process that may not write more than half a KiB.
    #[test]
    fn child_that_may_not_write_much() {
        let Some(folder) = std::env::var_os(FOLDER) else {
            return;
        };
        let path = Path::new(&folder).join("report.html");
        write_atomically(&path, &[b'x'; 100]).expect("a short one fits");
        let error = write_atomically(&path, &vec![b'y'; 1 << 20]).unwrap_err();
        assert_eq!(error.error.kind(), ErrorKind::FileTooLarge);
    }

    /// The limit stands for a disk that fills up while the file is written.
    #[test]
    fn a_file_that_cannot_be_finished_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let this = std::env::current_exe().unwrap();
        // Without the signal, a write beyond the limit fails like any other.
        let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" --exact --nocapture \"$1\"";
        let child = Command::new("sh")
            .args(["-c", script])
            .arg(this)
            .arg("write::unix::child_that_may_not_write_much")
            .env(FOLDER, folder.path())
            .output()
            .unwrap();
        assert!(
            child.status.success(),
            "{}",
            String::from_utf8_lossy(&child.stdout)
        );
        assert_eq!(names(folder.path()), ["report.html"]);
        assert_eq!(
            fs::read(folder.path().join("report.html")).unwrap(),
            [b'x'; 100]
        );
    }
}
