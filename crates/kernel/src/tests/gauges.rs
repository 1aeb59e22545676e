//! Gauges: levels without messages, in the table of queues.

use super::world::{CPU, at, fixed};
use crate::{Error, GaugeId, GaugeKind, QueueId};
use core::task::Poll;
use flyball_trace::{Kind, Time};

#[test]
fn levels_stay_within_the_capacity() {
    let mut world = fixed();
    assert_eq!(world.core.gauge(0, GaugeKind::Stock), Err(Error::Invalid));
    let _queue = world.core.queue(1).unwrap();
    let gauge = world.core.gauge(5, GaugeKind::Backlog).unwrap();
    assert_eq!(gauge.number(), 1);
    world.thread(1);
    let now = world.now;
    let core = &mut world.core;
    assert_eq!(core.level(gauge), Ok(0));
    assert_eq!(core.set_level(CPU, gauge, 6, true, now), Ok(()));
    assert_eq!(core.level(gauge), Ok(5));
    assert_eq!(core.lower_level(CPU, gauge, 2, true, now), Ok(0));
    assert_eq!(
        core.raise_level(CPU, gauge, u16::MAX, true, now),
        Ok(u16::MAX - 2)
    );
    assert_eq!(core.lower_level(CPU, gauge, 9, false, now), Ok(4));
    assert_eq!(core.level(gauge), Ok(0));
    core.audit();
}

/// A source that finds no room, and a sink that finds too little, are misses as at a queue.
#[test]
fn devices_overrun_and_underrun() {
    let mut world = fixed();
    let gauge = world.core.gauge(5, GaugeKind::Stock).unwrap();
    let core = &mut world.core;
    assert_eq!(core.feed_gauge(CPU, gauge, 4, at(1)), Ok(()));
    assert_eq!(core.misses(), 0);
    assert_eq!(core.feed_gauge(CPU, gauge, 4, at(2)), Ok(()));
    assert_eq!(core.misses(), 1);
    assert_eq!(core.drain_gauge(CPU, gauge, 5, at(3)), Ok(()));
    assert_eq!(core.drain_gauge(CPU, gauge, 2, at(4)), Ok(()));
    assert_eq!(core.misses(), 2);
    let glitches = core.trace().iter().filter_map(|event| match event.kind {
        Kind::Overrun { queue: 0, lost } => Some((event.time, lost)),
        Kind::Underrun { queue: 0, missing } => Some((event.time, missing)),
        _ => None,
    });
    assert_eq!(glitches.collect::<Vec<_>>(), [(at(2), 3), (at(4), 2)]);
}

/// A queue is no gauge, and to calls of queues a gauge is one that is full and holds nothing, whatever its level is.
#[test]
fn a_gauge_holds_no_messages() {
    let mut world = fixed();
    let queue = world.core.queue(2).unwrap();
    let gauge = world.core.gauge(5, GaugeKind::Backlog).unwrap();
    world.thread(1);
    let now = world.now;
    let core = &mut world.core;
    core.set_level(CPU, gauge, 3, true, now).unwrap();
    let unknown = [
        GaugeId::new(queue.number(), GaugeKind::Backlog),
        GaugeId::new(7, GaugeKind::Backlog),
    ];
    for gauge in unknown {
        assert_eq!(
            core.set_level(CPU, gauge, 1, true, now),
            Err(Error::Unknown)
        );
        assert_eq!(core.level(gauge), Err(Error::Unknown));
    }
    let queue = QueueId::from_number(gauge.number());
    assert_eq!(core.post(CPU, queue, &1, now), Err(Error::Full));
    assert_eq!(
        core.send(CPU, queue, &1, Time::ZERO, now),
        Err(Error::TimedOut)
    );
    assert_eq!(core.receive_now(CPU, queue, 0, now), Ok(false));
    assert_eq!(core.resize(CPU, queue, 1, now), Err(Error::Full));
    assert_eq!(core.queue_len(queue), Ok(0));
    core.audit();
    assert_eq!(core.level(gauge), Ok(3));
    // The queue beside it still works.
    let queue = QueueId::from_number(0);
    assert_eq!(
        core.send(CPU, queue, &1, Time::NEVER, now),
        Ok(Poll::Ready(()))
    );
}
