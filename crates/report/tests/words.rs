//! What people read of verdicts and tests, word by word.

use flyball_analysis::criterion::Policy;
use flyball_analysis::{
    Fit, Reason, Response, Sequence, SporadicTask, Stop, Utilisation, WorkLimit,
};
use flyball_model::{Format, TaskSet, read_str};
use flyball_report::words;
use flyball_study::assess::{Assessment, assess};
use flyball_study::note::{AboutPolicy, Harm, Note, Shared, SplitNote, Way};
use flyball_study::reason::{Because, Doubt, Evidence, Obstacle, Seen, Statement, Uncovered};
use flyball_study::results::{Schedulable, Verdict};
use flyball_study::{Registry, StudyError};
use flyball_trace::{Duration, Time};
use std::ops::Range;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// What is read of a verdict that is concluded from this.
fn read(
    schedulable: Schedulable,
    measured: bool,
    seen: Seen,
    theory: Result<(Option<bool>, Because), Obstacle>,
) -> String {
    let statement = |(holds, because)| Statement { holds, because };
    words::verdict(&Verdict {
        schedulable,
        proof: None,
        evidence: Some(Evidence {
            seen,
            measured,
            theory: theory.map(statement),
        }),
    })
}

fn miss() -> Seen {
    Seen::Miss {
        task: "b".into(),
        job: 3,
        at: Time::from_millis(30),
    }
}

fn no_miss(is_worst: bool) -> Seen {
    let length = ms(50);
    Seen::NoMiss { length, is_worst }
}

fn late(response: Response, blocking: Duration) -> Because {
    Because::Test {
        says: Reason::Late {
            task: 0,
            response,
            deadline: ms(5),
            blocking,
        },
        task: Some("a".into()),
    }
}

#[test]
fn both_witnesses_are_heard() {
    use Schedulable::{Always, ExactTimes, Not, Unknown};
    let late = || late(Response::Bounded(ms(6)), ms(2));
    let fails = || Ok((Some(false), late()));
    let unknown = || Ok((None, late()));
    let nothing = || Err(Obstacle::NoTest);
    let repeats = |doubt| Seen::Repeats { doubt };
    let of = |concluded, seen, theory| read(concluded, false, seen, theory);
    assert_eq!(
        of(Not, miss(), fails()),
        "\"a\" can take 6ms (of which 2ms blocking), beyond its deadline of 5ms (seen: job 3 of \
         \"b\" misses its deadline at 30ms)."
    );
    for theory in [unknown(), nothing()] {
        let text = of(Not, miss(), theory);
        assert_eq!(text, "Job 3 of \"b\" misses its deadline at 30ms.");
    }
    let isolated = Because::Isolated(vec!["b".into(), "c".into()]);
    assert_eq!(
        of(Not, miss(), Ok((None, isolated))),
        "Job 3 of \"b\" misses its deadline at 30ms. Whatever \"b\", \"c\" may do, the others meet \
         their deadlines, as their servers have their budgets."
    );
    let deadlock = Seen::Deadlock {
        task: "l".into(),
        mutex: "a".into(),
        at: Time::from_millis(3),
    };
    assert_eq!(
        of(Not, deadlock, nothing()),
        "Deadlock at 3ms: \"l\" waits for \"a\", whose owner waits for \"l\"."
    );
    assert_eq!(
        of(Always, no_miss(true), Ok((Some(true), Because::Demand))),
        "In no interval do jobs ask for more than its length."
    );
    assert_eq!(
        of(Always, repeats(None), nothing()),
        "The simulated schedule repeats itself without a miss."
    );
    let doubt = Doubt::Overlap("a".into());
    assert_eq!(
        of(ExactTimes, repeats(Some(doubt)), fails()),
        "The simulated schedule repeats itself without a miss; with other phases it might miss: \
         \"a\" can take 6ms (of which 2ms blocking), beyond its deadline of 5ms. Where a job \
         computes for less, another one might be late: a job of \"a\" may have to wait for the one \
         before it."
    );
    assert_eq!(
        of(Not, no_miss(true), fails()),
        "\"a\" can take 6ms (of which 2ms blocking), beyond its deadline of 5ms."
    );
    assert_eq!(
        of(Unknown, no_miss(true), unknown()),
        "No miss in 50ms. \"a\" can take 6ms (of which 2ms blocking), beyond its deadline of 5ms."
    );
    assert_eq!(
        of(Unknown, no_miss(true), nothing()),
        "No miss in 50ms, which proves nothing about the time after it. There is no exact test for \
         this policy."
    );
    assert_eq!(
        of(Unknown, no_miss(false), nothing()),
        "No miss in 50ms, but jobs may compute for longer than they did. There is no exact test \
         for this policy."
    );
    assert_eq!(words::verdict(&Verdict::default()), "");
}

#[test]
fn a_machine_is_heard_first() {
    let fits = || Ok((Some(true), Because::Demand));
    let fails = || Ok((Some(false), late(Response::Unbounded, ms(0))));
    let of = |concluded, seen, theory| read(concluded, true, seen, theory);
    assert_eq!(
        of(Schedulable::Not, miss(), fits()),
        "Job 3 of \"b\" misses its deadline at 30ms on the board. With a kernel whose work is free \
         it would hold: in no interval do jobs ask for more than its length."
    );
    assert_eq!(
        of(Schedulable::Not, miss(), fails()),
        "Job 3 of \"b\" misses its deadline at 30ms on the board. The response time of \"a\" grows \
         without bound."
    );
    assert_eq!(
        of(Schedulable::Unknown, no_miss(true), fails()),
        "No miss in 50ms on the board. The response time of \"a\" grows without bound."
    );
    assert_eq!(
        of(Schedulable::Not, no_miss(true), fails()),
        "The response time of \"a\" grows without bound. No miss in 50ms on the board."
    );
}

#[test]
fn what_is_asked_for_is_shown() {
    let asks = |because| {
        let theory = Ok((Some(true), because));
        read(Schedulable::Always, false, Seen::Misses, theory)
    };
    let overload = |wcet: u64, cpus, cluster| {
        let task = SporadicTask::new(Duration::from_micros(wcet), ms(10), ms(10)).unwrap();
        Because::Overload {
            utilisation: Utilisation::of(&[task]),
            cpus,
            cluster,
        }
    };
    let one = asks(overload(12_000, 1, None));
    assert_eq!(one, "The tasks ask for 1.2000 of the CPU.");
    let little = SporadicTask::new(Duration::from_nanos(10_000_001), ms(10), ms(10)).unwrap();
    let says = Reason::Overload {
        utilisation: Utilisation::of(&[little]),
    };
    assert_eq!(
        asks(Because::Test { says, task: None }),
        "The tasks ask for a little more than the whole CPU."
    );
    let all = asks(overload(32_000, 3, None));
    assert_eq!(all, "The tasks ask for 3.2000 of 3 CPUs.");
    let some = asks(overload(32_000, 2, Some(2..4)));
    assert_eq!(some, "The tasks on CPUs 2–3 ask for 3.2000 of 2 CPUs.");
    let slots = |cpus, rounded| {
        asks(Because::Slots {
            quantum: ms(1),
            cpus,
            rounded,
        })
    };
    assert_eq!(
        slots(4, false),
        "In whole slots of 1ms the tasks ask for no more than 4 CPUs."
    );
    assert!(slots(1, true).starts_with("The tasks ask for no more than the CPU even with"));
    assert_eq!(
        asks(Because::TooDense(2..4)),
        "There is an interval in which the jobs ask for more than all of CPUs 2–3."
    );
    assert_eq!(
        asks(Because::NoPartition),
        "However tasks are divided, some CPU does not hold its own."
    );
    let none = asks(Because::AcceptedBy(Vec::new()));
    assert_eq!(none, "There is no task that has a deadline.");
    let demand = Reason::Demand {
        interval: ms(10),
        demand: ms(9),
        blocking: ms(2),
    };
    assert_eq!(
        asks(Because::Test {
            says: demand,
            task: None
        }),
        "Jobs can ask for 9ms in an interval of 10ms, and a job that began before be in their way \
         for 2ms."
    );
}

#[test]
fn an_obstacle_is_named() {
    for (obstacle, text) in [
        (
            Obstacle::Does("a".into(), Uncovered::Suspends),
            "The tests do not cover that \"a\" suspends itself",
        ),
        (
            Obstacle::Background("a".into()),
            "The tests do not cover \"a\", which has no period and may keep the CPU from tasks that \
             have one",
        ),
        (
            Obstacle::NoneAccepts(Some(Stop::WorkLimit)),
            "None of the policy's sufficient tests accepts the tasks, and one of them stopped at the \
             work limit",
        ),
        (
            Obstacle::Slots {
                quantum: ms(1),
                cpus: 2,
            },
            "Rounded to whole slots of 1ms, execution times up and the time for each job down, the \
             tasks ask for more than 2 CPUs, and fairness is proved for whole slots only",
        ),
        (
            Obstacle::LateByTick("a".into(), ms(2)),
            "Jobs of \"a\" may be released a tick (2ms) late, which leaves them no time",
        ),
    ] {
        assert_eq!(words::obstacle(&obstacle), text);
    }
}

#[test]
fn a_contradiction_says_both_sides() {
    let error = StudyError::Contradiction {
        policy: "edf".into(),
        analysis: Box::new(Because::Demand),
        simulation: Box::new(miss()),
    };
    assert_eq!(
        words::error(&error),
        "analysis and simulation contradict each other under edf: In no interval do jobs ask for \
         more than its length, but Job 3 of \"b\" misses its deadline at 30ms. This is a fault in \
         Flyball; please report it with the task set"
    );
    let other = StudyError::Interrupted;
    assert_eq!(words::error(&other), other.to_string());
}

fn assessed(tasks: &str, cpus: u32) -> (TaskSet, Assessment) {
    let text = format!("schema = 1\n{tasks}");
    let set = read_str(&text, Format::Toml, "t.toml").unwrap();
    let registry = Registry::standard();
    let found = assess(&registry, &set, cpus, None, WorkLimit::default(), &|_| ()).unwrap();
    (set, found)
}

/// Why each test of a policy does not accept the set.
fn why_not(set: &TaskSet, found: &Assessment, policy: Policy) -> Vec<Option<String>> {
    let by = found.policies.iter().find(|it| it.policy == policy);
    let said = by.unwrap().said.iter();
    said.map(|said| words::why_not(said, found, set)).collect()
}

#[test]
fn a_test_says_why_it_does_not_accept() {
    let task = |name| format!("[[task]]\nname = \"{name}\"\nperiod = \"10ms\"\nwcet = \"5.1ms\"\n");
    let (set, found) = assessed(&["a", "b", "c", "d", "e"].map(task).concat(), 4);
    let partitioned = why_not(&set, &found, Policy::PartitionedEdf);
    assert_eq!(
        partitioned[0].as_deref(),
        Some("No CPU has room for \"e\" (5.1ms every 10ms) when its turn comes")
    );
    let global = why_not(&set, &found, Policy::GlobalEdf);
    assert_eq!(
        global[0].as_deref(),
        Some("The densities add up to 2.5500, and 2.4700 is accepted")
    );
}

#[test]
fn what_is_too_long_to_count_is_said() {
    let task = |name, period| {
        format!("[[task]]\nname = \"{name}\"\nperiod = \"{period}s\"\nwcet = \"1s\"\n")
    };
    let tasks = task("a", 18_446_744_073_u64) + &task("b", 18_446_744_072);
    let (set, found) = assessed(&tasks, 2);
    for policy in [Policy::GlobalEdf, Policy::GlobalFp] {
        for why in why_not(&set, &found, policy) {
            let expected = "The period of \"a\", 18446744073s, is beyond the 4611686018.427387904s \
                            that this test counts";
            assert_eq!(why.as_deref(), Some(expected));
        }
    }
}

#[test]
fn what_no_policy_can_hold_is_said() {
    let says = |times: [&str; 3], names: &[&str], cpus| {
        let [wcet, period, deadline] = times;
        let task = |name| {
            format!(
                "[[task]]\nname = \"{name}\"\nperiod = \"{period}\"\nwcet = \"{wcet}\"\n\
                 deadline = \"{deadline}\"\n"
            )
        };
        let tasks: String = names.iter().map(task).collect();
        let (set, found) = assessed(&tasks, cpus);
        words::no_policy(found.infeasible.as_ref().unwrap(), &found.tasks, &set)
    };
    let (full, dense) = (["9ms", "10ms", "10ms"], ["9ms", "100ms", "10ms"]);
    let overload = says(full, &["a", "b"], 1);
    assert_eq!(overload, "The tasks ask for 1.8000 of 1 CPU");
    assert_eq!(
        says(dense, &["a", "b", "c"], 2),
        "There is an interval in which the jobs ask for more than all CPUs"
    );
    let one = says(dense, &["a", "b"], 1);
    assert_eq!(one, "Demand 18ms in an interval of 10ms");
}

#[expect(clippy::too_many_lines, reason = "a table of all notes")]
#[test]
fn every_note_is_a_sentence() {
    let cut = Note::LongHyperperiod {
        length: None,
        simulated: ms(3),
    };
    let charged = Note::Charged {
        processor: "a processor".into(),
        statistic: "maximum",
    };
    let overloaded = Note::Overloaded {
        tasks: vec!["a".into(), "b".into()],
        cpus: vec![1, 2],
        utilisation: Utilisation::of(&[SporadicTask::new(ms(5), ms(2), ms(2)).unwrap()]),
    };
    let assigned = |size, clusters: &[(Range<u8>, &[&str])]| {
        let clusters = clusters.iter().map(|(cpus, tasks)| {
            let tasks = tasks.iter().map(ToString::to_string).collect();
            (cpus.clone(), tasks)
        });
        AboutPolicy::Assigned {
            way: Way::Fit(Fit::First, Sequence::Utilisation),
            instead_of: None,
            size,
            clusters: clusters.collect(),
        }
    };
    let split = AboutPolicy::Split(vec![SplitNote {
        task: "t".into(),
        subtasks: vec![(ms(1), ms(2), 0), (ms(3), ms(4), 1)],
    }]);
    let both = |about| Note::Policies(vec!["rm".into(), "edf".into()], about);
    let shares = |server: Option<&str>, locks, harm| {
        AboutPolicy::Shares(Shared {
            task: "t".into(),
            server: server.map(str::to_owned),
            mutex: "m".into(),
            owners: vec!["a".into(), "b".into()],
            locks,
            harm,
        })
    };
    let uses = |section, is_once, pauses| Harm::Budget {
        section,
        is_once,
        pauses,
    };
    let many: Vec<_> = (0..61).map(|_| "x").collect();
    for (note, sentence) in [
        (
            both(AboutPolicy::LeftOut("no room".into())),
            "rm, edf: left out: no room.",
        ),
        (
            both(assigned(1, &[(0..1, &["a", "b"]), (1..2, &[])])),
            "rm, edf: tasks were assigned to CPUs, first-fit decreasing: CPU 0: a, b; CPU 1: none.",
        ),
        (
            Note::Policy(AboutPolicy::Assigned {
                way: Way::Any,
                instead_of: None,
                size: 1,
                clusters: vec![(0..1, vec!["a".into()])],
            }),
            "Tasks were assigned to CPUs by trying all ways: CPU 0: a.",
        ),
        (
            Note::Policy(AboutPolicy::Assigned {
                way: Way::Fit(Fit::Worst, Sequence::Utilisation),
                instead_of: Some((Fit::First, Some(Stop::WorkLimit))),
                size: 2,
                clusters: vec![(0..2, vec!["a".into()])],
            }),
            "Tasks were assigned to clusters of 2 CPUs, worst-fit decreasing, as a test of places by \
             first-fit stopped at the work limit: CPUs 0–1: a.",
        ),
        (
            Note::Policy(assigned(2, &[(0..2, &many), (2..4, &["y"])])),
            "Tasks were assigned to clusters of 2 CPUs, first-fit decreasing: CPUs 0–1: 61 tasks; \
             CPUs 2–3: 1 task.",
        ),
        (
            both(AboutPolicy::Split(Vec::new())),
            "rm, edf: no task had to be split.",
        ),
        (
            Note::Policy(split),
            "Split tasks: t has 1ms within 2ms on CPU 0, then 3ms within 4ms on CPU 1.",
        ),
        (
            both(shares(None, Some(1), uses(Some(ms(4)), true, false))),
            "rm, edf: critical sections of \"a\", \"b\" use up to 4ms of the budget of \"t\" each time \
             \"t\" locks \"m\".",
        ),
        (
            Note::Policy(shares(Some("s"), Some(3), uses(Some(ms(4)), true, true))),
            "Critical sections of \"a\", \"b\" use up to 4ms of the budget of server \"s\" each time \"t\" \
             locks \"m\", 12ms a job; it also waits while one suspends itself, waits or yields there.",
        ),
        (
            Note::Policy(shares(
                None,
                Some(u64::MAX - 1),
                uses(Some(ms(4)), true, false),
            )),
            "Critical sections of \"a\", \"b\" use up to 4ms of the budget of \"t\" each time \"t\" locks \"m\".",
        ),
        (
            Note::Policy(shares(None, None, uses(Some(ms(4)), false, false))),
            "Critical sections of \"a\", \"b\" use the budget of \"t\" while \"t\" waits for \"m\": up to 4ms \
             each, and it is not known how many come first.",
        ),
        (
            Note::Policy(shares(None, None, uses(None, true, false))),
            "Critical sections of \"a\", \"b\" use the budget of \"t\" while \"t\" waits for \"m\", and it is \
             not known how much of it, as one lies inside of another or has no end.",
        ),
        (
            both(shares(
                None,
                None,
                Harm::Wait {
                    longest: Some(ms(9)),
                },
            )),
            "rm, edf: \"t\" waits for \"m\" while \"a\", \"b\" may be without a budget in a critical section, up to \
             9ms each time.",
        ),
        (
            both(shares(None, None, Harm::Wait { longest: None })),
            "rm, edf: \"t\" waits for \"m\" while \"a\", \"b\" may be without a budget in a critical section, and \
             it is not known how long.",
        ),
        (
            both(AboutPolicy::SharesMore(7)),
            "rm, edf: and so on, for 7 more mutexes of tasks.",
        ),
        (
            charged,
            "Charged are the overheads that were measured on a processor (maximum).",
        ),
        (
            Note::FirstEvents(7),
            "Charts and traces have the first 7 events of a simulation; the numbers are of all.",
        ),
        (
            Note::NoSlacks(64),
            "By how much each task may grow was not searched for: that is done for up to 64 tasks.",
        ),
        (
            Note::DoesNotRepeat(ms(3)),
            "Sporadic, random and endless work does not repeat itself: simulated for 3ms.",
        ),
        (
            cut,
            "The hyperperiod is longer than 584 years: only the first 3ms were simulated. Use \
             `--until` for another length.",
        ),
        (
            Note::ResultsUnheard {
                task: "t".into(),
                heard_by: vec!["bids".into(), "soos".into()],
            },
            "Results of jobs, as \"t\" has them, do nothing but under bids, soos.",
        ),
        (
            Note::NothingDrives { queue: "q".into() },
            "Nothing drives the pipeline of queue \"q\": without a `[[source]]`, a `[[sink]]` or a task with a period its \
             tasks have no rate to keep up with, and take all of the CPU that they get.",
        ),
        (
            Note::OneMessage { queue: "q".into() },
            "Queue \"q\" holds one message, so each message is a swing of all of it, whatever a stage's period is. \
             Periods are found where a queue holds some messages: raise its `capacity`.",
        ),
        (
            Note::NoReadings {
                gauge: "g".into(),
                task: "t".into(),
            },
            "A gauge without readings: nothing raises \"g\", so task \"t\", which lowers it, is of best effort as far as \
             this gauge says. Let a `[[source]]` or a task raise it.",
        ),
        (
            Note::ServersAskTooMuch {
                cpu: 1,
                server: "video".into(),
                asked: Utilisation::of(&[SporadicTask::new(ms(1), ms(4), ms(4)).unwrap()]),
                taken: Utilisation::of(&[SporadicTask::new(ms(4), ms(5), ms(5)).unwrap()]),
            },
            "The servers of CPU 1 ask for more than it has: \"video\" asks for 0.2500, and 0.2000 is \
             left. So none is sure of its budget.",
        ),
        (
            Note::LongHyperperiod {
                length: Some(ms(1_000 * 3600 * 24 * 3)),
                simulated: ms(3),
            },
            "The hyperperiod is 3 days: only the first 3ms were simulated. Use `--until` for \
             another length.",
        ),
        (
            Note::Feasible,
            "With these affinities the tasks can be held, if not by the policies here.",
        ),
        (
            Note::NotOverloaded,
            "No CPUs are asked for more than there is of them by tasks that may run on no others.",
        ),
        (
            Note::TooLarge("t".into()),
            "No policy can hold these tasks: \"t\" asks for more than a whole CPU.",
        ),
        (
            overloaded,
            "No policy can hold these tasks: a, b may run on CPU 1, 2 only, and ask for 2.5000 of 2.",
        ),
        (
            Note::OverheadsIgnored,
            "The overheads in the file are ignored: the board has its own.",
        ),
        (
            Note::KernelNotFree,
            "Bounds, slacks and proofs take the kernel's work to be free; on the board it is not.",
        ),
        (
            Note::ShortRun {
                ran: ms(1),
                whole: ms(2),
            },
            "Ran for 1ms only; a simulation would go on for 2ms. Use `--until` for another length.",
        ),
        (
            Note::NotMeasured {
                policy: "rm".into(),
                machine: "riscv",
            },
            "\"rm\" was not measured: machine riscv has no image for it.",
        ),
        (
            Note::EventsLost {
                after: ms(1),
                lost: 9,
            },
            "The board keeps so many events and no more, which it had after 1ms: 9 later ones are \
             not known, and no number is of them.",
        ),
    ] {
        assert_eq!(words::note(&note), sentence);
    }
}
