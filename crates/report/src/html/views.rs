//! Which parts of a schedule a page shows.
//!
//! A schedule may be very long, so a page has one or two *views* of it: the beginning, and, if the
//! first miss is not in that, the time around the first miss. Each holds at most so many slices.

use crate::slices::Schedule;
use flyball_trace::{Duration, Time};
use std::ops::Range;

/// Slices that are to be seen at first: so many, or a few for each task.
const AT_FIRST: Range<usize> = 70..400;
const AT_FIRST_FOR_A_TASK: usize = 4;
/// The longest view: 2^53 ns.
const LONGEST: Duration = Duration::from_nanos(1 << 53);

/// How many things a view may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Most {
    /// Slices and pieces of the kernel's work.
    pub(super) slices: usize,
    /// Everything else.
    pub(super) marks: usize,
}

/// A part of the schedule.
pub(super) struct View {
    pub(super) title: &'static str,
    pub(super) window: Range<Time>,
    /// What to show at first: a handful of slices, around the first miss if there is one.
    pub(super) initial: Range<Time>,
}

/// The views of a schedule whose first miss is at `miss`.
pub(super) fn views(schedule: &Schedule, miss: Option<Time>, most: Most) -> Vec<View> {
    let slices = slice_starts(schedule);
    let marks = mark_times(schedule);
    let at_first = schedule.tasks.len() * AT_FIRST_FOR_A_TASK;
    let at_first = at_first.clamp(AT_FIRST.start, AT_FIRST.end);
    let view = |title, window, miss| view(title, window, &slices, miss, at_first);
    let mut views = Vec::new();
    if schedule.start < schedule.end {
        let start = schedule.start;
        let mut end = schedule.end.min(start + LONGEST);
        for (times, most) in [(&slices, most.slices), (&marks, most.marks)] {
            if let Some(&time) = times.get(most) {
                end = end.min(time.max(start + Duration::from_nanos(1)));
            }
        }
        views.push(view("Start", start..end, miss));
        if let Some(miss) = miss.filter(|&miss| miss >= end && end < schedule.end) {
            let window = around(miss, schedule, (&slices, &marks), most);
            views.push(view("First miss", window, Some(miss)));
        }
    }
    views
}

/// Whether an instant is in a window, whose end counts here: deadlines are there, often.
pub(crate) fn contains(window: &Range<Time>, time: Time) -> bool {
    window.start <= time && time <= window.end
}

fn slice_starts(schedule: &Schedule) -> Vec<Time> {
    let of_cpu = schedule.cpus.iter().flat_map(|cpu| {
        let slices = cpu.slices.iter().map(|slice| slice.start);
        slices.chain(cpu.kernel.iter().map(|work| work.start))
    });
    let mut starts: Vec<_> = of_cpu.collect();
    starts.sort_unstable();
    starts
}

fn mark_times(schedule: &Schedule) -> Vec<Time> {
    let of_task = schedule.tasks.iter().flat_map(|task| {
        let marks = task.marks.iter().map(|mark| mark.time);
        let waits = task.waits.iter().map(|wait| wait.start);
        marks
            .chain(waits)
            .chain(task.holds.iter().map(|hold| hold.start))
    });
    let of_queue = schedule.queues.iter().flat_map(|queue| {
        let levels = queue.levels.iter().map(|level| level.start);
        levels.chain(queue.glitches.iter().map(|glitch| glitch.time))
    });
    let of_reservation = schedule.reservations.iter().flat_map(|lane| {
        let parts = lane.parts.iter().map(|part| part.start);
        parts.chain(lane.reductions.iter().copied())
    });
    let mut times: Vec<_> = of_task.chain(of_queue).chain(of_reservation).collect();
    times.sort_unstable();
    times
}

/// A view with what to show of it at first.
fn view(
    title: &'static str,
    window: Range<Time>,
    starts: &[Time],
    miss: Option<Time>,
    at_first: usize,
) -> View {
    let miss = miss.filter(|&miss| contains(&window, miss));
    let centre = match miss {
        Some(miss) => starts.partition_point(|&start| start < miss),
        None => starts.partition_point(|&start| start < window.start) + at_first / 2,
    };
    let time = |index: usize| starts.get(index).copied();
    let from = time(centre.saturating_sub(at_first / 2)).unwrap_or(window.start);
    let to = time(centre + at_first / 2).unwrap_or(window.end);
    let from = if miss.is_some() { from } else { window.start };
    let from = from.clamp(window.start, window.end);
    let to = to.clamp(from, window.end);
    let initial = if from < to { from..to } else { window.clone() };
    View {
        title,
        window,
        initial,
    }
}

/// As much as may be shown before and after a miss.
fn around(
    miss: Time,
    schedule: &Schedule,
    (slices, marks): (&[Time], &[Time]),
    most: Most,
) -> Range<Time> {
    let mut window = schedule.start..schedule.end;
    for (times, most) in [(slices, most.slices), (marks, most.marks)] {
        let at = times.partition_point(|&time| time < miss);
        if let Some(&from) = at.checked_sub(most / 2).and_then(|at| times.get(at)) {
            window.start = window.start.max(from);
        }
        if let Some(&to) = times.get(at + most / 2) {
            window.end = window.end.min(to);
        }
    }
    window.start = window
        .start
        .max(miss - Duration::from_nanos(1 << 52))
        .min(miss);
    window.end = window.end.min(miss + Duration::from_nanos(1 << 52));
    window.end = window.end.max(window.start + Duration::from_nanos(1));
    window
}

#[cfg(test)]
mod tests;
