//! Linux's O(1) scheduler.

use crate::facts::{Facts, Missing};
use crate::profile::Profile;
use crate::scheduler::{Scheduler, Size};
use crate::settings::{Configured, Setting, Values};
use flyball_policy::order::Level;
use flyball_policy::{
    Bitmap, Encode, LinuxClass, LinuxRules, LinuxTask, LinuxVersion, Nothing, Storage, linux_o1,
};

/// Linux's O(1) scheduler. Not memoryless: averages of sleep, credits and slices stay while no job is
/// under way.
#[derive(Clone, Copy, Default, Debug)]
pub struct LinuxO1 {
    /// Which Linux it is, and how often it ticks.
    pub rules: LinuxRules,
}

impl Configured for LinuxO1 {
    const SETTINGS: &'static [Setting] = &[
        Setting::choice(
            "version",
            "whose rules: slices from 5 to 800 ms (2.6.11), or from 10 to 200 ms and the interactive \
             credit (2.6.8)",
            &["2.6.11", "2.6.8"],
        ),
        Setting::count(
            "hz",
            "how often the clock ticks in a second, from 100 to 10000; time slices are counted in ticks",
            100,
        ),
    ];
    const TASK_SETTINGS: &'static [Setting] = &[Setting::choice(
        "class",
        "of a task with a priority: it runs until it waits (fifo), or has time slices (rr)",
        &["fifo", "rr"],
    )];

    fn new(values: &dyn Values, _: &[Facts]) -> Result<LinuxO1, &'static str> {
        let version = match values.text("version") {
            "2.6.8" => LinuxVersion::V2_6_8,
            _ => LinuxVersion::V2_6_11,
        };
        let hz = values.integer("hz");
        if !LinuxRules::HZ.contains(&hz) {
            return Err("`hz` is from 100 to 10000");
        }
        let rules = LinuxRules { version, hz };
        Ok(LinuxO1 { rules })
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.rules.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<LinuxO1> {
        let rules = LinuxRules::parse(bytes)?;
        Some(LinuxO1 { rules })
    }
}

impl Scheduler for LinuxO1 {
    const NAME: &'static str = "linux-o1";
    const PROFILE: Profile = Profile {
        queue: "two bitmaps",
        decision: "O(1): the first of the active array, and a swap where that is empty; O(1) at each tick",
        ..Profile::ranked::<Bitmap<Level, Nothing>, Level>(
            "kernel/sched.c of Linux 2.6.8 and 2.6.11; Finster, \"Double-sorted scheduling in process \
             cruise control environments\", Universität Karlsruhe 2005, section 2.1",
        )
    };
    type Params = LinuxTask;
    type Policy<S: Storage, C: Storage> = linux_o1::LinuxO1<Bitmap<Level, S>>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        linux_o1::LinuxO1::new(self.rules, size.tasks)
    }

    /// A priority from 1 to 99 is that of a task of real time, as in Linux; without one, or with 0, it is
    /// a normal task.
    fn params(&self, task: &Facts, values: &dyn Values) -> Result<LinuxTask, Missing> {
        let class = match task.priority.unwrap_or(0) {
            0 => LinuxClass::Normal,
            priority if values.text("class") == "rr" => LinuxClass::RoundRobin(priority),
            priority => LinuxClass::Fifo(priority),
        };
        let nice = task.nice.unwrap_or(0);
        Some(LinuxTask { nice, class })
            .filter(|task| task.is_valid())
            .ok_or(Missing::Other(
                "has a `priority` above 99, and Linux has none",
            ))
    }
}
