//! A CPU with operating points, on which EDF scales the speed.

use flyball_policy::scaled::{Points, Settings};
use flyball_policy::{
    CpuId, Deadline, Duration, EarliestDeadline, Heap, Inline, Policy, Ranked, Ready, Resched,
    Scaled, Speed, Stop, TaskId, Time, Timed, Usage,
};

pub(super) const CPU: CpuId = CpuId(0);
/// A unit of time, in nanoseconds.
pub(super) const UNIT: u64 = 1_000_000;

pub(super) type Edf = Ranked<EarliestDeadline, Heap<Time, Inline<8>>>;
pub(super) type Static = Scaled<Edf, Inline<8>, false>;
pub(super) type Conserving = Scaled<Edf, Inline<8>, true>;

/// A task, in units of time; what its jobs compute for is in quarters.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) phase: u64,
    pub(super) period: u64,
    pub(super) deadline: u64,
    pub(super) wcet: u64,
    pub(super) times: Vec<u64>,
}

impl Task {
    pub(super) fn params(&self) -> Timed<Deadline> {
        let deadline = Duration::from_nanos(self.deadline * UNIT);
        let period = Duration::from_nanos(self.period * UNIT);
        Timed {
            params: Deadline(deadline),
            wcet: Duration::from_nanos(self.wcet * UNIT),
            window: deadline.min(period),
        }
    }

    /// What the job of this number computes for, in nanoseconds at the highest frequency.
    pub(super) fn work(&self, job: u64) -> u64 {
        let number = usize::try_from(job).unwrap() % self.times.len();
        self.times[number] * UNIT / 4
    }
}

/// A stretch of time in which a task runs at a frequency, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stretch {
    pub(super) task: usize,
    pub(super) mhz: u64,
    pub(super) from: u64,
    pub(super) to: u64,
    /// Whether its job ends then.
    pub(super) ends: bool,
}

/// Puts another stretch behind those before, or makes the last one longer.
pub(super) fn push(stretches: &mut Vec<Stretch>, next: Stretch) {
    match stretches.last_mut() {
        Some(last)
            if (last.task, last.mhz, last.to) == (next.task, next.mhz, next.from) && !last.ends =>
        {
            (last.to, last.ends) = (next.to, next.ends);
        }
        _ if next.from == next.to && !next.ends => {}
        _ => stretches.push(next),
    }
}

/// How the CPU is scaled at these frequencies, with nothing charged.
pub(super) fn settings(mhz: &[u64]) -> Settings {
    let hertz: Vec<_> = mhz.iter().map(|mhz| mhz * 1_000_000).collect();
    Settings {
        points: Points::new(&hertz).unwrap(),
        charge: Duration::ZERO,
    }
}

/// The stretches up to `end` units, under a policy that has no members yet.
pub(super) fn run<const CONSERVES: bool>(
    mut policy: Scaled<Edf, Inline<8>, CONSERVES>,
    mhz: &[u64],
    tasks: &[Task],
    end: u64,
) -> Vec<Stretch> {
    let fastest = *mhz.last().unwrap();
    let id = |task: usize| TaskId(u16::try_from(task).unwrap());
    for (number, task) in tasks.iter().enumerate() {
        policy.admit(id(number), task.params(), Time::ZERO).unwrap();
    }
    let mut released: Vec<u64> = vec![0; tasks.len()];
    // What is left of each job, in nanoseconds times the highest frequency.
    let mut jobs: Vec<Option<u64>> = vec![None; tasks.len()];
    let mut stretches = Vec::new();
    // The task that runs, at which frequency, and since when.
    let mut running: Option<(usize, u64, u64)> = None;
    let mut now = 0;
    while now < end * UNIT {
        let at = Time::from_nanos(now);
        let mut looks = running.is_none();
        if let Some((task, _, since)) = running
            && jobs[task] == Some(0)
        {
            let used = Usage::time(Duration::from_nanos(now - since));
            let _ = policy.stopped(CPU, id(task), used, Stop::Completed, at);
            (jobs[task], running, looks) = (None, None, true);
        }
        for (number, task) in tasks.iter().enumerate() {
            let release = (task.phase + released[number] * task.period) * UNIT;
            if release > now || jobs[number].is_some() {
                continue;
            }
            jobs[number] = Some(task.work(released[number]) * fastest);
            released[number] += 1;
            let release = Time::from_nanos(release);
            let resched = policy.ready(CPU, id(number), Ready::Released { release }, at);
            looks |= resched != Resched::None;
        }
        if looks {
            if let Some((task, _, since)) = running {
                let used = Usage::time(Duration::from_nanos(now - since));
                let _ = policy.stopped(CPU, id(task), used, Stop::Preempted, at);
            }
            running = policy.pick(CPU, at).map(|choice| {
                let Speed(speed) = choice.speed.unwrap();
                (choice.task.index(), mhz[usize::from(speed)], now)
            });
        }
        let next = |(number, task): (usize, &Task)| {
            let release = (task.phase + released[number] * task.period) * UNIT;
            Some(release).filter(|&release| release > now)
        };
        let mut then = tasks.iter().enumerate().filter_map(next).min().unwrap();
        if let Some((task, mhz, _)) = running {
            let left = jobs[task].as_mut().unwrap();
            then = then.min(now + left.div_ceil(mhz));
            *left = left.saturating_sub((then - now) * mhz);
            let ends = *left == 0;
            push(
                &mut stretches,
                Stretch {
                    task,
                    mhz,
                    from: now,
                    to: then,
                    ends,
                },
            );
        }
        now = then;
    }
    stretches
}
