//! Queues beside a recorder that keeps all instants.

use super::*;
use crate::{CpuId, Sink};
use proptest::collection::vec;
use proptest::prelude::*;

fn at(time: u64, kind: Kind) -> Event {
    Event {
        time: Time::from_nanos(time),
        cpu: CpuId(0),
        kind,
    }
}

/// What the events say about one queue.
fn summary(events: &[Event], end: u64) -> QueueSummary {
    let mut metrics = crate::metrics::Metrics::new(&[], 1);
    for &event in events {
        metrics.record(event);
    }
    let queues = metrics.finish(Time::from_nanos(end)).queues;
    queues.into_iter().next().unwrap_or_default()
}

/// The least, the mean and the largest of all values.
fn spread(values: &[u64]) -> Option<(u64, u64, u64)> {
    let least = *values.iter().min()?;
    let mean = values.iter().sum::<u64>() / values.len() as u64;
    Some((least, mean, *values.iter().max()?))
}

fn told(spread: &Spread) -> Option<(u64, u64, u64)> {
    let ends = (spread.min()?, spread.mean()?, spread.max()?);
    Some((ends.0.as_nanos(), ends.1.as_nanos(), ends.2.as_nanos()))
}

proptest! {
    /// Levels go up and down by any number, several times at one instant, too. The n-th message that leaves is the n-th
    /// that entered.
    #[test]
    fn delays_are_those_of_a_list_of_all_instants(steps in vec((0_u64..50, 0_u16..9), 0..120)) {
        let (mut events, mut now, mut level) = (Vec::new(), 0, 0_u16);
        let (mut entered, mut left) = (Vec::new(), Vec::new());
        for (later, to) in steps {
            now += later;
            events.push(at(now, Kind::Fill { queue: 0, level: to }));
            for _ in level..to {
                entered.push(now);
            }
            for _ in to..level {
                left.push(now);
            }
            level = to;
        }
        let found = summary(&events, now);
        let delays: Vec<u64> = left.iter().zip(&entered).map(|(left, entered)| left - entered).collect();
        let intervals: Vec<u64> = entered.windows(2).map(|two| two[1] - two[0]).collect();
        prop_assert_eq!(found.put, entered.len() as u64);
        prop_assert_eq!(found.delay.count(), delays.len() as u64);
        prop_assert_eq!(told(&found.delay), spread(&delays));
        prop_assert_eq!(told(&found.intervals), spread(&intervals));
    }
}

/// By hand: a receiver waits from 2 to 5 for a message that it gets at once, a sender from 8 to 10 for room, and
/// another one from 11 to the end.
#[test]
fn stalls_of_senders_are_told_from_those_of_receivers() {
    let block = |task: u16| Kind::Block {
        task: TaskId(task),
        job: 1,
        on: Object::Queue(0),
    };
    let wake = |task: u16| Kind::Wake {
        task: TaskId(task),
        job: 1,
    };
    let fill = |level| Kind::Fill { queue: 0, level };
    let events = [
        at(2, block(1)),
        at(5, fill(1)),
        at(5, fill(0)),
        at(5, wake(1)),
        at(6, fill(1)),
        at(8, block(0)),
        at(10, fill(0)),
        at(10, fill(1)),
        at(10, wake(0)),
        at(11, block(0)),
    ];
    let found = summary(&events, 15);
    assert_eq!(
        (found.stalls, found.full_stalls, found.empty_stalls()),
        (3, 2, 1)
    );
    let nanos = Duration::from_nanos;
    assert_eq!(
        (found.full_stalled, found.empty_stalled()),
        (nanos(6), nanos(3))
    );
    assert_eq!(found.stalled, nanos(9));
    // The first one was there for no time, and the second from 6 to 10.
    assert_eq!(told(&found.delay), Some((0, 2, 4)));
}
