//! What was counted, for programs: a versioned contract.

use flyball_board::Machine;
use flyball_measure::instructions::{Counted, Found, Lengths, Quantity, Row, THINK};
use serde::Serialize;

/// Everything, in instructions.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    schema: u32,
    machine: &'a str,
    title: &'a str,
    nanoseconds_per_instruction: u64,
    cpus: u8,
    seconds: f64,
    seed: u64,
    kernel: Vec<Costs>,
    locks: Vec<Lock>,
}

/// One policy with one number of threads.
#[derive(Serialize)]
struct Costs {
    policy: String,
    /// How many CPUs share their tasks.
    cluster: u8,
    threads: usize,
    quantities: Vec<Cost>,
    releases: u64,
    lock_taken: u64,
    lock_contended: u64,
    interrupts_rung: u64,
    interrupts_spared: u64,
    passages_disturbed: u64,
    by_cpu: Vec<OfCpu>,
}

/// What one CPU counted; the lock and the interrupts belong to the CPUs that share them.
#[derive(Serialize)]
struct OfCpu {
    cpu: usize,
    quantities: Vec<Cost>,
    releases: u64,
    passages_disturbed: u64,
}

#[derive(Serialize)]
struct Cost {
    quantity: &'static str,
    #[serde(flatten)]
    numbers: Numbers,
}

/// What holds a lock, and what that means.
#[derive(Serialize)]
struct Lock {
    policy: String,
    cluster: u8,
    cpus: u8,
    threads: usize,
    held: Vec<Held>,
    lost: Vec<Lost>,
    by_cpu: Vec<HeldByCpu>,
}

#[derive(Serialize)]
struct HeldByCpu {
    cpu: usize,
    held: Vec<Held>,
}

#[derive(Serialize)]
struct Held {
    by: &'static str,
    #[serde(flatten)]
    numbers: Numbers,
}

#[derive(Serialize)]
struct Lost {
    computing_ns: u64,
    share: Option<f64>,
}

#[derive(Serialize)]
struct Numbers {
    count: u64,
    mean: Option<f64>,
    most: Option<u64>,
}

impl From<Lengths> for Numbers {
    fn from(lengths: Lengths) -> Numbers {
        Numbers {
            count: lengths.count,
            mean: lengths.mean(),
            most: lengths.mean().map(|_| lengths.most),
        }
    }
}

impl<'a> Document<'a> {
    pub(super) fn new(machine: Machine, found: &'a Found) -> Document<'a> {
        let plan = &found.plan;
        #[expect(clippy::cast_precision_loss, reason = "some milliseconds")]
        let seconds = plan.until.as_nanos() as f64 / 1e9;
        Document {
            schema: 1,
            machine: machine.name(),
            title: machine.title(),
            nanoseconds_per_instruction: machine.instruction().as_nanos(),
            cpus: plan.cpus,
            seconds,
            seed: plan.seed,
            kernel: found.rows.iter().map(costs).collect(),
            locks: found.locks.iter().map(lock).collect(),
        }
    }
}

fn costs(row: &Row) -> Costs {
    let counted = &row.counted;
    let cost = |quantity: Quantity, lengths: Lengths| Cost {
        quantity: quantity.name(),
        numbers: lengths.into(),
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
            by,
            numbers: entries.held.into(),
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
