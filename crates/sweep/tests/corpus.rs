//! Corpora whose sets pay for the kernel's work: what is said of them is what a sweep says of the
//! same sets.

use flyball_analysis::charged::Accounting;
use flyball_analysis::criterion::Payer;
use flyball_analysis::gedf::{Answer, Test};
use flyball_analysis::{Criterion, WorkLimit};
use flyball_model::{OverheadFile, Statistic, Study};
use flyball_study::Registry;
use flyball_study::assess::Charge;
use flyball_study::corpus::{LONGEST_CHARGED, Question, Questions, analyse, read, read_up_to};
use flyball_sweep::judge::{Judge, Variant};
use flyball_sweep::known;
use flyball_sweep::unit::units;
use std::fmt::Write as _;
use std::ops::ControlFlow;

const OVERHEADS: &str = r#"
    schema = 1
    [provenance]
    processor = "p"
    [[measured]]
    policy = "g-edf"
    statistic = "worst"
    [measured.overheads]
    tick = "7us"
    scheduling = { 5 = "10us", 20 = "30us" }
    release = { 5 = "30us", 20 = "90us" }
    call = "3us"
    ipi = "5us"
    [[measured]]
    policy = "p-edf"
    statistic = "worst"
    [measured.overheads]
    context_switch = "20us"
    release = "11us"
"#;

const STUDY: &str = r#"
    schema = 1
    cpus = 4
    caps = [1.5, 2.0, 2.5, 3.0, 3.5]
    sets = 12
    tests = ["GFB", "RTA", "BAR", "FFD", "WFD", "RTALC", "RTA-LC", "BFD-FP", "C-EDF/2", "G-EDF"]
    [[scenario]]
    periods = ["short"]
    utilisations = ["uniform-medium", "bimodal-medium"]
    slack = 0.2
    [[overheads]]
    name = "theirs"
    file = "o.toml"
    accounting = "ACCOUNTING"
"#;

fn charge(accounting: Accounting) -> Charge {
    let file = OverheadFile::read(OVERHEADS, "o.toml").unwrap();
    let of = |payer: Payer| file.overheads(payer.name(), Statistic::Worst).cloned();
    Charge {
        accounting,
        overheads: Payer::ALL.map(of),
        tick: None,
    }
}

/// What is asked of each set, in order.
fn answers(text: &str, asked: &Questions, charge: Option<&Charge>) -> Vec<Answer> {
    let entries = read(text.as_bytes()).unwrap();
    let mut watch = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    let verdicts = analyse(&entries, asked, charge, WorkLimit::default(), &mut watch);
    let verdicts = verdicts.unwrap().into_iter();
    verdicts.map(|verdict| verdict.answer).collect()
}

fn question(name: &str) -> Question {
    Question::find(name).unwrap()
}

/// 120 random sets, ten tests, both accountings. With overheads some sets are accepted and some no
/// more.
#[test]
fn with_overheads_a_corpus_is_judged_as_a_sweep_judges_it() {
    for (accounting, name) in [
        (Accounting::PerJob, "per-job"),
        (Accounting::Interrupts, "interrupts"),
    ] {
        let text = STUDY.replace("ACCOUNTING", name);
        let study = Study::read(&text, "s.toml", &known(&Registry::standard()), |file| {
            OverheadFile::read(OVERHEADS, file)
        });
        let study = study.unwrap();
        let judge = Judge::new(&study);
        let mut corpus = String::from("set,m,cap,wcet_us,period_us,deadline_us\n");
        // The expected verdicts of the tests by themselves, and of the union.
        let (mut expected, mut union, mut lost) = (Vec::new(), Vec::new(), 0);
        for unit in units(&study) {
            for index in unit.sets(&study) {
                let set = unit.draw(&study, index).unwrap();
                for task in &set {
                    let place = format!("{}.{}.{index}", unit.scenario, unit.cap);
                    let (c, t) = (task.wcet, task.period);
                    writeln!(corpus, "{place},4,0,{c},{t},{t}").unwrap();
                }
                let said = judge.judge(&set);
                let of = |variant| {
                    let labels = judge.labels().iter().zip(&said);
                    let mine = labels.filter(move |(label, _)| label.variant == variant);
                    mine.map(|(_, said)| said.unwrap()).collect::<Vec<_>>()
                };
                let (free, paid) = (of(Variant::Ideal), of(Variant::Charged(0, None)));
                lost += free.iter().zip(&paid).filter(|(a, b)| **a && !**b).count();
                let (last, each) = paid.split_last().unwrap();
                union.push(*last);
                expected.extend(each.to_vec());
            }
        }
        assert!(lost > 20, "{name}: overheads cost {lost} verdicts only");
        assert!(expected.contains(&true) && expected.contains(&false));
        let tests = study.tests.iter().map(|test| test.name.as_str());
        let each = tests.filter(|name| *name != "G-EDF").map(question);
        let charge = charge(accounting);
        let found = answers(&corpus, &Questions::Each(each.collect()), Some(&charge));
        let found: Vec<bool> = found.into_iter().map(Answer::accepts).collect();
        assert_eq!(found, expected, "{name}");
        let any = Questions::Any(Test::CLASSIC.to_vec());
        let found = answers(&corpus, &any, Some(&charge));
        let found: Vec<bool> = found.into_iter().map(Answer::accepts).collect();
        assert_eq!(found, union, "{name}");
    }
}

const ONE: &str = "set,m,cap,wcet_us,period_us,deadline_us\na,2,0,1,1000,1000\n";

/// Of what is not known, nothing is said: neither "accepted" nor "not accepted".
#[test]
fn what_cannot_be_charged_is_open() {
    let mut charge = charge(Accounting::PerJob);
    let all = Questions::Each(Question::all().collect());
    let is_open = |answer: &Answer| matches!(answer, Answer::Stopped(_));
    let found = answers(ONE, &all, Some(&charge));
    for (question, answer) in Question::all().zip(&found) {
        let open = ["EDF-WM", "C=D", "PD2", "EXACT", "SIM"].contains(&question.name());
        assert_eq!(is_open(answer), open, "{}", question.name());
        assert_eq!(question.is_charged(&charge), !open, "{}", question.name());
    }
    charge.overheads[Payer::Partitioned as usize] = None;
    let found = answers(ONE, &all, Some(&charge));
    for name in ["FFD", "WFD-FP"] {
        let place = Question::all().position(|it| it.name() == name).unwrap();
        assert!(is_open(&found[place]), "{name}");
    }
    // All the same is said of GFB.
    assert!(question("GFB").is_charged(&charge));
    assert_eq!(found[0], Answer::Accepts);
}

/// A time that is no time in nanoseconds is refused, and never left out of the set.
#[test]
fn times_that_are_too_long_are_refused() {
    let of = |time: u64| ONE.replace("1000,1000", &format!("{time},{time}"));
    let longest = of(LONGEST_CHARGED);
    assert!(read_up_to(longest.as_bytes(), LONGEST_CHARGED).is_ok());
    let longer = of(LONGEST_CHARGED + 1);
    let error = read_up_to(longer.as_bytes(), LONGEST_CHARGED).unwrap_err();
    let expected = format!(
        "line 2, field period_us: expected a whole number from 1 to {LONGEST_CHARGED}, found \"{}\"",
        LONGEST_CHARGED + 1
    );
    assert_eq!(error.to_string(), expected);
    let charge = charge(Accounting::Interrupts);
    for (text, is_open) in [(longest, false), (longer, true)] {
        let gfb = Questions::Each(vec![Question::Test(Criterion::Global(Test::Gfb))]);
        let found = answers(&text, &gfb, Some(&charge));
        assert_eq!(matches!(found[..], [Answer::Stopped(_)]), is_open);
    }
}
