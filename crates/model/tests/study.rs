//! Studies: what a file says, round trips, and every mistake with its place and its remedy.

use flyball_model::study::{
    Accounting, Cap, Known, KnownPolicy, Measure, Phases, Shape, Study, Utilisations,
};
use flyball_model::{Kind, ModelError, OverheadFile, Share, Statistic, read_study};
use flyball_trace::Duration;

fn known() -> Known<'static> {
    Known {
        tests: vec!["GFB", "RTA", "FFD"],
        policies: Some(policies(&[&["rm"], &["edf"], &["c=d", "edf-cd"]])),
    }
}

/// Policies with these names, which come with Flyball.
fn policies(all: &[&[&'static str]]) -> Vec<KnownPolicy<'static>> {
    let known = |names: &&[&'static str]| KnownPolicy {
        names: names.to_vec(),
        source: None,
    };
    all.iter().map(known).collect()
}

const OVERHEADS: &str = r#"
    schema = 1
    [provenance]
    processor = "p"
    [[measured]]
    policy = "g-edf"
    statistic = "worst"
    [measured.overheads]
    scheduling = { 5 = "1us", 15 = "2us" }
    [[cache]]
    after = "preemption"
    statistic = "worst"
    by_working_set = { 4096 = "3us" }
"#;

fn overheads(file: &str) -> Result<OverheadFile, ModelError> {
    OverheadFile::read(OVERHEADS, file)
}

fn read(text: &str) -> Result<Study, ModelError> {
    Study::read(text, "s.toml", &known(), overheads)
}

const WHOLE: &str = r#"schema = 1
name = "a study"
seed = 7
cpus = 8
caps = { from = 2.0, to = 3.0, step = 0.25 }
sets = 1000
batch = 100
tests = ["GFB", "FFD"]

[[union]]
name = "either"
of = ["GFB", "RTA"]

[[scenario]]
periods = ["short", { name = "odd", uniform = ["7us", "2ms"] }]
utilisations = ["bimodal-light", { name = "mine", modes = [
    { weight = 3, uniform = [0.1, 0.2] }, { weight = 1, exponential = 0.4 }] }]
slack = 0.07

[[scenario]]
periods = ["long"]
utilisations = [{ name = "flat", uniform = [0.25, 0.25] }]
slack = 0.25

[[overheads]]
name = "theirs"
file = "o.toml"
accounting = "interrupts"
working_sets = [1024, 4096]

[simulate]
policies = ["EDF", "edf-cd"]
horizon = "500ms"
measures = ["misses", "energy"]
seeds = 3
execution = [0.5, 1.0]
phases = "random"
speeds = { frequencies = ["50MHz", "100MHz"], power = ["200mW", "900mW"] }

[policies."c=d"]
limit = 0.5
"#;

#[test]
fn a_study_says_what_it_means() {
    let study = read(WHOLE).unwrap();
    let caps: Vec<String> = study.caps.iter().map(Cap::to_string).collect();
    assert_eq!(caps, ["2.0", "2.25", "2.5", "2.75", "3.0"]);
    assert_eq!(
        (study.seed, study.cpus, study.sets, study.batch),
        (7, 8, 1000, 100)
    );
    let names: Vec<String> = study
        .scenarios
        .iter()
        .map(flyball_model::study::Scenario::name)
        .collect();
    assert_eq!(
        names,
        [
            "short-bimodal-light",
            "short-mine",
            "odd-bimodal-light",
            "odd-mine",
            "long-flat"
        ]
    );
    assert_eq!(
        study.scenarios[2].periods.shortest,
        Duration::from_micros(7)
    );
    let modes = &study.scenarios[0].utilisations.modes;
    assert_eq!([modes[0].weight, modes[1].weight], [8, 1]);
    let heavy = Shape::Uniform(
        Share::from_millionths(500_000),
        Share::from_millionths(900_000),
    );
    assert_eq!(modes[1].shape, heavy);
    let tests: Vec<_> = study
        .tests
        .iter()
        .map(|test| (test.name.as_str(), test.any.len()))
        .collect();
    assert_eq!(tests, [("GFB", 1), ("FFD", 1), ("either", 2)]);
    let simulate = study.simulate.unwrap();
    assert_eq!(simulate.policies, ["edf", "c=d"]);
    assert_eq!(simulate.measures, [Measure::Misses, Measure::Energy]);
    assert_eq!(
        (simulate.horizon, simulate.seeds, simulate.phases),
        (Duration::from_millis(500), 3, Phases::Random)
    );
    let half = Share::from_millionths(500_000);
    assert_eq!(simulate.execution, Some([half, Share::ONE]));
    assert!(simulate.speeds.is_some() && simulate.settings.contains_key("c=d"));
    let charge = &study.charges[0];
    assert_eq!(
        (charge.statistic, charge.accounting),
        (Statistic::Worst, Accounting::Interrupts)
    );
}

#[test]
fn what_is_written_is_read_again() {
    let study = read(WHOLE).unwrap();
    let (text, files) = study.to_toml();
    let again = Study::read(&text, "x.toml", &known(), |file| {
        let (_, text) = files.iter().find(|(name, _)| name == file).unwrap();
        OverheadFile::read(text, file)
    });
    assert_eq!(again.as_ref(), Ok(&study), "{text}");
    assert_eq!(again.unwrap().to_toml().0, text);
}

/// A set may use all CPUs, and slack may go down to nothing.
#[test]
fn caps_and_slack_at_their_limits_are_read() {
    for (word, instead) in [
        ("to = 3.0", "to = 8.0"),
        ("{ from = 2.0, to = 3.0, step = 0.25 }", "[2.0, 8.0]"),
        ("to = 3.0, step = 0.25", "to = 2.0, step = 7"),
        ("slack = 0.25", "slack = 2.0"),
    ] {
        let text = WHOLE.replacen(word, instead, 1);
        assert!(read(&text).is_ok(), "{instead}");
    }
}

#[test]
fn what_the_file_does_not_say_is_filled_in() {
    let text = "schema = 1\ncpus = 1\ncaps = [0.5]\nsets = 30\ntests = [\"GFB\"]\n[[scenario]]\n\
                periods = [\"long\"]\nutilisations = [\"uniform-light\"]\nslack = 0.1";
    let study = read(text).unwrap();
    assert_eq!((study.name.as_str(), study.seed, study.batch), ("s", 0, 30));
    assert_eq!(
        study.scenarios[0].utilisations,
        Utilisations::named("uniform-light").unwrap()
    );
}

/// A study that only simulates.
const SIMULATED: &str = "schema = 1\ncpus = 1\ncaps = [0.5]\nsets = 30\n[[scenario]]\n\
                         periods = [\"long\"]\nutilisations = [\"uniform-light\"]\nslack = 0.1\n\
                         [simulate]\npolicies = [\"rm\"]\nhorizon = \"1s\"";

/// Simulations need no tests, and count everything that is known if the file does not say what.
#[test]
fn a_study_may_only_simulate() {
    let study = read(SIMULATED).unwrap();
    assert!(study.tests.is_empty());
    let simulate = study.simulate.as_ref().unwrap();
    let all = Measure::ALL.into_iter().filter(|it| *it != Measure::Energy);
    assert_eq!(simulate.measures, all.collect::<Vec<_>>());
    assert_eq!((simulate.seeds, simulate.phases), (1, Phases::Zero));
    let (text, _) = study.to_toml();
    assert_eq!(read(&text), Ok(study));
    // What was checked when it was written may have policies that are not known here.
    let text = text.replace("\"rm\"", "\"mine\"");
    assert!(read(&text).is_err());
    let any = Known {
        policies: None,
        ..known()
    };
    assert!(Study::read(&text, "s.toml", &any, overheads).is_ok());
}

/// What tells a user's policy from another one of its name is written down, and another one is refused.
#[test]
fn sources() {
    let text = SIMULATED.replace("\"rm\"", "\"mine\"");
    let reading = |text: &str, source: &'static str| {
        let mut known = known();
        known.policies.get_or_insert_default().push(KnownPolicy {
            names: vec!["mine"],
            source: Some(source),
        });
        Study::read(text, "s.toml", &known, overheads)
    };
    let study = reading(&text, "first").unwrap();
    let sources = &study.simulate.as_ref().unwrap().sources;
    assert_eq!(sources.get("mine").map(String::as_str), Some("first"));
    assert_eq!(sources.len(), 1);
    let (written, _) = study.to_toml();
    assert_eq!(reading(&written, "first").as_ref(), Ok(&study));
    let any = Known {
        policies: None,
        ..known()
    };
    let read_again = Study::read(&written, "s.toml", &any, overheads);
    assert_eq!(read_again.as_ref(), Ok(&study));
    assert_ne!(reading(&text, "second"), Ok(study.clone()));
    let error = reading(&written, "second").unwrap_err();
    assert!(
        error.to_string().contains("are others than those"),
        "{error}"
    );
    let error = reading(&written.replace("{ mine =", "{ mime ="), "first").unwrap_err();
    assert!(
        error.to_string().contains("\"mime\" is not simulated"),
        "{error}"
    );
}

/// A word of [`WHOLE`], what stands there instead, the kind of mistake, and what the headline says.
const MISTAKES: &[(&str, &str, Kind, &str)] = &[
    (
        "policies = [\"EDF\", \"edf-cd\"]",
        "policies = [\"edff\"]",
        Kind::UnknownName,
        "s.toml:32:13: simulate: policies: there is no policy \"edff\"",
    ),
    (
        "policies = [\"EDF\", \"edf-cd\"]",
        "policies = [\"c=d\", \"edf-cd\"]",
        Kind::Duplicate,
        "s.toml:32:20: simulate: policies: the list has this policy already",
    ),
    (
        "policies = [\"EDF\", \"edf-cd\"]",
        "policies = []",
        Kind::Missing,
        "simulate: policies: the list is empty",
    ),
    (
        "policies = [\"EDF\", \"edf-cd\"]\n",
        "",
        Kind::Missing,
        "simulate: missing key `policies`",
    ),
    (
        "horizon = \"500ms\"\n",
        "",
        Kind::Missing,
        "simulate: missing key `horizon`",
    ),
    (
        "horizon = \"500ms\"",
        "horizon = 2",
        Kind::WrongType,
        "s.toml:33:11: simulate: horizon: expected a time",
    ),
    (
        "horizon = \"500ms\"",
        "horizon = \"0s\"",
        Kind::OutOfRange,
        "simulate: horizon: in no time nothing happens",
    ),
    (
        "horizon = \"500ms\"",
        "horizon = \"10s\"",
        Kind::TooMany,
        "s.toml:33:11: simulate: horizon: a set of odd-bimodal-light with the cap 3.0 may have",
    ),
    (
        "\"misses\", \"energy\"",
        "\"mises\"",
        Kind::UnknownName,
        "s.toml:34:13: simulate: measures: there is no measure \"mises\"",
    ),
    (
        "\"misses\", \"energy\"",
        "\"misses\", \"misses\"",
        Kind::Duplicate,
        "simulate: measures: the list has this measure already",
    ),
    (
        ", power = [\"200mW\", \"900mW\"]",
        "",
        Kind::Inconsistent,
        "s.toml:34:23: simulate: measures: the energy is not known without powers",
    ),
    (
        "power = [\"200mW\", ",
        "power = [",
        Kind::Inconsistent,
        "simulate: speeds: power: ",
    ),
    (
        "seeds = 3",
        "seeds = 0",
        Kind::OutOfRange,
        "simulate: seeds: expected a whole number from 1 to 10000",
    ),
    (
        "execution = [0.5, 1.0]\nphases = \"random\"",
        "execution = [0.5, 0.5]",
        Kind::Inconsistent,
        "s.toml:35:9: simulate: seeds: nothing in the simulations is random",
    ),
    (
        "execution = [0.5, 1.0]",
        "execution = [0, 1.0]",
        Kind::OutOfRange,
        "s.toml:36:14: simulate: execution: a job computes something",
    ),
    (
        "execution = [0.5, 1.0]",
        "execution = [0.5, 1.1]",
        Kind::OutOfRange,
        "simulate: execution: expected a part of a CPU",
    ),
    (
        "execution = [0.5, 1.0]",
        "execution = [1.0, 0.5]",
        Kind::Inconsistent,
        "simulate: execution: the least is above the most",
    ),
    (
        "phases = \"random\"",
        "phases = \"zeros\"",
        Kind::UnknownName,
        "simulate: phases: expected \"zero\" or \"random\"",
    ),
    (
        "horizon = \"500ms\"",
        "horizon = \"500ms\"\nuntil = \"2s\"",
        Kind::UnknownKey,
        "simulate: unknown key \"until\"",
    ),
    (
        "limit = 0.5",
        "limit = {}",
        Kind::WrongType,
        "policies: \"c=d\": limit: expected a time, a number",
    ),
    (
        "name = \"either\"",
        "name = \"edf misses\"",
        Kind::Duplicate,
        "union 1: name: what is simulated under edf has such names",
    ),
    (
        "{ from = 2.0, to = 3.0, step = 0.25 }",
        "[0.1, 2.0]",
        Kind::Inconsistent,
        "flat: no set of tasks that use 0.25 and more comes up to the cap 0.1",
    ),
    (
        "schema = 1",
        "schema = 2",
        Kind::Schema,
        "s.toml:1:10: schema: the format has version 1",
    ),
    (
        "cpus = 8",
        "cpus = 0",
        Kind::OutOfRange,
        "s.toml:4:8: cpus: expected a whole number from 1 to 128, found 0",
    ),
    ("cpus = 8", "cpus = 129", Kind::OutOfRange, "found 129"),
    ("cpus = 8\n", "", Kind::Missing, "missing key `cpus`"),
    (
        "seed = 7",
        "seeed = 7",
        Kind::UnknownKey,
        "s.toml:3:1: unknown key \"seeed\"",
    ),
    (
        "seed = 7",
        "seed = -1",
        Kind::OutOfRange,
        "s.toml:3:8: seed: ",
    ),
    (
        "sets = 1000",
        "sets = 0",
        Kind::OutOfRange,
        "sets: expected a whole number from 1 to 1000000",
    ),
    ("batch = 100", "batch = 0", Kind::OutOfRange, "batch: "),
    (
        "step = 0.25",
        "step = 0",
        Kind::OutOfRange,
        "caps: step: a step of 0 leads nowhere",
    ),
    (
        "step = 0.25",
        "step = 0.0001",
        Kind::OutOfRange,
        "caps: step: expected a number of CPUs",
    ),
    (
        "step = 0.25",
        "step = \"x\"",
        Kind::WrongType,
        "caps: step: expected a number of CPUs",
    ),
    (
        "to = 3.0, step = 0.25",
        "to = 30.0, step = 0.001",
        Kind::TooMany,
        "more than 10000 caps",
    ),
    (
        "to = 3.0",
        "to = 1.0",
        Kind::Missing,
        "caps: there are no caps",
    ),
    (
        "from = 2.0",
        "from = 0.0",
        Kind::OutOfRange,
        "caps: a cap of 0 leaves room for no task",
    ),
    (
        "to = 3.0",
        "to = 8.25",
        Kind::OutOfRange,
        "s.toml:5:27: caps: to: the cap 8.25 is above the number of CPUs",
    ),
    (
        "{ from = 2.0, to = 3.0, step = 0.25 }",
        "[2.0, 8.0, 8.001, 9.0]",
        Kind::OutOfRange,
        "s.toml:5:19: caps: the cap 8.001 is above the number of CPUs",
    ),
    (
        "from = 2.0, to = 3.0, step = 0.25",
        "from = 2.01, to = 4.0, step = 0.5",
        Kind::Inconsistent,
        "s.toml:5:28: caps: to: the steps end at 3.51, not at 4.0",
    ),
    (
        "slack = 0.07",
        "slack = 7",
        Kind::OutOfRange,
        "scenario 1: slack: the slack 7.0 is larger than the cap 2.0",
    ),
    (
        "slack = 0.25",
        "slack = 2.001",
        Kind::OutOfRange,
        "scenario 2: slack: the slack 2.001 is larger than the cap 2.0",
    ),
    (
        "{ from = 2.0, to = 3.0, step = 0.25 }",
        "[2.0, 2.0]",
        Kind::Inconsistent,
        "the caps do not rise",
    ),
    (
        "tests = [\"GFB\", \"FFD\"]",
        "tests = [\"GBF\"]",
        Kind::UnknownName,
        "s.toml:8:10: tests: there is no test \"GBF\"",
    ),
    (
        "tests = [\"GFB\", \"FFD\"]",
        "tests = [\"GFB\", \"GFB\"]",
        Kind::Duplicate,
        "tests: name: \"GFB\" is there already",
    ),
    (
        "name = \"either\"",
        "name = \"GFB\"",
        Kind::Duplicate,
        "union 1: name: \"GFB\" is there already",
    ),
    (
        "of = [\"GFB\", \"RTA\"]",
        "of = []",
        Kind::Missing,
        "union 1: of: a union of no tests",
    ),
    (
        "\"short\"",
        "\"shrt\"",
        Kind::UnknownName,
        "scenario 1: periods: there are no periods \"shrt\"",
    ),
    (
        "\"bimodal-light\"",
        "\"bimodal\"",
        Kind::UnknownName,
        "scenario 1: utilisations: there are no utilisations",
    ),
    (
        "\"7us\", \"2ms\"",
        "\"2ms\", \"7us\"",
        Kind::Inconsistent,
        "uniform: the least is above the most",
    ),
    (
        "\"7us\", \"2ms\"",
        "\"7ns\", \"2ms\"",
        Kind::OutOfRange,
        "uniform: expected whole microseconds, found 7ns",
    ),
    (
        "\"7us\", \"2ms\"",
        "\"0us\", \"2ms\"",
        Kind::OutOfRange,
        "uniform: expected whole microseconds, found 0",
    ),
    (
        "\"7us\", \"2ms\"",
        "\"7us\"",
        Kind::WrongType,
        "expected a list of two, the least and the most",
    ),
    (
        "name = \"odd\"",
        "name = \"../odd\"",
        Kind::OutOfRange,
        "name: expected up to 40 lower-case letters",
    ),
    (
        "[0.1, 0.2]",
        "[0.2, 0.1]",
        Kind::Inconsistent,
        "modes: 1: uniform: the least is above the most",
    ),
    (
        "[0.1, 0.2]",
        "[0.0, 0.1]",
        Kind::OutOfRange,
        "modes: 1: uniform: tasks that use nothing never end",
    ),
    (
        "[0.1, 0.2]",
        "[0.1, 1.5]",
        Kind::OutOfRange,
        "expected a part of a CPU from 0 to 1",
    ),
    (
        "[0.1, 0.2]",
        "[0.1, nan]",
        Kind::OutOfRange,
        "expected a part of a CPU from 0 to 1",
    ),
    (
        "exponential = 0.4",
        "exponential = 0",
        Kind::OutOfRange,
        "modes: 2: exponential: tasks that use nothing",
    ),
    (
        "weight = 3, uniform = [0.1, 0.2]",
        "weight = 3",
        Kind::Missing,
        "modes: 1: there is no shape",
    ),
    (
        "weight = 1,",
        "weight = 1, uniform = [0.1, 0.2],",
        Kind::Inconsistent,
        "modes: 2: there are two shapes",
    ),
    (
        "weight = 3",
        "weight = -3",
        Kind::OutOfRange,
        "modes: 1: weight: ",
    ),
    (
        "{ name = \"mine\", modes",
        "{ name = \"mine\", uniform = [0.1, 0.2], modes",
        Kind::Inconsistent,
        "modes and a shape, too",
    ),
    (
        "periods = [\"long\"]",
        "periods = []",
        Kind::Missing,
        "scenario 2: periods: the list is empty",
    ),
    (
        "[\"long\"]",
        "[\"short\", \"short\"]",
        Kind::Duplicate,
        "scenario 2: there is a scenario short-flat already",
    ),
    (
        "slack = 0.07\n",
        "",
        Kind::Missing,
        "scenario 1: missing key `slack`",
    ),
    (
        "[0.25, 0.25]",
        "[0.9, 0.9]",
        Kind::Inconsistent,
        "scenario 2: utilisations: flat: no set of tasks that use 0.9 and more comes up to the cap 2.25 with this slack",
    ),
    (
        "file = \"o.toml\"",
        "file = 1",
        Kind::WrongType,
        "overheads 1: file: expected a text in quotes",
    ),
    (
        "accounting = \"interrupts\"",
        "accounting = \"interupts\"",
        Kind::UnknownName,
        "overheads 1: accounting: ",
    ),
    (
        "working_sets = [1024, 4096]",
        "working_sets = [8192]",
        Kind::Missing,
        "working_sets: o.toml has no worst delay",
    ),
    (
        "working_sets = [1024, 4096]",
        "working_sets = [4096, 1024]",
        Kind::Inconsistent,
        "the working sets do not rise",
    ),
    (
        "accounting = \"interrupts\"",
        "statistic = \"mean\"",
        Kind::Missing,
        "file: o.toml has no mean of any policy",
    ),
];

#[test]
fn mistakes_have_a_place_and_a_remedy() {
    for (word, instead, kind, says) in MISTAKES {
        assert!(WHOLE.contains(word), "{word}");
        let text = WHOLE.replacen(word, instead, 1);
        let Err(error) = read(&text) else {
            panic!("{word} -> {instead} was read")
        };
        let headline = error.headline();
        assert_eq!(error.kind, *kind, "{headline}");
        assert!(headline.contains(says), "{headline} does not say {says}");
        assert!(headline.starts_with("s.toml:"), "{headline}");
        assert!(
            error.help.is_some() || *kind == Kind::OutOfRange || *kind == Kind::WrongType,
            "{error}"
        );
    }
}

#[test]
fn what_is_missing_altogether() {
    for (text, says) in [
        ("", "the file is empty"),
        ("schema = 1", "missing key `caps`"),
        (
            "schema = 1\ncaps = [1]\nsets = 1\ncpus = 1",
            "there are no scenarios",
        ),
        ("schema", "not TOML"),
    ] {
        let headline = read(text).unwrap_err().headline();
        assert!(headline.contains(says), "{headline}");
    }
    let (begin, end) = (
        WHOLE.find("tests").unwrap(),
        WHOLE.find("[[scenario]]").unwrap(),
    );
    let simulate = WHOLE.find("[simulate]").unwrap();
    let without = format!("{}{}", &WHOLE[..begin], &WHOLE[end..simulate]);
    assert_eq!(
        read(&without).unwrap_err().headline(),
        "s.toml: there are no tests"
    );
    let error = read_study("no/such/study.toml", &known()).unwrap_err();
    assert_eq!(error.kind, Kind::Io);
}

/// A study names files from where it stands, and their mistakes are theirs.
#[test]
fn files_of_overheads_are_looked_for_beside_the_study() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.toml");
    std::fs::write(&path, WHOLE).unwrap();
    let missing = read_study(&path, &known()).unwrap_err();
    assert!(
        missing.headline().contains("o.toml: there is no such file"),
        "{missing}"
    );
    std::fs::write(
        folder.path().join("o.toml"),
        OVERHEADS.replace("1us", "1 parsec"),
    )
    .unwrap();
    let wrong = read_study(&path, &known()).unwrap_err().headline();
    assert!(
        wrong.contains("o.toml:9:") && !wrong.contains("overheads 1"),
        "{wrong}"
    );
    std::fs::write(folder.path().join("o.toml"), OVERHEADS).unwrap();
    assert_eq!(read_study(&path, &known()), read(WHOLE));
}

/// The study that the documentation describes is one.
#[test]
fn documentation() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sweep.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (_, block) = text.split_once("```toml\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let known = Known {
        tests: vec!["GFB", "BCL", "RTA", "P-EDF"],
        policies: Some(policies(&[&["g-edf"], &["p-edf"], &["rr"]])),
    };
    let overheads = |file: &str| {
        let larger = OVERHEADS.replace("4096 = ", "131072 = \"9us\", 4096 = ");
        OverheadFile::read(&larger, file)
    };
    let study = Study::read(block, "sweep.md", &known, overheads).unwrap();
    assert_eq!((study.scenarios.len(), study.tests.len()), (4, 4));
}
