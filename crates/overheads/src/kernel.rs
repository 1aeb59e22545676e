//! What the kernel's work costs, for each policy with each queue and for each number of threads.
//!
//! The kernel core is driven from here, as a machine drives it, on one CPU of the processor. A
//! global policy has several CPUs, whose turns this one thread takes: what is timed is what the
//! kernel computes, and neither a lock nor the way from one CPU's caches to another's is in it. A
//! partitioned policy is measured on one of its CPUs, with that CPU's part of the threads. Tables
//! have [`MOST_THREADS`](crate::plan::MOST_THREADS) rows however many threads there are, so that it
//! is the same program for all numbers. It traces nothing and counts no CPU time, and all calls are
//! checked.
//!
//! Whatever it does it does again and again, with nothing in between that would need the caches.
//! What comes out is the least that a processor needs for it; [`cache`](crate::cache) measures the
//! rest.

mod clockwork;
mod coroutines;
mod hold;
mod host;
pub(crate) mod kinds;

use crate::clock::Clock;
use crate::measurements::{Cost, Quantity};
use crate::plan::Plan;
use crate::stats::{Samples, Summary};
use crate::{Error, Pace};
use core::marker::PhantomData;
use flyball_kernel::{Config, InMemory};
use flyball_policy::{Duration, Inline, Nothing};
use flyball_trace::{NoTrace, Time};

/// A policy with its queue, as it is measured.
pub(crate) trait Kind {
    /// The policy.
    type Policy: flyball_policy::Policy;

    /// The policy without tasks.
    ///
    /// # Errors
    /// [`Error::Settings`] if its settings do not go together at their defaults.
    fn policy(cpus: u8) -> Result<Self::Policy, Error>;

    /// What a task of this period tells it.
    ///
    /// # Errors
    /// [`Error::Missing`] if the policy has to know more.
    fn params(period: Duration) -> Result<Params<Self>, Error>;

    /// What threads tell it that are equals, and take turns when they yield.
    ///
    /// # Errors
    /// [`Error::Missing`] if the policy has to know more.
    fn equals() -> Result<Params<Self>, Error>;
}

/// What a task tells the policy of a kind.
type Params<K> = <<K as Kind>::Policy as flyball_policy::Policy>::Params;

/// The kernel that is measured.
pub(crate) struct Measured<K, const CPUS: usize>(PhantomData<K>);

impl<K: Kind, const CPUS: usize> Config for Measured<K, CPUS> {
    type Policy = K::Policy;
    type Trace = NoTrace;
    type Message = ();
    type Stamp = Time;
    type Cpus = Inline<CPUS>;
    type Threads = Inline<1024>;
    type Objects = InMemory;
    type Owned = Nothing;
    type Ceilings = Nothing;
    type Queues = Nothing;
    type Messages = Nothing;
    type Jobs = Inline<1024>;
    type Arrivals = Inline<1024>;
    type Accounts = Nothing;
    type Counts = Nothing;
    type Budgets = Nothing;
    const ACCOUNTING: bool = false;
}

/// What is measured of one policy with one queue and one number of threads.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    /// How many threads the queue has.
    threads: usize,
    /// How many CPUs the policy has.
    cpus: u8,
    repetitions: usize,
    clock: &'a Clock,
}

/// What came out: everything but the switch, which knows no policy.
type Results = Vec<(Quantity, Summary)>;

/// Into how many parts the measurement falls.
pub(crate) fn parts(plan: &Plan) -> usize {
    let kinds = plan
        .policies
        .iter()
        .map(|&policy| plan.queues_of(policy).count());
    (kinds.sum::<usize>() + 1) * plan.threads.len()
}

/// Measures all of it.
pub(crate) fn measure(
    plan: &Plan,
    clock: &Clock,
    pace: &mut Pace<'_, '_>,
) -> Result<Vec<Cost>, Error> {
    let mut switches = Vec::with_capacity(plan.threads.len());
    for &threads in &plan.threads {
        pace.next("context switch")?;
        switches.push(coroutines::switch(threads, plan.repetitions, clock));
    }
    let mut costs = Vec::new();
    for &policy in &plan.policies {
        for queue in plan.queues_of(policy) {
            for (&threads, &switch) in plan.threads.iter().zip(&switches) {
                pace.next(policy.name())?;
                let task = Task {
                    threads: plan.share(policy, threads),
                    cpus: if policy.is_global() { plan.cpus } else { 1 },
                    repetitions: plan.repetitions,
                    clock,
                };
                let mut results = vec![(Quantity::ContextSwitch, switch)];
                results.extend(kinds::measure(policy, queue, task)?);
                results.sort_by_key(|&(quantity, _)| quantity);
                costs.extend(results.into_iter().map(|(quantity, summary)| Cost {
                    policy,
                    queue,
                    threads,
                    quantity,
                    summary,
                }));
            }
        }
    }
    Ok(costs)
}

/// Measures all that there is to measure of one kind. The kernel's core is made with tables for
/// several CPUs only where there are several.
fn all<K: Kind + 'static, One: Kind + 'static, const CPUS: usize>(
    task: Task<'_>,
) -> Result<Results, Error> {
    let mut results = hold::measure::<K, CPUS>(task)?;
    results.extend(clockwork::measure::<K, CPUS>(task)?);
    results.extend(host::measure::<One>(task)?);
    Ok(results)
}

/// Random numbers that are the same every time: `xorshift64*` (Vigna, 2016), which costs nothing to
/// speak of between two stamps.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new() -> Random {
        Random(0x9e37_79b9_7f4a_7c15)
    }

    /// A number below `bound`, which is not zero.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) % bound
    }

    /// A short period, as Gracioli et al. have them (section 5.1): from 3 ms to 33 ms.
    pub(crate) fn period(&mut self) -> Duration {
        Duration::from_micros(3_000 + self.below(30_001))
    }
}

/// Several quantities that are sampled together.
pub(crate) struct Sampled<const N: usize>([(Quantity, Samples); N]);

impl<const N: usize> Sampled<N> {
    pub(crate) fn new(quantities: [Quantity; N], room: usize) -> Sampled<N> {
        Sampled(quantities.map(|quantity| (quantity, Samples::with_capacity(room))))
    }

    /// One more sample of each.
    #[inline]
    pub(crate) fn push(&mut self, nanoseconds: [f64; N]) {
        for ((_, samples), nanoseconds) in self.0.iter_mut().zip(nanoseconds) {
            samples.push(nanoseconds);
        }
    }

    pub(crate) fn results(self) -> Results {
        let results = self.0.into_iter();
        results
            .map(|(quantity, samples)| (quantity, samples.summary()))
            .collect()
    }
}
