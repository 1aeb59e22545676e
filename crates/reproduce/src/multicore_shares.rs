//! Shares of several CPUs: one I+PI for each CPU, and a supervisor above them.
//!
//! The thesis behind I+PI divides one CPU and leaves several to the future (chapter 5). Here each
//! CPU has a kernel core and an I+PI of its own, in the simulator or on a machine, and a
//! [`Supervisor`](flyball_policy::supervisor) reads every period what tasks got, gives them shares
//! of their CPUs, and moves a few. A [`Scenario`] is a set of tasks and what happens to them; what
//! comes out says for each task at the end of each period what it was to get and what it got
//! ([`SharesOverTime`]).
//!
//! Everything is a function of the scenario, and a scenario of its seed.

use flyball_catalogue::Ipi;
use flyball_measure::bench::{Bench, BenchError, SupervisedTrial};
use flyball_model::random::Random;
use flyball_model::{Arrival, Length, OnMiss, Overheads, Platform, Step, Task, TaskSet};
use flyball_policy::i_plus_pi::{self, Fraction};
use flyball_policy::supervisor::{self, Observation, Plan, Requirement, RequirementChange};
use flyball_study::StudyError;
use flyball_trace::{Duration, TaskId};

/// What a task does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Does {
    /// It computes without end.
    Computes,
    /// It computes for so long, then waits for so long, and again.
    Waits {
        /// CPU time.
        computes: Duration,
        /// Time off the CPU.
        waits: Duration,
    },
}

/// A task of a [`Scenario`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Actor {
    /// What it wants of the machine when it comes.
    pub requirement: Requirement,
    /// What it does.
    pub does: Does,
    /// When it comes.
    pub comes: Duration,
    /// How long it stays; `None`: to the end.
    pub stays: Option<Duration>,
    /// The CPU that it is started on.
    pub cpu: u8,
}

/// Tasks on several CPUs, and what happens to them.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// How many CPUs there are.
    pub cpus: u8,
    /// The tasks.
    pub actors: Vec<Actor>,
    /// Tasks, by their number, want something else: when and what, in the order of time.
    pub changes: Vec<(Duration, usize, Requirement)>,
    /// The supervisor's period.
    pub period: Duration,
    /// How many periods it takes.
    pub periods: u32,
    /// How the supervisor works.
    pub supervisor: supervisor::Settings,
    /// How each CPU's scheduler works.
    pub scheduler: i_plus_pi::Settings,
    /// What the kernels' work costs.
    pub overheads: Overheads,
}

/// A task at the end of a period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The CPU that it was on.
    pub cpu: u8,
    /// What it was to get in this period, in millionths of a CPU.
    pub set_point: i64,
    /// What it got in this period.
    pub got: i64,
    /// The supervisor takes it that it wants no more than it gets.
    pub limited: bool,
}

/// What came out of a [`Scenario`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SharesOverTime {
    /// For each task, for each period; `None`: it was not there for all of it.
    pub tasks: Vec<Vec<Option<Sample>>>,
    /// How many tasks moved at the end of each period.
    pub migrations: Vec<u32>,
    /// How many moves the kernels refused.
    pub refused: u32,
}

/// A share in millionths.
fn millionths(part: Fraction) -> i64 {
    (i64::from(part.bits()) * 1_000_000) >> 24
}

fn requirement(percent: u32) -> Requirement {
    Requirement {
        cpu: Fraction::percent(percent),
        importance: 1,
    }
}

impl Sample {
    fn of(sample: supervisor::Sample) -> Sample {
        Sample {
            cpu: sample.cpu.0,
            set_point: millionths(sample.set_point),
            got: millionths(sample.got),
            limited: sample.limited,
        }
    }
}

impl Actor {
    /// It computes without end from the start, and wants so many hundredths of a CPU.
    pub fn steady(percent: u32, cpu: u8) -> Actor {
        Actor {
            requirement: requirement(percent),
            does: Does::Computes,
            comes: Duration::ZERO,
            stays: None,
            cpu,
        }
    }

    fn task(&self, number: usize) -> Task {
        let without_end = Duration::from_secs(1_000_000);
        let fixed = Length::Fixed;
        let body = match self.does {
            Does::Computes => vec![Step::Compute(fixed(without_end))],
            Does::Waits { computes, waits } => {
                vec![Step::Compute(fixed(computes)), Step::Suspend(fixed(waits))]
            }
        };
        Task {
            arrival: Arrival::Once,
            phase: self.comes,
            deadline: self.stays,
            wcet: Duration::MAX,
            // A task that is to leave is ended at its deadline.
            on_miss: OnMiss::Abort,
            cpu: Some(self.cpu),
            behaviour: vec![Step::Repeat { times: None, body }],
            ..Task::periodic(format!("t{number}"), without_end, without_end)
        }
    }
}

impl Scenario {
    /// These tasks, left alone, with settings that suit them: the supervisor's period is 250 ms and
    /// so many periods pass.
    pub fn new(cpus: u8, actors: Vec<Actor>, periods: u32) -> Scenario {
        Scenario {
            cpus,
            actors,
            changes: Vec::new(),
            period: Duration::from_millis(250),
            periods,
            supervisor: supervisor::Settings::default(),
            scheduler: i_plus_pi::Settings {
                // A task that is to get most of a round of many tasks needs a long burst.
                longest: Duration::from_millis(100),
                ..i_plus_pi::Settings::default()
            },
            overheads: Overheads::default(),
        }
    }

    /// Tasks that want about as much as there is and compute without end, three for each CPU, put
    /// anywhere.
    pub fn steady(cpus: u8, seed: u64) -> Scenario {
        let mut random = Drawing(Random::new(seed, 2 * u64::from(cpus)));
        let actors = (0..3 * u64::from(cpus))
            .map(|_| Actor::steady(random.percent(5, 60), random.below(cpus)))
            .collect();
        Scenario::new(cpus, actors, 240)
    }

    /// As [`Scenario::steady`], but every ten seconds or so something happens: a task comes,
    /// leaves, or wants something else; and of each CPU's tasks one waits now and then, for
    /// milliseconds or for seconds.
    pub fn churn(cpus: u8, seed: u64) -> Scenario {
        let mut scenario = Scenario::steady(cpus, seed);
        let mut random = Drawing(Random::new(seed, 2 * u64::from(cpus) + 1));
        for (n, actor) in scenario.actors.iter_mut().enumerate() {
            let ms = Duration::from_millis;
            actor.does = match n % 6 {
                0 => Does::Waits {
                    computes: ms(2),
                    waits: ms(8),
                },
                3 => Does::Waits {
                    computes: ms(4_000),
                    waits: ms(6_000),
                },
                _ => Does::Computes,
            };
        }
        for n in 1..=u64::from(cpus) {
            let (percent, cpu) = (random.percent(10, 70), random.below(cpus));
            let mut guest = Actor::steady(percent, cpu);
            guest.comes = Duration::from_millis(10_000 * n / u64::from(cpus) + 10_000);
            guest.stays = Some(Duration::from_millis(20_000));
            scenario.actors.push(guest);
            let at = Duration::from_millis(20_000 * n / u64::from(cpus) + 25_000);
            let task = 3 * usize::from(random.below(cpus)) + 1;
            let change = (at, task, requirement(random.percent(5, 90)));
            scenario.changes.push(change);
        }
        scenario
    }

    fn set(&self) -> TaskSet {
        let tasks = self.actors.iter().enumerate();
        TaskSet {
            tasks: tasks.map(|(number, actor)| actor.task(number)).collect(),
            platform: Platform {
                cpus: self.cpus,
                overheads: self.overheads.clone(),
                ..Platform::default()
            },
            ..TaskSet::default()
        }
    }

    /// What a bench is asked for.
    pub fn trial(&self) -> SupervisedTrial {
        let tasks = self.actors.len();
        let comes = self.actors.iter().enumerate();
        let comes = comes.map(|(number, actor)| (actor.comes, number, actor.requirement));
        let changes = comes.chain(self.changes.iter().copied());
        let changes = changes.map(|(at, task, requirement)| RequirementChange {
            at,
            task: TaskId::from_index(task),
            requirement,
        });
        let mut changes: Vec<_> = changes.collect();
        // Stable: at one instant a task comes before it wants something else.
        changes.sort_by_key(|change| change.at);
        SupervisedTrial {
            set: self.set(),
            scheduler: Ipi {
                settings: self.scheduler,
            },
            plan: Plan {
                settings: self.supervisor,
                cpus: self.cpus,
                // As many as there are ids below the one that would come next.
                tasks: TaskId::from_index(tasks).0,
                period: self.period,
            },
            changes,
            periods: self.periods,
        }
    }

    /// Simulates it.
    ///
    /// # Errors
    /// [`StudyError::Sim`] if a task is on a CPU that there is not.
    pub fn simulate(&self) -> Result<SharesOverTime, StudyError> {
        let mut out = SharesOverTime::new(self.actors.len());
        self.trial().simulate(|seen| out.see(seen))?;
        Ok(out)
    }

    /// Runs it on a bench.
    ///
    /// # Errors
    /// [`BenchError`].
    pub fn run(&self, bench: &mut dyn Bench) -> Result<SharesOverTime, BenchError> {
        let mut out = SharesOverTime::new(self.actors.len());
        bench.supervise(&self.trial(), &mut |seen| out.see(seen))?;
        Ok(out)
    }
}

struct Drawing(Random);

impl Drawing {
    /// A whole number between the two.
    fn percent(&mut self, least: u32, most: u32) -> u32 {
        let [least, highest] = [least, most].map(|it| Duration::from_nanos(it.into()));
        let drawn = self.0.uniform(least, highest);
        u32::try_from(drawn.as_nanos()).unwrap_or(most)
    }

    fn below(&mut self, end: u8) -> u8 {
        let most = end.saturating_sub(1);
        u8::try_from(self.percent(0, most.into())).unwrap_or(most)
    }
}

impl SharesOverTime {
    /// Nothing yet, of so many tasks.
    fn new(tasks: usize) -> SharesOverTime {
        SharesOverTime {
            tasks: vec![Vec::new(); tasks],
            ..SharesOverTime::default()
        }
    }

    /// What was seen under a supervisor.
    pub fn of(plan: &Plan, seen: impl IntoIterator<Item = Observation>) -> SharesOverTime {
        let mut out = SharesOverTime::new(plan.tasks.into());
        seen.into_iter().for_each(|seen| out.see(seen));
        out
    }

    /// Something is seen at the end of a period.
    fn see(&mut self, seen: Observation) {
        match seen {
            Observation::Task(task, sample) => {
                if let Some(samples) = self.tasks.get_mut(task.index()) {
                    samples.push(sample.map(Sample::of));
                }
            }
            Observation::Moves(moves) => {
                self.migrations.push(moves.made);
                self.refused += moves.denied;
            }
        }
    }

    /// A task's error over the `window` periods up to and with period `end`, in millionths of a
    /// CPU: what it got on the average less what it was to get. `None` if it was not there for all
    /// of them.
    pub fn error(&self, task: usize, end: usize, window: usize) -> Option<i64> {
        let first = (end + 1).checked_sub(window.max(1))?;
        let samples = self.tasks.get(task)?.get(first..=end)?;
        let mut sum = 0;
        for sample in samples {
            let sample = (*sample)?;
            sum += sample.got - sample.set_point;
        }
        Some(sum / i64::try_from(samples.len()).ok()?)
    }

    /// The largest error of all tasks, without its sign, over the `window` periods up to and with
    /// period `end`.
    pub fn largest_error(&self, end: usize, window: usize) -> i64 {
        let errors = (0..self.tasks.len()).filter_map(|task| self.error(task, end, window));
        errors.map(i64::abs).max().unwrap_or(0)
    }
}
