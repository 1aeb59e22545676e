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
        String::from_utf8(flyball_study::corpus::unpacked(&packed).unwrap()).unwrap()
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

/// Once each, and blanks do no harm.
#[test]
fn a_test_that_is_named_twice_is_asked_once() {
    let folder = TempDir::new().unwrap();
    let corpus = folder.path().join("two.csv");
    fs::write(&corpus, HEADER.to_owned() + TWO).unwrap();
    let out = folder.path().join("out.csv");
    let both = ["--corpus", path(&corpus), "--out", path(&out)];
    let (code, table, error) = run(&[&both[..], &["--tests", "rta, GFB,RTA , rta"]].concat());
    assert_eq!(code, 0, "{error}");
    let text = fs::read_to_string(&out).unwrap();
    let rows: Vec<_> = text.lines().skip(1).collect();
    assert_eq!(rows.len(), 4, "{text}");
    let expected = [
        "light,RTA,1,",
        "light,GFB,1,",
        "\"heavy, early\",RTA,0,",
        "\"heavy, early\",GFB,0,",
    ];
    for (row, expected) in rows.iter().zip(expected) {
        assert!(row.starts_with(expected), "{text}");
    }
    let rta = table.lines().find(|line| line.starts_with("RTA")).unwrap();
    let numbers: Vec<_> = rta.split_whitespace().take(3).collect();
    assert_eq!(numbers, ["RTA", "2", "1"], "{table}");
    for wrong in ["rta,,gfb", "rta x"] {
        assert_eq!(run(&[&both[..], &["--tests", wrong]].concat()).0, 2);
    }
}

/// A minus sign stands for the standard output; the summary is a note then.
#[test]
fn verdicts_can_be_printed() {
    let folder = TempDir::new().unwrap();
    let corpus = folder.path().join("one.csv");
    fs::write(&corpus, format!("{HEADER}light,2,0,1,4,4\n")).unwrap();
    let args = ["--corpus", path(&corpus), "--out", "-", "--tests", "gfb"];
    let (code, text, error) = run(&args);
    assert_eq!(code, 0, "{error}");
    let said = verdicts(&text);
    assert_eq!(said, [("light".into(), "GFB".into(), "1".into())]);
    assert!(error.contains("ACCEPTED"), "{error}");
    let (code, text, error) = run(&[&args[..], &["--quiet"]].concat());
    assert_eq!((code, error.as_str()), (0, ""));
    assert_eq!(verdicts(&text), said);
}

const MEASURED: &str = "schema = 1
[provenance]
processor = \"p\"
[[measured]]
policy = \"g-edf\"
statistic = \"worst\"
[measured.overheads]
release = \"1ms\"
[[measured]]
policy = \"p-edf\"
statistic = \"worst\"
[measured.overheads]
context_switch = \"500us\"
";

/// Many sets pay, as one does. What cannot pay is refused by name, or left out and said.
#[test]
fn many_sets_pay_for_the_kernels_work() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    // GFB on two CPUs: 3 u <= 2, so with 1 ms more of 10 ms there is room for C up to 5666. A CPU
    // each: up to 9000.
    let rows = "a,2,0,5666,10000,10000\na,2,0,5666,10000,10000\n\
                b,2,0,5667,10000,10000\nb,2,0,5667,10000,10000\n\
                c,2,0,9001,10000,10000\nc,2,0,9001,10000,10000\n";
    let corpus = file("c.csv", &format!("{HEADER}{rows}"));
    let measured = file("o.toml", MEASURED);
    let out = folder.path().join("v.csv");
    let first = [
        "--corpus",
        path(&corpus),
        "--out",
        path(&out),
        "--overheads",
        path(&measured),
        "--accounting",
        "per-job",
    ];
    let (code, table, error) = run(&[&first[..], &["--tests", "gfb,ffd"]].concat());
    assert_eq!(code, 0, "{error}");
    assert!(table.contains("With the overheads of "), "{table}");
    let said = verdicts(&fs::read_to_string(&out).unwrap());
    let accepted: Vec<_> = said
        .iter()
        .filter(|(_, _, verdict)| verdict == "1")
        .map(|(set, test, _)| format!("{set} {test}"))
        .collect();
    assert_eq!(accepted, ["a GFB", "a FFD", "b FFD"]);
    let (code, _, error) = run(&[&first[..], &["--union"]].concat());
    assert_eq!(code, 0, "{error}");
    assert!(fs::read_to_string(&out).unwrap().contains("a,UNION,1,"));
    // By default: the usual tests, all of which pay.
    let (code, _, error) = run(&first);
    assert_eq!((code, error.as_str()), (0, ""));
    let before = fs::read(&out).unwrap();
    for (tests, says) in [
        ("gfb,c=d", "cannot be charged to C=D: its jobs begin"),
        ("PD2", "cannot be charged to PD2"),
        ("sim", "cannot be charged to SIM: it is about what sets"),
    ] {
        let (code, _, error) = run(&[&first[..], &["--tests", tests]].concat());
        assert_eq!(code, 2, "{tests}");
        assert!(
            error.contains("o.toml: ") && error.contains(says),
            "{error}"
        );
        // No other file has what is not known at all.
        assert!(!error.contains("another file"), "{error}");
    }
    let long = file("long.csv", &format!("{HEADER}a,2,0,1,4611686018427388,4\n"));
    let (code, _, error) = run(&[&["--corpus", path(&long)], &first[2..]].concat());
    assert_eq!(code, 2);
    assert!(
        error.contains(
            "long.csv: line 2, field period_us: expected a whole number from 1 to 4611686018427387"
        ),
        "{error}"
    );
    let (code, _, error) = run(&[&first[..2], &["--out", path(&measured)], &first[4..]].concat());
    assert_eq!(code, 2);
    assert!(error.contains("would overwrite the overheads"), "{error}");
    let (code, _, error) = run(&[&first[..4], &first[6..]].concat());
    assert_eq!(code, 2);
    assert!(error.contains("--overheads"), "{error}");
    assert_eq!(fs::read(&out).unwrap(), before);
    // A file without partitioned EDF: its tests are left out, and refused where they are named.
    let half = MEASURED.split("[[measured]]\npolicy = \"p-edf\"").next();
    let half = file("half.toml", half.unwrap());
    let args = [&first[..5], &[path(&half)], &first[6..]].concat();
    let (code, table, error) = run(&args);
    assert_eq!(code, 0, "{error}");
    assert!(error.contains("FFD, BFD, WFD"), "{error}");
    assert!(
        table.contains("\nRTA ") && !table.contains("FFD "),
        "{table}"
    );
    let (code, _, error) = run(&[&args[..], &["--tests", "ffd"]].concat());
    assert_eq!(code, 2);
    assert!(
        error.contains("half.toml: has no overheads of p-edf, which FFD is to be charged"),
        "{error}"
    );
}

/// Verdicts on pieces of a corpus, put together, are those on all of it.
#[test]
fn verdicts_that_are_known_are_not_asked_again() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("two.csv"), HEADER.to_owned() + TWO).unwrap();
    let (two, all) = (at("two.csv"), at("all.csv"));
    let corpus = ["--corpus", path(&two), "--tests", "gfb,ffd"];
    let (code, table, _) = run(&[&corpus[..], &["--out", path(&all)]].concat());
    assert_eq!(code, 0);
    let (known, missing, dry) = (at("known.csv"), at("missing.csv"), at("dry.csv"));
    let args = ["--known", path(&all), "--out", path(&known)];
    assert_eq!(
        run(&[&corpus[..], &args].concat()),
        (0, table, String::new())
    );
    assert_eq!(fs::read(&known).unwrap(), fs::read(&all).unwrap());
    let text = fs::read_to_string(&all).unwrap();
    let without_last = &text[..=text.trim_end().rfind('\n').unwrap()];
    fs::write(&missing, without_last).unwrap();
    let args = ["--known", path(&missing), "--out", path(&dry)];
    let (code, out, error) = run(&[&corpus[..], &args].concat());
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(
        error.contains("missing.csv: line 5: expected the verdict of FFD"),
        "{error}"
    );
    // Nor is anything asked, or written, if only the corpus is checked.
    let args = ["--dry-run", "--out", path(&dry)];
    assert_eq!(
        run(&[&corpus[..], &args].concat()),
        (0, String::new(), String::new())
    );
    fs::write(&two, format!("{HEADER}{TWO}wrong,2,0,1,4\n")).unwrap();
    let (code, _, error) = run(&[&corpus[..], &args].concat());
    assert_eq!(code, 2);
    assert!(error.contains("expected 6 fields, found 5"), "{error}");
    assert!(!dry.exists());
}

/// Under any of its names, the corpus is not overwritten.
#[test]
fn verdicts_do_not_overwrite_the_corpus() {
    let folder = TempDir::new().unwrap();
    let corpus = folder.path().join("one.csv");
    let text = format!("{HEADER}light,2,0,1,4,4\n");
    fs::write(&corpus, &text).unwrap();
    let mut names = vec![corpus.clone(), folder.path().join("./one.csv")];
    #[cfg(unix)]
    {
        let link = folder.path().join("link.csv");
        std::os::unix::fs::symlink(&corpus, &link).unwrap();
        names.push(link);
    }
    for name in names {
        let (code, _, error) = run(&["--corpus", path(&corpus), "--out", path(&name)]);
        assert_eq!(code, 2, "{error}");
        assert!(
            error.contains("the verdicts would overwrite the corpus"),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&corpus).unwrap(), text);
    }
}

/// A mistake, the place and the reason, exit code 2, and nothing is written.
#[test]
fn mistakes_have_a_place_and_leave_nothing() {
    let longest = "4611686018427387903";
    for (rows, expected) in [
        ("", "line 1: expected the columns set,m,cap,"),
        ("", "deadline_us, found nothing"),
        (
            "a,b\n",
            "line 1: expected the columns set,m,cap,wcet_us,period_us,deadline_us, found a,b",
        ),
        (
            "m,set,cap,wcet_us,period_us,deadline_us,note\n2,a,0,1,4,4,x\n",
            "found m,set,cap,wcet_us,period_us,deadline_us,note",
        ),
        ("set\tm\n", "found set\\u{9}m"),
        (
            "HEAD",
            "line 1: there is no set below the names of the columns",
        ),
        ("HEAD\n\n", "line 1: there is no set"),
        ("HEADa,2,0,1,4\n", "line 2: expected 6 fields, found 5"),
        ("HEADa,2,0,1,4,4,\n", "line 2: expected 6 fields, found 7"),
        (
            "HEADa,2,0,1,4,4\n\n,2,0,1,4,4\n",
            "line 4, field set: a set needs a name",
        ),
        (
            "HEADa,0,0,1,4,4\n",
            "line 2, field m: expected a whole number from 1 to 65536",
        ),
        (
            "HEADa,65536,0,1,4,4\nb,4000000000,0,1,4,4\n",
            "line 3, field m: expected a whole number from 1 to 65536, found \"4000000000\"",
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

/// One set: what each test says, the tasks, the partition, the cheapest one, and what overheads
/// cost.
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
    // On one CPU nothing holds it, and every test says why.
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
        (&["a.toml", "--union"], "--union goes with --corpus"),
        (&["a.toml", "--tests", "rta"], "--tests goes with --corpus"),
        (
            &["a.toml", "--out", "o.json", "--json"],
            "--out goes with --corpus; what is found about one task set is printed",
        ),
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
    // Dhall's effect on two CPUs and on three; a set that no policy holds; one that all tests
    // accept.
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

/// What a file says of ticks, priorities, slots and CPUs is heard, or else it is said that it is
/// not.
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
        "the verdicts of policies that divide them are about the CPUs that tasks say",
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

/// The tests do not cover mutexes, but servers are hurt by so much and no more.
#[test]
fn critical_sections_of_others_are_said_with_their_lengths() {
    const SET: &str = r#"
schema = 1
[[mutex]]
name = "bus"
[[task]]
name = "slow"
period = "20ms"
behaviour = [{ lock = "bus" }, { compute = "4ms" }, { unlock = "bus" }]
[[task]]
name = "fast"
period = "10ms"
behaviour = [{ lock = "bus" }, { compute = "1ms" }, { unlock = "bus" }]
"#;
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("set.toml");
    fs::write(&file, SET).unwrap();
    let sentence = r#"Critical sections of "slow" use up to 4ms of the budget of "fast" each time "fast" locks "bus"."#;
    let (code, text, _) = run(&[path(&file)]);
    assert_eq!(code, 1);
    assert!(text.contains(&format!("\n{sentence}\n")), "{text}");
    let (_, json, _) = run(&[path(&file), "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["critical_sections"][1], sentence);
    // Without a mutex nothing is said of any.
    fs::write(
        &file,
        SET.replace("{ lock = \"bus\" }, ", "")
            .replace(", { unlock = \"bus\" }", ""),
    )
    .unwrap();
    let (_, text, _) = run(&[path(&file)]);
    assert!(!text.contains("Critical sections"), "{text}");
}

/// A pipeline has a section of its own, below what is said of its tests.
#[test]
fn a_pipeline_says_what_it_needs() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/pipeline.toml");
    let (code, text, error) = run(&[file, "--latency", "300ms"]);
    assert_eq!((code, &*error), (1, ""));
    let row = |name: &str| {
        let mut lines = text.lines().map(|line| line.replace(['│', '|'], " "));
        let found = lines.find(|line| line.split_whitespace().next() == Some(name));
        let found = found.unwrap_or_else(|| panic!("{name}: {text}"));
        found.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("packets"), "packets 390.0 64 164.1ms 39");
    assert_eq!(row("parsed"), "parsed 30.0 8 266.7ms 3");
    assert_eq!(
        row("parser"),
        "parser 30.0 5.85 % 5.85 % 7.86× 17.09× 82.05ms"
    );
    assert_eq!(
        row("decoder"),
        "decoder 30.0 54.00 % 72.00 % 1.74× 1.85× 133.3ms"
    );
    assert_eq!(row("all"), "all 59.85 % 77.85 % 1.67×");
    assert!(text.contains("no guarantee"), "{text}");
    assert!(!text.contains("for ever"), "{text}");
    let (code, ..) = run(&[file, "--latency", "0"]);
    assert_eq!(code, 2);
}

#[test]
fn programs_get_what_a_pipeline_needs() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/pipeline.toml");
    let (code, text, error) = run(&[file, "--latency", "300ms", "--json"]);
    assert_eq!((code, &*error), (1, ""));
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let pipeline = &document["pipeline"];
    let capacities = |key: &str| {
        let queues = pipeline["queues"].as_array().unwrap().iter();
        queues
            .map(|it| it[key].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(capacities("capacity"), [64, 8, 8]);
    assert_eq!(capacities("capacity_for_latency"), [39, 3, 3]);
    let decoder = &pipeline["stages"][1];
    assert_eq!(decoder["task"], "decoder");
    assert_eq!(decoder["needs"]["share_mean_ppm"], 540_000);
    assert_eq!(decoder["needs"]["may_grow_ppm"], 1_743_518);
    assert_eq!(pipeline["latency"]["asked_ns"], 300_000_000);
    let (_, text, _) = run(&[file, "--json"]);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(document["pipeline"]["latency"].is_null(), "{text}");
}
