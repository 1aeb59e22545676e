//! Linux's O(1) scheduler: schedules by hand, and at random against the rules word for word.

mod golden;
mod model;
pub(crate) mod world;

use flyball_policy::order::Level;
use flyball_policy::{
    AnyDesign, Bitmap, Boxed, Breadth, Costs, Design, Group, Kept, Scope, StrictLists, StrictWalk,
    TourLists,
};
use model::model;
use proptest::prelude::*;
use world::{rules, run, run_in, scripts};

/// The loose designs, in which the most urgent `real_time` levels are strict.
fn loose(real_time: u8) -> [Design; 2] {
    [
        Design::LooseLists(Scope {
            real_time,
            ..Scope::default()
        }),
        Design::LooseWalk(Breadth {
            real_time,
            demotes: true,
            ..Breadth::default()
        }),
    ]
}

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
        for design in loose(140) {
            let queue = || AnyDesign::with(scripts.len(), design, &Costs::even(1, 0), Kept::ALL);
            let (loose, _) = run_in::<AnyDesign<Level, Boxed>>(rules, &scripts, END, &[], queue);
            prop_assert_eq!(&loose, &expected, "{:?}", design);
        }
    }

    /// Whatever their groups are, under any design, the CPU idles only if no task is ready:
    /// `run_in` asserts it.
    #[test]
    fn groups_lose_no_task(
        rules in rules(),
        scripts in scripts(),
        groups in prop::collection::vec((0_u8..3).prop_map(Group), 6),
    ) {
        let strict = [Design::StrictLists, Design::StrictWalk, Design::TourLists];
        for design in strict.into_iter().chain(loose(100)) {
            let queue = || AnyDesign::with(scripts.len(), design, &Costs::even(3, 1), Kept::ALL);
            run_in::<AnyDesign<Level, Boxed>>(rules, &scripts, END, &groups, queue);
        }
    }
}
