//! What was counted, for programs.

use flyball_board::Machine;
use flyball_json::instructions::{
    Cost, Costs, Held, HeldByCpu, Instructions, Lock, Lost, Numbers, OfCpu,
};
use flyball_measure::instructions::{Counted, InstructionCounts, Lengths, Quantity, Row, THINK};

fn numbers(lengths: Lengths) -> Numbers {
    Numbers {
        count: lengths.count,
        mean: lengths.mean(),
        most: lengths.mean().map(|_| lengths.most),
    }
}

/// What is printed.
pub(super) fn document(machine: Machine, found: &InstructionCounts) -> Instructions {
    let plan = &found.plan;
    #[expect(clippy::cast_precision_loss, reason = "some milliseconds")]
    let seconds = plan.until.as_nanos() as f64 / 1e9;
    Instructions {
        schema: flyball_json::SCHEMA,
        machine: machine.name().to_owned(),
        title: machine.title().to_owned(),
        nanoseconds_per_instruction: machine.instruction().as_nanos(),
        cpus: plan.cpus,
        seconds,
        seed: plan.seed,
        kernel: found.rows.iter().map(costs).collect(),
        locks: found.locks.iter().map(lock).collect(),
    }
}

fn costs(row: &Row) -> Costs {
    let counted = &row.counted;
    let cost = |quantity: Quantity, lengths: Lengths| Cost {
        quantity: quantity.name().to_owned(),
        numbers: numbers(lengths),
    };
    let quantities = Quantity::ALL.map(|quantity| cost(quantity, row.cost(quantity)));
    let harts = row.harts.iter().enumerate();
    let by_cpu = harts.map(|(cpu, (counted, tick))| {
        let of = |quantity| cost(quantity, row.cost_of(counted, *tick, quantity));
        OfCpu {
            cpu,
            quantities: Quantity::ALL.map(of).into(),
            releases: counted.served,
            passages_disturbed: counted.disturbed,
        }
    });
    Costs {
        policy: row.kind.name(),
        cluster: row.kind.cluster(row.cpus),
        threads: row.threads,
        quantities: quantities.into(),
        releases: counted.served,
        lock_taken: counted.taken,
        lock_contended: counted.contended,
        interrupts_rung: counted.rung,
        interrupts_spared: counted.spared,
        passages_disturbed: counted.disturbed,
        by_cpu: by_cpu.collect(),
    }
}

fn lock(row: &Row) -> Lock {
    let held = |counted: &Counted| {
        let paths = counted.paths().map(|(by, entries)| Held {
            by: by.to_owned(),
            numbers: numbers(entries.held),
        });
        paths.into()
    };
    let harts = row.harts.iter().enumerate();
    let by_cpu = harts.map(|(cpu, (counted, _))| HeldByCpu {
        cpu,
        held: held(counted),
    });
    let lost = THINK.map(|think| Lost {
        computing_ns: think.as_nanos(),
        share: row.contention(think).map(|found| found.lost),
    });
    Lock {
        policy: row.kind.name(),
        cluster: row.kind.cluster(row.cpus),
        cpus: row.cpus,
        threads: row.threads,
        held: held(&row.counted),
        lost: lost.into(),
        by_cpu: by_cpu.collect(),
    }
}
