//! What is read off a run.

use crate::work::Setup;
use flyball_measure::bench::{BenchError, RunResult, Trial};
use flyball_sim::Modes;
use flyball_trace::{Duration, Event, Kind, TaskId, Time};

/// More events than any of these runs has whose events are looked at.
const ALL: usize = 4_000_000;

/// Runs it under a policy, and keeps what happens.
pub(super) fn watch(
    setup: &mut Setup<'_>,
    modes: impl Into<Modes>,
    policy: &'static str,
    until: Duration,
) -> Result<RunResult, BenchError> {
    let trial = Trial::new(modes, policy, until).keeping(ALL);
    setup.bench.run(&trial)
}

/// Runs it under a policy, and keeps numbers only.
pub(super) fn count(
    setup: &mut Setup<'_>,
    modes: impl Into<Modes>,
    policy: &'static str,
    until: Duration,
) -> Result<RunResult, BenchError> {
    setup.bench.run(&Trial::new(modes, policy, until))
}

/// Context switches a second.
pub(super) fn switches(seen: &RunResult) -> f64 {
    let switches = u32::try_from(seen.summary.context_switches()).map_or(f64::NAN, f64::from);
    switches / seconds(seen.summary.elapsed)
}

/// How often a source found no room, and a sink no message, from an instant on.
pub(super) fn glitches(seen: &RunResult, from: Duration) -> usize {
    let is_one = |event: &&Event| {
        let is_late = event.time >= Time::ZERO + from;
        is_late && matches!(event.kind, Kind::Overrun { .. } | Kind::Underrun { .. })
    };
    seen.trace.events.iter().filter(is_one).count()
}

/// A length in seconds.
pub(super) fn seconds(length: Duration) -> f64 {
    millis(length) / 1e3
}

/// A length in milliseconds.
#[expect(clippy::cast_precision_loss, reason = "a picture has no 52 bits")]
pub(super) fn millis(length: Duration) -> f64 {
    length.as_nanos() as f64 / 1e6
}

/// When it was, in seconds.
fn at(event: &Event) -> f64 {
    seconds(event.time.since(Time::ZERO))
}

/// How many messages a queue holds, in seconds and messages, at each change.
pub(super) fn levels(seen: &RunResult, queue: u16) -> Vec<[f64; 2]> {
    let level = |event: &Event| match event.kind {
        Kind::Fill { queue: of, level } if of == queue => Some([at(event), f64::from(level)]),
        _ => None,
    };
    seen.trace.events.iter().filter_map(level).collect()
}

/// The period of a task, in seconds and milliseconds, at each change.
pub(super) fn periods(seen: &RunResult, number: u16) -> Vec<[f64; 2]> {
    reservations(seen, number, |_, period| millis(period))
}

/// The share of a task, in seconds and percent, at each change.
pub(super) fn shares(seen: &RunResult, number: u16) -> Vec<[f64; 2]> {
    reservations(seen, number, |share, _| {
        100.0 * f64::from(share) / f64::from(Kind::WHOLE_CPU)
    })
}

fn reservations(
    seen: &RunResult,
    number: u16,
    value: impl Fn(u32, Duration) -> f64,
) -> Vec<[f64; 2]> {
    let of = |event: &Event| match event.kind {
        Kind::Reserve {
            task: TaskId(task),
            share,
            period,
        } if task == number => Some([at(event), value(share, period)]),
        _ => None,
    };
    seen.trace.events.iter().filter_map(of).collect()
}

/// What steps are from `from` to `to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Between {
    /// The least of them.
    pub(super) least: f64,
    /// The greatest.
    pub(super) most: f64,
    /// Their mean over time.
    pub(super) mean: f64,
}

/// What `steps`, by rising time, are between two instants; nothing has changed before the first.
pub(super) fn between(steps: &[[f64; 2]], from: f64, to: f64) -> Between {
    let mut found = Between {
        least: f64::INFINITY,
        most: f64::NEG_INFINITY,
        mean: 0.0,
    };
    for (number, &[start, value]) in steps.iter().enumerate() {
        let end = steps.get(number + 1).map_or(to, |next| next[0]);
        let (start, end) = (start.max(from), end.min(to));
        if start < end {
            found.least = found.least.min(value);
            found.most = found.most.max(value);
            found.mean += value * (end - start);
        }
    }
    found.mean /= to - from;
    found
}

/// The swing of a level in windows of so many seconds, which all but one in twenty do not exceed.
pub(super) fn swing(levels: &[[f64; 2]], [from, to]: [f64; 2], window: f64) -> f64 {
    let (mut swings, mut start) = (Vec::new(), from);
    while start + window <= to {
        let inside = between(levels, start, start + window);
        swings.push(inside.most - inside.least);
        start += window;
    }
    swings.sort_by(f64::total_cmp);
    let exceeding = swings.len() / 20;
    let at = swings.len().checked_sub(1 + exceeding);
    at.map_or(f64::NAN, |at| swings[at])
}

/// At most so many points of a picture: of points that are nearer, the first.
pub(super) fn thinned(points: &[[f64; 2]], from: f64, to: f64, most: u32) -> Vec<[f64; 2]> {
    let least = (to - from) / f64::from(most.max(1));
    let mut last = f64::NEG_INFINITY;
    let kept = points.iter().filter(|&&[x, _]| {
        let is_kept = (from..=to).contains(&x) && x - last >= least;
        if is_kept {
            last = x;
        }
        is_kept
    });
    kept.copied().collect()
}

/// The standard deviation of the time between two messages that are put into the first queue, in milliseconds.
pub(super) fn deviation(seen: &RunResult) -> f64 {
    let queue = seen.summary.queues.first();
    let deviation = queue.and_then(|queue| queue.intervals.deviation());
    deviation.map_or(f64::NAN, millis)
}
