//! The policy of the image, and what it is told.

use crate::machine::Cpus;
use crate::memory::Carved;
use flyball_capi::binding::Terms;
use flyball_catalogue::settings::Defaults;
use flyball_catalogue::{Configured, Facts, Scheduler, Size, Values};
use flyball_kernel::Error;
use flyball_policy::{Costs, Duration, Encode, Parameter, Refused};

include!(concat!(env!("OUT_DIR"), "/policy.rs"));

/// It, for as many threads as the program says.
pub(crate) type Policy = <Chosen as Scheduler>::Policy<Carved, Cpus>;

/// What a thread tells it.
pub(crate) type Params = <Chosen as Scheduler>::Params;

/// What a task can tell the policy beside facts: how long its time slices are.
struct Slice(Duration);

impl Values for Slice {
    fn optional_duration(&self, name: &str) -> Option<Duration> {
        (name == "quantum").then_some(self.0)
    }

    fn duration(&self, name: &str) -> Duration {
        DEFAULTS.duration(name)
    }

    fn integer(&self, name: &str) -> u32 {
        DEFAULTS.integer(name)
    }

    fn millionths(&self, name: &str) -> u32 {
        DEFAULTS.millionths(name)
    }

    fn switch(&self, name: &str) -> bool {
        DEFAULTS.switch(name)
    }

    fn text(&self, name: &str) -> &str {
        DEFAULTS.text(name)
    }

    fn costs(&self, name: &str) -> Option<Costs> {
        DEFAULTS.costs(name)
    }
}

const DEFAULTS: Defaults = Defaults(Chosen::TASK_SETTINGS);

/// The policy for so many threads and CPUs.
///
/// # Errors
/// Why there is none: it wants to know tasks that there are from the start.
pub(crate) fn policy(threads: usize, cpus: u8) -> Result<Policy, &'static str> {
    let scheduler = Chosen::new(&Defaults(Chosen::SETTINGS), &[])?;
    Ok(scheduler.policy::<Carved, Cpus>(Size::new(threads, cpus.into())))
}

/// What a thread tells the policy.
///
/// # Errors
/// What the policy has to know is missing.
pub(crate) fn params(terms: &Terms) -> Result<Params, Error> {
    let scheduler = Chosen::new(&Defaults(Chosen::SETTINGS), &[terms.facts]);
    let params = scheduler
        .ok()
        .and_then(|scheduler| scheduler.params(&terms.facts, &Slice(terms.slice)).ok());
    params.ok_or(Error::Refused(Refused::Invalid(Parameter::Other)))
}

/// Whether the policy reads what is not as it usually is. It reads what changes its answer.
pub(crate) fn knows(terms: &Terms) -> bool {
    let usual = Terms::LEAST.facts;
    let said = terms.facts;
    let reads = |change: fn(&mut Facts)| {
        let mut other = *terms;
        change(&mut other.facts);
        bytes(&other) != bytes(terms)
    };
    (said.priority == usual.priority
        || reads(|facts| facts.priority = facts.priority.map(|is| is ^ 1)))
        && (said.share == usual.share || reads(|facts| facts.share = None))
        && (said.importance == usual.importance || reads(|facts| facts.importance = Some(0)))
}

/// Whether a ceiling of a mutex is a deadline: under earliest deadlines, on one CPU or on all.
pub(crate) fn has_floors() -> bool {
    <Chosen as Scheduler>::NAME == "edf"
}

/// What the policy is told, as bytes; what does not fit is left out.
fn bytes(terms: &Terms) -> [u8; 64] {
    let mut bytes = [0; 64];
    let mut free = bytes.iter_mut();
    if let Ok(params) = params(terms) {
        params.emit(&mut |part| free.by_ref().zip(part).for_each(|(to, &from)| *to = from));
    }
    bytes
}
