//! Linux 2.0's scheduler.

use crate::facts::{Facts, Missing};
use crate::linux_o1::{CLASS, linux_task};
use crate::profile::Profile;
use crate::scheduler::{Scheduler, Size};
use crate::settings::{Configured, Setting, Values};
use flyball_policy::{Duration, Encode, Linux20Rules, LinuxTask, Storage, linux_2_0};

/// Linux 2.0's scheduler. Not memoryless: credits stay while no job is under way.
#[derive(Clone, Copy, Debug)]
pub struct Linux20 {
    /// How long a tick is, and how many credits a time slice has.
    pub rules: Linux20Rules,
}

impl Configured for Linux20 {
    const SETTINGS: &'static [Setting] = &[
        Setting::duration(
            "tick",
            "how often the clock ticks; a tick takes one credit from the task that runs",
            Duration::from_millis(10),
        ),
        Setting::duration(
            "slice",
            "how long the time slices of tasks of nice value 0 are, in whole ticks",
            Duration::from_millis(200),
        ),
    ];
    const TASK_SETTINGS: &'static [Setting] = &[CLASS];

    fn new(values: &dyn Values, _: &[Facts]) -> Result<Linux20, &'static str> {
        let (tick, slice) = (values.duration("tick"), values.duration("slice"));
        let credits = u32::try_from(slice / tick).ok();
        let credits = credits.filter(|credits| Linux20Rules::CREDITS.contains(credits));
        let credits = credits.ok_or("`slice` is from one to a million times `tick`")?;
        let rules = Linux20Rules { tick, credits };
        Ok(Linux20 { rules })
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.rules.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Linux20> {
        let rules = Encode::parse(bytes)?;
        Some(Linux20 { rules })
    }
}

impl Scheduler for Linux20 {
    const NAME: &'static str = "linux-2.0";
    const PROFILE: Profile = Profile {
        queue: "list by arrival",
        queue_complexity: "O(n) for the first, else O(1)",
        decision: "O(n): the task with the most credits; O(n) of all tasks where they get new ones; O(1) at \
                   each tick",
        source: "kernel/sched.c and kernel/sys.c of Linux 2.0",
    };
    type Params = LinuxTask;
    type Policy<S: Storage, C: Storage> = linux_2_0::Linux20<S>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        linux_2_0::Linux20::new(self.rules, size.tasks)
    }

    /// A priority from 1 to 99 is that of a task of real time, as under [`LinuxO1`](crate::LinuxO1).
    fn params(&self, task: &Facts, values: &dyn Values) -> Result<LinuxTask, Missing> {
        linux_task(task, values)
    }
}
