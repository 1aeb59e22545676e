//! What pipelines need.

use flyball_analysis::pipeline::{
    Drive, Flow, InvalidPipeline, Moves, Needs, Pipeline, Spread, Stage, capacities, longest_delay,
    needs,
};
use proptest::prelude::*;

fn moves(queue: usize, messages: u64) -> Moves {
    Moves {
        queue,
        messages,
        waits: true,
    }
}

fn stage(receives: &[(usize, u64)], sends: &[(usize, u64)], mean: f64) -> Stage {
    let of = |all: &[(usize, u64)]| all.iter().map(|&(q, n)| moves(q, n)).collect();
    Stage {
        receives: of(receives),
        sends: of(sends),
        computes: Spread {
            least: mean / 2.0,
            mean,
            greatest: mean * 2.0,
        },
    }
}

fn drive(queue: usize, rate: f64) -> Drive {
    Drive { queue, rate }
}

fn found(pipeline: &Pipeline) -> Needs {
    needs(pipeline, 0.5).expect("its numbers make sense")
}

fn rounds(needs: &Needs) -> Vec<Option<f64>> {
    needs
        .stages
        .iter()
        .map(|it| it.map(|it| it.rounds))
        .collect()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-6 * a.abs().max(b.abs()), "{a} {b}");
}

/// `examples/pipeline.toml`, worked out by hand.
fn player() -> Pipeline {
    let spread = |least, mean, greatest| Spread {
        least,
        mean,
        greatest,
    };
    Pipeline {
        capacities: vec![64, 8, 8],
        sources: vec![drive(0, 390.0)],
        sinks: vec![drive(2, 30.0)],
        stages: vec![
            Stage {
                computes: spread(0.00195, 0.00195, 0.00195),
                ..stage(&[(0, 13)], &[(1, 1)], 0.0)
            },
            Stage {
                computes: spread(0.012, 0.018, 0.024),
                ..stage(&[(1, 1)], &[(2, 1)], 0.0)
            },
        ],
    }
}

#[test]
fn a_video_player_needs_what_one_works_out_by_hand() {
    let player = player();
    let found = found(&player);
    let rates: Vec<f64> = found.queues.iter().filter_map(Flow::rate).collect();
    for (rate, expected) in rates.iter().zip([390.0, 30.0, 30.0]) {
        close(*rate, expected);
    }
    assert!(found.queues.iter().all(|it| it.gain().is_none()));
    let [Some(parser), Some(decoder)] = found.stages[..] else {
        panic!("{found:?}");
    };
    close(parser.share.mean, 0.0585);
    close(decoder.share.mean, 0.54);
    close(decoder.share.greatest, 0.72);
    close(found.all.mean, 0.5985);
    close(found.all.greatest, 0.7785);
    close(found.growth().0, 1.0 / 0.5985);
    close(found.growth_alone(1).unwrap().0, 1.0 / 0.54);
    close(found.growth_beside(1).unwrap().0, (1.0 - 0.0585) / 0.54);
    close(parser.period.unwrap(), 32.0 / 390.0);
    close(decoder.period.unwrap(), 4.0 / 30.0);
    close(longest_delay(&player, &found), 64.0 / 390.0 + 16.0 / 30.0);
}

#[test]
fn a_latency_is_divided_over_the_queues_of_the_longest_way() {
    let player = player();
    let found = found(&player);
    let sized = capacities(&player, &found, 0.3).unwrap();
    assert_eq!(sized.queues, [Some(39), Some(3), Some(3)]);
    close(sized.delay, 0.3);
    // Two messages to a queue are too many.
    let sized = capacities(&player, &found, 0.05).unwrap();
    assert_eq!(sized.queues, [Some(6), Some(2), Some(2)]);
    assert!(sized.delay > 0.05);
}

#[test]
fn different_rates_fill_a_queue_or_empty_it() {
    let mut player = player();
    player.sinks[0].rate = 25.0;
    let flow = found(&player).queues[2];
    close(flow.gain().unwrap(), 5.0);
    close(flow.used_up().unwrap(), 1.6);
    player.sinks[0].rate = 50.0;
    close(found(&player).queues[2].gain().unwrap(), -20.0);
    player.sinks[0].rate = 30.000_001;
    assert_eq!(found(&player).queues[2].gain(), None);
}

#[test]
fn a_sink_drives_what_no_source_drives() {
    let mut player = player();
    player.sources.clear();
    assert_eq!(rounds(&found(&player)), [Some(30.0), Some(30.0)]);
    close(found(&player).queues[0].rate().unwrap(), 390.0);
    player.sinks.clear();
    let nothing = found(&player);
    assert_eq!(rounds(&nothing), [None, None]);
    assert!(nothing.queues.iter().all(|it| it.rate().is_none()));
    close(longest_delay(&player, &nothing), 0.0);
}

#[test]
fn workers_share_a_queue_and_leave_what_they_cannot_do() {
    // The second worker waits for a second queue, too, with 2 messages a second.
    let pipeline = Pipeline {
        capacities: vec![8, 8],
        sources: vec![drive(0, 10.0), drive(1, 2.0)],
        stages: vec![
            stage(&[(0, 1)], &[], 0.0),
            stage(&[(0, 1), (1, 1)], &[], 0.0),
        ],
        ..Pipeline::default()
    };
    assert_eq!(rounds(&found(&pipeline)), [Some(8.0), Some(2.0)]);
    let mut equal = pipeline;
    equal.stages[1].receives.pop();
    assert_eq!(rounds(&found(&equal)), [Some(5.0), Some(5.0)]);
}

#[test]
fn a_stage_does_not_follow_what_it_does_not_wait_for() {
    let mut pipeline = Pipeline {
        capacities: vec![8, 8],
        sources: vec![drive(0, 100.0), drive(1, 1.0)],
        stages: vec![stage(&[(0, 1), (1, 1)], &[], 0.0)],
        ..Pipeline::default()
    };
    assert_eq!(rounds(&found(&pipeline)), [Some(1.0)]);
    pipeline.stages[0].receives[1].waits = false;
    let polls = found(&pipeline);
    assert_eq!(rounds(&polls), [Some(100.0)]);
    assert!(polls.queues.iter().all(|it| it.gain().is_none()));
    close(polls.queues[1].rate().unwrap(), 1.0);
}

#[test]
fn a_circle_follows_what_comes_from_outside() {
    // The second stage gives a message back to the first for each.
    let pipeline = Pipeline {
        capacities: vec![8, 8, 4],
        sources: vec![drive(0, 10.0)],
        stages: vec![
            stage(&[(0, 1), (2, 1)], &[(1, 1)], 0.0),
            stage(&[(1, 1)], &[(2, 1)], 0.0),
        ],
        ..Pipeline::default()
    };
    let circle = found(&pipeline);
    assert_eq!(rounds(&circle), [Some(10.0), Some(10.0)]);
    assert!(circle.queues.iter().all(|it| it.gain().is_none()));
    close(longest_delay(&pipeline, &circle), 2.0);
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    let refused = |change: fn(&mut Pipeline)| {
        let mut player = player();
        change(&mut player);
        needs(&player, 0.5).unwrap_err()
    };
    assert_eq!(
        refused(|it| it.capacities[1] = 0),
        InvalidPipeline::NoRoom(1)
    );
    assert_eq!(
        refused(|it| it.sinks[0].queue = 3),
        InvalidPipeline::NoQueue(3)
    );
    assert_eq!(
        refused(|it| it.sources[0].rate = 0.0),
        InvalidPipeline::Rate(0)
    );
    assert_eq!(
        refused(|it| it.stages[1].sends.push(moves(9, 1))),
        InvalidPipeline::NoQueue(9)
    );
    for wrong in [f64::NAN, f64::INFINITY, -1.0, 0.001] {
        let mut player = player();
        player.stages[1].computes.greatest = wrong;
        assert_eq!(needs(&player, 0.5), Err(InvalidPipeline::Time(1)));
    }
    let player = player();
    for part in [0.0, 1.1, f64::NAN] {
        assert_eq!(needs(&player, part), Err(InvalidPipeline::Asked));
        let found = found(&player);
        assert!(capacities(&player, &found, part.min(0.0)).is_err());
    }
}

/// Without circles; each queue has one receiver. Of each stage: its inputs, each with what a source sends there and
/// what earlier stages do, and how many messages it receives of it.
fn pipelines() -> impl Strategy<Value = Pipeline> {
    let input = (
        0_u32..9,
        prop::collection::vec((0_usize..9, 1_u64..4), 0..3),
        1_u64..4,
    );
    let stages = prop::collection::vec(prop::collection::vec(input, 1..4), 1..7);
    stages.prop_map(|stages| {
        let mut pipeline = Pipeline::default();
        for (place, inputs) in stages.into_iter().enumerate() {
            pipeline.stages.push(stage(&[], &[], 0.001));
            for (rate, senders, receives) in inputs {
                let queue = pipeline.capacities.len();
                pipeline.capacities.push(10);
                let senders: Vec<_> = senders.into_iter().filter(|it| it.0 < place).collect();
                // A queue that nothing else fills has a source.
                let rate = if senders.is_empty() { rate + 1 } else { rate };
                if rate > 0 {
                    pipeline.sources.push(drive(queue, rate.into()));
                }
                for (sender, messages) in senders {
                    pipeline.stages[sender].sends.push(moves(queue, messages));
                }
                pipeline.stages[place].receives.push(moves(queue, receives));
            }
        }
        pipeline
    })
}

/// How many rounds each stage does if sources send for so many seconds into queues of any size, and how
/// many messages are left over.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn naive(pipeline: &Pipeline, seconds: u64) -> (Vec<u64>, Vec<u64>) {
    let mut levels = vec![0; pipeline.capacities.len()];
    let mut done = vec![0; pipeline.stages.len()];
    for _ in 0..10 {
        for source in &pipeline.sources {
            levels[source.queue] += source.rate as u64 * seconds / 10;
        }
        for (stage, done) in pipeline.stages.iter().zip(&mut done) {
            let possible = stage
                .receives
                .iter()
                .map(|it| levels[it.queue] / it.messages);
            let rounds = possible.min().unwrap_or(0);
            for it in &stage.receives {
                levels[it.queue] -= rounds * it.messages;
            }
            for it in &stage.sends {
                levels[it.queue] += rounds * it.messages;
            }
            *done += rounds;
        }
    }
    (done, levels)
}

/// The same pipeline backwards.
fn mirrored(pipeline: &Pipeline) -> Pipeline {
    let back = |it: &Stage| Stage {
        receives: it.sends.clone(),
        sends: it.receives.clone(),
        ..it.clone()
    };
    Pipeline {
        sources: pipeline.sinks.clone(),
        sinks: pipeline.sources.clone(),
        stages: pipeline.stages.iter().map(back).collect(),
        ..pipeline.clone()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    #[expect(clippy::cast_precision_loss)]
    fn rates_are_what_counting_messages_gives(pipeline in pipelines()) {
        const SECONDS: u64 = 100_000_000;
        let seconds = SECONDS as f64;
        let (done, left) = naive(&pipeline, SECONDS);
        let found = found(&pipeline);
        for (need, done) in found.stages.iter().zip(done) {
            let rounds = need.expect("sources drive it").rounds;
            prop_assert!((rounds - done as f64 / seconds).abs() < 1e-3, "{} {}", rounds, done);
        }
        for (flow, left) in found.queues.iter().zip(left) {
            let gain = flow.gain().unwrap_or(0.0);
            prop_assert!((gain - left as f64 / seconds).abs() < 1e-2, "{} {}", gain, left);
        }
    }

    #[test]
    fn rates_go_backwards_as_they_go_forwards(pipeline in pipelines()) {
        let forwards = rounds(&found(&pipeline));
        let backwards = rounds(&found(&mirrored(&pipeline)));
        for (a, b) in forwards.into_iter().zip(backwards) {
            close(a.expect("a source drives it"), b.expect("a sink drives it"));
        }
    }

    #[test]
    fn messages_are_no_longer_in_queues_than_asked_for(pipeline in pipelines(), latency in 0.1..1e4) {
        let found = found(&pipeline);
        let sized = capacities(&pipeline, &found, latency).unwrap();
        let roomy = sized.queues.iter().flatten().all(|&it| it > 2);
        prop_assert!(!roomy || sized.delay <= latency * 1.000_01);
        let mut resized = pipeline.clone();
        for (capacity, size) in resized.capacities.iter_mut().zip(&sized.queues) {
            *capacity = size.unwrap_or(1);
        }
        let again = needs(&resized, 0.5).unwrap();
        close(longest_delay(&resized, &again), sized.delay);
    }
}
