//! Linux's O(1) scheduler: schedules by hand, and at random against the rules word for word.

mod golden;
mod model;
mod world;

use flyball_policy::order::Level;
use flyball_policy::{Bitmap, Boxed, StrictLists, StrictWalk, TourLists};
use model::model;
use proptest::prelude::*;
use world::{rules, run, scripts};

const CASES: u32 = if cfg!(miri) { 2 } else { 1_000 };
/// Milliseconds.
const END: u64 = if cfg!(miri) { 300 } else { 6_000 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn the_policy_does_what_the_model_does(rules in rules(), scripts in scripts()) {
        let (schedule, _) = run::<Bitmap<Level, Boxed>>(rules, &scripts, END);
        prop_assert_eq!(schedule, model(rules, &scripts, END));
    }

    /// Where all tasks are in one group, queues that know groups change nothing.
    #[test]
    fn one_group_is_none(rules in rules(), scripts in scripts()) {
        let (expected, _) = run::<Bitmap<Level, Boxed>>(rules, &scripts, END);
        prop_assert_eq!(&run::<StrictLists<Level, Boxed>>(rules, &scripts, END).0, &expected);
        prop_assert_eq!(&run::<StrictWalk<Level, Boxed>>(rules, &scripts, END).0, &expected);
        prop_assert_eq!(&run::<TourLists<Level, Boxed>>(rules, &scripts, END).0, &expected);
    }
}
