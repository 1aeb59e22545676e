//! my-policy, a scheduling policy: the shortest job first. It is an *order* of tasks; Flyball brings
//! the queue, and all else that a policy has to know.
#![no_std]

use flyball_catalogue::{Configured, Facts, Missing, Rule, Values};
use flyball_policy::{Duration, Heap, Order, Ranked, Storage, Time};

/// What makes one task more urgent than another.
pub struct ShortestFirst;

/// What a task tells the order: how long its jobs compute at most. It travels to a machine as bytes,
/// as numbers, times and tuples can; a type of your own needs `flyball_policy::Encode`.
pub type Length = Duration;

impl Order for ShortestFirst {
    type Params = Length;
    /// The smallest key runs. The running task goes on until another one has a smaller key.
    type Key = Duration;
    /// No time slices.
    type Slice = ();

    /// The key of a job that is released at this instant. EDF, for example, has `release` plus the
    /// relative deadline here.
    fn key(&self, length: &Length, _release: Time) -> Duration {
        *length
    }
}

/// How the policy is made from a task set.
pub struct MyPolicy;

/// It has no settings. `docs/your-own-policy.md` of Flyball's sources says how to declare some.
impl Configured for MyPolicy {
    fn new(_: &dyn Values, _: &[Facts]) -> Result<MyPolicy, &'static str> {
        Ok(MyPolicy)
    }
    fn parse(_: &mut &[u8]) -> Option<MyPolicy> {
        Some(MyPolicy)
    }
}

impl Rule for MyPolicy {
    /// Its name on the command line, as in `--policy sjf`.
    const NAME: &'static str = "sjf";
    const TITLE: &'static str = "Shortest job first";
    const ABOUT: &'static str = "the shortest worst-case execution time first";
    type Params = Length;
    type Order = ShortestFirst;
    type Queue<S: Storage> = Heap<Duration, S>;
    /// The policy of one CPU. Keys that never change would be faster on a bitmap, with
    /// `S::Static<Self::Order>`.
    type Policy<S: Storage> = Ranked<Self::Order, Self::Queue<S>>;

    fn order(&self) -> ShortestFirst {
        ShortestFirst
    }

    /// What the order gets to know of a task. A `Facts` has period, deadline, priority and more.
    fn params(&self, task: &Facts, _: &dyn Values) -> Result<Length, Missing> {
        Ok(task.wcet)
    }
}
