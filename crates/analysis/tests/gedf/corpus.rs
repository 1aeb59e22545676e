//! Task sets with the verdicts of SchedCAT; see `tests/data/schedcat/README.md`.

use flyball_analysis::gedf::{Set, Task};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// What another program says about a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Said {
    Accepts,
    Rejects,
    /// It was stopped.
    Nothing,
}

pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) cpus: u32,
    pub(crate) set: Set,
    /// By the name of a test.
    pub(crate) schedcat: BTreeMap<String, Said>,
    /// The same, where somebody else's 64-bit code has been asked, too.
    pub(crate) plain: BTreeMap<String, Said>,
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

fn verdicts(file: &str) -> BTreeMap<String, BTreeMap<String, Said>> {
    let mut all: BTreeMap<String, BTreeMap<_, _>> = BTreeMap::new();
    for line in text(file).lines().skip(1) {
        let fields: Vec<_> = line.split(',').collect();
        let [set, test, verdict, _] = fields[..] else {
            panic!("{file}: {line}");
        };
        let said = match verdict {
            "1" => Said::Accepts,
            "0" => Said::Rejects,
            "T" => Said::Nothing,
            other => panic!("{file}: {other}"),
        };
        let before = all.entry(set.into()).or_default().insert(test.into(), said);
        assert_eq!(before, None, "{file}: {line}");
    }
    all
}

fn text(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/schedcat");
    let file = File::open(folder.join(file).with_extension("csv.xz")).unwrap();
    let mut text = Vec::new();
    lzma_rs::xz_decompress(&mut BufReader::new(file), &mut text).unwrap();
    String::from_utf8(text).unwrap()
}
