//! What was counted, as the file that simulations read.

use super::{InstructionCounts, KernelEntries, Quantity, Row};
use crate::overheads::charge;
use flyball_model::measured::{Entry, OverheadFile, Provenance, Statistic};
use flyball_model::{Cost, Overheads};

/// What was found, as the file that simulations read; `machine` is what ran it, an instruction a
/// nanosecond. What a simulation charges is
///
/// | charge | counted |
/// |---|---|
/// | `release` | the timer's work for one job |
/// | `call` | of a call all but decision and switch |
/// | `scheduling` | the decision |
/// | `context_switch` | the switch |
/// | `tick` | the whole of the timer's entry that has nothing to do |
/// | `ipi` | of an interrupted CPU's entry all but decision and switch |
///
/// There are means, and the worst: sums of the longest parts, which no entry need have had all at
/// once.
pub fn file(found: &InstructionCounts, machine: &str) -> OverheadFile {
    let mut entries = Vec::new();
    for kind in found.plan.kinds() {
        for statistic in [Statistic::Mean, Statistic::Worst] {
            let cost = |of: &dyn Fn(&Row) -> Option<f64>| {
                let rows = found.of(kind);
                let points = rows
                    .filter_map(|row| Some((u32::try_from(row.threads).ok()?, charge(of(row)?))));
                Cost::table(points.collect())
            };
            let number = |lengths: super::Lengths| match statistic {
                Statistic::Worst => lengths.mean().map(|_| precise(lengths.most)),
                _ => lengths.mean(),
            };
            let plain = |quantity| cost(&|row| number(row.cost(quantity)));
            let around = |entries: fn(&Row) -> &KernelEntries| {
                cost(&move |row| {
                    let entries = entries(row);
                    let work = number(entries.work)?;
                    // What was never counted costs nothing.
                    let rest = [entries.lock, entries.tell].map(number);
                    Some(work + rest.into_iter().flatten().sum::<f64>())
                })
            };
            let ipi = if kind.policy.is_global() {
                around(|row| &row.counted.interrupts)
            } else {
                Cost::default()
            };
            entries.push(Entry {
                policy: kind.name(),
                queue: kind.policy.queues()[0].name().to_owned(),
                statistic,
                overheads: Overheads {
                    release: plain(Quantity::Release),
                    call: around(|row| &row.counted.calls),
                    scheduling: plain(Quantity::Decision),
                    context_switch: plain(Quantity::Switch),
                    tick: plain(Quantity::Tick),
                    ipi,
                    ..Overheads::default()
                },
            });
        }
    }
    let releases = found.rows.iter().map(|row| row.counted.served);
    OverheadFile {
        provenance: Provenance {
            processor: machine.to_owned(),
            system: String::new(),
            method: "kernel entries on an emulated machine, counted in instructions; an \
                     instruction is a nanosecond"
                .into(),
            cpus: found.plan.cpus,
            // The shortest run has several; the format has no room for none.
            repetitions: releases.min().unwrap_or(0).max(1),
        },
        entries,
        delays: Vec::new(),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "instructions of some seconds are below 2⁵³"
)]
fn precise(instructions: u64) -> f64 {
    instructions as f64
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::super::counts::tests::row;
    use super::*;
    use crate::overheads::Policy;
    use flyball_trace::Duration;

    #[test]
    fn what_was_counted_is_charged() {
        let policies = vec![Policy::GLOBAL_EDF, Policy::PARTITIONED_EDF];
        let found = InstructionCounts {
            rows: policies.iter().map(|&policy| row(policy, 4, 5)).collect(),
            locks: Vec::new(),
            plan: Plan {
                policies,
                cluster: None,
                ..Plan::default()
            },
        };
        let file = file(&found, "a machine");
        let again = OverheadFile::read(&file.to_toml(), "o.toml").unwrap();
        assert_eq!(again, file);
        assert_eq!(file.policies(), ["g-edf", "p-edf"]);
        let at = |cost: &Cost| cost.at(5);
        let ns = Duration::from_nanos;
        let mean = file.overheads("g-edf", Statistic::Mean).unwrap();
        assert_eq!(
            (at(&mean.release), at(&mean.call)),
            (ns(205), ns(100 + 110 + 130))
        );
        assert_eq!(
            (at(&mean.ipi), at(&mean.tick)),
            (ns(300 + 310 + 330), ns(70))
        );
        let worst = file.overheads("edf", Statistic::Worst).unwrap();
        assert_eq!(at(&worst.call), ns(101 + 111 + 131));
        assert_eq!(
            (at(&worst.context_switch), at(&worst.scheduling)),
            (ns(341), ns(321))
        );
        // A CPU that shares nothing is never interrupted.
        assert!(worst.ipi.is_free());
        assert_eq!(file.overheads("edf", Statistic::P999), None);
    }
}
