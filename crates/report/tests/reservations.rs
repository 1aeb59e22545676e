//! Reservations that change while the system runs, on the page and for programs.
//!
//! With `FLYBALL_PAGE_OUT` set to a folder, the page is also written there, to look at.

use crate::common;

use common::report;
use flyball_catalogue::Edf;
use flyball_model::{Task, TaskSet};
use flyball_report::html::html;
use flyball_report::json;
use flyball_study::results::Study;
use flyball_trace::metrics::{Metrics, TaskInfo};
use flyball_trace::{CpuId, Duration, Event, Kind, Sink, TaskId, Time};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A share in thousandths of a CPU.
fn share(thousandths: u32) -> u32 {
    Kind::WHOLE_CPU / 1000 * thousandths
}

/// Two tasks whose reservations come to what they need. In between the CPU is overloaded.
fn adaptive() -> Study {
    let set = TaskSet {
        tasks: vec![
            Task::periodic("decoder", ms(40), ms(12)),
            Task::periodic("mixer", ms(10), ms(4)),
        ],
        ..TaskSet::default()
    };
    let mut report = report(&set, "edf", "EDF", &Edf, ms(400));
    let trace = &mut report.trace;
    let mut tell = |at: u64, kind| {
        let (time, cpu) = (Time::ZERO + ms(at), CpuId(0));
        trace.events.push(Event { time, cpu, kind });
    };
    for step in 0..40_u32 {
        let (at, task) = (u64::from(step) * 10, TaskId(0));
        let wanted = 320 - 220 * 10 / (10 + step * step);
        let period = ms(if step < 8 { 80 } else { 40 });
        let (got, is_less) = if (20..26).contains(&step) {
            (180, step == 20)
        } else {
            (wanted, false)
        };
        let share = share(got);
        tell(
            at,
            Kind::Reserve {
                task,
                share,
                period,
            },
        );
        if is_less {
            tell(at, Kind::Quality { task });
        }
    }
    let task = TaskId(1);
    for (at, part, period) in [(0, 100, 30), (60, 800, 10), (130, 420, 10), (210, 415, 10)] {
        let (share, period) = (share(part), ms(period));
        tell(
            at,
            Kind::Reserve {
                task,
                share,
                period,
            },
        );
    }
    trace.events.sort_by_key(|event| event.time);
    let info = |task: &Task| TaskInfo {
        name: task.name.clone(),
        ..TaskInfo::default()
    };
    let tasks: Vec<_> = set.tasks.iter().map(info).collect();
    let mut metrics = Metrics::new(&tasks, 1);
    trace.events.iter().for_each(|event| metrics.record(*event));
    report.summary.reservations = metrics.finish(trace.end()).reservations;
    Study {
        file: "adaptive.toml".into(),
        cpus: 1,
        set,
        policies: vec![report],
        notes: Vec::new(),
        measured: None,
    }
}

#[test]
fn the_page_has_a_table_and_lanes() {
    let mut study = adaptive();
    let page = html(&study);
    if let Some(folder) = std::env::var_os("FLYBALL_PAGE_OUT") {
        let path = std::path::Path::new(&folder).join("reservations.html");
        std::fs::write(path, &page).expect("the folder can be written to");
    }
    let words = [
        "<h3>Reservations</h3>",
        "share of a CPU",
        "share reduced, overload",
        "\"reservations\":[{\"name\":\"decoder\",\"full\":80000000},{\"name\":\"mixer\",\"full\":30000000}]",
        "<td class=\"num\">80.00 %</td>",
    ];
    for word in words {
        assert!(page.contains(word), "{word}");
    }
    let report = &mut study.policies[0];
    report
        .trace
        .events
        .retain(|it| !it.kind.is_of_reservation());
    report.summary.reservations.clear();
    let page = html(&study);
    assert!(!page.contains("<h3>Reservations</h3>") && !page.contains("share of a CPU"));
    assert!(page.contains("\"reservations\":[]"));
}

#[test]
fn programs_get_shares_and_periods() {
    let mut study = adaptive();
    let text = json::text(&json::study(&study));
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let all = &document["policies"][0]["simulated"]["reservations"];
    let mixer = &all[1];
    // 60 ms of a tenth, 70 of 0.8, 80 of 0.42 and 190 of 0.415.
    let mean = (60 * 100 + 70 * 800 + 80 * 420 + 190 * 415) * 1000 / 400;
    assert_eq!(mixer["task"], "mixer");
    let ppm = |key: &str| mixer[key].as_u64().unwrap();
    let near =
        |key: &str, expected: u64| assert!(ppm(key).abs_diff(expected) < 5, "{key}: {}", ppm(key));
    near("share_first_ppm", 100_000);
    near("share_min_ppm", 100_000);
    near("share_mean_ppm", mean);
    near("share_max_ppm", 800_000);
    near("share_last_ppm", 415_000);
    assert_eq!(mixer["period_min_ns"], 10_000_000);
    assert_eq!(mixer["period_max_ns"], 30_000_000);
    assert_eq!(mixer["period_last_ns"], 10_000_000);
    assert_eq!(
        (&all[0]["reduced"], &mixer["reduced"]),
        (&1.into(), &0.into())
    );
    study.policies[0].summary.reservations.clear();
    assert!(!json::text(&json::study(&study)).contains("reservations"));
}
