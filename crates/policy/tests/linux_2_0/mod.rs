//! Linux 2.0's scheduler: schedules by hand, and at random against the rules word for word.

mod golden;
mod model;

use crate::linux_o1::world::{Schedule, Script, admit, drive, scripts};
use flyball_policy::{Boxed, Duration, Linux20, Linux20Rules};
use model::model;
use proptest::prelude::*;

/// What the policy makes of these tasks, and the policy.
fn run(rules: Linux20Rules, scripts: &[Script], end: u64) -> (Schedule, Linux20<Boxed>) {
    let mut policy = Linux20::new(rules, scripts.len());
    admit(&mut policy, scripts);
    (drive(&mut policy, scripts, end), policy)
}

fn rules() -> impl Strategy<Value = Linux20Rules> {
    let tick = prop_oneof![2 => Just(10), 1 => 1_u64..20];
    let credits = prop_oneof![2 => Just(20), 1 => 1_u32..30];
    (tick, credits).prop_map(|(tick, credits)| Linux20Rules {
        tick: Duration::from_millis(tick),
        credits,
    })
}

const CASES: u32 = if cfg!(miri) { 2 } else { 1_000 };
/// Milliseconds.
const END: u64 = if cfg!(miri) { 300 } else { 6_000 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn the_policy_does_what_the_model_does(rules in rules(), scripts in scripts()) {
        let (schedule, policy) = run(rules, &scripts, END);
        let (expected, credits) = model(rules, &scripts, END);
        prop_assert_eq!(schedule, expected);
        for (task, credits) in (0..).zip(credits) {
            prop_assert_eq!(i64::from(policy.credits(flyball_policy::TaskId(task))), credits);
        }
    }
}
