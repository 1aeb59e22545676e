//! The load of the thesis: *alu* computes and wants a high frequency, *mem* waits for memory and wants a low
//! one; both may sleep now and then.

use flyball_measure::bench::{Bench, BenchError, RunResult, Trial};
use flyball_model::{
    Frequency, Groups, Length, Power, Powers, Share, Speeds, Step, Task, TaskSet, Value,
};
use flyball_sim::{Modes, SpeedUse};
use flyball_trace::{Duration, Speed};

/// The time slice of a task with nice value 0, at 100 ticks a second.
pub(super) const SLICE: Duration = Duration::from_millis(100);
/// The clock's tick.
pub(super) const TICK: Duration = Duration::from_millis(10);
/// How long an adjustment takes on the board of the thesis.
pub(super) const ADJUSTMENT: Duration = Duration::from_micros(100);
/// What *mem* waits for memory, in millionths: nearly always. At a fifth of the frequency it takes 8 % longer.
const STALLS: u32 = 980_000;

/// How equals are sorted: the setting `sort` of `linux-o1`, and `variant` of `dss`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    None,
    StrictLists,
    /// So many levels share their lists.
    LooseLists(u8),
    StrictWalk,
    LooseWalk,
    TourLists,
}

impl Sort {
    /// The scheduler of Linux, and the design that the thesis measured.
    pub(super) const MEASURED: [Sort; 2] = [Sort::None, Sort::StrictWalk];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Sort::None => "none",
            Sort::StrictLists => "strict-lists",
            Sort::LooseLists(_) => "loose-lists",
            Sort::StrictWalk => "strict-walk",
            Sort::LooseWalk => "loose-walk",
            Sort::TourLists => "tour-lists",
        }
    }

    /// The settings of `dss` or `linux-o1`.
    fn settings(self, is_fixed: bool) -> Vec<(&'static str, Value)> {
        let text = |name: &str| Value::Text(name.to_owned());
        let mut settings = match (is_fixed, self) {
            (false, _) => vec![("sort", text(self.name()))],
            (true, Sort::None) => vec![("variant", text("unsorted"))],
            (true, _) => vec![("variant", text(self.name()))],
        };
        if is_fixed {
            settings.push(("quantum", Value::Duration(SLICE)));
        }
        if let Sort::LooseLists(levels) = self {
            settings.push(("scope", Value::Integer(levels.into())));
        }
        settings
    }
}

/// How a task computes and sleeps, in turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sleeps {
    /// How long it computes, in the mean; in turns shorter and longer than that, by up to a half.
    pub(super) compute: Duration,
    /// How long it sleeps then.
    pub(super) sleep: Duration,
}

impl Sleeps {
    /// One of so many tasks that share a CPU and sleep for a part of the time, in ten-thousandths; none if
    /// that is nothing.
    pub(super) fn part(part: u32, tasks: u32, sleep: Duration) -> Option<Sleeps> {
        let parts = u64::from(part) * u64::from(tasks);
        let compute = Duration::from_nanos((sleep.as_nanos() * 10_000).checked_div(parts)?);
        Some(Sleeps { compute, sleep })
    }
}

/// Tasks beside those that are measured, of the low group: they wake up together, and each computes for a short
/// time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Daemons {
    pub(super) count: u32,
    pub(super) period: Duration,
}

/// A load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Load {
    /// How many tasks.
    pub(super) tasks: u32,
    /// How many of them are *alu*.
    pub(super) high: u32,
    pub(super) sleeps: Option<Sleeps>,
    pub(super) daemons: Option<Daemons>,
    /// What each task computes, at the highest frequency; `None`: without end.
    pub(super) work: Option<Duration>,
    /// How long an adjustment takes.
    pub(super) adjustment: Duration,
    /// Whether all tasks run at the highest frequency.
    pub(super) all_high: bool,
    /// Whether no two tasks have the same nice value.
    pub(super) spread: bool,
    /// Whether dynamic priorities are switched off: all tasks have one fixed priority, under `dss`.
    pub(super) is_fixed: bool,
    /// What the order of the tasks and the times of computing come from.
    pub(super) seed: u64,
}

impl Load {
    /// So many tasks, half of them *alu*, that compute without end.
    pub(super) const fn half(tasks: u32) -> Load {
        Load {
            tasks,
            high: tasks / 2,
            sleeps: None,
            daemons: None,
            work: None,
            adjustment: ADJUSTMENT,
            all_high: false,
            spread: false,
            is_fixed: false,
            seed: 1,
        }
    }

    /// Which tasks are *alu*: in an order of chance.
    fn highs(&self) -> Vec<bool> {
        let mut highs: Vec<bool> = (0..self.tasks).map(|task| task < self.high).collect();
        let mut random = self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for place in (1..highs.len()).rev() {
            // Marsaglia's xorshift.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let places = u64::try_from(place).unwrap_or(0) + 1;
            highs.swap(place, usize::try_from(random % places).unwrap_or(0));
        }
        highs
    }

    /// The task set, on a CPU with several operating points or, for a machine, with one.
    pub(super) fn set(&self, has_speeds: bool) -> TaskSet {
        let highs = self.highs();
        let mut tasks: Vec<Task> = (0..)
            .zip(&highs)
            .map(|(n, high)| self.task(n, *high))
            .collect();
        let daemons = self.daemons.iter().flat_map(|daemons| {
            (0..daemons.count).map(|number| Task {
                speed: Some(Speed(0)),
                ..Task::periodic(
                    format!("daemon {number}"),
                    daemons.period,
                    Duration::from_micros(100),
                )
            })
        });
        tasks.extend(daemons);
        if self.is_fixed {
            fix(&mut tasks);
        }
        let mut set = TaskSet {
            name: format!("{} tasks, {} high", self.tasks, self.high),
            tasks,
            ..TaskSet::default()
        };
        set.platform.tick = Some(TICK);
        if has_speeds {
            set.platform.speeds = pxa270(self.adjustment);
        } else {
            for task in &mut set.tasks {
                (task.speed, task.stalls) = (None, Share::default());
            }
        }
        set
    }

    fn task(&self, number: i8, high: bool) -> Task {
        let behaviour = self.behaviour(number);
        let name = if high { "alu" } else { "mem" };
        let nice = if self.spread { number * 3 - 18 } else { 0 };
        Task {
            wcet: self.work.unwrap_or(Duration::MAX),
            nice: Some(nice),
            stalls: Share::from_millionths(if high { 0 } else { STALLS }),
            speed: Some(Speed(u8::from(high || self.all_high))),
            groups: Groups {
                number: u8::from(high),
                ..Groups::default()
            },
            ..once(format!("{name} {number}"), behaviour)
        }
    }

    fn behaviour(&self, number: i8) -> Vec<Step> {
        let compute = |length| Step::Compute(Length::Fixed(length));
        let second = Duration::from_secs(1);
        let (turn, body) = match self.sleeps {
            None => (second, vec![compute(second)]),
            Some(Sleeps {
                compute: mean,
                sleep,
            }) => {
                // Any part of a half, which differs from task to task and from seed to seed.
                let mixed = (self.seed * 64 + u64::from(number.unsigned_abs()))
                    .wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let more = Duration::from_nanos(mean.as_nanos() / 2 * (mixed >> 54) / 1024);
                let sleep = || Step::Suspend(Length::Fixed(sleep));
                let turns = vec![
                    compute(mean.saturating_sub(more)),
                    sleep(),
                    compute(mean + more),
                    sleep(),
                ];
                (mean * 2, turns)
            }
        };
        let Some(work) = self.work else {
            return vec![Step::Repeat { times: None, body }];
        };
        // Some thousands at most. What is left behind whole turns is less than one.
        let times = u32::try_from(work / turn).unwrap_or(u32::MAX);
        let rest = work.saturating_sub(turn * u64::from(times));
        let repeated = (times > 0).then_some(Step::Repeat {
            times: Some(times),
            body,
        });
        let rest = (!rest.is_zero()).then(|| compute(rest));
        repeated.into_iter().chain(rest).collect()
    }

    /// Has `linux-o1` run it for so long, sorted by group.
    ///
    /// # Errors
    /// [`BenchError`].
    pub(super) fn run(
        &self,
        bench: &mut dyn Bench,
        sort: Sort,
        until: Duration,
    ) -> Result<Found, BenchError> {
        let has_speeds = bench.machine().is_none();
        run_set(bench, self.set(has_speeds), sort, until, 0).map(|(found, _)| found)
    }
}

/// Gives tasks the one fixed priority.
pub(super) fn fix(tasks: &mut [Task]) {
    for task in tasks {
        (task.priority, task.nice) = (Some(1), None);
    }
}

/// Has `linux-o1` run a set for so long, or `dss` if its tasks have priorities, sorted by group. Up to `keep`
/// events are kept.
///
/// # Errors
/// [`BenchError`].
pub(super) fn run_set(
    bench: &mut dyn Bench,
    set: TaskSet,
    sort: Sort,
    until: Duration,
    keep: usize,
) -> Result<(Found, RunResult), BenchError> {
    let is_fixed = set.tasks.iter().any(|task| task.priority.is_some());
    let policy = if is_fixed { "dss" } else { "linux-o1" };
    let modes = Modes::from(set).with_settings(policy, &sort.settings(is_fixed));
    let trial = Trial::new(modes, policy, until.min(bench.longest())).keeping(keep);
    let result = bench.run(&trial)?;
    let adjustments = match &result.speeds {
        Some(speeds) => speeds.adjustments(),
        None => result.group_changes.unwrap_or(0),
    };
    let energy = result.speeds.as_ref().and_then(SpeedUse::energy);
    let once = result
        .summary
        .tasks
        .iter()
        .filter(|task| task.released <= 1);
    let found = Found {
        switches: float(result.summary.context_switches()),
        adjustments: float(adjustments),
        elapsed: seconds(result.summary.elapsed),
        run_time: once
            .map(|task| task.response.max().map(seconds))
            .collect::<Option<Vec<_>>>()
            .map(|times| times.into_iter().fold(0.0, f64::max)),
        joules: energy.map(|(busy, _)| busy.joules()),
        misses: float(result.summary.misses()),
    };
    Ok((found, result))
}

/// What was found in a run, or in the mean of several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Found {
    /// Context switches.
    pub(super) switches: f64,
    /// Adjustments of the frequency; on a machine changes from a group to another.
    pub(super) adjustments: f64,
    /// Seconds of the run.
    pub(super) elapsed: f64,
    /// Seconds until the last task with an end was done; `None`: one was not.
    pub(super) run_time: Option<f64>,
    /// The energy of tasks and kernel; `None`: it is not known.
    pub(super) joules: Option<f64>,
    /// Deadlines missed.
    pub(super) misses: f64,
}

impl Found {
    /// Adjustments in hundredths of the context switches.
    pub(super) fn part(&self) -> f64 {
        100.0 * self.adjustments / self.switches.max(1.0)
    }

    /// The mean of several runs.
    pub(super) fn mean(all: &[Found]) -> Found {
        let count = float(all.len()).max(1.0);
        let mean = |of: fn(&Found) -> f64| all.iter().map(of).sum::<f64>() / count;
        let known = |of: fn(&Found) -> Option<f64>| -> Option<f64> {
            let sum: Option<f64> = all.iter().map(of).sum();
            sum.map(|sum| sum / count)
        };
        Found {
            switches: mean(|found| found.switches),
            adjustments: mean(|found| found.adjustments),
            elapsed: mean(|found| found.elapsed),
            run_time: known(|found| found.run_time),
            joules: known(|found| found.joules),
            misses: mean(|found| found.misses),
        }
    }
}

/// The mean of so many orders of the same load.
///
/// # Errors
/// [`BenchError`].
pub(super) fn mean(
    bench: &mut dyn Bench,
    load: Load,
    sort: Sort,
    until: Duration,
    orders: u64,
) -> Result<Found, BenchError> {
    let runs = (1..=orders).map(|seed| Load { seed, ..load }.run(bench, sort, until));
    Ok(Found::mean(&runs.collect::<Result<Vec<_>, _>>()?))
}

/// A task of one job that does this.
pub(super) fn once(name: impl Into<String>, behaviour: Vec<Step>) -> Task {
    Task::once(name, Duration::MAX, behaviour)
}

/// The lowest frequency of the thesis's CPU and one of its highest. Its powers are not published: these are
/// ours.
fn pxa270(adjustment: Duration) -> Option<Speeds> {
    let frequencies = [104, 520].map(|mhz| Frequency::hertz(mhz * 1_000_000));
    let frequencies = frequencies.into_iter().collect::<Option<Vec<_>>>()?;
    let powers = |powers: [u64; 2]| powers.map(|it| Power::microwatts(it * 1_000));
    let all = |them: [Option<Power>; 2]| them.into_iter().collect::<Option<Vec<_>>>();
    let power = Powers {
        computing: all(powers([116, 747]))?,
        stalled: all(powers([80, 400]))?,
        idle: Power::microwatts(64_000)?,
    };
    let zero = Duration::ZERO;
    let transition = vec![vec![zero, adjustment], vec![adjustment, zero]];
    Speeds::new(frequencies, transition, Some(power))
}

/// How many, as a factor. Counts are far below 2⁵³.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(super) fn float(count: impl TryInto<u64>) -> f64 {
    count.try_into().unwrap_or(u64::MAX) as f64
}

/// What each of so many tasks has of a time.
pub(super) fn each(time: Duration, tasks: u32) -> Duration {
    Duration::from_nanos(time.as_nanos() / u64::from(tasks.max(1)))
}

/// A time in seconds.
pub(super) fn seconds(time: Duration) -> f64 {
    float(time.as_nanos()) / 1e9
}
