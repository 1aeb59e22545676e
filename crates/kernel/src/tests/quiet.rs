//! Ticks at which nothing is due.

use super::world::CPU;
use crate::{Attributes, Config, Core, Entry, InMemory, Sizes, Timing};
use flyball_policy::order::Level;
use flyball_policy::{Bitmap, FixedPriority, Inline, Nothing, Priority, Ranked};
use flyball_trace::{Duration, NoTrace, Time};
use proptest::prelude::*;

/// No trace and no accounting, so that there is nothing to be noted at a tick.
struct Plain;

impl Config for Plain {
    type Policy = Ranked<FixedPriority, Bitmap<Level, Inline<4>, 1>>;
    type Trace = NoTrace;
    type Message = ();
    type Stamp = Time;
    type Cpus = Inline<1>;
    type Threads = Inline<4>;
    type Objects = InMemory;
    type Owned = Nothing;
    type Ceilings = Nothing;
    type Queues = Nothing;
    type Messages = Nothing;
    type Jobs = Nothing;
    type Arrivals = Nothing;
    type Accounts = Nothing;
    type Counts = Nothing;
    type Budgets = Nothing;
    const ACCOUNTING: bool = false;
}

const TICK: Duration = Duration::from_nanos(10);

/// A kernel whose threads sleep, each time as long as comes next.
struct Sleepers {
    core: Core<Plain>,
    lengths: Vec<u64>,
    slept: usize,
}

impl Sleepers {
    fn new(lengths: &[u64]) -> Sleepers {
        let policy = Ranked::new(FixedPriority, 4);
        let mut core = Core::new(policy, NoTrace, Timing::Tick(TICK), &Sizes::FIXED);
        for priority in 0..3 {
            core.spawn(CPU, Attributes::THREAD, Priority(priority), Time::ZERO)
                .unwrap();
        }
        let lengths = lengths.to_vec();
        Sleepers {
            core,
            lengths,
            slept: 0,
        }
    }

    /// What is decided at `now`, after `event`; and all that run then sleep. Returns who did.
    fn settle(&mut self, now: Time) -> Vec<u16> {
        let mut ran = Vec::new();
        loop {
            let next = Entry::instant(CPU, now).end(&mut self.core, now);
            let Some(task) = next.run else { return ran };
            ran.push(task.0);
            let length = self.lengths[self.slept % self.lengths.len()];
            self.slept += 1;
            let until = now + Duration::from_nanos(length);
            assert!(self.core.sleep_until(CPU, until, now).unwrap().is_pending());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// What [`Core::quiet_tick`] serves, [`Core::timer`] would have served in the same way.
    #[test]
    fn a_quiet_tick_is_a_tick(lengths in proptest::collection::vec(1..95_u64, 1..12)) {
        let [mut quick, mut slow] = [Sleepers::new(&lengths), Sleepers::new(&lengths)];
        let mut quiet = 0;
        prop_assert_eq!(quick.settle(Time::ZERO), slow.settle(Time::ZERO));
        for tick in 1..200 {
            let now = Time::from_nanos(10 * tick);
            let next = quick.core.quiet_tick();
            let served = slow.core.timer(CPU, now);
            if let Some(next) = next {
                quiet += 1;
                prop_assert_eq!((served, next), (0, now + TICK));
            } else {
                prop_assert_eq!(quick.core.timer(CPU, now), served);
            }
            prop_assert_eq!(quick.settle(now), slow.settle(now));
            prop_assert_eq!(quick.core.ticks(), tick);
            prop_assert_eq!(quick.core.next_timer(CPU), slow.core.next_timer(CPU));
        }
        // Where all sleep for long most ticks are quiet.
        if lengths.iter().all(|&length| length > 50) {
            prop_assert!(quiet > 50, "{}", quiet);
        }
    }
}
