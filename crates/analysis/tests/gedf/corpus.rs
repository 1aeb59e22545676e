//! Task sets with the verdicts of SchedCAT; see `tests/data/schedcat/README.md`.

use flyball_analysis::gedf::{Set, Task};
use lzma_rust2::XzReader;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

/// What another program says about a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Said {
    Accepts,
    Rejects,
    /// It was stopped.
    Nothing,
}

/// What another program says about a set, and how long that took.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code)] // The tests do not ask for the time.
pub(crate) struct Reply {
    pub(crate) said: Said,
    pub(crate) micros: f64,
}

/// A set with its replies, by the names of the tests.
#[allow(dead_code)] // The benchmark does not ask for all.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) cpus: u32,
    pub(crate) set: Set,
    pub(crate) schedcat: BTreeMap<String, Reply>,
    /// Of the plain 64-bit code.
    pub(crate) plain: BTreeMap<String, Reply>,
}

/// The corpus of this name, in the order of its file.
pub(crate) fn read(corpus: &str) -> Vec<Entry> {
    let mut schedcat = verdicts(&format!("verdicts_{corpus}"));
    let mut plain = verdicts(&format!("own_u64_{corpus}"));
    let text = text(&format!("corpus_{corpus}"));
    let mut sets: Vec<(String, u32, Vec<Task>)> = Vec::new();
    for line in text.lines().skip(1) {
        let fields: Vec<_> = line.split(',').collect();
        let [name, cpus, _, wcet, period, deadline] = fields[..] else {
            panic!("{corpus}: {line}");
        };
        if sets.last().is_none_or(|(last, ..)| last != name) {
            sets.push((name.into(), cpus.parse().unwrap(), Vec::new()));
        }
        let number = |field: &str| field.parse().unwrap();
        sets.last_mut().unwrap().2.push(Task {
            wcet: number(wcet),
            period: number(period),
            deadline: number(deadline),
        });
    }
    let entry = |(name, cpus, tasks): (String, u32, Vec<Task>)| Entry {
        cpus,
        set: Set::new(tasks).unwrap(),
        schedcat: schedcat.remove(&name).unwrap(),
        plain: plain.remove(&name).unwrap(),
        name,
    };
    sets.into_iter().map(entry).collect()
}

fn verdicts(file: &str) -> BTreeMap<String, BTreeMap<String, Reply>> {
    let mut all: BTreeMap<String, BTreeMap<_, _>> = BTreeMap::new();
    for line in text(file).lines().skip(1) {
        let fields: Vec<_> = line.split(',').collect();
        let [set, test, verdict, micros] = fields[..] else {
            panic!("{file}: {line}");
        };
        let said = match verdict {
            "1" => Said::Accepts,
            "0" => Said::Rejects,
            "T" => Said::Nothing,
            other => panic!("{file}: {other}"),
        };
        let micros = micros.parse().unwrap();
        let reply = Reply { said, micros };
        let before = all
            .entry(set.into())
            .or_default()
            .insert(test.into(), reply);
        assert!(before.is_none(), "{file}: {line}");
    }
    all
}

fn text(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/schedcat");
    let file = File::open(folder.join(file).with_extension("csv.xz")).unwrap();
    let mut text = String::new();
    XzReader::new(BufReader::new(file), false)
        .read_to_string(&mut text)
        .unwrap();
    text
}
