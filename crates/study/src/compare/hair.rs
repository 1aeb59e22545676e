//! Hairs: two things with different causes that come so near to each other that either may come
//! first.
//!
//! A simulation knows what a machine's kernel takes on the whole, and not each instruction and each
//! wait for a lock. So where a job ends on one CPU just when another job is released on another,
//! say, the simulation and the machine may take the two in different orders. Both are right, and
//! from there on the schedules may part, at once or much later: the order in which two tasks became
//! ready matters only when a CPU chooses between them.
//!
//! ```text
//!              simulated                    measured
//!   CPU 0      a complete                             a complete
//!   CPU 1                 b complete        b complete
//!   waiting    c gets CPU 0                 c gets CPU 1
//! ```
//!
//! So a hair is a pair of causes that both schedules have, in different orders, within a few
//! microseconds in each. The last one before the schedules part is the one that is named.

use super::Difference;
use flyball_trace::file::Trace;
use flyball_trace::{CpuId, Duration, Event, Kind, Object, Time};
use std::collections::HashMap;

/// Nearer to each other than this, things that do not cause each other may come in any order: it is
/// what the kernel's work takes now and then.
pub const HAIR: Duration = Duration::from_micros(10);

/// Two events that simulation and machine took in different orders, within [`HAIR`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hair {
    /// The events as they were simulated, in this order.
    pub simulated: [Event; 2],
    /// The first events that differ, or the same two as they were measured, in this order.
    pub measured: [Event; 2],
}

impl Hair {
    /// How far the two are from each other, in the schedule in which they are farther apart.
    pub fn apart(&self) -> Duration {
        gap(self.simulated[0].time, self.simulated[1].time)
            .max(gap(self.measured[0].time, self.measured[1].time))
    }
}

/// Finds the hair by which two schedules part at `difference`, where `cluster` CPUs share a kernel,
/// at least one: what happens in different clusters is in no order. `None`: they part for another
/// reason. O(events · events within [`HAIR`]).
pub(super) fn find(
    simulated: &Trace,
    measured: &Trace,
    difference: &Difference,
    cluster: u8,
) -> Option<Hair> {
    let parting = difference.simulated.time.min(difference.measured.time) + HAIR;
    let there: HashMap<_, _> = causes(measured)
        .enumerate()
        .map(|(place, (id, event))| (id, (place, event)))
        .collect();
    let here: Vec<_> = causes(simulated)
        .take_while(|(_, event)| event.time <= parting)
        .filter_map(|(id, event)| there.get(&id).map(|&(place, other)| (event, place, other)))
        .collect();
    let pairs = here.iter().enumerate().flat_map(|(number, first)| {
        let near = here[number + 1..].iter();
        let near = near.take_while(|(event, ..)| gap(first.0.time, event.time) < HAIR);
        near.map(move |second| (first, second))
    });
    let hairs = pairs.filter(|(first, second)| {
        first.1 > second.1
            && gap(first.2.time, second.2.time) < HAIR
            && first.0.cpu.0 / cluster.max(1) == second.0.cpu.0 / cluster.max(1)
            && concern_each_other(first.0.kind, second.0.kind)
    });
    // Where the events at which they part are near to each other these are the hair themselves,
    // unless there is one close by.
    let is_close = |time: Time| difference.near().is_none() || gap(time, parting) < HAIR * 3;
    hairs
        .filter(|(first, second)| is_close(first.0.time.max(second.0.time)))
        .max_by_key(|(first, second)| first.0.time.max(second.0.time))
        .map(|(first, second)| Hair {
            simulated: [first.0, second.0],
            measured: [second.2, first.2],
        })
}

/// How far two instants are apart.
fn gap(a: Time, b: Time) -> Duration {
    a.since(b).max(b.since(a))
}

/// What is the same event in both schedules: its CPU, what happened, and how often it had happened
/// there.
type Id = (CpuId, Kind, u32);

/// The events of a schedule that have causes of their own, in order. (Which task is dispatched
/// follows.)
fn causes(trace: &Trace) -> impl Iterator<Item = (Id, Event)> {
    let mut seen: HashMap<(CpuId, Kind), u32> = HashMap::new();
    let mut unlocked = None;
    trace.events.iter().filter_map(move |&event| {
        let kind = match event.kind {
            // The waiter that becomes the owner has not done anything.
            Kind::Lock { mutex, .. } if unlocked == Some((event.cpu, event.time, mutex)) => None,
            // The call is the same whether the mutex is free or not.
            Kind::Block {
                task,
                on: Object::Mutex(mutex),
                ..
            } => Some(Kind::Lock { task, mutex }),
            kind => is_cause(kind).then(|| super::what(&event)),
        };
        unlocked = match event.kind {
            Kind::Unlock { mutex, .. } => Some((event.cpu, event.time, mutex)),
            _ => None,
        };
        let kind = kind?;
        let count = seen.entry((event.cpu, kind)).or_default();
        *count += 1;
        Some(((event.cpu, kind, *count), event))
    })
}

/// Whether something happens by itself, and not because the kernel has decided which task runs.
fn is_cause(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Release { .. }
            | Kind::Skip { .. }
            | Kind::BurstEnd { .. }
            | Kind::Yield { .. }
            | Kind::Block { .. }
            | Kind::Wake { .. }
            | Kind::Lock { .. }
            | Kind::Unlock { .. }
            | Kind::Complete { .. }
            | Kind::Miss { .. }
            | Kind::Abort { .. }
    )
}

/// Whether the order of two events can matter: that of calls about two mutexes does not.
fn concern_each_other(a: Kind, b: Kind) -> bool {
    let mutex = |kind| match kind {
        Kind::Lock { mutex, .. } | Kind::Unlock { mutex, .. } => Some(mutex),
        _ => None,
    };
    match (mutex(a), mutex(b)) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compare;
    use flyball_trace::TaskId;
    use flyball_trace::file::Header;
    use flyball_trace::metrics::TaskInfo;

    const A: TaskId = TaskId(0);
    const B: TaskId = TaskId(1);
    const C: TaskId = TaskId(2);

    fn trace(events: &[(u64, u8, Kind)]) -> Trace {
        let event = |&(us, cpu, kind): &(u64, u8, Kind)| Event {
            time: Time::from_nanos(us * 1_000),
            cpu: CpuId(cpu),
            kind,
        };
        Trace {
            header: Header {
                tasks: vec![TaskInfo::default(); 3],
                cpus: 2,
                ..Header::default()
            },
            events: events.iter().map(event).collect(),
        }
    }

    fn complete(task: TaskId) -> Kind {
        Kind::Complete { task, job: 1 }
    }

    fn dispatch(task: TaskId) -> Kind {
        Kind::Dispatch { task, job: 1 }
    }

    /// Two jobs end at `ends`, and a third one goes to the CPU that is free first, much later.
    fn schedule(ends: [u64; 2]) -> Trace {
        let (a, b) = ((ends[0], 0, complete(A)), (ends[1], 1, complete(B)));
        let first = u8::from(ends[1] < ends[0]);
        let [one, other] = if first == 0 { [a, b] } else { [b, a] };
        trace(&[
            (0, 0, dispatch(A)),
            (0, 1, dispatch(B)),
            one,
            (one.0, one.1, Kind::Idle),
            other,
            (other.0, other.1, Kind::Idle),
            (900, first, dispatch(C)),
            (1_000, 0, dispatch(A)),
            (1_000, 1, dispatch(B)),
        ])
    }

    #[test]
    fn the_hair_is_named_and_not_the_later_event() {
        let (simulated, measured) = (schedule([500, 502]), schedule([506, 503]));
        let found = compare(&simulated, &measured, 2);
        let difference = found.difference.expect("C has another CPU");
        assert_eq!(difference.near(), None);
        let hair = found.hair.expect("A and B end at nearly the same time");
        assert_eq!(
            hair.simulated.map(|event| event.kind),
            [complete(A), complete(B)]
        );
        assert_eq!(
            hair.measured.map(|event| event.kind),
            [complete(B), complete(A)]
        );
        assert_eq!(hair.apart(), Duration::from_micros(3));
    }

    #[test]
    fn what_is_far_apart_or_of_another_cluster_is_no_hair() {
        let far = compare(&schedule([500, 502]), &schedule([530, 503]), 2);
        assert!(far.difference.is_some());
        assert_eq!(far.hair, None);
        let apart = compare(&schedule([500, 502]), &schedule([506, 503]), 1);
        assert!(apart.difference.is_some());
        assert_eq!(apart.hair, None);
    }
}
