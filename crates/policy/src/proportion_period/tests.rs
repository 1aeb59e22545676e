//! Marks against a naive recorder, the controller against real numbers, and the division of the CPU.

use super::levels::Levels;
use super::scale::Scale;
use super::{Claim, Part, Period, Periods, Proportion, Reading, Sensing, Squish, Times};
use crate::policy::{Fill, Role};
use crate::{Boxed, TaskId};
use flyball_trace::Duration;
use proptest::collection::vec;
use proptest::prelude::*;

/// What happens to queues and tasks.
#[derive(Clone, Debug)]
enum Step {
    /// Queue, its level, and what has changed it.
    Fill(usize, u16, Option<(u16, Role)>),
    /// All ends are read, and the marks of these tasks cleared.
    Read([bool; 4]),
    /// A task ends.
    Forget(u16),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let role = prop_oneof![Just(Role::Producer), Just(Role::Consumer)];
    let by = proptest::option::weighted(0.8, (0..4_u16, role));
    let step = prop_oneof![
        12 => (0..5_usize, 1..=9_u16, by).prop_map(|(queue, level, by)| Step::Fill(queue, level, by)),
        2 => any::<[bool; 4]>().prop_map(Step::Read),
        1 => (0..4_u16).prop_map(Step::Forget),
    ];
    vec(step, 0..200)
}

/// An end as a recorder has it that keeps all levels since its marks were cleared.
struct Recorded {
    task: u16,
    queue: usize,
    role: Role,
    levels: Vec<u16>,
    moved: u16,
}

fn check(steps: &[Step]) {
    // Room for all ends that there can be: four tasks at both sides of five queues.
    let mut levels = Levels::<Boxed>::new(Sensing::Exact, 10);
    let (mut notes, mut now) = ([0; 5], [0; 5]);
    let mut ends: Vec<Recorded> = Vec::new();
    for step in steps {
        match *step {
            Step::Fill(queue, level, by) => {
                // The first one that a task moves is one message.
                let is_known = notes[queue] > 0;
                let moved = if is_known {
                    level.abs_diff(now[queue])
                } else {
                    1
                };
                now[queue] = level;
                for end in ends.iter_mut().filter(|end| end.queue == queue) {
                    end.levels.push(level);
                }
                let mut is_new = None;
                if let Some((task, role)) = by {
                    let is_it = |end: &&mut Recorded| {
                        (end.task, end.queue, end.role) == (task, queue, role)
                    };
                    if let Some(end) = ends.iter_mut().find(is_it) {
                        end.moved += moved;
                    } else {
                        is_new = Some(TaskId(task));
                        ends.push(Recorded {
                            task,
                            queue,
                            role,
                            levels: vec![level],
                            moved,
                        });
                    }
                }
                let mut fill = Fill {
                    note: &mut notes[queue],
                    level,
                    capacity: 9,
                    by: by.map(|(task, role)| (TaskId(task), role)),
                };
                // What goes the short way needs no other.
                let is_short = moved == 1 && levels.refilled(&fill);
                assert!(!is_short || is_known && is_new.is_none());
                if !is_short {
                    assert_eq!(levels.filled(&mut fill), is_new);
                }
            }
            Step::Read(clears) => {
                let mut read = Vec::new();
                levels.read(
                    |task| clears[task.index()],
                    |task, mark| {
                        read.push((task, mark.role, mark.level, mark.low, mark.high, mark.moved));
                    },
                );
                let mut expected = Vec::new();
                for end in &mut ends {
                    let low = *end.levels.iter().min().unwrap();
                    let high = *end.levels.iter().max().unwrap();
                    let level = now[end.queue];
                    expected.push((TaskId(end.task), end.role, level, low, high, end.moved));
                    if clears[usize::from(end.task)] {
                        end.levels = vec![level];
                    }
                    end.moved = 0;
                }
                let key = |end: &(TaskId, Role, u16, u16, u16, u16)| {
                    (end.0, end.1 as u8, end.2, end.3, end.4, end.5)
                };
                read.sort_by_key(key);
                expected.sort_by_key(key);
                assert_eq!(read, expected);
            }
            Step::Forget(task) => {
                levels.forget(TaskId(task));
                ends.retain(|end| end.task != task);
            }
        }
        assert_eq!(levels.ends(), ends.len());
    }
}

/// The same controller in real numbers, without saturation.
#[derive(Default)]
struct Real {
    pressure: f64,
    demand: f64,
    relieved: f64,
    used: f64,
    unit: f64,
    pending: f64,
}

impl Real {
    fn step(&mut self, reading: &Reading, times: Times) -> Option<f64> {
        let one = f64::from(1 << 16);
        let (pressure, relieved) = (
            f64::from(reading.pressure) / one,
            f64::from(reading.relieved) / one,
        );
        let made = pressure - self.pressure + relieved;
        self.pressure = pressure;
        self.pending += f64::from(reading.used);
        if reading.moved > 0 {
            let kept = (13.0_f64 / 16.0).powi(reading.moved.min(24).into());
            self.relieved = self.relieved * kept + relieved;
            self.used = self.used * kept + self.pending;
            self.unit = relieved / f64::from(reading.moved);
            self.pending = 0.0;
        }
        let ratio = (f64::from(times.interval) / f64::from(times.period)).min(1.0);
        self.demand += (made - self.demand) * ratio;
        let wanted = (self.demand + self.pressure * ratio / 2.0).max(0.0);
        let cost = (self.used / self.relieved).max(self.pending / self.unit);
        (self.relieved > 0.0).then(|| wanted * cost / f64::from(times.interval))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 5 } else { 1_000 }))]

    #[test]
    fn marks_are_those_of_a_naive_recorder(steps in steps()) {
        check(&steps);
    }

    /// Pressure, messages and time at random, for a queue of some capacity.
    #[test]
    fn fixed_point_computes_what_real_numbers_do(
        capacity in 4_u32..=64,
        period in 25_000_000_u32..=500_000_000,
        readings in vec((-32_768_i32..=32_768, 0_u16..20, 1_000_u32..8_000_000), 1..60),
    ) {
        let times = Times { interval: 10_000_000, period };
        let (mut fixed, mut real) = (Proportion::default(), Real::default());
        for (pressure, moved, used) in readings {
            let relieved = u32::from(moved) * 65_536 / capacity;
            let reading = Reading { pressure, relieved, moved, used };
            let (got, expected) = (fixed.step(&reading, times), real.step(&reading, times));
            prop_assert_eq!(got.is_some(), expected.is_some());
            let (Some(got), Some(expected)) = (got, expected) else { continue };
            let got = f64::from(got) / f64::from(1 << 28);
            if expected < 8.0 {
                let close = expected.mul_add(0.02, 0.002);
                prop_assert!((got - expected).abs() <= close, "{} and not {}", got, expected);
            }
        }
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "by far less than what is allowed")]
    fn quotients_are_off_by_little(a in 1_u64.., b in 1_u32.., c in 1_u32.., power in -40_i32..=0) {
        let got = Scale::of(a).times(Scale::of_32(b)).over(Scale::of_32(c)).shifted(power);
        let exact = (u128::from(a) * u128::from(b)) as f64 / f64::from(c) * 2_f64.powi(power);
        let exact = exact.min(f64::from(u32::MAX));
        prop_assert!((f64::from(got) - exact).abs() <= exact / 16_384.0 + 1.0, "{} and not {}", got, exact);
    }

    /// In overload all claims fit, none gets nothing, none gets more than it asks for, and of equal claims the
    /// more important one gets more.
    #[test]
    fn squishing_keeps_the_order_of_importance(
        claims in vec((1_u32 << 18..1 << 28, 1_u16..100), 1..20),
        room in 1_u32 << 24..1 << 28,
    ) {
        let claims: Vec<Claim> = claims
            .into_iter()
            .map(|(share, importance)| Claim { share: Part(share), importance })
            .collect();
        let room = Part(room);
        let mut squish = Squish::of(|| claims.iter().copied(), room);
        let got: Vec<Part> = claims.iter().map(|&claim| squish.left(claim)).collect();
        let sum: u64 = got.iter().map(|part| u64::from(part.0)).sum();
        prop_assert!(sum <= u64::from(room.0));
        let asked: u64 = claims.iter().map(|claim| u64::from(claim.share.0)).sum();
        if asked <= u64::from(room.0) {
            prop_assert_eq!(sum, asked);
        } else {
            // Nothing is wasted, but for what rounding takes.
            prop_assert!(sum * 100 >= u64::from(room.0) * 98, "{} of {}", sum, room.0);
        }
        for (claim, part) in claims.iter().zip(&got) {
            prop_assert!(Part::NOTHING < *part && *part <= claim.share);
            for (other, others) in claims.iter().zip(&got) {
                if claim.importance > other.importance && claim.share >= other.share {
                    prop_assert!(part >= others);
                }
            }
        }
    }

    /// Down in proportion to the burst, up by a constant, and in its range.
    #[test]
    fn a_period_shrinks_fast_and_grows_slowly(length in 25_u64..=500, burst in 0_u32..=65_536) {
        let mut period = Period::of(Duration::from_millis(length));
        period.step(&Periods::PAPER, burst, false);
        let expected = if burst > 32_768 {
            (length * 1_000_000 * 32_768 / u64::from(burst)).max(25_000_000)
        } else {
            ((length + 1) * 1_000_000).min(500_000_000)
        };
        prop_assert_eq!(period.length.as_nanos(), expected);
    }

    /// In a loop in which a burst is in proportion to the period, the period comes to where the burst is θ, and stays
    /// within a step of growth of that: there is no other limit cycle.
    #[test]
    fn a_period_settles_where_the_burst_is_the_threshold(start in 25_u64..=500, best in 30_u64..=450) {
        let mut period = Period::of(Duration::from_millis(start));
        let burst = |period: &Period| period.length.as_nanos() * 32_768 / (best * 1_000_000);
        for _ in 0..500 {
            period.step(&Periods::PAPER, u32::try_from(burst(&period)).unwrap(), false);
        }
        for _ in 0..20 {
            period.step(&Periods::PAPER, u32::try_from(burst(&period)).unwrap(), false);
            let length = period.length.as_nanos();
            // Bursts are known to 2⁻¹⁶ only.
            prop_assert!(length.abs_diff(best * 1_000_000) <= 1_000_000 + best * 62, "{}", period.length);
        }
    }
}

/// A stage that moves so many messages at once, whatever its period is: that is found out, and the period becomes no
/// shorter than it takes for that. When the bursts end, it grows again.
#[test]
fn bursts_of_the_stage_itself_do_not_drive_the_period_to_its_minimum() {
    let periods = Periods::PAPER;
    let mut period = Period::of(Duration::from_millis(200));
    let own = 54_000;
    let mut shortest = period.length;
    for _ in 0..200 {
        period.step(&periods, own, false);
        shortest = shortest.min(period.length);
    }
    assert!(shortest >= Duration::from_millis(70), "{shortest}");
    assert!(period.length >= shortest);
    let before = period.length;
    for _ in 0..20 {
        period.step(&periods, 10_000, false);
    }
    assert_eq!(period.length, before + Duration::from_millis(20));
}

#[test]
fn a_missed_allocation_makes_the_period_an_eighth_longer_while_queues_hold_it() {
    let length = |burst, has_missed| {
        let mut period = Period::of(Duration::from_millis(80));
        let periods = Periods {
            answers_missed: true,
            ..Periods::PAPER
        };
        period.step(&periods, burst, has_missed);
        period.length
    };
    assert_eq!(length(1 << 14, false), Duration::from_millis(81));
    assert_eq!(length(1 << 14, true), Duration::from_millis(90));
    // In a period that is longer by an eighth it would be more than half of a queue.
    assert_eq!(length((1 << 15) - 1, true), Duration::from_millis(81));
    // A whole queue: half the period, missed or not.
    assert_eq!(length(1 << 16, true), Duration::from_millis(40));
}
