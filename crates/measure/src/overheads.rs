//! Overheads that were measured on this processor: as the file that simulations read, and as
//! figures.

pub mod figures;

pub use flyball_overheads::{
    Error, Generator, Measurements, Plan, PlanError, Policy, Progress, Queue, counters, measure,
    measurements,
};
pub use flyball_overheads::{plan, stats};

use flyball_model::measured::{After, Delays, Entry, OverheadFile, Provenance, Statistic};
use flyball_model::{Cost, Overheads};
use flyball_overheads::measurements::{Act, Class, Interference, Quantity};
use flyball_overheads::stats::Summary;
use flyball_trace::Duration;

/// One of the numbers that are said of samples, in nanoseconds.
pub fn number(summary: &Summary, statistic: Statistic) -> f64 {
    match statistic {
        Statistic::Mean => summary.mean,
        Statistic::Median => summary.median,
        Statistic::P999 => summary.p999,
        Statistic::Worst => summary.worst,
    }
}

/// Whole nanoseconds, rounded up: a charge is never less than what was measured.
pub(crate) fn charge(nanoseconds: f64) -> Duration {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it saturates"
    )]
    Duration::from_nanos(nanoseconds.ceil() as u64)
}

/// What was found, as the file that simulations read. What a simulation charges is measured as
///
/// | charge | measured |
/// |---|---|
/// | `release` | [`Quantity::Release`] |
/// | `call` | [`Quantity::Call`] |
/// | `scheduling` | [`Quantity::Decision`]: what the call has spent is charged as such |
/// | `context_switch` | [`Quantity::ContextSwitch`] |
/// | `tick` | [`Quantity::Tick`] |
/// | `ipi`, of global policies | [`Act::Interrupt`], where it could be measured |
pub fn file(found: &Measurements) -> OverheadFile {
    let mut entries = Vec::new();
    for (policy, queue) in found.kinds() {
        for statistic in Statistic::ALL {
            let cost = |quantity| {
                let at = |&threads: &usize| {
                    let summary = found.cost(policy, queue, threads, quantity)?;
                    let threads = u32::try_from(threads).ok()?;
                    Some((threads, charge(number(summary, statistic))))
                };
                Cost::table(found.threads().iter().filter_map(at).collect())
            };
            entries.push(Entry {
                policy: policy.name().to_owned(),
                queue: queue.name().to_owned(),
                statistic,
                overheads: Overheads {
                    release: cost(Quantity::Release),
                    call: cost(Quantity::Call),
                    scheduling: cost(Quantity::Decision),
                    context_switch: cost(Quantity::ContextSwitch),
                    tick: cost(Quantity::Tick),
                    control: Cost::default(),
                    ipi: ipi(found, policy, statistic),
                    cache: Cost::default(),
                },
            });
        }
    }
    OverheadFile {
        provenance: provenance(found),
        entries,
        delays: delays(found),
    }
}

/// What it costs to interrupt another CPU: it hangs on no number of threads.
fn ipi(found: &Measurements, policy: Policy, statistic: Statistic) -> Cost {
    let summary = found.linux(Act::Interrupt, Class::Other);
    let summary = summary.filter(|_| policy.is_global());
    summary.map_or_else(Cost::default, |summary| {
        Cost::fixed(charge(number(summary, statistic)))
    })
}

fn provenance(found: &Measurements) -> Provenance {
    let processor = &found.processor;
    let place = if processor.is_virtual {
        ", in a virtual machine"
    } else {
        ""
    };
    let build = if found.is_optimised {
        ""
    } else {
        "; compiled without optimisation"
    };
    Provenance {
        processor: format!("{}{place}", processor.name),
        system: processor.system.clone(),
        method: format!(
            "the kernel core in a process, timed by the time-stamp counter; threads are coroutines{build}"
        ),
        cpus: found.cpus,
        repetitions: found.repetitions as u64,
    }
}

fn delays(found: &Measurements) -> Vec<Delays> {
    let mut all = Vec::new();
    for (interference, after) in [
        (Interference::Preemption, After::Preemption),
        (Interference::Migration, After::Migration),
    ] {
        let delays = found.cache.iter();
        let delays: Vec<_> = delays
            .filter(|delay| delay.interference == interference)
            .filter_map(|delay| {
                let bytes = u32::try_from(delay.bytes).ok()?;
                Some((bytes, delay.result.as_ref().ok()?))
            })
            .collect();
        if delays.is_empty() {
            continue;
        }
        all.extend(Statistic::ALL.map(|statistic| {
            Delays {
                after,
                statistic,
                by_working_set: Cost::table(
                    delays
                        .iter()
                        .map(|(bytes, delayed)| (*bytes, charge(number(&delayed.delay, statistic))))
                        .collect(),
                ),
            }
        }));
    }
    all
}
