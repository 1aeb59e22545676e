//! How far periods swing once pipelines have run for a minute. No bound is proved; these were measured.

use super::{Pipeline, by_default, count, number, random_length, read};
use flyball_model::random::Random;
use flyball_sim::{Options, simulate};
use flyball_trace::{Duration, Event, Kind, Sink, Time};

/// The shortest and the longest period of each task from an instant on.
struct Bands {
    from: Time,
    periods: Vec<Option<[Duration; 2]>>,
}

impl Sink for Bands {
    const BUDGETS: bool = true;

    fn record(&mut self, event: Event) {
        if let Kind::Reserve { task, period, .. } = event.kind {
            match &mut self.periods[task.index()] {
                Some([shortest, longest]) if event.time >= self.from => {
                    *shortest = (*shortest).min(period);
                    *longest = (*longest).max(period);
                }
                // What it has at that instant, at last.
                latest => *latest = Some([period; 2]),
            }
        }
    }
}

/// Of 1,000 pipelines at 30 to 95 % load, from one minute to a minute and a half: the longest period of a stage is 1.21
/// times its shortest one in the median, 1.69 times in nine of ten, 2.51 times in 99 of a hundred, and 4.3 times at most. Periods
/// that still grow by a millisecond each are among them.
#[test]
fn periods_stay_within_a_band() {
    let mut swings = Vec::new();
    for seed in 1..=count() {
        let mut random = Random::new(seed, 0);
        let load = number(&mut random, 30, 95);
        let set = read(&Pipeline::draw(&mut random).file(&mut random, load, random_length));
        let mut bands = Bands {
            from: Time::ZERO + Duration::from_secs(60),
            periods: vec![None; set.tasks.len()],
        };
        let options = Options::until(Duration::from_secs(90));
        simulate(&set, &by_default(), &options, &mut bands).unwrap();
        swings.extend(bands.periods.iter().map(|band| {
            let [shortest, longest] = band.expect("each stage has a reservation");
            longest.as_nanos() * 100 / shortest.as_nanos()
        }));
    }
    swings.sort_unstable();
    let all = swings.len();
    assert!(swings[all / 2] <= 130, "{swings:?}");
    assert!(swings[all * 9 / 10] <= 180, "{swings:?}");
    assert!(swings[all * 99 / 100] <= 300, "{swings:?}");
    assert!(swings[all - 1] <= 600, "{swings:?}");
}
