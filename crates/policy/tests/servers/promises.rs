//! What servers promise, whatever their tasks ask for.

use super::world::{fitting, run, works};
use flyball_policy::servers::{ConstantBandwidth, SchedDeadline};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Whatever their tasks ask for, servers that fit have their budgets by their deadlines.
    #[test]
    fn budgets_are_had_by_their_deadlines(works in works()) {
        let works = fitting(&works);
        prop_assert_eq!(run(ConstantBandwidth::SOFT, &works).late, 0);
        prop_assert_eq!(run(ConstantBandwidth::HARD, &works).late, 0);
        prop_assert_eq!(run(SchedDeadline, &works).late, 0);
    }
}
