use super::*;
use crate::known;
use flyball_report::write::{WriteError, write_atomically};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use tempfile::TempDir;

const STUDY: &str = r#"
    schema = 1
    cpus = 4
    caps = [2.0, 3.0, 4.0]
    sets = 10
    batch = 4
    tests = ["GFB", "G-EDF", "P-EDF"]
    [[scenario]]
    periods = ["short"]
    utilisations = ["uniform-medium", "bimodal-medium"]
    slack = 0.1
    [simulate]
    policies = ["g-edf", "p-edf"]
    horizon = "100ms"
    phases = "random"
    execution = [0.5, 1.0]
    seeds = 2
"#;

fn study_of(text: &str) -> Study {
    Study::read(
        text,
        "s.toml",
        &known(&Registry::standard()),
        |_| unreachable!(),
    )
    .unwrap()
}

fn registry() -> Registry {
    Registry::standard()
}

fn study() -> Study {
    study_of(STUDY)
}

fn always(_: Progress) -> bool {
    true
}

/// All files but the lock: their paths in the folder, and their bytes.
fn bytes(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(here) = folders.pop() {
        for entry in fs::read_dir(here).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("lock") {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                all.insert(name, fs::read(path).unwrap());
            }
        }
    }
    all
}

/// A folder with the whole study, done at once by one thread.
fn whole() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        threads: Some(1),
        ..Options::default()
    };
    let outcome = sweep(&registry(), &study(), folder.path(), &options, &always).unwrap();
    // Two scenarios, three caps, batches of 4, 4 and 2.
    assert_eq!((outcome.before, outcome.finished, outcome.left), (0, 18, 0));
    folder
}

#[test]
fn threads_and_shards_make_no_difference() {
    let expected = bytes(whole().path());
    assert_eq!(expected.len(), 18 + 1);
    let folder = tempfile::tempdir().unwrap();
    let threads = Options {
        threads: Some(4),
        ..Options::default()
    };
    sweep(&registry(), &study(), folder.path(), &threads, &always).unwrap();
    assert_eq!(bytes(folder.path()), expected);

    let apart: Vec<TempDir> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    let together = tempfile::tempdir().unwrap();
    for (number, own) in (0..3).zip(&apart) {
        let shard = Some(Shard { number, of: 3 });
        let options = Options {
            shard,
            ..Options::default()
        };
        let outcome = sweep(&registry(), &study(), own.path(), &options, &always).unwrap();
        assert_eq!((outcome.finished, outcome.left), (6, 0));
        sweep(&registry(), &study(), together.path(), &options, &always).unwrap();
    }
    assert_eq!(bytes(together.path()), expected);
    let copied: BTreeMap<_, _> = apart.iter().flat_map(|own| bytes(own.path())).collect();
    assert_eq!(copied, expected);
    let apart: Vec<&Path> = apart.iter().map(TempDir::path).collect();
    let read = Results::read(&apart).unwrap();
    assert_eq!(read, Results::read(&[together.path()]).unwrap());
    assert_eq!(
        read,
        compute(&registry(), &study(), &Options::default(), &always)
            .unwrap()
            .unwrap()
    );
    assert_eq!(read.finished(), (18, 18));
    let part = Results::read(&apart[..1]).unwrap();
    assert_eq!(part.finished(), (6, 18));
}

#[test]
fn who_is_interrupted_goes_on_later() {
    let expected = bytes(whole().path());
    let folder = tempfile::tempdir().unwrap();
    let (mut finished, mut rounds) = (0, 0);
    while finished < 18 {
        // Seven sets at a time: more than a unit, and units are lost with which it was not done.
        let watch = |progress: Progress| progress.judged - progress.before < 7;
        let outcome = sweep(
            &registry(),
            &study(),
            folder.path(),
            &Options::default(),
            &watch,
        )
        .unwrap();
        assert_eq!(outcome.before, finished);
        finished += outcome.finished;
        assert_eq!(finished + outcome.left, 18);
        rounds += 1;
        assert!(rounds < 100, "it never ends");
    }
    assert!(rounds > 5);
    assert_eq!(bytes(folder.path()), expected);
    let outcome = sweep(
        &registry(),
        &study(),
        folder.path(),
        &Options::default(),
        &always,
    )
    .unwrap();
    assert_eq!((outcome.before, outcome.finished), (18, 0));
}

/// What was done to a file, what the message says.
type Damage = (fn(&Path), &'static str);

#[test]
fn a_damaged_file_is_found_named_and_computed_again() {
    let folder = whole();
    let expected = bytes(folder.path());
    let path = |name: &str| {
        let mut paths = expected.keys();
        folder.path().join(
            paths
                .find(|path| path.to_str().unwrap().contains(name))
                .unwrap(),
        )
    };
    let damages: [Damage; 5] = [
        (
            |path| fs::write(path, &fs::read(path).unwrap()[..200]).unwrap(),
            "was cut",
        ),
        (|path| fs::write(path, "").unwrap(), "was cut"),
        (
            |path| {
                let mut bytes = fs::read(path).unwrap();
                bytes[40] ^= 1;
                fs::write(path, bytes).unwrap();
            },
            "changed",
        ),
        // Another unit's good file under this one's name.
        (
            |path| {
                let other = path.parent().unwrap().read_dir().unwrap();
                let mut other = other.map(|entry| entry.unwrap().path());
                let other = other
                    .find(|other| other.to_str().unwrap().contains("2.0-0001"))
                    .unwrap();
                fs::copy(other, path).unwrap();
            },
            "checksum",
        ),
        (
            |path| {
                fs::rename(path, path.with_extension("").with_extension("00ff.parquet")).unwrap();
            },
            "checksum",
        ),
    ];
    for (damage, says) in damages {
        let path = path("3.0-0000");
        damage(&path);
        let refused = Results::read(&[folder.path()]).unwrap_err();
        assert!(matches!(refused, SweepError::Damaged { .. }), "{refused}");
        assert!(refused.to_string().contains("3.0-0000"), "{refused}");
        assert!(refused.to_string().contains(says), "{refused}");
        let outcome = sweep(
            &registry(),
            &study(),
            folder.path(),
            &Options::default(),
            &always,
        )
        .unwrap();
        assert_eq!(
            (outcome.before, outcome.finished, outcome.damaged.len()),
            (17, 1, 1)
        );
        assert_eq!(bytes(folder.path()), expected);
    }
}

#[test]
fn what_a_killed_sweep_left_is_removed() {
    let folder = whole();
    let expected = bytes(folder.path());
    for name in [".flyball-abc", "short-uniform-medium/.flyball-def"] {
        fs::write(folder.path().join(name), "half a file").unwrap();
    }
    sweep(
        &registry(),
        &study(),
        folder.path(),
        &Options::default(),
        &always,
    )
    .unwrap();
    assert_eq!(bytes(folder.path()), expected);
}

#[test]
fn a_folder_belongs_to_one_study_and_one_sweep() {
    let folder = whole();
    let expected = bytes(folder.path());
    for (word, other) in [
        ("cpus = 4", "cpus = 5"),
        ("sets = 10", "sets = 11"),
        ("0.1", "0.2"),
    ] {
        let other = study_of(&STUDY.replace(word, other));
        let refused = sweep(
            &registry(),
            &other,
            folder.path(),
            &Options::default(),
            &always,
        )
        .unwrap_err();
        assert!(matches!(refused, SweepError::OtherStudy(_)), "{refused}");
    }
    let store = Store::open(&study(), folder.path()).unwrap();
    let refused = sweep(
        &registry(),
        &study(),
        folder.path(),
        &Options::default(),
        &always,
    )
    .unwrap_err();
    assert!(matches!(refused, SweepError::Busy(_)), "{refused}");
    drop(store);
    sweep(
        &registry(),
        &study(),
        folder.path(),
        &Options::default(),
        &always,
    )
    .unwrap();
    assert_eq!(bytes(folder.path()), expected);
}

/// A disk that has room for ten files.
fn full_disk(path: &Path, text: &[u8]) -> Result<(), WriteError> {
    let parent = path.parent().unwrap();
    let root = if parent.join("study.toml").exists() {
        parent
    } else {
        parent.parent().unwrap()
    };
    if root.join("study.toml").exists() && bytes(root).len() >= 10 {
        let error = ErrorKind::StorageFull.into();
        return Err(WriteError {
            path: path.to_owned(),
            error,
        });
    }
    write_atomically(path, text)
}

#[test]
fn a_full_disk_loses_nothing_that_was_finished() {
    let expected = bytes(whole().path());
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("results");
    let one = Options {
        threads: Some(1),
        ..Options::default()
    };
    let (registry, study) = (registry(), study());
    let tools = Tools::new(&registry, &study).unwrap();
    let store = Store::open_with(&study, &folder, full_disk).unwrap();
    let error = sweep_into(&store, &tools, &one, &always).unwrap_err();
    assert!(error.to_string().contains("no storage space"), "{error}");
    assert!(error.remedy().contains("make room"));
    drop(store);
    let kept = bytes(&folder);
    assert_eq!(kept.len(), 10);
    assert!(kept.iter().all(|(path, bytes)| expected[path] == *bytes));
    let outcome = sweep(&registry, &study, &folder, &one, &always).unwrap();
    assert_eq!((outcome.before, outcome.finished), (9, 9));
    assert_eq!(bytes(&folder), expected);
}

#[test]
fn a_folder_that_cannot_be_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    for folder in [file.clone(), file.join("results")] {
        let error =
            sweep(&registry(), &study(), &folder, &Options::default(), &always).unwrap_err();
        let SweepError::NoFolder(path) = &error else {
            panic!("{error}");
        };
        assert_eq!(*path, file);
    }
    let none = Results::read(&[folder.path()]).unwrap_err();
    assert!(matches!(none, SweepError::NoStudy(_)), "{none}");
    Store::open(&study(), folder.path()).unwrap();
    let empty = Results::read(&[folder.path()]).unwrap_err();
    assert!(matches!(empty, SweepError::Empty(_)), "{empty}");
    let whole = whole();
    let other = tempfile::tempdir().unwrap();
    Store::open(
        &study_of(&STUDY.replace("cpus = 4", "cpus = 5")),
        other.path(),
    )
    .unwrap();
    let mixed = Results::read(&[whole.path(), other.path()]).unwrap_err();
    assert!(matches!(mixed, SweepError::OtherStudies { .. }), "{mixed}");
    // Nothing that is there is to be removed for it.
    assert!(!mixed.remedy().contains("remove"), "{}", mixed.remedy());
}

#[test]
fn a_set_that_cannot_be_drawn_is_named() {
    // 0.3 + k · 0.4 … in no mixture of these ends near 1.0.
    let odd = STUDY
        .replace("[2.0, 3.0, 4.0]", "[1.0]")
        .replace("slack = 0.1", "slack = 0.01")
        .replace(
            "\"uniform-medium\", \"bimodal-medium\"",
            "{ name = \"odd\", modes = [{ weight = 1, uniform = [0.35, 0.35] }, \
             { weight = 1, uniform = [0.8, 0.8] }] }",
        );
    let folder = tempfile::tempdir().unwrap();
    let error = sweep(
        &registry(),
        &study_of(&odd),
        folder.path(),
        &Options::default(),
        &always,
    )
    .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("short-odd, cap 1.0: none of 100000"),
        "{error}"
    );
    assert_eq!(bytes(folder.path()).len(), 1);
}

#[test]
fn shards_are_read_as_they_are_said() {
    for of in 1..=5 {
        for number in 0..of {
            let text = format!("{}/{of}", number + 1);
            assert_eq!(text.parse(), Ok(Shard { number, of }));
        }
    }
    for wrong in [
        "",
        "/",
        "1",
        "0/4",
        "5/4",
        "1/0",
        "1/4/2",
        "-1/4",
        "1/-4",
        "1 /4",
        "1/99999999999",
    ] {
        assert_eq!(wrong.parse::<Shard>(), Err(NoShard), "{wrong:?}");
    }
}
