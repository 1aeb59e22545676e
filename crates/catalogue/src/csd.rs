//! CSD: EDF for tasks with short periods, rate monotonic priorities behind them.

use crate::facts::{Facts, Missing};
use crate::profile::Profile;
use crate::scheduler::{Scheduler, Size};
use crate::settings::{Configured, Setting, Values};
use flyball_policy::csd::{InQueue, StaticAndDynamic, TwoQueues, Urgency};
use flyball_policy::{Deadline, Duration, Encode, Nothing, Period, Ranked, Storage};

/// CSD, with two queues. Sustainability is not claimed, since the tasks of the dynamic queue are chosen by
/// execution times.
#[derive(Clone, Copy, Debug)]
pub struct Csd {
    /// Tasks with a period up to this one are in the dynamic queue; zero: none is.
    pub longest: Duration,
}

impl Configured for Csd {
    const SETTINGS: &'static [Setting] = &[Setting::optional_duration(
        "longest",
        "the longest period of a task in the dynamic queue; 0: all are in the static one",
        "the longest period of a task that rate monotonic priorities do not hold",
    )];

    fn new(values: &dyn Values, tasks: &[Facts]) -> Result<Csd, &'static str> {
        let longest = values.optional_duration("longest");
        Ok(Csd {
            longest: longest.unwrap_or_else(|| longest_late(tasks)),
        })
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.longest.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Csd> {
        let longest = Duration::parse(bytes)?;
        Some(Csd { longest })
    }
}

/// How often a response time is raised before it is taken to be too long.
const MOST_STEPS: u32 = 10_000;

/// The longest period of a task that is late, or not known to be in time, where all of them have rate
/// monotonic priorities; zero: none is. By response-time analysis for deadlines within periods (Joseph
/// and Pandya 1986); equals count as more urgent. O(tasks² · steps).
fn longest_late(tasks: &[Facts]) -> Duration {
    let recurring = || {
        tasks
            .iter()
            .filter_map(|task| Some((task, task.period.filter(|period| !period.is_zero())?)))
    };
    let is_in_time = |task: &Facts, period: Duration| {
        let limit = period.min(task.deadline_or_never());
        let more_urgent =
            || recurring().filter(|&(other, it)| it <= period && !core::ptr::eq(other, task));
        let mut response = task.wcet;
        for _ in 0..MOST_STEPS {
            if response > limit {
                return false;
            }
            let jobs = |it: Duration| response.as_nanos().div_ceil(it.as_nanos());
            let longer =
                more_urgent().fold(task.wcet, |sum, (other, it)| sum + other.wcet * jobs(it));
            if longer == response {
                return true;
            }
            response = longer;
        }
        false
    };
    let late = recurring().filter(|&(task, period)| !is_in_time(task, period));
    late.map(|(_, period)| period)
        .max()
        .unwrap_or(Duration::ZERO)
}

impl Scheduler for Csd {
    const NAME: &'static str = "csd";
    const MEMORYLESS: bool = true;
    const PROFILE: Profile = Profile::ranked::<TwoQueues<Nothing>, Urgency>(
        "Zuberi, Pillai and Shin, \"EMERALDS: a small-memory real-time microkernel\", SOSP 1999",
    );
    type Params = InQueue;
    type Policy<S: Storage, C: Storage> = Ranked<StaticAndDynamic, TwoQueues<S>>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        Ranked::new(StaticAndDynamic, size.tasks)
    }

    /// What has no period is behind all that have one.
    fn params(&self, task: &Facts, _: &dyn Values) -> Result<InQueue, Missing> {
        let period = task.period_or_never();
        Ok(if period <= self.longest {
            InQueue::Dynamic(Deadline(task.deadline_or_never()))
        } else {
            InQueue::Static(Period(period))
        })
    }
}
