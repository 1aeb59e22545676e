//! A folder with the results of one study.
//!
//! ```text
//! results/
//!   study.toml                                 the study, written in the one way that there is
//!   overheads-1.toml                           the overheads that it charges
//!   lock                                       held by the process that writes
//!   short-uniform-light/
//!     2.0-0000.8f0e4b2c71d9a365.parquet        cap 2.0, batch 0, and a checksum of all that
//! ```
//!
//! A file is whole and on the disk before it has its name, so what has a name is finished. Its name
//! has a checksum of its bytes, of the unit and of the study: half a file, a file of another study
//! and one under another's name are told from a good one before anything is read out of it. Files
//! of one unit are the same on all machines, and so folders of shards can be put together by
//! copying.
//!
//! The lock is advisory (`flock`); it goes with the process that holds it, however that ends.

mod parquet;

use crate::error::SweepError;
use crate::judge;
use crate::unit::{Row, Unit};
use flyball_model::study::Known;
use flyball_model::{Study, read_study};
use flyball_report::write::{WriteError, write_atomically};
use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use twox_hash::XxHash64;

const STUDY: &str = "study.toml";
const LOCK: &str = "lock";

/// What temporary files are called, see [`write_atomically`].
const TEMPORARY: &str = ".flyball-";

/// What writes a file as a whole.
pub(crate) type Writer = fn(&Path, &[u8]) -> Result<(), WriteError>;

/// A folder that this process may write results to.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    study: u64,
    writer: Writer,
    /// Held as long as this is open.
    _lock: File,
}

/// The files of units in a folder.
#[derive(Debug)]
pub struct Files {
    folder: PathBuf,
    study: u64,
    /// By the path without checksum and ending.
    found: HashMap<PathBuf, Vec<PathBuf>>,
}

impl Store {
    /// Opens a folder for the results of `study`, or makes it. Temporary files of a sweep that was
    /// killed are removed.
    ///
    /// # Errors
    /// If another process writes to it, if it has the results of another study, or if it cannot be
    /// written.
    pub fn open(study: &Study, folder: &Path) -> Result<Store, SweepError> {
        Store::open_with(study, folder, write_atomically)
    }

    pub(crate) fn open_with(
        study: &Study,
        folder: &Path,
        writer: Writer,
    ) -> Result<Store, SweepError> {
        if let Some(file) = in_the_way(folder) {
            return Err(SweepError::NoFolder(file.to_owned()));
        }
        fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
        let path = folder.join(LOCK);
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path);
        let lock = lock.map_err(|error| at(&path, error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(SweepError::Busy(folder.to_owned())),
            Err(TryLockError::Error(error)) => return Err(at(&path, error)),
        }
        let store = Store {
            folder: folder.to_owned(),
            study: fingerprint(study),
            writer,
            _lock: lock,
        };
        store.clean()?;
        store.adopt(study)?;
        Ok(store)
    }

    /// Removes what a killed process left unfinished.
    fn clean(&self) -> Result<(), SweepError> {
        for folder in folders(&self.folder)?
            .into_iter()
            .chain([self.folder.clone()])
        {
            for path in entries(&folder)? {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                if name.starts_with(TEMPORARY) {
                    fs::remove_file(&path).map_err(|error| at(&path, error))?;
                }
            }
        }
        Ok(())
    }

    /// Writes down whose results these are; refuses another study's.
    fn adopt(&self, study: &Study) -> Result<(), SweepError> {
        let (text, overheads) = study.to_toml();
        let path = self.folder.join(STUDY);
        // The study's own file is the last one: without it, the others mean nothing.
        let all = overheads.into_iter().chain([(STUDY.to_owned(), text)]);
        let all: Vec<_> = all
            .map(|(name, text)| (self.folder.join(name), text))
            .collect();
        if path.exists() {
            let is_same = |(path, text): &(PathBuf, String)| {
                fs::read(path).is_ok_and(|old| old == text.as_bytes())
            };
            if all.iter().all(is_same) {
                return Ok(());
            }
            return Err(SweepError::OtherStudy(self.folder.clone()));
        }
        for (path, text) in all {
            (self.writer)(&path, text.as_bytes())?;
        }
        Ok(())
    }

    /// Writes the results of a unit.
    ///
    /// # Errors
    /// [`SweepError::Write`]; no file has its name then.
    pub fn put(&self, study: &Study, unit: Unit, rows: &[Row]) -> Result<(), SweepError> {
        let bytes = parquet::write(study, unit, rows);
        let sum = checksum(self.study, study, unit, &bytes);
        let path = self.folder.join(unit.path(study));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
        }
        Ok((self.writer)(
            &path.with_extension(format!("{sum:016x}.parquet")),
            &bytes,
        )?)
    }

    /// The files that there are.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn files(&self) -> Result<Files, SweepError> {
        Files::find(&self.folder, self.study)
    }
}

impl Files {
    /// The study in a folder, and its files.
    ///
    /// # Errors
    /// If there is no study, or a folder cannot be read.
    pub fn of(folder: &Path) -> Result<(Study, Files), SweepError> {
        let path = folder.join(STUDY);
        if !path.exists() {
            return Err(SweepError::NoStudy(folder.to_owned()));
        }
        // Its policies were known when it was written.
        let known = Known {
            tests: judge::names(),
            policies: None,
        };
        let study = read_study(&path, &known);
        let study = study.map_err(|error| SweepError::Model(Box::new(error)))?;
        let files = Files::find(folder, fingerprint(&study))?;
        Ok((study, files))
    }

    fn find(folder: &Path, study: u64) -> Result<Files, SweepError> {
        let mut found: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
        for folder in folders(folder)? {
            for path in entries(&folder)? {
                // Behind the unit's name are a checksum and an ending.
                let bare = path.with_extension("").with_extension("");
                if path.extension().is_some_and(|ending| ending == "parquet") {
                    found.entry(bare).or_default().push(path);
                }
            }
        }
        Ok(Files {
            folder: folder.to_owned(),
            study,
            found,
        })
    }

    /// The rows of a unit; `None` if it is not finished.
    ///
    /// # Errors
    /// [`SweepError::Damaged`] if there is a file, but not one that is good.
    pub fn rows(&self, study: &Study, unit: Unit) -> Result<Option<Vec<Row>>, SweepError> {
        self.good(study, unit)?
            .map(|(path, bytes)| {
                parquet::read(study, unit, bytes).map_err(|what| SweepError::Damaged { path, what })
            })
            .transpose()
    }

    /// Whether a unit is finished.
    ///
    /// # Errors
    /// [`SweepError::Damaged`] if there is a file, but not one that is good.
    pub fn has(&self, study: &Study, unit: Unit) -> Result<bool, SweepError> {
        Ok(self.good(study, unit)?.is_some())
    }

    /// Removes the files of a unit, none of which is good.
    ///
    /// # Errors
    /// If they cannot be removed.
    pub fn discard(&self, study: &Study, unit: Unit) -> Result<(), SweepError> {
        for path in self.paths(study, unit) {
            fs::remove_file(path).map_err(|error| at(path, error))?;
        }
        Ok(())
    }

    fn paths(&self, study: &Study, unit: Unit) -> &[PathBuf] {
        let bare = self.folder.join(unit.path(study)).with_extension("");
        self.found.get(&bare).map_or(&[], Vec::as_slice)
    }

    /// A file of the unit whose name is right, and its bytes.
    fn good(&self, study: &Study, unit: Unit) -> Result<Option<(PathBuf, Vec<u8>)>, SweepError> {
        let mut damaged = None;
        for path in self.paths(study, unit) {
            let bytes = fs::read(path).map_err(|error| at(path, error))?;
            let sum = format!("{:016x}", checksum(self.study, study, unit, &bytes));
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            if stem.ends_with(&sum) {
                return Ok(Some((path.clone(), bytes)));
            }
            damaged = Some(SweepError::Damaged {
                path: path.clone(),
                what: "its checksum is not that of its name: it was cut, changed, or is another study's".into(),
            });
        }
        damaged.map_or(Ok(None), Err)
    }
}

/// What tells a study's results from those of another one, or of another version of the tests.
fn fingerprint(study: &Study) -> u64 {
    let (text, files) = study.to_toml();
    let mut all = format!("{} {text}", env!("CARGO_PKG_VERSION"));
    for (name, text) in files {
        all.extend(["\n", &name, "\n", &text]);
    }
    XxHash64::oneshot(0, all.as_bytes())
}

fn checksum(fingerprint: u64, study: &Study, unit: Unit, bytes: &[u8]) -> u64 {
    let unit = XxHash64::oneshot(fingerprint, unit.describe(study).as_bytes());
    XxHash64::oneshot(unit, bytes)
}

fn at(path: &Path, error: io::Error) -> SweepError {
    SweepError::Io {
        path: path.to_owned(),
        error,
    }
}

/// What is no folder, of a path that is to be one.
fn in_the_way(folder: &Path) -> Option<&Path> {
    let first = folder.ancestors().find(|path| path.exists())?;
    (!first.is_dir()).then_some(first)
}

/// What is in a folder, in the order of the names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, SweepError> {
    let listed = fs::read_dir(folder).and_then(|entries| {
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        paths.collect::<io::Result<Vec<_>>>()
    });
    let mut paths = match listed {
        Ok(paths) => paths,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(at(folder, error)),
    };
    paths.sort_unstable();
    Ok(paths)
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>, SweepError> {
    Ok(entries(folder)?
        .into_iter()
        .filter(|path| path.is_dir())
        .collect())
}
