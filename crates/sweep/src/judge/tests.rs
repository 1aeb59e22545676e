use super::*;
use flyball_model::{OverheadFile, Study};

const STUDY: &str = r#"
    schema = 1
    cpus = 4
    caps = [1.0]
    sets = 1
    tests = ["GFB", "FFD", "P-EDF", "G-EDF"]
    [[union]]
    name = "any"
    of = ["GFB", "WFD"]
    [[scenario]]
    periods = ["short"]
    utilisations = ["uniform-light"]
    slack = 0.1
    [[overheads]]
    name = "theirs"
    file = "o.toml"
    accounting = "per-job"
    working_sets = [4096, 10485760]
"#;

/// Global EDF pays 2 · 10 + 30 + 5 = 55 µs with 5 tasks or more, and 2 · 10 + 30 + 5 = 55 + 100
/// with 10.
const OVERHEADS: &str = r#"
    schema = 1
    [provenance]
    processor = "p"
    [[measured]]
    policy = "g-edf"
    statistic = "worst"
    [measured.overheads]
    scheduling = "10us"
    release = { 5 = "30us", 10 = "130us" }
    ipi = "5us"
    [[measured]]
    policy = "p-edf"
    statistic = "worst"
    [measured.overheads]
    context_switch = "20us"
    ipi = "5us"
    [[cache]]
    after = "preemption"
    statistic = "worst"
    by_working_set = { 4096 = "1us", 10485760 = "10ms" }
"#;

fn study(text: &str) -> Study {
    Study::read(
        text,
        "s.toml",
        &crate::known(&flyball_study::Registry::standard()),
        |file| OverheadFile::read(OVERHEADS, file),
    )
    .unwrap()
}

/// What is said of so many tasks that compute so long, with a period of 10 ms.
fn said(study: &Study, wcets: &[u64]) -> Vec<(String, bool)> {
    let set: Vec<Drawn> = wcets
        .iter()
        .map(|&wcet| Drawn {
            wcet,
            period: 10_000,
        })
        .collect();
    let judge = Judge::new(study);
    let verdicts = judge.judge(&set);
    assert_eq!(verdicts.len(), judge.labels().len());
    let names = judge.labels().iter().map(|label| label.name.clone());
    names
        .zip(verdicts)
        .map(|(name, verdict)| (name, verdict.unwrap()))
        .collect()
}

fn accepted(study: &Study, wcets: &[u64]) -> Vec<String> {
    let said = said(study, wcets).into_iter();
    said.filter(|(_, accepted)| *accepted)
        .map(|(name, _)| name)
        .collect()
}

#[test]
fn labels_are_tests_with_overheads() {
    let labels: Vec<String> = labels(&study(STUDY))
        .into_iter()
        .map(|label| label.name)
        .collect();
    assert_eq!(labels.len(), 5 * 4);
    assert_eq!(labels[..5], ["GFB", "FFD", "P-EDF", "G-EDF", "any"]);
    assert_eq!(labels[5], "GFB + theirs");
    assert_eq!(labels[10], "GFB + theirs, 4 KB");
    assert_eq!(labels[19], "any + theirs, 10 MB");
    assert_eq!(size(1000), "1000 B");
}

/// Gracioli et al.'s example: five tasks of 0.51 fit on no four CPUs, and five of 0.5 do.
#[test]
fn five_tasks_of_a_little_more_than_a_half() {
    let study = study(STUDY);
    assert!(accepted(&study, &[5_100; 5]).is_empty());
    let halves = accepted(&study, &[5_000; 5]);
    // Σ = 2.5 ≤ 4 − 3 · 0.5: GFB holds without overheads and to the bit.
    for name in ["GFB", "FFD", "P-EDF", "G-EDF", "any"] {
        assert!(halves.contains(&name.to_owned()), "{name}: {halves:?}");
    }
}

/// Four tasks of a whole CPU less a charge: 40 µs for partitioned EDF, 1 µs more with 4 KB.
#[test]
fn each_policy_pays_its_own_overheads() {
    let study = study(STUDY);
    let has = |wcet, name: &str| accepted(&study, &[wcet; 4]).contains(&name.to_owned());
    assert!(has(10_000, "P-EDF") && !has(10_001, "P-EDF"));
    assert!(has(9_960, "P-EDF + theirs") && !has(9_961, "P-EDF + theirs"));
    assert!(has(9_959, "P-EDF + theirs, 4 KB") && !has(9_960, "P-EDF + theirs, 4 KB"));
    assert!(!has(1, "P-EDF + theirs, 10 MB"));
    // GFB with m equal tasks: m·u ≤ m − (m − 1)·u, so u ≤ 4/7 = 0.5714…, less 55 µs.
    assert!(has(5_714, "GFB") && !has(5_715, "GFB"));
    assert!(has(5_659, "GFB + theirs") && !has(5_660, "GFB + theirs"));
    // With ten tasks a release costs 100 µs more: Σ + 3u = 13u ≤ 4, u ≤ 0.30769…
    let ten = |wcet| accepted(&study, &[wcet; 10]).contains(&"GFB + theirs".to_owned());
    assert!(ten(3_076 - 155) && !ten(3_077 - 155));
}

/// Interrupts of the tasks on one CPU only: a task alone on its CPU pays 40/(1 − 0), nothing for
/// others.
#[test]
fn partitioned_interrupts_are_those_of_the_cpu() {
    let text = STUDY.replace("per-job", "interrupts");
    let study = study(&text);
    let has = |wcets: &[u64], name: &str| accepted(&study, wcets).contains(&name.to_owned());
    assert!(has(&[9_960; 4], "FFD + theirs") && !has(&[9_961; 4], "FFD + theirs"));
    // Under global EDF every CPU serves all four releases, 30 µs each: 1 − u = 0.988, and 120/0.988
    // are pending: (C + 20)/0.988 + 2 · 121.457… + 5 ≤ 5714 is C ≤ 5380.49…
    assert!(has(&[5_380; 4], "GFB + theirs") && !has(&[5_381; 4], "GFB + theirs"));
}

/// All but the splits and PD² pay what a policy pays; of those nothing is known with overheads.
#[test]
fn other_policies_pay_what_suits_them() {
    let names = "\"RTALC\", \"G-EDF+\", \"RTA-LC\", \"P-FP\", \"C-EDF/2\", \"C=D\", \"PD2\"";
    let text = STUDY.replace("\"GFB\", \"FFD\", \"P-EDF\", \"G-EDF\"", names);
    let text = text.replace("working_sets = [4096, 10485760]", "");
    let study = study(&text);
    let judge = Judge::new(&study);
    let say = |wcet| {
        let set = [Drawn {
            wcet,
            period: 10_000,
        }; 4];
        let verdicts = judge.judge(&set);
        let labels = judge.labels().iter().map(|label| label.name.clone());
        labels.zip(verdicts).collect::<Vec<_>>()
    };
    let of = |said: &[(String, Option<bool>)], name: &str| {
        let found = said.iter().find(|(label, _)| label == name);
        found.map(|&(_, verdict)| verdict)
    };
    // Four jobs on four CPUs: what is left is 10 ms less what a policy costs.
    let said = say(9_970);
    for name in ["RTALC", "G-EDF+", "RTA-LC", "P-FP", "C-EDF/2", "C=D"] {
        assert_eq!(of(&said, name), Some(Some(true)), "{name}");
    }
    for name in ["RTALC", "G-EDF+", "RTA-LC", "P-FP", "C-EDF/2"] {
        let charged = format!("{name} + theirs");
        assert_eq!(of(&said, &charged), Some(Some(false)), "{charged}");
        assert_eq!(of(&say(9_000), &charged), Some(Some(true)), "{charged}");
    }
    for name in ["C=D + theirs", "PD2 + theirs"] {
        assert_eq!(of(&said, name), Some(None), "{name}");
    }
}

/// A test that is newer than the comparisons of the literature changes nothing about their union.
#[test]
fn unions_are_of_what_they_say() {
    let count = |name: &str| {
        let column = Column {
            name: name.into(),
            any: vec![name.into()],
        };
        members(&column).len()
    };
    assert_eq!(
        ["G-EDF", "G-EDF+", "P-EDF", "P-FP"].map(count),
        [9, 10, 3, 3]
    );
    assert_eq!(count("RTALC"), 1);
    assert_eq!(count("unheard of"), 0);
}
