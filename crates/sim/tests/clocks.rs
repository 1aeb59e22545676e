//! CPUs that share a clock run at the fastest of the points that they ask for.

use flyball_catalogue::Dss;
use flyball_catalogue::sorting::{By, Sorting};
use flyball_model::{Format, TaskSet, read_str};
use flyball_policy::Sorts;
use flyball_sim::{Options, Outcome, simulate};
use flyball_trace::{Duration, Event, Kind, Time};
use proptest::prelude::*;
use std::fmt::Write;

fn run(set: &TaskSet, until: Duration) -> (Vec<Event>, Outcome) {
    let dss = Dss {
        sorting: Sorting {
            by: By::Speed,
            design: None,
            costs: None,
            sorts: Sorts::ALWAYS,
        },
        quantum: Duration::from_secs(1),
    };
    let mut events: Vec<Event> = Vec::new();
    let outcome = simulate(set, &dss, &Options::until(until), &mut events).unwrap();
    (events, outcome)
}

fn read(text: &str) -> TaskSet {
    read_str(text, Format::Toml, "clocks.toml").unwrap()
}

/// By hand. A change takes 1 ms, and "slow" computes 10 ms, at half of the frequency 20:
///
/// ```text
///        0     1              5     6          10    11                  19
///  CPU 0 | ch. | slow: 4 of 20 | ch. | 4 of 8  | ch. | the last 4, 8 ms  | idles
///  CPU 1   idles               | ch. | fast: 4 | idles
///        |--- at 100 MHz ------|-- 200 MHz ----|------ 100 MHz ----------
/// ```
#[test]
fn a_clock_runs_for_the_fastest() {
    let set = read(
        r#"
        schema = 1
        [platform]
        cpus = 2
        [platform.speeds]
        frequencies = ["100MHz", "200MHz"]
        transition = "1ms"
        power = ["1W", "3W"]
        clocks = [[0, 1]]
        [[task]]
        name = "slow"
        period = "100ms"
        wcet = "10ms"
        speed = 0
        priority = 1
        cpu = 0
        [[task]]
        name = "fast"
        period = "100ms"
        phase = "5ms"
        wcet = "4ms"
        speed = 1
        priority = 1
        cpu = 1
        "#,
    );
    let (events, outcome) = run(&set, Duration::from_millis(100));
    let ms = |ms| Time::ZERO + Duration::from_millis(ms);
    let told = events.iter().filter_map(|event| match event.kind {
        Kind::Speed { speed } => Some((event.time, event.cpu.0, speed.0.into())),
        Kind::Complete { task, .. } => Some((event.time, event.cpu.0, 10 + task.0)),
        _ => None,
    });
    let mut told: Vec<_> = told.collect();
    told.sort_unstable();
    let expected = [
        (ms(0), 0, 0),
        (ms(0), 1, 0),
        (ms(5), 0, 1),
        (ms(5), 1, 1),
        (ms(10), 0, 0),
        (ms(10), 1, 0),
        (ms(10), 1, 11),
        (ms(19), 0, 10),
    ];
    assert_eq!(told, expected);
    let used = outcome.speeds.unwrap();
    // The changes of a CPU that idles are none of its time.
    let of = |cpu: usize| (used.cpus[cpu].adjustments, used.cpus[cpu].changing);
    assert_eq!(
        [of(0), of(1)],
        [(3, Duration::from_millis(3)), (1, Duration::from_millis(1))]
    );
    assert_eq!(used.cpus[0].at[1], Duration::from_millis(7));
}

/// A task for the model: its CPU, its period and phase, what it computes at the highest frequency, and its point,
/// all times in nanoseconds.
type Job = (u8, u64, u64, u64, u8);

/// When jobs complete, by CPU and task, in steps of a nanosecond. CPUs 0 and 1 share a clock, CPU 2 has its own.
/// At the lower point a nanosecond does half as much.
fn model(tasks: &[Job], until: u64) -> Vec<(u64, usize)> {
    let mut completed = Vec::new();
    let mut left = vec![0_u64; tasks.len()];
    let mut points = [1_u64; 2];
    for now in 0..until {
        for (left, &(_, period, phase, work, _)) in left.iter_mut().zip(tasks) {
            if now >= phase && (now - phase) % period == 0 {
                *left += 2 * work;
            }
        }
        // The later in the list, the more urgent.
        let running = [0, 1, 2].map(|cpu| {
            (0..tasks.len())
                .rev()
                .find(|&task| tasks[task].0 == cpu && left[task] > 0)
        });
        let asked = running.map(|task| task.map(|task| u64::from(tasks[task].4)));
        points[0] = asked[0].max(asked[1]).unwrap_or(points[0]);
        points[1] = asked[2].unwrap_or(points[1]);
        for (cpu, task) in running.into_iter().enumerate() {
            let Some(task) = task else { continue };
            left[task] = left[task].saturating_sub(1 + points[cpu / 2]);
            if left[task] == 0 {
                completed.push((now + 1, task));
            }
        }
    }
    completed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn as_in_steps(tasks in proptest::collection::vec((0..3_u8, 20..60_u64, 0..20_u64, 1..10_u64, 0..2_u8), 1..6)) {
        let mut text = "schema = 1\n[platform]\ncpus = 3\n[platform.speeds]\nfrequencies = [\"100MHz\", \"200MHz\"]\nclocks = [[0, 1]]\n".to_owned();
        for (priority, (cpu, period, phase, wcet, speed)) in (1..).zip(&tasks) {
            let priority: u32 = priority;
            let _ = write!(
                text,
                "[[task]]\nperiod = \"{period}ns\"\nphase = \"{phase}ns\"\nwcet = \"{wcet}ns\"\n\
                 speed = {speed}\npriority = {priority}\ncpu = {cpu}\n"
            );
        }
        let (events, _) = run(&read(&text), Duration::from_nanos(400));
        let completed = events.iter().filter_map(|event| match event.kind {
            Kind::Complete { task, .. } => Some((event.time.as_nanos(), task.index())),
            _ => None,
        });
        let mut completed: Vec<_> = completed.collect();
        completed.sort_unstable();
        // A job that is late would be as one with the next in the model.
        prop_assume!(!events.iter().any(|event| matches!(event.kind, Kind::Miss { .. })));
        let mut expected = model(&tasks, 400);
        expected.sort_unstable();
        prop_assert_eq!(completed, expected);
    }
}
