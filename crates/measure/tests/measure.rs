//! What is concluded from a schedule that a machine has made.

use flyball_catalogue::Edf;
use flyball_measure::{Measured, Measurement};
use flyball_model::{Cost, Format, Task, TaskSet, read_str};
use flyball_report::words;
use flyball_sim::{Options, simulate};
use flyball_study::note::Note;
use flyball_study::results::PolicyReport;
use flyball_study::{Registry, StudyError};
use flyball_trace::{CpuId, Duration, Event, Kind, TaskId, Time};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Two tasks with so much to compute in each 10 ms.
fn set(wcet: [u64; 2]) -> TaskSet {
    let task = |(name, wcet): (&str, u64)| Task::periodic(name, ms(10), ms(wcet));
    TaskSet {
        tasks: ["a", "b"].into_iter().zip(wcet).map(task).collect(),
        ..TaskSet::default()
    }
}

fn miss(at: u64) -> Event {
    Event {
        time: Time::from_millis(at),
        cpu: CpuId(0),
        kind: Kind::Miss {
            task: TaskId(1),
            job: 3,
        },
    }
}

fn conclude(policy: &str, set: TaskSet, events: &[Event]) -> PolicyReport {
    let registry = Registry::standard();
    let measurement =
        Measurement::new(&registry, policy, "test", set, Some(ms(50)), ms(1), None).unwrap();
    assert_eq!(measurement.until(), ms(50));
    let measured = Measured {
        events,
        end: Time::from_millis(50),
        dropped: 0,
    };
    measurement.conclude(&measured).policies.remove(0)
}

#[test]
fn a_miss_is_one_whatever_theory_says() {
    for (policy, wcet) in [("edf", [4, 6]), ("edf", [6, 6]), ("rr", [4, 6])] {
        let report = conclude(policy, set(wcet), &[miss(30)]);
        assert_eq!(report.verdict.holds(), Some(false));
        assert_eq!(report.verdict.proof.as_deref(), Some("measurement"));
        let reason = words::verdict(&report.verdict);
        assert!(
            reason.starts_with("Job 3 of \"b\" misses its deadline at 30ms on the board"),
            "{reason}"
        );
        let free = reason.contains("With a kernel whose work is free it would hold");
        assert_eq!(free, (policy, wcet) == ("edf", [4, 6]), "{reason}");
        assert_eq!(report.simulated.misses, 1);
    }
}

#[test]
fn without_a_miss_nothing_is_proved_but_that_it_cannot_hold() {
    let holds = conclude("edf", set([4, 6]), &[]).verdict;
    assert_eq!((holds.holds(), &holds.proof), (None, &None));
    assert_eq!(
        words::verdict(&holds),
        "No miss in 50ms on the board. With a kernel whose work is free it would hold: in no \
         interval do jobs ask for more than its length."
    );
    let fails = conclude("rr", set([6, 6]), &[]).verdict;
    assert_eq!(fails.holds(), Some(false));
    assert_eq!(fails.proof.as_deref(), Some("utilisation"));
    assert_eq!(
        words::verdict(&fails),
        "The tasks ask for 1.2000 of the CPU. No miss in 50ms on the board."
    );
    let unknown = conclude("rr", set([4, 6]), &[]).verdict;
    assert_eq!((unknown.holds(), &unknown.proof), (None, &None));
    assert_eq!(
        words::verdict(&unknown),
        "No miss in 50ms on the board, which proves nothing about the time after it. There is no \
         exact test for this policy."
    );
}

#[test]
fn numbers_come_from_the_events() {
    let set = set([2, 3]);
    let mut events: Vec<Event> = Vec::new();
    let outcome = simulate(&set, &Edf, &Options::until(ms(50)), &mut events).unwrap();
    let report = conclude("edf", set, &events);
    assert_eq!(report.simulated.jobs, outcome.jobs);
    assert_eq!(report.simulated.context_switches, outcome.context_switches);
    assert_eq!(report.tasks[1].measured.response.max(), Some(ms(5)));
    assert_eq!(report.tasks[1].response_bound, Some(ms(5)));
    assert_eq!(report.trace.events, events);
    assert_eq!(report.trace.end(), Time::from_millis(50));
}

#[test]
fn what_the_reader_has_to_know_is_noted() {
    let registry = Registry::standard();
    let mut set = set([4, 6]);
    set.platform.overheads.release = Cost::fixed(ms(1));
    let new = |until| Measurement::new(&registry, "edf", "test", set.clone(), until, ms(8), None);
    let measurement = new(None).unwrap();
    assert_eq!(measurement.until(), ms(8));
    assert!(measurement.set().platform.overheads.are_free());
    let measured = Measured {
        events: &[miss(3)],
        end: Time::from_millis(4),
        dropped: 17,
    };
    let report = measurement.conclude(&measured).policies.remove(0);
    assert_eq!(report.simulated.until, ms(4));
    assert_eq!(report.trace.header.dropped, 17);
    let expected = [
        Note::OverheadsIgnored,
        Note::KernelNotFree,
        Note::ShortRun {
            ran: ms(8),
            whole: ms(10),
        },
        Note::EventsLost {
            after: ms(4),
            lost: 17,
        },
    ];
    assert_eq!(report.notes, expected);
    let unknown = Measurement::new(&registry, "fastest", "test", set.clone(), None, ms(8), None);
    assert!(matches!(unknown, Err(StudyError::UnknownPolicy { .. })));
}

/// A machine runs tasks with affinities as the simulator does.
#[test]
fn affinities_are_refused_by_policies_that_do_not_know_them() {
    let text = "schema = 1\n[platform]\ncpus = 2\n[[task]]\nname = \"a\"\nperiod = \"10ms\"\n\
                wcet = \"1ms\"\ncpus = [1]\n";
    let measured = |policy| {
        let set = read_str(text, Format::Toml, "set.toml").unwrap();
        let (until, registry) = (Duration::from_millis(20), Registry::standard());
        Measurement::new(&registry, policy, "set.toml", set, Some(until), until, None)
            .map(|measurement| (measurement.cluster(), measurement.set().tasks[0].cpu))
    };
    assert_eq!(measured("g-edf"), Ok((2, None)));
    assert_eq!(measured("p-edf"), Ok((1, Some(1))));
    for policy in ["pd2", "edf-wm"] {
        let error = measured(policy).unwrap_err();
        assert!(
            matches!(error, StudyError::Affinity { .. }),
            "{policy}: {error}"
        );
    }
}
