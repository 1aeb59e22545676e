//! Servers on all CPUs: each has one task, and executes it on whatever CPU there is.

use super::rules::Linux;
use super::{OwnServers, ServerRule, in_turn, seat, shared};
use crate::facts::{Facts, Missing};
use crate::profile::Profile;
use crate::scheduler::{Scheduler, Shape, Size, Unserved};
use crate::settings::{Configured, Setting, Values};
use flyball_policy::order::Level;
use flyball_policy::servers::{ConstantBandwidth, GlobalServers, Seat};
use flyball_policy::{FixedPriority, Heap, Nothing, Priority, RoundRobin, Storage, Time};

/// Constant bandwidth servers on all CPUs.
pub type GlobalCbs = Everywhere<ConstantBandwidth>;
/// Linux's `SCHED_DEADLINE` on all CPUs.
pub type GlobalSchedDeadline = Everywhere<Linux>;

/// A rule that sees one server at a time.
pub trait GlobalRule: ServerRule {
    /// Its name where all CPUs share the servers.
    const NAME: &'static str;
    /// Where that was published.
    const SOURCE: &'static str;
}

impl GlobalRule for ConstantBandwidth {
    const NAME: &'static str = "g-cbs";
    const SOURCE: &'static str = "Baruah, Goossens and Lipari, \"Implementing constant-bandwidth \
                                  servers upon multiprocessor platforms\", RTAS 2002";
}

impl GlobalRule for Linux {
    const NAME: &'static str = "g-sched-deadline";
    const SOURCE: &'static str = <Linux as ServerRule>::SOURCE;
}

/// A server for each task by this rule, all of them on all CPUs.
#[derive(Clone, Copy, Debug)]
pub struct Everywhere<R>(
    /// The servers, as on one CPU.
    pub OwnServers<R>,
);

impl<R: GlobalRule> Configured for Everywhere<R> {
    const SETTINGS: &'static [Setting] = R::SETTINGS;

    fn new(values: &dyn Values, tasks: &[Facts]) -> Result<Everywhere<R>, &'static str> {
        OwnServers::new(values, tasks).map(Everywhere)
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.0.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Everywhere<R>> {
        OwnServers::parse(bytes).map(Everywhere)
    }
}

impl<R: GlobalRule> Scheduler for Everywhere<R> {
    const NAME: &'static str = <R as GlobalRule>::NAME;
    const SHAPE: Shape = Shape::Several;
    const PROFILE: Profile = Profile {
        decision: "O(log m) on m CPUs where a CPU gets another task; else O(1)",
        ..Profile::ranked::<Heap<(Time, Level), Nothing>, (Time, Level)>(<R as GlobalRule>::SOURCE)
    };
    type Params = Seat<Priority>;
    type Policy<S: Storage, C: Storage> = GlobalServers<R::Rule, RoundRobin<FixedPriority>, S, C>;

    fn cluster(&self) -> usize {
        usize::MAX
    }

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        let OwnServers { rule, quantum, .. } = self.0;
        let order = in_turn(quantum);
        let admission = rule.admission(size.cpus);
        GlobalServers::new(rule.rule(), order, admission, size.tasks, size.cpus)
    }

    fn params(&self, task: &Facts, _: &dyn Values) -> Result<Seat<Priority>, Missing> {
        seat(task, self.0.allowance, R::MODES)
    }

    fn unserved(&self, tasks: &[Facts], cpus: usize) -> Option<(usize, Unserved)> {
        shared(tasks).or_else(|| self.0.unserved(tasks, cpus))
    }
}
