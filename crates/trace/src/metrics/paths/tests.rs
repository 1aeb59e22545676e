//! Paths by hand, and beside a recorder that keeps each message's instant.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;

fn path(queues: &[u16], stages: &[(u64, u64)]) -> PathState {
    let stages = stages
        .iter()
        .map(|&(receives, sends)| Unit { receives, sends });
    PathState::new(QueuePath {
        queues: queues.to_vec(),
        stages: stages.collect(),
    })
}

/// A number of a queue, or of messages, of which there are few here.
fn small(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

fn finish(path: PathState) -> (u64, Option<u64>, Option<u64>) {
    let latency = path.finish().latency;
    let nanos = |length: Option<crate::Duration>| length.map(crate::Duration::as_nanos);
    (latency.count(), nanos(latency.min()), nanos(latency.max()))
}

fn feed(path: &mut PathState, fills: &[(u64, u16, u16)]) {
    for &(time, queue, level) in fills {
        path.fill(queue, level, Time::from_nanos(time));
    }
}

#[test]
fn three_messages_make_one_and_one_makes_two() {
    let mut path = path(&[4, 1, 7], &[(3, 1), (1, 2)]);
    // Six messages at 0, 1, 2 and 10, 11, 12. The queue between is not looked at.
    feed(
        &mut path,
        &[
            (0, 4, 1),
            (1, 4, 2),
            (2, 4, 3),
            (3, 4, 0),
            (4, 1, 1),
            (5, 1, 0),
        ],
    );
    feed(
        &mut path,
        &[(6, 7, 2), (7, 7, 1), (10, 4, 1), (11, 4, 2), (12, 4, 3)],
    );
    // Two that the first three became leave at 7 and 20, and one of the others at 40.
    feed(&mut path, &[(20, 7, 0), (30, 4, 0), (31, 7, 2), (40, 7, 1)]);
    assert_eq!(path.inside.len(), 1);
    assert_eq!(finish(path), (3, Some(7), Some(30)));
}

#[test]
fn what_cannot_have_entered_is_not_measured() {
    let mut path = path(&[0, 1], &[(2, 1)]);
    feed(
        &mut path,
        &[(0, 0, 1), (1, 0, 2), (2, 0, 0), (3, 1, 2), (4, 1, 0)],
    );
    assert_eq!(finish(path), (0, None, None));
}

proptest! {
    /// A source, and stages that pass on what is there one after the other, in any order; each message carries the
    /// instant when the first of those entered that it was made of.
    #[test]
    fn latencies_are_those_of_messages_with_instants(
        units in vec((1_u64..4, 1_u64..4), 1..4),
        steps in vec((0_u64..20, 0_usize..6), 0..300),
    ) {
        let queues: Vec<u16> = (0..=small(units.len())).collect();
        let mut held: Vec<VecDeque<u64>> = vec![VecDeque::new(); queues.len()];
        let mut path = path(&queues, &units);
        let (mut now, mut latencies) = (0, Vec::new());
        for (later, step) in steps {
            now += later;
            let mut tell = |held: &[VecDeque<u64>], queue: usize| {
                path.fill(small(queue), small(held[queue].len()), Time::from_nanos(now));
            };
            match step.checked_sub(2) {
                None => {
                    held[0].push_back(now);
                    tell(&held, 0);
                }
                Some(stage) if stage < units.len() => {
                    let (receives, sends) = units[stage];
                    if held[stage].len() as u64 >= receives {
                        let first = held[stage][0];
                        for _ in 0..receives {
                            held[stage].pop_front();
                            tell(&held, stage);
                        }
                        for _ in 0..sends {
                            held[stage + 1].push_back(first);
                            tell(&held, stage + 1);
                        }
                    }
                }
                Some(_) => {
                    if let Some(entered) = held[units.len()].pop_front() {
                        latencies.push(now - entered);
                        tell(&held, units.len());
                    }
                }
            }
        }
        let expected = (latencies.len() as u64, latencies.iter().min().copied(), latencies.iter().max().copied());
        prop_assert_eq!(finish(path), expected);
    }
}
