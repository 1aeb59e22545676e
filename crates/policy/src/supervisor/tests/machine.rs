//! CPUs under a supervisor that divide themselves exactly in proportion to shares.

use super::super::*;
use crate::storage::Inline;
use proptest::prelude::*;

pub(super) const TASKS: usize = 32;
pub(super) const CPUS: usize = 8;
pub(super) const PERIOD: Duration = Duration::from_nanos(ONE.unsigned_abs());

/// Errors over forty periods are smaller, in CPUs, whatever the set.
pub(super) const TOLERANCE: f64 = 0.06;

pub(super) type Small = Supervisor<Inline<TASKS>, Inline<CPUS>>;

/// CPUs with tasks that take up to so much of what they are given.
pub(super) struct Machine {
    pub(super) supervisor: Small,
    pub(super) cpus: u8,
    /// What each task wants and would take at most; `None`: it is not there.
    pub(super) tasks: Vec<Option<(Requirement, i64)>>,
    pub(super) moved: u32,
}

pub(super) fn id(task: usize) -> TaskId {
    TaskId(u16::try_from(task).unwrap())
}

pub(super) fn requirement(thousandths: u64) -> Requirement {
    Requirement {
        cpu: Fraction::ratio(thousandths, 1_000),
        importance: 1,
    }
}

impl Machine {
    pub(super) fn new(settings: Settings, cpus: u8) -> Machine {
        Machine {
            supervisor: Small::new(settings, cpus, TASKS),
            cpus,
            tasks: Vec::new(),
            moved: 0,
        }
    }

    pub(super) fn come(&mut self, requirement: Requirement, takes: i64, cpu: u8) -> usize {
        self.tasks.push(Some((requirement, takes)));
        let task = self.tasks.len() - 1;
        self.supervisor
            .admit(id(task), requirement, CpuId(cpu))
            .unwrap();
        task
    }

    pub(super) fn with(cpus: u8, tasks: &[(u64, u8)]) -> Machine {
        let mut machine = Machine::new(Settings::default(), cpus);
        for &(thousandths, cpu) in tasks {
            machine.come(requirement(thousandths), ONE, cpu % cpus);
        }
        machine.step();
        machine
    }

    pub(super) fn here(&self) -> impl Iterator<Item = usize> {
        (0..self.tasks.len()).filter(|&task| self.tasks[task].is_some())
    }

    pub(super) fn member(&self, task: usize) -> &Member {
        self.supervisor.find(id(task)).unwrap()
    }

    /// What each task gets in a period, if each CPU is divided by shares, and what some leave goes
    /// to the others there.
    pub(super) fn run(&self) -> Vec<i64> {
        let mut got = vec![0; self.tasks.len()];
        for cpu in (0..self.cpus).map(CpuId) {
            let mut rest = ONE;
            let mut open: Vec<usize> = self
                .here()
                .filter(|&task| self.member(task).cpu == cpu)
                .collect();
            loop {
                let shares: i64 = open.iter().map(|&task| self.member(task).share).sum();
                let has = rest;
                let part = |task: usize| scale(has, self.member(task).share, shares.max(1));
                let takes = |task: usize| self.tasks[task].unwrap().1;
                let full = |&task: &usize| part(task) >= takes(task);
                let (full, others): (Vec<usize>, Vec<usize>) =
                    open.iter().partition(|task| full(task));
                if full.is_empty() {
                    for task in others {
                        got[task] = part(task);
                    }
                    break;
                }
                for task in full {
                    got[task] = takes(task);
                    rest -= takes(task);
                }
                open = others;
            }
        }
        got
    }

    /// A period. Returns what each task got less its set point.
    pub(super) fn period(&mut self) -> Vec<i64> {
        let got = self.run();
        let mut errors = vec![0; got.len()];
        for task in self.here().collect::<Vec<_>>() {
            errors[task] = got[task] - self.member(task).set_point;
            let used = Duration::from_nanos(got[task].unsigned_abs());
            self.supervisor.measured(id(task), used);
        }
        self.step();
        errors
    }

    pub(super) fn step(&mut self) {
        let cpus = |machine: &Machine| {
            machine
                .here()
                .map(|task| machine.member(task).cpu)
                .collect()
        };
        let before: Vec<CpuId> = cpus(self);
        self.supervisor.step(PERIOD);
        let after: Vec<CpuId> = cpus(self);
        let moved = before.iter().zip(&after).filter(|(a, b)| a != b).count();
        self.moved = u32::try_from(moved).unwrap();
        self.audit();
    }

    /// What must hold at any time.
    pub(super) fn audit(&self) {
        let settings = self.supervisor.settings;
        assert!(self.moved <= settings.moves.into());
        let mut sum = 0;
        for task in self.here() {
            let member = self.member(task);
            assert!((0..=ONE).contains(&member.set_point));
            assert!(member.limit.is_none_or(|limit| member.set_point <= limit));
            assert!((0..=ONE).contains(&member.share));
            assert!(member.deficit.abs() <= i64::from(settings.memory) * ONE);
            assert!(member.cpu.0 < self.cpus);
            sum += member.set_point;
        }
        let cpus = &self.supervisor.cpus;
        let has: i64 = (0..usize::from(self.cpus))
            .map(|cpu| cpus[cpu].capacity)
            .sum();
        assert!(sum <= has);
        // Nothing is left that a task could have.
        let full = |task: usize| {
            let member = self.member(task);
            member.set_point >= member.limit.unwrap_or(ONE)
        };
        let lost = has - sum;
        assert!(lost <= 64 || self.here().all(full), "{lost}");
    }

    /// The largest mean error of all tasks over `periods`.
    pub(super) fn error(&mut self, periods: u32) -> f64 {
        let mut sums = vec![0_i64; self.tasks.len()];
        for _ in 0..periods {
            for (sum, error) in sums.iter_mut().zip(self.period()) {
                *sum += error;
            }
        }
        let largest = sums.into_iter().map(i64::abs).max().unwrap_or(0);
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let (largest, one) = (largest as f64, ONE as f64);
        largest / one / f64::from(periods)
    }
}

/// A task comes, goes, wants or takes something else.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    Comes(u64, u8),
    Goes(usize),
    Requires(usize, u64),
    Takes(usize, i64),
}

pub(super) fn change() -> impl Strategy<Value = Change> {
    let task = || 0..TASKS;
    prop_oneof![
        (0..=1_000_u64, 0..8_u8).prop_map(|(requirement, cpu)| Change::Comes(requirement, cpu)),
        task().prop_map(Change::Goes),
        (task(), 0..=1_000_u64).prop_map(|(task, requirement)| Change::Requires(task, requirement)),
        (task(), prop_oneof![Just(0), Just(ONE), 0..=ONE])
            .prop_map(|(task, takes)| Change::Takes(task, takes)),
    ]
}

impl Machine {
    pub(super) fn change(&mut self, change: Change) {
        let count = self.tasks.len();
        match change {
            Change::Comes(thousandths, cpu) if count < TASKS => {
                self.come(requirement(thousandths), ONE, cpu % self.cpus);
            }
            Change::Goes(task) if task < count => {
                self.tasks[task] = None;
                self.supervisor.retire(id(task));
            }
            Change::Requires(task, thousandths) => {
                let _ = self.supervisor.adjust(id(task), requirement(thousandths));
            }
            Change::Takes(task, takes) => {
                if let Some(Some((_, most))) = self.tasks.get_mut(task) {
                    *most = takes;
                }
            }
            _ => {}
        }
    }
}
