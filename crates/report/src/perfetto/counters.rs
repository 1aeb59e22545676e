//! Numbers that change with time.

use super::points::{Category, Kind, Point};
use super::track;
use crate::slices::Schedule;
use flyball_trace::{CpuId, Duration, TaskId, Time};
use std::collections::HashMap;

/// From `time` on the counter on this track has this value.
fn counter(track: u64, time: Time, value: i64) -> Point {
    point(track, time, Kind::Counter(value))
}

fn point(track: u64, time: Time, kind: Kind) -> Point {
    Point {
        time,
        kind,
        track,
        name: 0,
        category: Category::Run,
        notes: [None; 2],
        leaves: None,
        comes: None,
    }
}

/// The number of tasks that wait for nothing but a CPU, whenever it changes.
pub(super) fn ready(schedule: &Schedule) -> Vec<Point> {
    let mut changes: Vec<(Time, i64)> = Vec::new();
    for lane in &schedule.tasks {
        for wait in lane.waits.iter().filter(|wait| wait.on.is_none()) {
            changes.extend([(wait.start, 1), (wait.end, -1)]);
        }
    }
    changes.sort_unstable();
    let mut now = 0;
    let mut points = Vec::new();
    for at_once in changes.chunk_by(|a, b| a.0 == b.0) {
        let before = now;
        now += at_once.iter().map(|(_, change)| change).sum::<i64>();
        if now != before {
            points.push(counter(track::READY, at_once[0].0, now));
        }
    }
    points
}

/// How long from the beginning of each slice to the deadline of its job, which is negative for a
/// job that is late already; 0 where the CPU is idle, or the job has no deadline.
pub(super) fn urgency(schedule: &Schedule, deadlines: &HashMap<(TaskId, u32), Time>) -> Vec<Point> {
    let mut points = Vec::new();
    for (CpuId(cpu), lane) in schedule.cpu_lanes() {
        let track = track::FIRST_URGENCY + u64::from(cpu);
        let mut slices = lane.slices.iter().peekable();
        while let Some(slice) = slices.next() {
            let left = |deadline: &Time| {
                let [deadline, start] = [*deadline, slice.start].map(Time::as_nanos);
                i64::try_from(i128::from(deadline) - i128::from(start)).unwrap_or(0)
            };
            let deadline = deadlines.get(&(slice.task, slice.job));
            let left = deadline.filter(|it| **it != Time::NEVER).map_or(0, left);
            points.push(counter(track, slice.start, left));
            if slices.peek().is_none_or(|next| next.start > slice.end) {
                points.push(counter(track, slice.end, 0));
            }
        }
    }
    points
}

/// The operating point of each CPU, where it changes.
pub(super) fn speeds(schedule: &Schedule) -> Vec<Point> {
    let lanes = schedule.cpu_lanes();
    let points = lanes.flat_map(|(CpuId(cpu), lane)| {
        let track = track::FIRST_SPEED + u64::from(cpu);
        let parts = lane.speeds.iter();
        parts.map(move |part| counter(track, part.start, i64::from(part.speed.0)))
    });
    points.collect()
}

/// How many messages each queue holds, where that changes.
pub(super) fn levels(schedule: &Schedule) -> Vec<Point> {
    let lanes = schedule.queue_lanes();
    let points = lanes.flat_map(|(queue, lane)| {
        let track = track::FIRST_QUEUE + u64::from(queue);
        let levels = lane.levels.iter();
        levels.map(move |part| counter(track, part.start, i64::from(part.level)))
    });
    points.collect()
}

/// What tasks are entitled to, where that changes: the share and the period.
pub(super) fn reservations(schedule: &Schedule) -> Vec<Point> {
    let mut points = Vec::new();
    for (TaskId(task), lane) in schedule.reservation_lanes() {
        let [share, period] =
            [track::FIRST_SHARE, track::FIRST_PERIOD].map(|it| it + u64::from(task));
        let mut shown = (None, None);
        for part in &lane.parts {
            if shown.0.replace(part.share) != Some(part.share) {
                let ppm = flyball_trace::Kind::share_ppm(part.share);
                points.push(point(share, part.start, Kind::Millionths(ppm)));
            }
            if shown.1.replace(part.period) != Some(part.period) {
                points.push(counter(period, part.start, nanos(part.period)));
            }
        }
    }
    points
}

fn nanos(length: Duration) -> i64 {
    i64::try_from(length.as_nanos()).unwrap_or(i64::MAX)
}

/// What is left of each server's budget, where that begins and ceases to fall, and where it jumps.
pub(super) fn budgets(schedule: &Schedule) -> Vec<Point> {
    let mut points = Vec::new();
    for (server, lane) in schedule.server_lanes() {
        let track = track::FIRST_SERVER + u64::from(server.0);
        let mut shown = None;
        for part in &lane.parts {
            for (time, left) in [(part.start, part.from), (part.end, part.to)] {
                if shown.replace(left) != Some(left) {
                    points.push(counter(track, time, nanos(left)));
                }
            }
        }
    }
    points
}
