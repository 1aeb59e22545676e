//! What events say about reservations that change while the system runs.

use crate::{Duration, Event, Kind, TaskId, Time};
use std::collections::BTreeMap;

/// What the events said about the reservation of one task. Shares are in parts of [`Kind::WHOLE_CPU`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReservationSummary {
    /// The task.
    pub task: TaskId,
    /// The share in the first event.
    pub first: u32,
    /// The least.
    pub least: u32,
    /// The mean over the time from the first event to the end, rounded down.
    pub mean: u32,
    /// The largest.
    pub most: u32,
    /// The last.
    pub last: u32,
    /// The shortest period.
    pub shortest: Duration,
    /// The last period.
    pub period: Duration,
    /// The longest period.
    pub longest: Duration,
    /// How often the share was reduced because the CPU was overloaded.
    pub reduced: u64,
}

struct State {
    sums: ReservationSummary,
    /// When the first event was, and since when the last share counts.
    began: Time,
    since: Time,
    /// Share × nanoseconds.
    area: u128,
}

/// The reservations of all tasks that events have spoken of.
#[derive(Default)]
pub(super) struct Reservations(BTreeMap<TaskId, State>);

impl Reservations {
    pub(super) fn record(&mut self, event: &Event) {
        match event.kind {
            Kind::Reserve {
                task,
                share,
                period,
            } => {
                let now = event.time;
                let state = self.0.entry(task);
                let state = state.or_insert_with(|| State::new(task, share, period, now));
                state.pass(now);
                let sums = &mut state.sums;
                (sums.last, sums.period) = (share, period);
                (sums.least, sums.most) = (sums.least.min(share), sums.most.max(share));
                sums.shortest = sums.shortest.min(period);
                sums.longest = sums.longest.max(period);
            }
            Kind::Quality { task } => {
                if let Some(state) = self.0.get_mut(&task) {
                    state.sums.reduced += 1;
                }
            }
            _ => {}
        }
    }

    /// The sums of each task, at the end.
    pub(super) fn finish(self, end: Time) -> Vec<ReservationSummary> {
        let finish = |mut state: State| {
            state.pass(end);
            let length = state.since.since(state.began).as_nanos();
            let mean = state.area.checked_div(length.into());
            // A mean of shares is none that is larger.
            let mean = mean.and_then(|mean| u32::try_from(mean).ok());
            state.sums.mean = mean.unwrap_or(state.sums.last);
            state.sums
        };
        self.0.into_values().map(finish).collect()
    }
}

impl State {
    fn new(task: TaskId, share: u32, period: Duration, now: Time) -> State {
        State {
            sums: ReservationSummary {
                task,
                first: share,
                least: share,
                mean: share,
                most: share,
                last: share,
                shortest: period,
                period,
                longest: period,
                reduced: 0,
            },
            began: now,
            since: now,
            area: 0,
        }
    }

    /// The last share has counted up to `now`.
    fn pass(&mut self, now: Time) {
        let length = now.since(self.since).as_nanos();
        self.area += u128::from(self.sums.last) * u128::from(length);
        self.since = self.since.max(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CpuId;

    fn summaries(events: &[(u64, Kind)], end: u64) -> Vec<ReservationSummary> {
        let mut all = Reservations::default();
        for &(time, kind) in events {
            let (time, cpu) = (Time::from_nanos(time), CpuId(0));
            all.record(&Event { time, cpu, kind });
        }
        all.finish(Time::from_nanos(end))
    }

    fn reserve(task: u16, share: u32, period: u64) -> Kind {
        Kind::Reserve {
            task: TaskId(task),
            share,
            period: Duration::from_nanos(period),
        }
    }

    #[test]
    fn shares_are_weighted_by_time() {
        let task = TaskId(2);
        let found = summaries(
            &[
                (10, reserve(2, 40, 30)),
                (20, reserve(2, 80, 30)),
                (20, Kind::Quality { task }),
                (50, reserve(2, 10, 20)),
                (70, reserve(2, 20, 50)),
                (80, Kind::Quality { task }),
                (90, reserve(1, 7, 9)),
            ],
            110,
        );
        let ns = Duration::from_nanos;
        let [one, two] = found[..] else {
            panic!("two tasks are told of");
        };
        let expected = ReservationSummary {
            task,
            first: 40,
            least: 10,
            // 10 of 40, 30 of 80, 20 of 10 and 40 of 20, in 100.
            mean: (10 * 40 + 30 * 80 + 20 * 10 + 40 * 20) / 100,
            most: 80,
            last: 20,
            shortest: ns(20),
            period: ns(50),
            longest: ns(50),
            reduced: 2,
        };
        assert_eq!(two, expected);
        assert_eq!((one.task, one.mean, one.reduced), (TaskId(1), 7, 0));
    }

    #[test]
    fn no_time_and_no_reservation() {
        // Two shares at the end: the last is the mean of no time.
        let found = summaries(&[(5, reserve(0, 3, 1)), (5, reserve(0, 9, 1))], 5);
        assert_eq!((found[0].first, found[0].least, found[0].mean), (3, 3, 9));
        let quality = Kind::Quality { task: TaskId(0) };
        assert_eq!(summaries(&[(5, quality)], 9), []);
        // Times that go backwards, and the most that can be.
        let found = summaries(
            &[(5, reserve(0, u32::MAX, 1)), (2, reserve(0, 1, 1))],
            u64::MAX,
        );
        assert_eq!((found[0].most, found[0].mean), (u32::MAX, 1));
    }
}
