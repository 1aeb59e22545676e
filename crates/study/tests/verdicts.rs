//! Verdicts that are easily got wrong, each on a task set worked by hand.

use flyball_model::Format;
use flyball_study::reason::{Because, Seen};
use flyball_study::results::{PolicyReport, Schedulable, Study};
use flyball_study::{Registry, StudyOptions, study};
use flyball_trace::{Duration, Time};
use std::ops::ControlFlow;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn studied(text: &str, options: StudyOptions) -> Study {
    let text = format!("schema = 1\n{text}");
    let set = flyball_model::read_str(&text, Format::Toml, "test").expect("the set is right");
    let options = StudyOptions { keep: 0, ..options };
    study(&Registry::standard(), "test", set, &options, &mut |_| {
        ControlFlow::Continue(())
    })
    .expect("it can be studied")
}

fn under(policy: &str, text: &str) -> PolicyReport {
    until(policy, None, text)
}

fn until(policy: &str, until: Option<Duration>, text: &str) -> PolicyReport {
    let options = StudyOptions {
        policies: vec![policy.into()],
        until,
        ..StudyOptions::default()
    };
    studied(text, options).policies.remove(0)
}

/// Each declares 6 ms in 10 ms and computes for 1 ms.
const MODEST: &str = r#"
    [[task]]
    name = "a"
    period = "10ms"
    wcet = "6ms"
    behaviour = [{ compute = "1ms" }]
    [[task]]
    name = "b"
    period = "10ms"
    wcet = "6ms"
    behaviour = [{ compute = "1ms" }]
"#;

#[test]
fn more_than_the_whole_cpu_is_too_much_for_every_policy() {
    for length in [None, Some(ms(1))] {
        let options = StudyOptions {
            until: length,
            ..StudyOptions::default()
        };
        let study = studied(MODEST, options);
        assert!(study.policies.len() > 4);
        for policy in study.policies {
            assert_eq!(policy.verdict.holds(), Some(false), "{}", policy.policy);
            let theory = policy.verdict.evidence.unwrap().theory.unwrap();
            let Because::Overload { utilisation, .. } = theory.because else {
                panic!("{}: {theory:?}", policy.policy);
            };
            assert_eq!(utilisation.to_string(), "1.2000", "{}", policy.policy);
        }
    }
}

#[test]
fn jobs_that_stay_below_their_wcet_prove_nothing() {
    // 5 ms and 5 ms by 8 ms cannot be if they come together, which phases may prevent.
    let set = MODEST.replace("6ms\"", "5ms\"\n deadline = \"8ms\"");
    let together = set.clone();
    let set = set.replace("\"b\"", "\"b\"\n phase = \"5ms\"");
    for policy in ["rr", "fifo", "llf"] {
        let policy = under(policy, &set);
        assert_eq!(policy.simulated.misses, 0);
        assert_eq!(policy.verdict.holds(), None, "{:?}", policy.verdict);
        let seen = policy.verdict.evidence.unwrap().seen;
        assert!(matches!(
            seen,
            Seen::NoMiss {
                is_worst: false,
                ..
            }
        ));
    }
    for policy in ["rr", "fifo", "llf", "edf"] {
        let verdict = under(policy, &together).verdict;
        assert_eq!(verdict.holds(), Some(false), "{policy}: {verdict:?}");
    }
}

#[test]
fn endless_work_without_a_deadline_is_behind_all_else() {
    let set = r#"
        [[task]]
        name = "a"
        period = "20ms"
        wcet = "5ms"
        [[task]]
        name = "background"
        behaviour = [{ repeat = "forever", do = [{ compute = "1ms" }] }]
    "#;
    for policy in ["llf", "edf", "dm", "rm"] {
        let policy = until(policy, Some(ms(200)), set);
        assert_eq!(policy.simulated.misses, 0, "{}", policy.policy);
        assert_eq!(policy.tasks[0].measured.response.max(), Some(ms(5)));
    }
}

#[test]
fn a_mutex_is_handed_from_one_less_urgent_task_to_the_next() {
    // l1 at 0 takes m; l2 and then h wait for it. h gets it at 10 ms and gives it to l2 at 11 ms,
    // so its second section waits for another 10 ms.
    let set = r#"
        [[mutex]]
        name = "m"
        [[task]]
        name = "h"
        period = "100ms"
        phase = "3ms"
        deadline = "15ms"
        priority = 30
        behaviour = [{ lock = "m" }, { compute = "1ms" }, { unlock = "m" },
                     { lock = "m" }, { compute = "1ms" }, { unlock = "m" }]
        [[task]]
        name = "l2"
        period = "100ms"
        phase = "1ms"
        priority = 20
        behaviour = [{ compute = "1ms" }, { lock = "m" }, { compute = "10ms" }, { unlock = "m" }]
        [[task]]
        name = "l1"
        period = "100ms"
        priority = 10
        behaviour = [{ lock = "m" }, { compute = "10ms" }, { unlock = "m" }]
    "#;
    let policy = under("fp", set);
    assert_eq!(policy.verdict.holds(), Some(false));
    assert_eq!(policy.verdict.proof.as_deref(), Some("simulation"));
    assert_eq!(policy.tasks[0].measured.response.max(), Some(ms(20)));
    assert_eq!(policy.tasks[0].response_bound, Some(ms(22)));
}

#[test]
fn an_owner_that_inherits_may_be_earlier_than_without_mutexes() {
    // Without the mutex l would take 8 + 2 · (2 + 3) = 18 ms; but it owns m when h comes again, and
    // runs on ahead of "middle".
    let set = r#"
        [[mutex]]
        name = "m"
        [[task]]
        name = "h"
        period = "10ms"
        priority = 3
        behaviour = [{ compute = "1ms" }, { lock = "m" }, { compute = "1ms" }, { unlock = "m" }]
        [[task]]
        name = "middle"
        period = "10ms"
        priority = 2
        wcet = "3ms"
        [[task]]
        name = "l"
        period = "20ms"
        deadline = "16ms"
        priority = 1
        behaviour = [{ lock = "m" }, { compute = "8ms" }, { unlock = "m" }]
    "#;
    let policy = under("fp", set);
    assert_eq!(
        policy.verdict.schedulable,
        Schedulable::ExactTimes,
        "{:?}",
        policy.verdict
    );
    assert_eq!(policy.tasks[2].measured.response.max(), Some(ms(14)));
    let sporadic = set.replace("period", "sporadic");
    assert_eq!(under("fp", &sporadic).verdict.holds(), None);
}

#[test]
fn critical_sections_grow_with_everything_else() {
    // 10 ms of blocking and 2 ms of its own within 15 ms: a quarter more, and no more.
    let set = r#"
        [[mutex]]
        name = "m"
        [[task]]
        name = "h"
        sporadic = "100ms"
        deadline = "15ms"
        priority = 2
        behaviour = [{ lock = "m" }, { compute = "2ms" }, { unlock = "m" }]
        [[task]]
        name = "l"
        sporadic = "100ms"
        priority = 1
        behaviour = [{ lock = "m" }, { compute = "10ms" }, { unlock = "m" }]
    "#;
    let breakdown = under("fp", set).breakdown.expect("it can be found");
    assert_eq!(breakdown.factor_ppm, 1_250_000);
}

#[test]
fn a_deadlock_is_a_verdict_about_one_policy() {
    let set = r#"
        [[mutex]]
        name = "a"
        [[mutex]]
        name = "b"
        [[task]]
        name = "h"
        period = "10ms"
        phase = "1ms"
        priority = 2
        behaviour = [{ lock = "a" }, { compute = "1ms" }, { lock = "b" }, { compute = "1ms" },
                     { unlock = "b" }, { unlock = "a" }]
        [[task]]
        name = "l"
        period = "20ms"
        priority = 1
        behaviour = [{ lock = "b" }, { compute = "2ms" }, { lock = "a" }, { compute = "1ms" },
                     { unlock = "a" }, { unlock = "b" }]
    "#;
    let fixed = under("fp", set).verdict;
    assert_eq!(fixed.holds(), Some(false));
    // l runs from 0 to 1 and from 2 to 3 ms with b in hand; h from 1 to 2 ms with a, then it waits.
    let expected = Seen::Deadlock {
        task: "l".into(),
        mutex: "a".into(),
        at: Time::from_millis(3),
    };
    assert_eq!(fixed.evidence.unwrap().seen, expected);
    let schedulable = under("fifo", set).verdict.schedulable;
    assert_eq!(schedulable, Schedulable::ExactTimes);
}

#[test]
fn a_sporadic_job_counts_from_its_arrival_even_if_the_kernel_is_busy() {
    // The kernel works from 4 to 7 ms; the job arrives at 5 ms and is due at 10 ms, when the kernel
    // has only just decided to run it.
    let set = r#"
        [platform.overheads]
        scheduling = "3ms"
        [[task]]
        name = "p"
        period = "1s"
        deadline = "100ms"
        wcet = "1ms"
        [[task]]
        name = "s"
        sporadic = "1s"
        phase = "5ms"
        wcet = "1ms"
        deadline = "5ms"
    "#;
    for policy in ["edf", "fifo"] {
        let policy = until(policy, Some(ms(500)), set);
        assert_eq!(policy.simulated.misses, 1, "{}", policy.policy);
        assert_eq!(policy.tasks[1].measured.response.max(), Some(ms(6)));
    }
}

#[test]
fn a_simulation_is_long_enough_to_see_what_there_is_to_see() {
    // Ticks at 0, 7, …: the release at 10 ms is seen at 14 ms, and its 2 ms end at 16 ms; the one
    // at 50 ms is seen at 56 ms, a millisecond before it is due.
    let tick = r#"
        [platform]
        tick = "7ms"
        [[task]]
        name = "a"
        period = "10ms"
        deadline = "7ms"
        wcet = "2ms"
    "#;
    assert_eq!(under("edf", tick).verdict.holds(), Some(false));
    let once = r#"
        [[task]]
        name = "a"
        period = "10ms"
        wcet = "5ms"
        [[task]]
        name = "late"
        phase = "3ms"
        wcet = "30ms"
        deadline = "40ms"
    "#;
    assert_eq!(under("rm", once).verdict.holds(), Some(false));
    // The same with time enough: when it is done, the rest repeats itself.
    let in_time = once.replace("40ms", "80ms");
    assert_eq!(under("rm", &in_time).verdict.holds(), Some(true));
    let random = r#"
        [[task]]
        name = "a"
        period = "10ms"
        behaviour = [{ compute = { one_of = ["1ms", "6ms"] } }]
        [[task]]
        name = "b"
        period = "10ms"
        wcet = "1ms"
    "#;
    assert_eq!(under("rr", random).simulated.until, ms(10_000));
}

#[test]
fn time_passes_while_everybody_sleeps() {
    let set = r#"
        [[task]]
        name = "a"
        period = "1ms"
        behaviour = [{ suspend = "100us" }]
    "#;
    let policy = until("rr", Some(ms(1_001_000)), set);
    assert_eq!(policy.simulated.jobs, 1_001_000);
}

#[test]
fn calls_take_the_time_that_the_platform_says() {
    // Lock and unlock take 100 us each, so the job is complete after 1.2 ms; its end takes the
    // kernel another 100 us, in which no task runs.
    let set = r#"
        [platform.overheads]
        call = "100us"
        [[mutex]]
        name = "m"
        [[task]]
        name = "a"
        period = "10ms"
        behaviour = [{ lock = "m" }, { compute = "1ms" }, { unlock = "m" }]
        [[task]]
        name = "b"
        period = "10ms"
        deadline = "9ms"
        wcet = "1ms"
    "#;
    let policy = until("fifo", Some(ms(10)), set);
    let response = |task: usize| policy.tasks[task].measured.response.max();
    assert_eq!(response(0), Some(Duration::from_micros(1_200)));
    assert_eq!(response(1), Some(Duration::from_micros(2_300)));
}
