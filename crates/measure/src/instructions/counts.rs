//! What was counted.

use super::{Kind, Plan, THINK};
use crate::contention::{Contention, Demand};
use flyball_trace::Duration;

/// So many lengths, in instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lengths {
    /// How many.
    pub count: u64,
    /// All together.
    pub sum: u64,
    /// The longest.
    pub most: u64,
}

impl Lengths {
    /// The mean; `None` if there are none.
    #[expect(
        clippy::cast_precision_loss,
        reason = "instructions of some seconds are below 2⁵³"
    )]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Lengths) -> Lengths {
        Lengths {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            most: self.most.max(other.most),
        }
    }
}

/// What entries took that were begun by the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KernelEntries {
    /// To take the lock; where there is none, to find that out.
    pub lock: Lengths,
    /// To do what was asked.
    pub work: Lengths,
    /// To decide which thread runs.
    pub decide: Lengths,
    /// To set timers and tell other CPUs.
    pub tell: Lengths,
    /// To change to another thread.
    pub switch: Lengths,
    /// All but the first, in one entry: with the lock held, if there is one.
    pub held: Lengths,
}

/// What one run counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counted {
    /// Entries that a thread began: a job's end.
    pub calls: KernelEntries,
    /// Those that the timer began.
    pub timers: KernelEntries,
    /// Those that another CPU began.
    pub interrupts: KernelEntries,
    /// The timer's work where it released one job.
    pub one: Lengths,
    /// The timer's entry where it had nothing to do.
    pub nothing: Lengths,
    /// Jobs that the timer released.
    pub served: u64,
    /// How often a lock between CPUs was taken.
    pub taken: u64,
    /// How often it was not free.
    pub contended: u64,
    /// Interrupts of other CPUs.
    pub rung: u64,
    /// Those that were not needed, as the other was in the kernel anyway.
    pub spared: u64,
    /// Entries of which something was not counted, as another CPU's fell into them.
    pub disturbed: u64,
}

/// What one run counted, on all CPUs together and on each.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ByHart {
    /// All together.
    pub all: Counted,
    /// CPU by CPU. What belongs to a cluster is zero here: how often the lock was taken, and was
    /// not free, and the interrupts of other CPUs.
    pub harts: Vec<Counted>,
}

/// What is charged, or shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantity {
    /// The change from one thread to another.
    Switch,
    /// The decision which thread runs.
    Decision,
    /// The release of one job by the timer.
    Release,
    /// The end of a job.
    Call,
    /// The entry of a CPU that another one interrupted.
    Interrupt,
    /// A tick at which nothing happens.
    Tick,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Quantity; 6] = [
        Quantity::Switch,
        Quantity::Decision,
        Quantity::Release,
        Quantity::Call,
        Quantity::Interrupt,
        Quantity::Tick,
    ];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Quantity::Switch => "context_switch",
            Quantity::Decision => "decision",
            Quantity::Release => "release",
            Quantity::Call => "call",
            Quantity::Interrupt => "ipi",
            Quantity::Tick => "tick",
        }
    }

    /// What it is.
    pub const fn title(self) -> &'static str {
        match self {
            Quantity::Switch => "Context switch",
            Quantity::Decision => "Scheduling decision",
            Quantity::Release => "Release of a job by the timer",
            Quantity::Call => "End of a job",
            Quantity::Interrupt => "Entry of a CPU that another one interrupted",
            Quantity::Tick => "Tick at which nothing happens",
        }
    }
}

impl Counted {
    /// What begins entries, and what these took.
    pub fn paths(&self) -> [(&'static str, &KernelEntries); 3] {
        [
            ("call", &self.calls),
            ("timer", &self.timers),
            ("interrupt", &self.interrupts),
        ]
    }

    /// The same part of all entries.
    pub fn all(&self, part: fn(&KernelEntries) -> Lengths) -> Lengths {
        let parts = self.paths().map(|(_, entries)| part(entries));
        parts.into_iter().fold(Lengths::default(), Lengths::and)
    }
}

/// What one policy took with one number of threads and of CPUs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The policy.
    pub kind: Kind,
    /// CPUs.
    pub cpus: u8,
    /// Threads.
    pub threads: usize,
    /// What was counted.
    pub counted: Counted,
    /// Ticks without anything to do, of a run by itself; none where there was no such run.
    pub tick: Lengths,
    /// The same two on each CPU.
    pub harts: Vec<(Counted, Lengths)>,
}

impl Row {
    /// What a quantity took, on all CPUs together.
    pub fn cost(&self, quantity: Quantity) -> Lengths {
        self.cost_of(&self.counted, self.tick, quantity)
    }

    /// What it took by one CPU's counts, or by all.
    pub fn cost_of(&self, counted: &Counted, tick: Lengths, quantity: Quantity) -> Lengths {
        match quantity {
            Quantity::Switch => counted.all(|entries| entries.switch),
            Quantity::Decision => counted.all(|entries| entries.decide),
            Quantity::Release => counted.one,
            Quantity::Call => counted.calls.work,
            // Each CPU of a cluster of its own begins with one that no CPU sent.
            Quantity::Interrupt if self.kind.cluster(self.cpus) == 1 => Lengths::default(),
            Quantity::Interrupt => counted.interrupts.held,
            Quantity::Tick => tick,
        }
    }

    /// The part of all CPUs' time that is spent waiting for the lock, if each computes for `think`
    /// between two entries, an instruction a nanosecond. Nothing where no two CPUs share a lock,
    /// or nothing was counted.
    pub fn contention(&self, think: Duration) -> Option<Contention> {
        let cluster = self.kind.cluster(self.cpus);
        let service = self.counted.all(|entries| entries.held).mean()?;
        #[expect(clippy::cast_precision_loss, reason = "some milliseconds")]
        let think = think.as_nanos() as f64;
        (cluster > 1).then(|| Demand { think, service }.shared_by(cluster))
    }
}

/// Everything that was counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InstructionCounts {
    /// What was run.
    pub plan: Plan,
    /// With the CPUs of the plan, by policy and threads.
    pub rows: Vec<Row>,
    /// With other numbers of CPUs: what holds a lock, by policy and CPUs.
    pub locks: Vec<Row>,
}

impl InstructionCounts {
    /// The rows of one policy, in the order of the plan's threads.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.kind == kind)
    }

    /// The part of the time lost in waiting, by number of CPUs, for each of [`THINK`].
    pub fn waits(&self, kind: Kind) -> impl Iterator<Item = (u8, [f64; THINK.len()])> {
        let locks = self.locks.iter().filter(move |row| row.kind == kind);
        locks.filter_map(|row| {
            let lost = THINK.map(|think| row.contention(think).map(|found| found.lost));
            let [short, middle, long] = lost;
            Some((row.cpus, [short?, middle?, long?]))
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::overheads::Policy;

    pub(crate) fn lengths(count: u64, each: u64) -> Lengths {
        Lengths {
            count,
            sum: count * each,
            most: each + 1,
        }
    }

    /// A row with another number at each place.
    pub(crate) fn row(policy: Policy, cpus: u8, threads: usize) -> Row {
        let entries = |each| KernelEntries {
            lock: lengths(2, each),
            work: lengths(2, each + 10),
            decide: lengths(2, each + 20),
            tell: lengths(2, each + 30),
            switch: lengths(2, each + 40),
            held: lengths(2, 4 * each + 100),
        };
        Row {
            kind: Kind {
                policy,
                cluster: None,
            },
            cpus,
            threads,
            counted: Counted {
                calls: entries(100),
                timers: entries(200),
                interrupts: entries(300),
                one: lengths(1, 205),
                served: 1,
                ..Counted::default()
            },
            tick: lengths(3, 70),
            harts: Vec::new(),
        }
    }

    #[test]
    fn each_cpu_has_its_own() {
        let mut global = row(Policy::GLOBAL_EDF, 2, 5);
        let mut first = global.counted;
        first.calls.work = lengths(7, 31);
        global.harts = vec![
            (first, lengths(1, 60)),
            (Counted::default(), lengths(2, 75)),
        ];
        let on = |row: &Row, quantity| {
            let harts = row.harts.iter();
            harts
                .map(|(counted, tick)| row.cost_of(counted, *tick, quantity))
                .collect::<Vec<_>>()
        };
        let none = Lengths::default();
        assert_eq!(on(&global, Quantity::Call), [lengths(7, 31), none]);
        assert_eq!(
            on(&global, Quantity::Tick),
            [lengths(1, 60), lengths(2, 75)]
        );
        assert_eq!(on(&global, Quantity::Interrupt), [lengths(2, 1300), none]);
        // Where no CPUs share a kernel, none interrupts another.
        global.kind.policy = Policy::PARTITIONED_EDF;
        assert_eq!(on(&global, Quantity::Interrupt), [none, none]);
    }

    #[test]
    fn quantities_are_parts_of_passages() {
        let row = row(Policy::GLOBAL_EDF, 4, 5);
        let mean = |quantity| row.cost(quantity).mean().unwrap();
        let close = |quantity, mean_of: f64| assert!((mean(quantity) - mean_of).abs() < 1e-9);
        close(Quantity::Switch, 240.0);
        close(Quantity::Decision, 220.0);
        close(Quantity::Release, 205.0);
        close(Quantity::Call, 110.0);
        close(Quantity::Interrupt, 1300.0);
        close(Quantity::Tick, 70.0);
        assert_eq!(row.cost(Quantity::Switch).most, 341);
    }

    #[test]
    fn waits_are_of_those_who_share() {
        let global = row(Policy::GLOBAL_EDF, 2, 5);
        // The lock is held for 900 in the mean: R = L (1 + L / (Z + L)).
        let lost = global.contention(Duration::from_micros(9)).unwrap().lost;
        let response = 900.0 * (1.0 + 900.0 / 9900.0);
        assert!((lost - (response - 900.0) / (9000.0 + response)).abs() < 1e-12);
        let mut own = row(Policy::PARTITIONED_EDF, 64, 5);
        assert_eq!(own.contention(Duration::ZERO), None);
        assert_eq!(own.cost(Quantity::Interrupt), Lengths::default());
        own.kind.policy = Policy::GLOBAL_EDF;
        let all = own.contention(THINK[1]).unwrap().lost;
        own.kind.cluster = Some(2);
        assert!(own.contention(THINK[1]).unwrap().lost < all / 50.0);
    }
}
