//! Tasks that are described once, for any policy of the catalogue or one like these.

use crate::thread::{Stack, Thread};
use flyball_catalogue::settings::Defaults;
use flyball_catalogue::{Facts, Missing, Scheduler, Size};
use flyball_kernel::Error;
use flyball_policy::Inline;
use flyball_trace::Time;

/// The policy of a scheduler of the catalogue, or of one's own, for up to `N` threads on one CPU.
pub type PolicyOf<S, const N: usize> = <S as Scheduler>::Policy<Inline<N>, Inline<1>>;

/// Makes the policy of the scheduler `S`, whose settings are at their defaults, for `tasks`.
///
/// # Panics
/// If the scheduler does not take its own defaults for these tasks. The message says why.
pub fn policy_of<S: Scheduler, const N: usize, const T: usize, const WORDS: usize>(
    tasks: &[Task<WORDS>; T],
) -> PolicyOf<S, N> {
    let facts = tasks.each_ref().map(|task| task.facts);
    match S::new(&Defaults(S::SETTINGS), &facts) {
        Ok(scheduler) => scheduler.policy(Size::new(N, 1)),
        Err(why) => panic!("policy {}: {why}", S::NAME),
    }
}

/// A periodic or sporadic task: its name, what a policy may know of it, a stack and a body.
///
/// An application makes a thread of each in its `init`:
///
/// ```
/// use flyball_app::catalogue::{Edf, Facts};
/// use flyball_app::{Duration, PolicyOf, Task, policy_of, prelude::*};
/// # macro_rules! made { () => { fn main() {} } }
///
/// const TEN: Duration = Duration::from_millis(10);
/// static TASKS: [Task<512>; 1] = [Task::new("blink", Facts::periodic(TEN, TEN), || exit())];
///
/// flyball_app::kernel! {
///     machine: flyball_machine_host,
///     policy: PolicyOf<Edf, 8> = policy_of::<Edf, 8, _, _>(&TASKS),
///     init: init,
/// }
///
/// fn init() -> Result<(), Error> {
///     for task in &TASKS {
///         spawn(&task.stack, task.thread(), task.params::<Edf>()?, task.body)?;
///     }
///     Ok(())
/// }
/// ```
pub struct Task<const WORDS: usize> {
    /// Its name, for people and traces.
    pub name: &'static str,
    /// Its period, deadline, worst-case execution time and so on.
    pub facts: Facts,
    /// The stack of its thread.
    pub stack: Stack<WORDS>,
    /// What its thread does, from its first job on.
    pub body: fn(),
}

impl<const WORDS: usize> Task<WORDS> {
    /// A task that has no thread yet.
    pub const fn new(name: &'static str, facts: Facts, body: fn()) -> Task<WORDS> {
        Task {
            name,
            facts,
            stack: Stack::new(),
            body,
        }
    }

    /// When a phase of zero is over: 1 ms after the machine has started. By then `init` has made the
    /// threads of all tasks, so tasks with the same phase are released at the same instant.
    pub const START: Time = Time::from_millis(1);

    /// When the jobs of its thread are released, and by when they have to be complete.
    pub fn thread(&self) -> Thread {
        use flyball_catalogue::Arrival;
        let thread = match (self.facts.arrival, self.facts.period) {
            (Arrival::Periodic, Some(period)) => Thread::periodic(period),
            (Arrival::Sporadic, Some(period)) => Thread::sporadic(period),
            (Arrival::Once, _) | (_, None) => Thread::once(),
        };
        let thread = match self.facts.deadline {
            Some(deadline) => thread.deadline(deadline),
            None => thread.without_deadline(),
        };
        thread.start(Self::START + self.facts.phase)
    }

    /// What its thread tells the policy of the scheduler `S`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the facts lack what the policy has to know. A line of text says which
    /// task lacks what.
    pub fn params<S: Scheduler>(&self) -> Result<S::Params, Error> {
        let params = self.facts_for::<S>();
        params.map_err(|missing| {
            crate::println!(
                "task \"{}\" {missing}, which policy {} needs",
                self.name,
                S::NAME
            );
            Error::Invalid
        })
    }

    fn facts_for<S: Scheduler>(&self) -> Result<S::Params, Missing> {
        S::new(&Defaults(S::SETTINGS), &[self.facts])
            .map_err(Missing::Other)?
            .params(&self.facts, &Defaults(S::TASK_SETTINGS))
    }
}
