//! Proportion-period reservations that set themselves, on all CPUs of a cluster.

use super::{Pp, TURN};
use crate::facts::{Facts, Missing};
use crate::profile::Profile;
use crate::scheduler::{Scheduler, Shape, Size, Unserved};
use crate::settings::{Configured, Setting, Values};
use flyball_policy::proportion_period::{GlobalProportionPeriod, Order, Request};
use flyball_policy::{Fifo, Heap, Nothing, RoundRobin, Storage, Time};

/// Proportion-period reservations that set themselves, on all CPUs, by the ends of their periods.
#[derive(Clone, Copy, Debug)]
pub struct GlobalPp(
    /// As on one CPU.
    pub Pp,
);

impl Configured for GlobalPp {
    /// All but the first one, `dispatch`: a reservation that is served by the length of its period keeps its budget up to the
    /// end of it, as a deferrable server does, and no test for these is known on several CPUs.
    const SETTINGS: &'static [Setting] = match Pp::SETTINGS.split_first() {
        Some((_, settings)) => settings,
        None => &[],
    };

    fn new(values: &dyn Values, _: &[Facts]) -> Result<GlobalPp, &'static str> {
        Pp::ordered(values, Order::Deadline).map(GlobalPp)
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.0.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<GlobalPp> {
        Pp::parse(bytes).map(GlobalPp)
    }
}

impl Scheduler for GlobalPp {
    const NAME: &'static str = "g-pp";
    const SHAPE: Shape = Shape::Several;
    const PROFILE: Profile = Profile {
        decision: "O(log m) on m CPUs where a CPU gets another task, else O(1); the controllers are O(n) of n \
                   tasks and their queues, once in an interval",
        ..Profile::ranked::<Heap<Time, Nothing>, Time>(Pp::PROFILE.source)
    };
    type Params = Request;
    type Policy<S: Storage, C: Storage> = GlobalProportionPeriod<RoundRobin<Fifo>, S, C>;

    fn cluster(&self) -> usize {
        usize::MAX
    }

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        GlobalProportionPeriod::new(self.0.settings, TURN, size.tasks, size.cpus)
    }

    fn unserved(&self, tasks: &[Facts], cpus: usize) -> Option<(usize, Unserved)> {
        self.0.unserved(tasks, cpus)
    }

    fn params(&self, task: &Facts, values: &dyn Values) -> Result<Request, Missing> {
        self.0.params(task, values)
    }
}

#[test]
fn all_settings_but_the_dispatch_are_those_of_one_cpu() {
    assert_eq!(Pp::SETTINGS[0].name, "dispatch");
    assert_eq!(GlobalPp::SETTINGS, &Pp::SETTINGS[1..]);
}
