//! Figure 11: cache-related preemption and migration delay.

use super::{absolute, measure, ns, plan, settings};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_measure::overheads::figures::{delays, sizes, working_sets};
use flyball_measure::overheads::{
    Measurements, Plan as Measurement, Policy, Queue, plan::WORKING_SETS,
};
use flyball_overheads::measurements::{Delayed, Interference};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, Verdict,
};

/// Figure 11.
pub(super) const PLAN: Plan = Plan {
    name: "cache",
    title: "Cache-related preemption and migration delay (section 5.3, figure 11)",
    on_machine: &[],
    run,
};

/// The cycles that the authors count for a miss of the last-level cache, and the bytes of a line.
const MISS: f64 = 200.0;
const LINE: f64 = 64.0;

/// The authors' processor, in cycles a nanosecond.
const THEIRS: f64 = 3.4;

/// The authors' bound in nanoseconds: every line is a miss.
#[expect(clippy::cast_precision_loss, reason = "it is far below 2^53")]
fn bound(bytes: usize, cycles_per_ns: f64) -> f64 {
    bytes as f64 / LINE * MISS / cycles_per_ns
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let found = measure(
        setup,
        &Measurement {
            policies: vec![Policy::PARTITIONED_EDF],
            queues: vec![Queue::Heap],
            threads: vec![5],
            repetitions: 100_000,
            working_sets: WORKING_SETS.to_vec(),
            ..plan()
        },
    )?;
    Ok(Experiment {
        about: "A job reads its working set when the caches have it, and then again after another job has \
                filled them, or on another CPU. The authors counted misses by the processor's counters; \
                here the time itself is taken."
            .into(),
        settings: settings(&found),
        assumptions: found
            .no_counters
            .iter()
            .map(|why| format!("Cache misses were not counted: {why}."))
            .collect(),
        claims: claims(&found),
        figures: vec![figure(&found)],
        on_host: true,
        ..Experiment::default()
    })
}

fn claims(found: &Measurements) -> Vec<Claim> {
    let ours = found.processor.megahertz / 1e3;
    let after = |interference, bytes| -> Option<Delayed> {
        let mut delays = found.cache.iter();
        let delay =
            delays.find(|delay| (delay.interference, delay.bytes) == (interference, bytes))?;
        delay.result.as_ref().ok().copied()
    };
    let preempted =
        |bytes| after(Interference::Preemption, bytes).map_or(0.0, |it| it.delay.mean_without);
    let above: Vec<_> = working_sets(found)
        .into_iter()
        .filter(|&bytes| preempted(bytes) > bound(bytes, ours))
        .collect();
    let gap = |bytes| bound(bytes, ours) / preempted(bytes);
    let (least, most) = (4 << 10, 10 << 20);
    let place = "5.3, figure 11";
    let mut claims = vec![absolute(
        "The bound is 3.76 µs for 4 KB and 9.64 ms for 10 MB",
        place,
        "3.76 µs and 9637.6 µs",
        format!("{} and {}", ns(bound(least, ours)), ns(bound(most, ours))),
    )];
    claims.push(Claim {
        text: "Prefetching keeps the delay below the bound, for all working sets".into(),
        place: place.into(),
        criterion: "means without outliers below the working set's lines times 200 cycles of this \
                    processor's time-stamp counter"
            .into(),
        published: "below".into(),
        ours: if above.is_empty() {
            format!("{} for 4 KB, {} for 10 MB", ns(preempted(least)), ns(preempted(most)))
        } else {
            format!("above with {above:?} bytes")
        },
        verdict: Verdict::of(above.is_empty(), || {
            "Memory is farther away here than 200 cycles, as this is a virtual machine whose neighbours \
             use it, too."
                .into()
        }),
    });
    let ratio = preempted(most) / preempted(least);
    claims.push(Claim {
        text: "The delay grows with the working set over some orders of magnitude".into(),
        place: place.into(),
        criterion: "from 4 KB to 10 MB at least 100 times".into(),
        published: "about linear, on logarithmic axes".into(),
        ours: format!("{ratio:.0} times"),
        verdict: Verdict::of(ratio >= 100.0, || "It grows less here.".into()),
    });
    claims.push(Claim {
        text: "With 10 MB it comes nearer to the bound, as the cache thrashes".into(),
        place: place.into(),
        criterion: "the bound is fewer times the delay with 10 MB than with 1 MB".into(),
        published: "a smaller difference".into(),
        ours: format!(
            "{:.1} times, with 1 MB {:.1} times",
            gap(most),
            gap(1 << 20)
        ),
        verdict: Verdict::of(gap(most) < gap(1 << 20), || {
            "Their last-level cache has 8 MB, so that 10 MB do not fit. This one holds more.".into()
        }),
    });
    let moved = after(Interference::Migration, 1 << 20).map(|it| it.delay.mean_without);
    claims.push(Claim {
        text: "Preemption and migration cost the same".into(),
        place: place.into(),
        criterion: String::new(),
        published: "not told apart: all caches are emptied before each job".into(),
        ours: format!(
            "1 MB: {} after a preemption, {} after a migration",
            ns(preempted(1 << 20)),
            moved.map_or("not measured".into(), ns)
        ),
        verdict: Verdict::NotComparable(
            "The authors have `wbinvd` empty all caches, which no process may do; here a migrated job \
             finds its working set in the cache that the CPUs share."
                .into(),
        ),
    });
    claims
}

fn figure(found: &Measurements) -> Figure {
    let ours = found.processor.megahertz / 1e3;
    let line = |name: &str, role, cycles| {
        let points = working_sets(found).into_iter().zip(0_u8..);
        let points = points.map(|(bytes, place)| [f64::from(place), bound(bytes, cycles) / 1e3]);
        Series::ours(name, Shape::Line, 3, points.collect()).with_role(role)
    };
    let mut series = delays(found);
    series.push(line("the same bound here", Role::Model, ours));
    series.push(line("bound, another machine", Role::Published, THEIRS));
    // The axis is linear, so there is a panel for the small ones.
    let small: Vec<_> = series
        .iter()
        .map(|series| Series {
            points: series
                .points
                .iter()
                .copied()
                .filter(|point| point[0] <= 5.0)
                .collect(),
            ..series.clone()
        })
        .collect();
    let panel = |title: &str, series| Panel {
        title: title.into(),
        y: Axis::numbers("delay (µs)"),
        series,
    };
    Figure {
        name: "figure-11".into(),
        title: "Cache-related delay".into(),
        caption: "Means without outliers. The bound takes every line for a miss of 200 cycles."
            .into(),
        x: sizes(found),
        panels: vec![panel("up to 128 KB", small), panel("all", series)],
    }
}
