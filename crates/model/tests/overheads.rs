//! Files of overheads: round trips, what is taken from them, and bad input.

use flyball_model::measured::{After, Delays, Entry, Provenance};
use flyball_model::{Cost, Kind, OverheadFile, Overheads, Statistic, read_overheads};
use flyball_trace::Duration;
use proptest::prelude::*;

fn ns(n: u64) -> Duration {
    Duration::from_nanos(n)
}

fn entry(policy: &str, queue: &str, statistic: Statistic, release: u64) -> Entry {
    Entry {
        policy: policy.into(),
        queue: queue.into(),
        statistic,
        overheads: Overheads {
            release: Cost::table(vec![(5, ns(release)), (125, ns(2 * release))]),
            scheduling: Cost::table(vec![(5, ns(7))]),
            ..Overheads::default()
        },
    }
}

fn sample() -> OverheadFile {
    let delays = |after, statistic, factor| Delays {
        after,
        statistic,
        by_working_set: Cost::table(vec![(4096, ns(factor)), (131_072, ns(10 * factor))]),
    };
    OverheadFile {
        provenance: Provenance {
            processor: "a \"fast\" one".into(),
            system: "Linux 6".into(),
            method: "by hand".into(),
            cpus: 4,
            repetitions: 1_000,
        },
        entries: vec![
            entry("g-edf", "heap", Statistic::Mean, 50),
            entry("g-edf", "list", Statistic::Mean, 60),
            entry("g-edf", "heap", Statistic::Worst, 500),
            entry("p-edf", "heap", Statistic::Mean, 30),
        ],
        delays: vec![
            delays(After::Preemption, Statistic::Mean, 1_000),
            delays(After::Migration, Statistic::Mean, 1_500),
        ],
    }
}

#[test]
fn what_is_written_is_read_again() {
    let file = sample();
    assert_eq!(OverheadFile::read(&file.to_toml(), "x.toml"), Ok(file));
}

#[test]
fn a_policy_finds_its_overheads() {
    let file = sample();
    let release = |policy, statistic, tasks| {
        let overheads = file.overheads(policy, statistic)?;
        Some(overheads.release.at(tasks).as_nanos())
    };
    // The queue that stands first, and the count that is not above.
    assert_eq!(release("g-edf", Statistic::Mean, 124), Some(50));
    assert_eq!(release("g-edf", Statistic::Worst, 125), Some(1_000));
    // On several CPUs `edf` is partitioned.
    assert_eq!(release("edf", Statistic::Mean, 5), Some(30));
    assert_eq!(release("p-edf", Statistic::Mean, 5), Some(30));
    assert_eq!(release("edf", Statistic::Worst, 5), None);
    assert_eq!(release("rm", Statistic::Mean, 5), None);
    assert_eq!(file.policies(), ["g-edf", "p-edf"]);
}

#[test]
fn a_delay_is_the_worse_one_of_a_working_set_that_is_not_smaller() {
    let file = sample();
    let delay = |bytes| file.delay(bytes, Statistic::Mean).map(Duration::as_nanos);
    assert_eq!(delay(1), Some(1_500));
    assert_eq!(delay(4_096), Some(1_500));
    assert_eq!(delay(4_097), Some(15_000));
    assert_eq!(delay(131_073), None);
    assert_eq!(file.delay(1, Statistic::Worst), None);
}

proptest! {
    #[test]
    fn any_file_is_read_again(
        processor in "\\PC{0,20}",
        cpus in 1_u8..=128,
        repetitions in 1..u64::from(u32::MAX),
        costs in prop::collection::btree_map(1_u32..2_000, 0_u64..1 << 40, 1..6),
        statistic in prop::sample::select(Statistic::ALL.to_vec()),
    ) {
        let points = costs.into_iter().map(|(count, cost)| (count, ns(cost))).collect();
        let cost = Cost::table(points);
        let file = OverheadFile {
            provenance: Provenance { processor, cpus, repetitions, ..Provenance::default() },
            entries: vec![Entry {
                overheads: Overheads { call: cost.clone(), tick: cost.clone(), ..Overheads::default() },
                ..entry("g-rm", "", statistic, 1)
            }],
            delays: vec![Delays { after: After::Migration, statistic, by_working_set: cost }],
        };
        prop_assert_eq!(OverheadFile::read(&file.to_toml(), "x"), Ok(file));
    }
}

const HEAD: &str = "schema = 1\n[provenance]\nprocessor = \"x\"\n";

/// Text behind the head; line and column; field; message.
const BAD: &[(&str, &str, Kind, &str, &str)] = &[
    (
        "[[measured]]\n",
        "4:1",
        Kind::Missing,
        "measured 1",
        "missing key `policy`",
    ),
    (
        "[[measured]]\npolicy = \"g-edf\"\nstatistic = \"average\"\n",
        "6:13",
        Kind::UnknownName,
        "measured 1: statistic",
        "expected \"median\", \"mean\", \"p999\" or \"worst\", found \"average\"",
    ),
    (
        "[[measured]]\npolicy = \"a\"\nstatistic = \"mean\"\noverheads = { release = 5 }\n",
        "7:25",
        Kind::WrongType,
        "measured 1: overheads: release",
        "expected a time such as \"10ms\" or \"250us\", found 5",
    ),
    (
        "[[measured]]\npolicy = \"a\"\nstatistic = \"mean\"\noverheads = { yield = \"5ns\" }\n",
        "7:15",
        Kind::UnknownKey,
        "measured 1: overheads",
        "unknown key \"yield\"",
    ),
    (
        "[[cache]]\nafter = \"lunch\"\n",
        "5:9",
        Kind::UnknownName,
        "cache 1: after",
        "expected \"preemption\" or \"migration\", found \"lunch\"",
    ),
    (
        "[[cache]]\nafter = \"migration\"\nstatistic = \"mean\"\nby_working_set = {}\n",
        "7:18",
        Kind::OutOfRange,
        "cache 1: by_working_set",
        "the table of costs is empty",
    ),
    (
        "[[task]]\n",
        "4:3",
        Kind::UnknownKey,
        "",
        "unknown key \"task\"",
    ),
];

#[test]
fn bad_input_is_told_with_its_place() {
    for &(text, place, kind, field, message) in BAD {
        let text = format!("{HEAD}{text}");
        let error = OverheadFile::read(&text, "x").expect_err(&text);
        let at = error.place.map(|at| format!("{}:{}", at.line, at.column));
        let found = (
            at.as_deref().unwrap_or_default(),
            error.kind,
            error.field.as_deref().unwrap_or_default(),
            error.message.as_str(),
        );
        assert_eq!(found, (place, kind, field, message), "\n{text}");
    }
}

#[test]
fn what_is_no_such_file_is_told() {
    let kind = |text| OverheadFile::read(text, "x").expect_err(text).kind;
    assert_eq!(kind(" \n"), Kind::Missing);
    assert_eq!(kind("schema = 1\n"), Kind::Missing);
    assert_eq!(kind("schema = 2\n"), Kind::Schema);
    assert_eq!(kind("schema = "), Kind::Syntax);
    let twice = "[[measured]]\npolicy = \"a\"\nstatistic = \"mean\"\n[measured.overheads]\ntick = \"1ns\"\n";
    let twice = format!("{HEAD}{twice}{twice}");
    let error = OverheadFile::read(&twice, "x").expect_err("it has an entry twice");
    assert_eq!(error.kind, Kind::Duplicate);
    let missing = read_overheads("no/such/file.toml").expect_err("there is none");
    assert_eq!(missing.kind, Kind::Io);
}
