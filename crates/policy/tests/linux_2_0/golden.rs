//! Schedules by hand, from the rules of `kernel/sched.c` of Linux 2.0. Times are in milliseconds, a tick
//! is 10 ms long, and a time slice has 20 credits.

use super::run;
use crate::linux_o1::world::{CPU, Script, Step, switches, units};
use Step::{Run, Sleep, Yield};
use flyball_policy::{
    Boxed, Duration, Encode, Linux20, Linux20Rules, LinuxClass, LinuxTask, Parameter, Policy,
    Ready, Refused, Resched, Stop, TaskId, Time, Usage,
};

fn script(nice: i8, steps: &[Step]) -> Script {
    Script {
        task: LinuxTask::normal(nice),
        begin: 0,
        steps: steps.to_vec(),
    }
}

/// A task that computes without end.
fn hog(nice: i8) -> Script {
    script(nice, &[Run(1_000_000)])
}

fn real_time(class: LinuxClass, steps: &[Step]) -> Script {
    let task = LinuxTask { nice: 0, class };
    Script {
        task,
        ..script(0, steps)
    }
}

/// Which task ran from when on.
fn runs(scripts: &[Script], end: u64) -> Vec<(u64, Option<usize>)> {
    switches(&run(Linux20Rules::default(), scripts, end).0)
}

/// The credits of a task after so many milliseconds.
fn credits(scripts: &[Script], task: u16, end: u64) -> u32 {
    let (_, policy) = run(Linux20Rules::default(), scripts, end + 1);
    policy.credits(TaskId(task))
}

/// A policy with these tasks, all of them ready at the beginning, of which one is picked.
fn ready(tasks: &[LinuxTask]) -> Linux20<Boxed> {
    let mut policy = Linux20::new(Linux20Rules::default(), tasks.len());
    for (task, &params) in (0..).map(TaskId).zip(tasks) {
        policy.admit(task, params, Time::ZERO).unwrap();
        let why = Ready::Released {
            release: Time::ZERO,
        };
        assert_eq!(
            policy.ready(CPU, task, why, Time::ZERO),
            Resched::One(CPU),
            "no task runs yet"
        );
    }
    policy.pick(CPU, Time::ZERO).unwrap();
    policy
}

fn picks(policy: &mut Linux20<Boxed>, now: u64) -> TaskId {
    policy.pick(CPU, units(now)).unwrap().task
}

/// `sys_setpriority`: nice 20 would be all of a slice, rounded.
#[test]
fn priorities() {
    let nice = [-20, -1, 0, 1, 19];
    let priorities = |credits| {
        let rules = Linux20Rules {
            credits,
            ..Linux20Rules::default()
        };
        nice.map(|nice| rules.priority(LinuxTask::normal(nice)))
    };
    assert_eq!(priorities(20), [40, 21, 20, 19, 1]);
    assert_eq!(priorities(204), [408, 214, 204, 194, 10]);
    assert_eq!(priorities(5), [10, 5, 5, 5, 1]);
    assert_eq!(priorities(1), [2, 1, 1, 1, 1]);
}

/// Twenty ticks take all credits, and the next one finds none. Then the other task has 20, and after that
/// both get 20.
#[test]
fn two_tasks_that_compute_take_turns() {
    let expected = [(0, Some(0)), (210, Some(1)), (420, Some(0)), (630, Some(1))];
    assert_eq!(runs(&[hog(0), hog(0)], 640), expected);
}

/// 40 credits and 1.
#[test]
fn nice_values_are_lengths_of_slices() {
    let expected = [(0, Some(0)), (410, Some(1)), (430, Some(0)), (840, Some(1))];
    assert_eq!(runs(&[hog(-20), hog(19)], 850), expected);
}

/// At 430 ms no task has credits. The first of the run queue is chosen before both get some, so it goes on
/// although the other one has 40 then, and it has 1.
#[test]
fn the_choice_stays_where_credits_are_given() {
    let expected = [(0, Some(1)), (410, Some(0)), (450, Some(1))];
    assert_eq!(runs(&[hog(19), hog(-20)], 460), expected);
}

/// Each time the other task has used up its slice, half of the credits and 20 more: 20, 30, 35, 37, 38,
/// and then always 39; 79 at nice −20.
#[test]
fn a_task_that_waits_saves_credits() {
    let scripts = |nice| [script(nice, &[Run(1), Sleep(10_000)]), hog(0)];
    let ends = [209, 210, 420, 630, 840, 1050, 1260];
    let saved = |nice| ends.map(|end| credits(&scripts(nice), 0, end));
    assert_eq!(saved(0), [20, 30, 35, 37, 38, 39, 39]);
    assert_eq!(saved(-20), [40, 60, 70, 75, 77, 78, 79]);
    assert_eq!(credits(&scripts(-20), 0, 1470), 79);
    assert_eq!(credits(&scripts(0), 1, 210), 20);
}

/// While no task can run, no credits are given.
#[test]
fn an_idle_cpu_gives_nothing() {
    let scripts = [script(0, &[Run(25), Sleep(1_000)])];
    assert_eq!(credits(&scripts, 0, 900), 18);
    assert_eq!(
        runs(&scripts, 1030),
        [(0, Some(0)), (25, None), (1025, Some(0))]
    );
}

/// At 30 ms the other task has 17 credits of 20, and at 40 ms it has 16.
#[test]
fn a_task_preempts_with_over_three_credits_more() {
    let wakes_at = |at: u64| {
        [
            script(0, &[Run(1), Sleep(at - 1), Run(5), Sleep(10_000)]),
            hog(0),
        ]
    };
    let late = [(0, Some(0)), (1, Some(1)), (210, Some(0)), (215, Some(1))];
    assert_eq!(runs(&wakes_at(39), 220), late);
    let soon = [(0, Some(0)), (1, Some(1)), (40, Some(0)), (45, Some(1))];
    assert_eq!(runs(&wakes_at(40), 60), soon);
}

/// Tasks of 19 and 20 credits. With as many as the other has, the one that runs stays; with one less, it
/// is its equal and behind it.
#[test]
fn the_task_that_runs_is_better_by_one() {
    let mut policy = ready(&[LinuxTask::normal(1), LinuxTask::normal(0)]);
    assert_eq!(policy.alarm(CPU, units(10)), Resched::None);
    assert_eq!(policy.credits(TaskId(1)), 19);
    assert_eq!(picks(&mut policy, 10), TaskId(1));
    assert_eq!(policy.alarm(CPU, units(20)), Resched::None);
    assert_eq!(picks(&mut policy, 20), TaskId(0));
}

/// The task that yields has no credits, and when all get some the other one is ahead of it.
#[test]
fn a_task_that_yields_loses_its_credits() {
    let scripts = [script(0, &[Run(30), Yield]), hog(0)];
    let expected = [(0, Some(0)), (30, Some(1)), (450, Some(0))];
    assert_eq!(runs(&scripts, 460), expected);
}

/// It preempts whatever its credits are, and the ticks of 30 take all of them. A tick later than its last
/// credit the other task gets 20, and so does it.
#[test]
fn a_real_time_task_comes_first() {
    let mut fifo = real_time(LinuxClass::Fifo(1), &[Run(300), Sleep(10_000)]);
    fifo.begin = 15;
    let scripts = [hog(0), fifo];
    let expected = [(0, Some(0)), (15, Some(1)), (315, Some(0))];
    assert_eq!(runs(&scripts, 600), expected);
    assert_eq!([509, 510].map(|end| credits(&scripts, 1, end)), [0, 20]);
}

#[test]
fn equals_of_real_time_take_turns_under_rr_only() {
    let two = |class| [(); 2].map(|()| real_time(class, &[Run(1_000_000)]));
    let expected = [(0, Some(0)), (210, Some(1)), (420, Some(0))];
    assert_eq!(runs(&two(LinuxClass::RoundRobin(1)), 430), expected);
    assert_eq!(runs(&two(LinuxClass::Fifo(1)), 430), [(0, Some(0))]);
}

/// At 205 ms the task of `SCHED_RR` has no credits, though no tick has found that out yet.
#[test]
fn any_decision_moves_a_task_of_rr_without_credits() {
    let [first, second] = [(); 2].map(|()| real_time(LinuxClass::RoundRobin(1), &[Run(1_000)]));
    let mut fifo = real_time(LinuxClass::Fifo(2), &[Run(1), Sleep(10_000)]);
    fifo.begin = 205;
    let expected = [(0, Some(0)), (205, Some(2)), (206, Some(1))];
    assert_eq!(runs(&[first, second, fifo], 210), expected);
}

/// Three ticks at one alarm that comes late, none twice. A task that wakes at the tick that finds no credit
/// does not come before it.
#[test]
fn ticks_are_charged_once_and_before_all_else() {
    let mut policy = ready(&[LinuxTask::normal(0), LinuxTask::normal(19)]);
    let [first, second] = [0, 1].map(TaskId);
    assert_eq!(policy.next_alarm(CPU), Some(units(10)));
    assert_eq!(policy.alarm(CPU, units(35)), Resched::None);
    assert_eq!(policy.credits(first), 17);
    assert_eq!(policy.next_alarm(CPU), Some(units(40)));
    assert_eq!(policy.alarm(CPU, units(39)), Resched::None);
    assert_eq!(policy.credits(first), 17);
    let used = Usage::default();
    for (wakes_at, resched) in [(209, Resched::None), (210, Resched::One(CPU))] {
        let _ = policy.stopped(CPU, second, used, Stop::Blocked, units(208));
        let got = policy.ready(CPU, second, Ready::Unblocked, units(wakes_at));
        assert_eq!(got, resched, "at {wakes_at} ms");
    }
    assert_eq!(policy.credits(first), 0);
}

/// While no task runs, the policy wants no alarm.
#[test]
fn an_idle_cpu_has_no_ticks() {
    let mut policy = ready(&[LinuxTask::normal(0)]);
    assert!(policy.has_alarms());
    let used = Usage::default();
    let _ = policy.stopped(CPU, TaskId(0), used, Stop::Completed, units(5));
    assert_eq!(policy.pick(CPU, units(5)), None);
    assert!(!policy.has_alarms());
    assert_eq!(policy.next_alarm(CPU), None);
}

/// A nice value counts when credits are given. A class counts at once, and puts the task behind others.
#[test]
fn tasks_change() {
    let mut policy = ready(&[LinuxTask::normal(0); 2]);
    let (first, second) = (TaskId(0), TaskId(1));
    let nicer = LinuxTask::normal(19);
    assert_eq!(policy.adjust(first, nicer, units(1)), Ok(Resched::None));
    assert_eq!(policy.credits(first), 20);
    let fifo = LinuxTask {
        nice: 0,
        class: LinuxClass::Fifo(3),
    };
    assert_eq!(policy.adjust(second, fifo, units(1)), Ok(Resched::One(CPU)));
    assert_eq!(picks(&mut policy, 1), second);
    let normal = LinuxTask::normal(0);
    let resched = policy.adjust(second, normal, units(2));
    assert_eq!(resched, Ok(Resched::One(CPU)));
    let used = Usage::default();
    let _ = policy.stopped(CPU, second, used, Stop::Yielded, units(3));
    assert_eq!(picks(&mut policy, 3), first);
    let _ = policy.stopped(CPU, first, used, Stop::Yielded, units(4));
    assert_eq!(picks(&mut policy, 4), second);
    assert_eq!([first, second].map(|task| policy.credits(task)), [1, 20]);
}

#[test]
fn what_linux_does_not_have_is_refused() {
    let mut policy: Linux20<Boxed> = Linux20::new(Linux20Rules::default(), 1);
    let normal = LinuxTask::normal(0);
    let invalid = Refused::Invalid(Parameter::Priority);
    for task in [
        LinuxTask::normal(20),
        LinuxTask {
            nice: 0,
            class: LinuxClass::Fifo(100),
        },
    ] {
        assert_eq!(policy.admit(TaskId(0), task, Time::ZERO), Err(invalid));
        assert_eq!(policy.adjust(TaskId(0), task, Time::ZERO), Err(invalid));
    }
    assert_eq!(
        policy.adjust(TaskId(0), normal, Time::ZERO),
        Err(Refused::NotAdmitted)
    );
    assert_eq!(policy.admit(TaskId(0), normal, Time::ZERO), Ok(()));
    assert_eq!(
        policy.admit(TaskId(0), normal, Time::ZERO),
        Err(Refused::Member)
    );
    assert_eq!(
        policy.admit(TaskId(1), normal, Time::ZERO),
        Err(Refused::Full)
    );
    policy.retire(TaskId(0), Time::ZERO);
    assert_eq!(policy.credits(TaskId(0)), 0);
    assert_eq!(policy.admit(TaskId(0), normal, Time::ZERO), Ok(()));
}

#[test]
fn rules_are_bytes() {
    let bytes = |rules: Linux20Rules| {
        let mut bytes = Vec::new();
        rules.emit(&mut |part| bytes.extend(part));
        bytes
    };
    let good = Linux20Rules::default();
    assert_eq!(Linux20Rules::parse(&mut &bytes(good)[..]), Some(good));
    let tick = Duration::ZERO;
    for bad in [
        Linux20Rules { tick, ..good },
        Linux20Rules { credits: 0, ..good },
        Linux20Rules {
            credits: 1_000_001,
            ..good
        },
    ] {
        assert_eq!(Linux20Rules::parse(&mut &bytes(bad)[..]), None);
    }
}
