//! The slices of simulated schedules, against the numbers that metrics make of the same events.

use crate::common;

use common::run;
use flyball_catalogue::{Edf, Llf, Rm, Rr};
use flyball_model::generate::{Deadlines, Options, Phases, generate};
use flyball_model::{Cost, OnMiss, Overheads, TaskSet};
use flyball_report::gantt::{ChartStyle, chart};
use flyball_report::html::html;
use flyball_report::perfetto::{from_perfetto, to_perfetto};
use flyball_report::slices::{Schedule, What};
use flyball_study::results::{PolicyReport, Study};
use flyball_trace::file::{Header, Trace};
use flyball_trace::metrics::{Summary, TaskInfo};
use flyball_trace::{Cause, Duration, Time};
use proptest::prelude::*;

fn random_set() -> impl Strategy<Value = TaskSet> {
    let options = (1..12_u32, 0.3..1.3_f64, any::<u64>(), any::<bool>());
    let platform = (1..4_u8, any::<bool>(), 0..3_u64);
    (options, platform, 0..3_usize).prop_map(|(options, platform, on_miss)| {
        let (tasks, utilisation, seed, phases) = options;
        let (cpus, tick, overhead) = platform;
        let phases = if phases { Phases::Random } else { Phases::Zero };
        let mut set = generate(&Options {
            tasks: tasks as usize,
            utilisation: utilisation.min(0.9 * f64::from(tasks)),
            deadlines: Deadlines::Constrained { from: 0.5 },
            phases,
            cpus,
            seed,
            ..Options::default()
        })
        .expect("the options are in range");
        for (number, task) in set.tasks.iter_mut().enumerate() {
            task.cpu = u8::try_from(number % usize::from(cpus)).ok();
            task.on_miss = [OnMiss::Continue, OnMiss::Skip, OnMiss::Abort][on_miss];
        }
        set.platform.tick = tick.then(|| Duration::from_millis(3));
        let cost = |us: u64| Cost::fixed(Duration::from_micros(us * overhead));
        set.platform.overheads = Overheads {
            release: cost(7),
            call: cost(3),
            scheduling: cost(11),
            context_switch: cost(13),
            tick: cost(5),
            control: Cost::default(),
            ipi: cost(0),
            cache: cost(23),
        };
        set
    })
}

fn agree(set: &TaskSet, summary: &Summary, schedule: &Schedule) -> Result<(), TestCaseError> {
    let mut cpu_time = vec![Duration::ZERO; set.tasks.len()];
    for (cpu, numbers) in schedule.cpus.iter().zip(&summary.cpus) {
        for slice in &cpu.slices {
            cpu_time[slice.task.index()] += slice.end.since(slice.start);
        }
        let kernel = cpu.kernel.iter().filter(|work| work.cause != Cause::Cache);
        let overhead: Duration = kernel.map(|work| work.end.since(work.start)).sum();
        // The metrics count the kernel's last work in full, even where it goes on after the end.
        prop_assert!(overhead <= numbers.overhead);
        prop_assert!(numbers.overhead.saturating_sub(overhead) < Duration::from_millis(1));
    }
    for (task, numbers) in summary.tasks.iter().enumerate() {
        prop_assert_eq!(cpu_time[task], numbers.cpu_time);
        let lane = &schedule.tasks[task];
        let count = |what| lane.marks.iter().filter(|mark| mark.what == what).count() as u64;
        prop_assert_eq!(count(What::Release), numbers.released);
        prop_assert_eq!(count(What::Complete), numbers.completed);
        prop_assert_eq!(count(What::Miss), numbers.misses);
        prop_assert_eq!(count(What::Skip), numbers.skipped);
        prop_assert_eq!(count(What::Abort), numbers.aborted);
    }
    Ok(())
}

/// From the release of its first job to the end of its last, a task that never blocks either runs
/// or waits for a CPU or for the kernel; otherwise it is away.
fn nothing_is_lost(schedule: &Schedule) -> Result<(), TestCaseError> {
    for (number, lane) in schedule.tasks.iter().enumerate() {
        let slices = schedule.cpus.iter().flat_map(|cpu| &cpu.slices);
        let runs = slices.filter(|slice| slice.task.index() == number);
        let mut all: Vec<_> = runs.map(|slice| (slice.start, slice.end)).collect();
        all.extend(lane.waits.iter().map(|wait| (wait.start, wait.end)));
        all.sort_unstable();
        prop_assert!(all.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{all:?}");
        prop_assert!(lane.waits.iter().all(|wait| wait.on.is_none()));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn slices_add_up_to_cpu_time(set in random_set(), policy in 0..4) {
        let until = Duration::from_millis(700);
        let quantum = Duration::from_millis(2);
        let (summary, trace) = match policy {
            0 => run(&set, "rm", &Rm, until),
            1 => run(&set, "edf", &Edf, until),
            2 => run(&set, "llf", &Llf { quantum }, until),
            _ => run(&set, "rr", &Rr { quantum }, until),
        };
        let schedule = Schedule::of(&trace);
        agree(&set, &summary, &schedule)?;
        nothing_is_lost(&schedule)?;
        let first = schedule.first_miss().is_some();
        prop_assert_eq!(first, summary.misses() > 0);
    }

    /// A ring that dropped its oldest events leaves the later slices as they were.
    #[test]
    fn a_trace_without_its_beginning_ends_the_same(set in random_set(), part in 0..100_usize) {
        let (_, mut trace) = run(&set, "edf", &Edf, Duration::from_millis(300));
        let whole = Schedule::of(&trace);
        let dropped = trace.events.len() * part / 100;
        trace.header.dropped = dropped as u64;
        trace.events.drain(..dropped);
        let rest = Schedule::of(&trace);
        for (whole, rest) in whole.cpus.iter().zip(&rest.cpus) {
            // Which task ran when the trace begins is not known until the CPU's next dispatch.
            let same = whole.slices.iter().rev().zip(rest.slices.iter().rev());
            let fewer = rest.slices.len().saturating_sub(1);
            for (whole, rest) in same.take(fewer) {
                prop_assert_eq!(whole, rest);
            }
            prop_assert!(rest.slices.len() <= whole.slices.len());
        }
    }
}

#[test]
fn waiting_for_a_mutex_is_seen() {
    let set = common::example("priority-inversion.toml");
    let (_, trace) = run(
        &set,
        "fp",
        &flyball_catalogue::Fp,
        Duration::from_millis(100),
    );
    let schedule = Schedule::of(&trace);
    let on: Vec<_> = schedule.tasks[0].waits.iter().map(|wait| wait.on).collect();
    // The bus manager waits for the weather task, which holds the bus and inherits its priority.
    assert_eq!(on, [Some(flyball_trace::Object::Mutex(0))]);
    let weather = &schedule.tasks[2].holds[0];
    assert_eq!(
        (weather.start.as_nanos(), weather.end.as_nanos()),
        (0, 8_000_000)
    );
}

/// As many CPUs and more tasks than there are numbers for.
#[test]
fn the_largest_header_is_no_problem() {
    let trace = Trace {
        header: Header {
            cpus: u8::MAX,
            end_ns: 1,
            tasks: vec![TaskInfo::default(); 66_000],
            ..Header::default()
        },
        events: Vec::new(),
    };
    let schedule = Schedule::of(&trace);
    assert_eq!((schedule.cpus.len(), schedule.tasks.len()), (255, 66_000));
    assert_eq!(schedule.task_lanes().count(), 65_536);
    let chart = chart(&trace, Time::ZERO..trace.end(), &ChartStyle::default());
    assert_eq!(chart.lines().count(), 66_000 + 2);
    let again = from_perfetto(&to_perfetto(&trace));
    assert_eq!(again.ok().as_ref(), Some(&trace));
    let policies = vec![PolicyReport {
        trace,
        ..PolicyReport::default()
    }];
    let page = html(&Study {
        policies,
        ..Study::default()
    });
    assert!(page.contains("Shown"));
}
