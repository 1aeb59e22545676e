//! What columns say, on every generation of processors that this one can stand for, against plain
//! arithmetic.

use super::rta::{divide, fit};
use super::{Block, Columns, LANES, bcli, rta};
use crate::WorkLimit;
use crate::gedf::bcli::ToDeadline;
use crate::gedf::interference::by_deadline;
use crate::gedf::rounds::{Response, Rounds};
use crate::gedf::rta::ToFixedPoint;
use crate::gedf::{Set, Task};
use fearless_simd::{Level, SimdBase, dispatch, i32x16};
use proptest::prelude::*;

/// The machine's own generation, the oldest one, and those between.
fn levels() -> Vec<Level> {
    let own = Level::new();
    let mut levels = vec![own, Level::baseline()];
    #[cfg(target_arch = "x86_64")]
    {
        levels.extend(own.as_sse4_2().map(Level::Sse4_2));
        levels.extend(own.as_avx2().map(Level::Avx2));
    }
    levels
}

/// Up to three blocks of tasks of all lengths that fit, on the CPUs that they need or some more.
fn sets() -> impl Strategy<Value = (Vec<Task>, u32)> {
    let longest = prop_oneof![Just(9), Just(1_000), Just((1 << 21) - 1)];
    let task = move |longest: u64| {
        let period = 1..=longest;
        (period, 0.0..0.7, 0.0..1.0).prop_map(|(period, density, tightness)| {
            let part = |whole: u64, share: f64| {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_precision_loss,
                    clippy::cast_sign_loss,
                    reason = "any will do"
                )]
                let part = (whole as f64 * share) as u64;
                part
            };
            let wcet = part(period, density).max(1);
            Task {
                wcet,
                period,
                deadline: period - part(period - wcet, tightness),
            }
        })
    };
    let tasks = longest.prop_flat_map(move |longest| prop::collection::vec(task(longest), 3..40));
    (tasks, 0..4_u32).prop_map(|(tasks, more)| {
        let load: u64 = tasks.iter().map(|task| 100 * task.wcet / task.period).sum();
        (tasks, u32::try_from(load / 60).unwrap() + 1 + more)
    })
}

fn decide<R: Response>(tasks: R::Tasks, response: R) -> bool {
    let meter = &mut WorkLimit::steps(u64::MAX).meter();
    Rounds::new(tasks, response).decide(meter).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    #[cfg_attr(miri, ignore)]
    fn columns_decide_as_rows_do((tasks, cpus) in sets()) {
        let set = Set::new(tasks).unwrap();
        let by_bcli = decide(by_deadline(&set), ToDeadline::<u64>::new(cpus));
        let by_rta = decide(by_deadline(&set), ToFixedPoint::<u64>::new(cpus));
        prop_assert!(fit(&set));
        for level in levels() {
            let columns = Columns { level, ..Columns::new(&set).unwrap() };
            prop_assert_eq!(decide(columns.clone(), rta::ToFixedPoint::new(cpus)), by_rta, "{:?}", level);
            let mut columns = columns;
            let meter = &mut WorkLimit::default().meter();
            prop_assert_eq!(bcli::decide(&mut columns, cpus, meter), Ok(by_bcli), "{:?}", level);
            // A start for RTA that changes nothing.
            prop_assert_eq!(decide(columns, rta::ToFixedPoint::new(cpus)), by_rta, "{:?}", level);
        }
    }

    /// Next to the multiples of a period above all.
    #[test]
    fn quotients_are_exact(t in 1_i32..1 << 21, jobs in 0.0..1.0, off in -2_i32..=2) {
        let most = (1 << 22) - 1;
        #[expect(clippy::cast_possible_truncation, reason = "any will do")]
        let multiple = (f64::from(most / t + 1) * jobs) as i32 * t;
        let x = (multiple + off).clamp(0, most);
        #[expect(clippy::cast_precision_loss, reason = "it is exact")]
        let block = Block {
            c: [0; LANES],
            t: [t; LANES],
            d: [0; LANES],
            per_t: [1.0 / t as f32; LANES],
            slack: [0; LANES],
        };
        for level in levels() {
            let (quotient, rest) = dispatch!(level, simd => {
                let (quotient, rest) = divide(simd, i32x16::splat(simd, x), &block);
                (quotient.to_array(), rest.to_array())
            });
            prop_assert_eq!((quotient, rest), ([x / t; LANES], [x % t; LANES]), "{:?}", level);
        }
    }
}
