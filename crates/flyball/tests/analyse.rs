//! `flyball analyse` as a user types it.

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const HEADER: &str = "set,m,cap,wcet_us,period_us,deadline_us\n";

/// Exit code, standard output and standard error.
fn run(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("flyball").expect("the command has been built");
    let output = command
        .arg("analyse")
        .args(args)
        .output()
        .expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr),
    )
}

fn path(path: &Path) -> &str {
    path.to_str().expect("paths here are UTF-8")
}

fn reference(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../analysis/tests/data/schedcat")
        .join(name)
}

/// Set, test and verdict of each row, without the times.
fn verdicts(text: &str) -> Vec<(String, String, String)> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("set,test,verdict,cpu_us"));
    lines
        .map(|line| {
            let fields: Vec<_> = line.split(',').collect();
            let [set, test, verdict, took] = fields[..] else {
                panic!("{line}");
            };
            took.parse::<f64>().expect("a time is a number");
            (set.into(), test.into(), verdict.into())
        })
        .collect()
}

/// Packed files in and out; the verdicts are those of the reference, in the order of the sets.
#[test]
fn a_packed_corpus_has_the_verdicts_of_the_reference() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("verdicts.csv.xz");
    let corpus = reference("corpus_tinyi.csv.xz");
    let (code, table, _) = run(&["--corpus", path(&corpus), "--out", path(&out)]);
    assert_eq!(code, 0);
    let accepted = |test: &str| {
        let line = table
            .lines()
            .find(|line| line.split_whitespace().next() == Some(test));
        line.unwrap()
            .split_whitespace()
            .nth(2)
            .unwrap()
            .parse::<u32>()
            .unwrap()
    };
    assert_eq!(
        (accepted("GFB"), accepted("RTA"), accepted("WFD")),
        (1091, 1279, 1780)
    );
    let unpack = |path: &Path| {
        let packed = fs::read(path).unwrap();
        String::from_utf8(flyball_lab::corpus::unpacked(&packed).unwrap()).unwrap()
    };
    let ours = verdicts(&unpack(&out));
    assert_eq!(ours.len(), 2000 * 12);
    let theirs = verdicts(&unpack(&reference("verdicts_tinyi.csv.xz")));
    let theirs: std::collections::HashMap<_, _> = theirs
        .into_iter()
        .map(|(set, test, verdict)| ((set, test), verdict))
        .collect();
    let mut compared = 0;
    for (set, test, verdict) in ours {
        if let Some(reference) = theirs.get(&(set.clone(), test.clone())) {
            assert_eq!(*reference, verdict, "{test} of {set}");
            compared += 1;
        }
    }
    // All but BAK05.
    assert_eq!(compared, 2000 * 11);
}

const TWO: &str = "\
    light,2,0,1,4,4\n\
    light,2,0,1,4,4\n\
    light,2,0,1,4,4\n\
    \"heavy, early\",2,0,4,5,4\n\
    \"heavy, early\",2,0,4,5,4\n\
    \"heavy, early\",2,0,4,5,4\n";

#[test]
fn chosen_tests_and_any_of_them() {
    let folder = TempDir::new().unwrap();
    let corpus = folder.path().join("two.csv");
    fs::write(&corpus, HEADER.to_owned() + TWO).unwrap();
    let out = folder.path().join("out.csv");
    let both = ["--corpus", path(&corpus), "--out", path(&out)];
    let (code, ..) = run(&[&both[..], &["--tests", "gfb,FFD"]].concat());
    assert_eq!(code, 0);
    let text = fs::read_to_string(&out).unwrap();
    assert!(
        text.contains("\nlight,GFB,1,") && text.contains("\nlight,FFD,1,"),
        "{text}"
    );
    assert!(text.contains("\n\"heavy, early\",FFD,0,"), "{text}");
    let (code, ..) = run(&[&both[..], &["--union"]].concat());
    assert_eq!(code, 0);
    let text = fs::read_to_string(&out).unwrap();
    assert!(text.contains("\nlight,UNION,1,"), "{text}");
    assert!(text.contains("\n\"heavy, early\",UNION,0,"), "{text}");
    assert_eq!(text.lines().count(), 3);
    // So few steps are not enough, and that is said.
    let (code, table, _) = run(&[&both[..], &["--tests", "bcli", "--steps", "2"]].concat());
    assert_eq!(code, 0);
    let text = fs::read_to_string(&out).unwrap();
    assert!(text.contains("\nlight,BCLI,T,"), "{text}");
    assert!(table.contains("STOPPED"), "{table}");
}

/// A mistake, the place and the reason, exit code 2, and nothing is written.
#[test]
fn mistakes_have_a_place_and_leave_nothing() {
    let longest = "4611686018427387903";
    for (rows, expected) in [
        ("", "line 1: expected the columns set,m,cap,"),
        ("a,b\n", "line 1: expected the columns set,m,cap,"),
        ("HEADa,2,0,1,4\n", "line 2: expected 6 fields, found 5"),
        ("HEADa,2,0,1,4,4,\n", "line 2: expected 6 fields, found 7"),
        (
            "HEADa,2,0,1,4,4\n\n,2,0,1,4,4\n",
            "line 4, field set: a set needs a name",
        ),
        (
            "HEADa,0,0,1,4,4\n",
            "line 2, field m: expected a whole number from 1 to 4294967295",
        ),
        (
            "HEADa,2,0,0,4,4\n",
            "line 2, field wcet_us: expected a whole number from 1",
        ),
        (
            "HEADa,2,0,1,4.5,4\n",
            "field period_us: expected a whole number from 1",
        ),
        (
            "HEADa,2,0,1,4,-4\n",
            "field deadline_us: expected a whole number from 1",
        ),
        ("HEADa,2,0,1,4,4611686018427387904\n", longest),
        ("HEADa,2,0,1,99999999999999999999,4\n", longest),
        (
            "HEADa,2,0,1,4,4\na,3,0,1,4,4\n",
            "line 3, field m: the rows before have 2 CPUs",
        ),
        (
            "HEADa,2,0,1,4,4\nb,2,0,1,4,4\na,2,0,1,4,4\n",
            "line 4, field set: the set \"a\" has ended before",
        ),
    ] {
        let folder = TempDir::new().unwrap();
        let corpus = folder.path().join("corpus.csv");
        fs::write(&corpus, rows.replace("HEAD", HEADER)).unwrap();
        let out = folder.path().join("out.csv");
        let (code, shown, error) = run(&["--corpus", path(&corpus), "--out", path(&out)]);
        assert_eq!((code, shown.as_str()), (2, ""), "{rows}");
        assert!(error.contains("corpus.csv: line "), "{error}");
        assert!(error.contains(expected), "{error}");
        assert!(!out.exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn what_cannot_be_read_or_written_is_said() {
    let folder = TempDir::new().unwrap();
    let corpus = folder.path().join("corpus.csv.xz");
    let out = folder.path().join("out.csv");
    let run_both = || run(&["--corpus", path(&corpus), "--out", path(&out)]);
    let (code, _, error) = run_both();
    assert_eq!(code, 2);
    assert!(error.contains("cannot be read"), "{error}");
    let whole = fs::read(reference("corpus_tinyc.csv.xz")).unwrap();
    for damaged in [&b"set,m,cap\n"[..], &[], &whole[..whole.len() / 2]] {
        fs::write(&corpus, damaged).unwrap();
        let (code, _, error) = run_both();
        assert_eq!(code, 2, "{error}");
        assert!(error.contains("corpus.csv.xz: "), "{error}");
        assert!(!out.exists());
    }
    fs::write(&corpus, whole).unwrap();
    let nowhere = folder.path().join("no/out.csv");
    let args = [
        "--corpus",
        path(&corpus),
        "--out",
        path(&nowhere),
        "--tests",
        "gfb",
    ];
    let (code, _, error) = run(&args);
    assert_eq!(code, 2);
    assert!(error.contains("cannot be written"), "{error}");
    let (code, _, error) = run(&[&args[..4], &["--tests", "ffd", "--union"]].concat());
    assert_eq!(code, 2);
    assert!(
        error.contains("FFD is no sufficient test of global EDF"),
        "{error}"
    );
    let (code, _, error) = run(&[&args[..4], &["--tests", "nothing"]].concat());
    assert_eq!(code, 2);
    assert!(error.contains("GFB"), "{error}");
}

const FIVE: &str = "schema = 1
name = \"five\"
[platform]
cpus = 4
overheads = { release = \"100us\", context_switch = \"50us\" }
[[task]]
name = \"a\"
period = \"10ms\"
wcet = \"4ms\"
[[task]]
name = \"b\"
period = \"10ms\"
wcet = \"4ms\"
[[task]]
name = \"c\"
period = \"20ms\"
wcet = \"12ms\"
";

fn written(folder: &TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("set.toml");
    fs::write(&path, text).unwrap();
    path
}

/// One set: what each test says, the tasks, the partition, the cheapest one, and what overheads cost.
#[test]
fn one_set_is_told_how_near_the_edge_it_is() {
    let folder = TempDir::new().unwrap();
    let set = written(&folder, FIVE);
    let (code, text, _) = run(&[path(&set), "--accounting", "per-job"]);
    assert_eq!(code, 0, "{text}");
    for part in [
        "G-EDF",
        "P-EDF",
        "GFB    accepts",
        "Known to hold on as few as 2 CPUs",
        "The cheapest partition: 2 CPUs (first-fit)",
        // 12 ms and 200 µs of 20 ms; and 4.2 of 10, twice.
        "CPU 0  0.6100  c",
        "CPU 1  0.8400  a, b",
        "all but release",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    // Slack of "a" on a CPU of its own: 10 − 4.2.
    let line = text.lines().find(|line| line.starts_with("a ")).unwrap();
    assert!(line.contains("5.8ms"), "{line}");
    // On one CPU nothing holds it, and everyone says why.
    let (code, text, _) = run(&[path(&set), "--cpus", "1"]);
    assert_eq!(code, 1);
    for part in [
        "No policy can hold it: the tasks ask for 1.4000 of 1 CPU.",
        "No CPU has room for",
        "✗ does not hold",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
}

#[test]
fn one_set_for_programs() {
    let folder = TempDir::new().unwrap();
    let set = written(&folder, FIVE);
    let (code, text, _) = run(&[path(&set), "--json"]);
    assert_eq!(code, 0);
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    let policies = found["policies"].as_array().unwrap();
    let partitioned = policies.iter().find(|it| it["policy"] == "p-edf").unwrap();
    assert_eq!(partitioned["holds"], true);
    assert_eq!(partitioned["fewest_cpus"], 2);
    assert_eq!(found["cheapest_partition"]["cpus"][0]["tasks"][0], "c");
    assert_eq!(partitioned["tasks"].as_array().unwrap().len(), 3);
    assert_eq!(found["overheads"][0]["charged"], "nothing");
}

#[test]
fn what_cannot_be_analysed_is_said() {
    let folder = TempDir::new().unwrap();
    let text = FIVE.replace(
        "wcet = \"12ms\"",
        "behaviour = [{ compute = \"1ms\" }, { suspend = \"1ms\" }]",
    );
    let (code, text, _) = run(&[path(&written(&folder, &text))]);
    assert_eq!(code, 1);
    assert!(text.contains("\"c\" suspends itself"), "{text}");
    for (args, part) in [
        (&[][..], "required"),
        (&["a.toml", "--corpus", "b.csv"], "cannot be used with"),
        (&["--corpus", "b.csv"], "--out"),
        (&["a.toml", "--union"], "--corpus"),
        (&["no-such.toml"], "no-such.toml"),
    ] {
        let (code, _, error) = run(args);
        assert_eq!(code, 2, "{args:?}: {error}");
        assert!(error.contains(part), "{args:?}: {error}");
    }
}

/// Exact answers, bad arrivals, and what is left open.
#[test]
fn many_sets_can_be_proven_both_ways() {
    let folder = TempDir::new().unwrap();
    let corpus = folder.path().join("c.csv");
    // Dhall's effect on two CPUs and on three; a set that no policy holds; one that all tests accept.
    let rows = "dhall,2,2,2,10,10\ndhall,2,2,2,10,10\ndhall,2,2,10,11,11\n\
                three,3,2,2,10,10\nthree,3,2,2,10,10\nthree,3,2,10,11,11\n\
                full,2,2,9,10,10\nfull,2,2,9,10,10\nfull,2,2,9,10,10\n\
                easy,2,2,1,10,10\neasy,2,2,1,10,10\neasy,2,2,1,10,10\n";
    fs::write(&corpus, format!("{HEADER}{rows}")).unwrap();
    let out = folder.path().join("v.csv");
    let tests = "rta,exact,sim";
    let (code, table, error) = run(&[
        "--corpus",
        path(&corpus),
        "--out",
        path(&out),
        "--tests",
        tests,
    ]);
    assert_eq!(code, 0, "{error}");
    assert!(
        table.contains("Global EDF holds 2, misses deadlines of 2, and 0 are open."),
        "{table}"
    );
    let text = fs::read_to_string(&out).unwrap();
    let said: Vec<String> = verdicts(&text)
        .into_iter()
        .map(|(set, test, verdict)| format!("{set} {test} {verdict}"))
        .collect();
    for expected in [
        "dhall RTA 0",
        "dhall EXACT 0",
        "dhall SIM 0",
        "three EXACT 1",
        "three SIM T",
        "full EXACT 0",
        "full SIM 0",
        "easy RTA 1",
        "easy EXACT 1",
    ] {
        assert!(said.contains(&expected.to_owned()), "{expected}: {said:?}");
    }
}

/// What a file says of ticks, priorities, slots and CPUs is heard, or else it is said that it is not.
#[test]
fn what_the_file_says_is_heard() {
    let folder = TempDir::new().unwrap();
    let text = "\
schema = 1
[platform]
cpus = 2
tick = \"1ms\"
[[task]]
name = \"a\"
period = \"10ms\"
wcet = \"4ms\"
priority = 1
cpu = 1
[[task]]
name = \"b\"
period = \"20ms\"
wcet = \"5ms\"
priority = 2
";
    let set = written(&folder, text);
    let (code, text, _) = run(&[path(&set)]);
    assert_eq!(code, 0);
    for part in [
        "A tick of 1ms: a job may be released so late",
        "That tasks say on which CPU they run is not looked at",
        "Priorities, the most urgent first: b, a.",
        "PD2   cannot tell  That a tick delays slots is not covered",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    let (_, text, _) = run(&[path(&set), "--json"]);
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["late_ns"], 1_000_000);
    let policies = found["policies"].as_array().unwrap();
    let of = |name| policies.iter().find(|it| it["policy"] == name).unwrap();
    assert_eq!(of("g-fp")["priorities"], serde_json::json!(["b", "a"]));
    // Each has a CPU, from a tick after its arrival at the latest.
    assert_eq!(of("g-edf")["tasks"][0]["response_bound_ns"], 5_000_000);
    assert_eq!(of("pd2")["holds"], serde_json::Value::Null);
}

#[test]
fn what_is_not_covered_is_said_to_programs_too() {
    let folder = TempDir::new().unwrap();
    let text = "\
schema = 1
[[task]]
name = \"a\"
period = \"10ms\"
behaviour = [{ compute = \"1ms\" }, { suspend = \"1ms\" }, { compute = \"1ms\" }]
";
    let set = written(&folder, text);
    let (code, text, _) = run(&[path(&set), "--json"]);
    assert_eq!(code, 1);
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        found["not_covered"],
        "The tests do not cover that \"a\" suspends itself"
    );
}
