//! Charts of simulated schedules, as a person sees them.

use crate::common;

use common::{example, migrating, run};
use flyball_catalogue::{Edf, Fp, Rm};
use flyball_model::{Cost, Task, TaskSet};
use flyball_report::gantt::{ChartStyle, Glyphs, Paint, chart, svg};
use flyball_report::slices::{Migration, Schedule};
use flyball_trace::file::Trace;
use flyball_trace::{CpuId, Duration, TaskId, Time};
use insta::assert_snapshot;

fn ms(ms: u64) -> Time {
    Time::from_millis(ms)
}

fn trace(name: &str, set: &TaskSet, until: u64) -> Trace {
    let until = Duration::from_millis(until);
    match name {
        "rm" => run(set, name, &Rm, until).1,
        "edf" => run(set, name, &Edf, until).1,
        _ => run(set, name, &Fp, until).1,
    }
}

fn ascii() -> ChartStyle {
    ChartStyle {
        glyphs: Glyphs::Ascii,
        ..ChartStyle::default()
    }
}

#[test]
fn the_inversion_that_is_none() {
    let trace = trace("fp", &example("priority-inversion.toml"), 200);
    let unicode = chart(&trace, ms(0)..ms(80), &ChartStyle::default());
    assert_snapshot!("inversion", unicode);
    assert_snapshot!("inversion_in_ascii", chart(&trace, ms(0)..ms(80), &ascii()));
}

#[test]
fn a_miss_in_the_avionics_platform() {
    let trace = trace("rm", &example("gap.toml"), 1000);
    assert_snapshot!(
        "miss",
        chart(&trace, ms(0)..ms(100), &ChartStyle::default())
    );
}

#[test]
fn a_long_time_shows_shares() {
    let trace = trace("edf", &example("gap.toml"), 1000);
    assert_snapshot!(
        "long",
        chart(&trace, ms(0)..ms(1000), &ChartStyle::default())
    );
}

#[test]
fn several_cpus_and_their_kernels() {
    let length = Duration::from_millis;
    let mut set = TaskSet {
        tasks: vec![
            Task::periodic("left", length(4), length(2)),
            Task::periodic("right", length(8), length(4)),
            Task::periodic("right, too", length(8), length(3)),
        ],
        ..TaskSet::default()
    };
    set.platform.cpus = 2;
    set.platform.overheads.context_switch = Cost::fixed(Duration::from_micros(300));
    for (task, cpu) in set.tasks.iter_mut().zip([0, 1, 1]) {
        task.cpu = Some(cpu);
    }
    let trace = trace("edf", &set, 16);
    assert_snapshot!("cpus", chart(&trace, ms(0)..ms(16), &ChartStyle::default()));
}

/// At 4 ms *short* takes the CPU of *long*, which goes on on the other one when *middle* is done.
#[test]
fn a_migration_is_marked_where_the_job_goes_on() {
    let (_, trace) = migrating();
    let moved = Schedule::of(&trace).migrations();
    let cpu = |cpu, time| (CpuId(cpu), ms(time));
    assert_eq!(
        moved,
        [Migration {
            task: TaskId(2),
            job: 1,
            from: cpu(0, 4),
            to: cpu(1, 5)
        }]
    );
    let unicode = chart(&trace, ms(0)..ms(12), &ChartStyle::default());
    assert_snapshot!("migration", unicode);
    assert!(chart(&trace, ms(0)..ms(12), &ascii()).contains("> goes on on another CPU"));
    // No task moves in the time that this one shows.
    assert!(!chart(&trace, ms(6)..ms(12), &ascii()).contains("goes on"));
}

#[test]
fn colours_are_escape_sequences_and_nothing_else_changes() {
    let trace = trace("fp", &example("priority-inversion.toml"), 200);
    let plain = chart(&trace, ms(0)..ms(80), &ChartStyle::default());
    let style = ChartStyle {
        paint: Paint::ansi(),
        ..ChartStyle::default()
    };
    let coloured = chart(&trace, ms(0)..ms(80), &style);
    assert!(coloured.contains("\u{1b}[34m"), "{coloured}");
    let mut stripped = String::new();
    let mut parts = coloured.split('\u{1b}');
    stripped.push_str(parts.next().unwrap_or_default());
    for part in parts {
        stripped.push_str(part.split_once('m').expect("a colour").1);
    }
    assert_eq!(stripped, plain);
    assert!(!plain.contains('\u{1b}'));
}

#[test]
fn no_width_and_no_window_is_a_problem() {
    let trace = trace("edf", &example("gap.toml"), 300);
    for width in [0, 1, 10, 33, 500] {
        let style = ChartStyle {
            width,
            ..ChartStyle::default()
        };
        let text = chart(&trace, ms(0)..ms(300), &style);
        let widest = text.lines().map(|line| line.chars().count());
        let widest = widest.max().unwrap_or(0);
        if width > 150 {
            assert!(widest <= width, "{widest} columns instead of {width}");
        }
    }
    let style = ChartStyle::default();
    assert_eq!(chart(&trace, ms(5)..ms(5), &style), "");
    assert_eq!(chart(&trace, ms(9)..ms(5), &style), "");
    let _ = chart(&trace, Time::ZERO..Time::NEVER, &style);
    let _ = chart(&trace, ms(299)..Time::NEVER, &style);
    let _ = chart(&trace, Time::ZERO..Time::from_nanos(1), &style);
    let _ = chart(&Trace::default(), ms(0)..ms(1), &style);
}

/// Its parts, as a reader of XML finds them: how often each element is there, and whether all are closed.
fn elements(picture: &str) -> std::collections::BTreeMap<String, usize> {
    let mut counts = std::collections::BTreeMap::new();
    let mut open = Vec::new();
    for tag in picture.split('<').skip(1) {
        let name: String = tag.chars().take_while(|c| !" />".contains(*c)).collect();
        if let Some(closed) = tag.strip_prefix('/') {
            let name: String = closed.chars().take_while(|c| *c != '>').collect();
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        *counts.entry(name.clone()).or_default() += 1;
        open.push(name);
    }
    assert!(open.is_empty(), "{open:?} not closed");
    counts
}

#[test]
fn a_picture_has_a_row_for_each_cpu_and_task_and_says_what_is_late() {
    let trace = trace("rm", &example("gap.toml"), 1000);
    let picture = svg(&trace, Some(ms(0)..ms(100)), 960);
    let names =
        picture.matches("class=\"name\"").count() + picture.matches("class=\"name cpu\"").count();
    assert_eq!(names, trace.header.tasks.len() + 1);
    assert!(picture.contains("<title>Radar Tracking Filter 1: 0 to 2ms</title>"));
    assert!(picture.contains("class=\"late\"") && picture.contains("class=\"miss\""));
    assert!(!svg(&trace, Some(ms(0)..ms(4)), 960).contains("class=\"late\""));
    let found = elements(&picture);
    assert_eq!(found["svg"], 1);
    // What is shown first has the first miss in it.
    assert!(svg(&trace, None, 960).contains("class=\"miss\""));
}

/// The size of a picture is bounded by its width, however many slices there are.
#[test]
fn a_picture_of_a_long_time_is_not_larger() {
    let set = TaskSet {
        tasks: vec![Task::periodic(
            "often",
            Duration::from_micros(20),
            Duration::from_micros(10),
        )],
        ..TaskSet::default()
    };
    let trace = trace("rm", &set, 1000);
    let picture = svg(&trace, Some(ms(0)..ms(1000)), 400);
    assert!(
        trace.events.len() > 100_000 && picture.len() < 200_000,
        "{}",
        picture.len()
    );
    elements(&picture);
}

#[test]
fn names_in_a_picture_are_escaped_and_an_empty_window_is_drawn() {
    let set = TaskSet {
        tasks: vec![Task::periodic(
            "<b>&\"",
            Duration::from_millis(4),
            Duration::from_millis(2),
        )],
        ..TaskSet::default()
    };
    let trace = trace("rm", &set, 16);
    let picture = svg(&trace, None, 0);
    assert!(picture.contains("&lt;b&gt;&amp;&quot;") && !picture.contains("<b>"));
    elements(&svg(&trace, Some(ms(5)..ms(5)), 960));
}
