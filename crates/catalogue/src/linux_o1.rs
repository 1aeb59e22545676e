//! Linux's O(1) scheduler.

use crate::facts::{Facts, Missing};
use crate::profile::Profile;
use crate::scheduler::{Scheduler, Size};
use crate::settings::{Configured, Setting, Values};
use crate::sorting::{By, Sorting};
use flyball_policy::order::Level;
use flyball_policy::{
    AnyDesign, DoubleSorted, Encode, Grouped, LinuxClass, LinuxRules, LinuxTask, LinuxVersion,
    Nothing, Storage, linux_o1,
};

/// How many levels are of real time, the most urgent ones.
const REAL_TIME: u8 = 100;

/// Linux's O(1) scheduler. Not memoryless: averages of sleep, credits and slices stay while no job is
/// under way.
#[derive(Clone, Copy, Debug)]
pub struct LinuxO1 {
    /// Which Linux it is, and how often it ticks.
    pub rules: LinuxRules,
    /// How equals are sorted, in both arrays.
    pub sorting: Sorting,
}

/// The class of a task of real time, as the task says it.
pub(crate) const CLASS: Setting = Setting::choice(
    "class",
    "of a task with a priority: it runs until it waits (fifo), or has time slices (rr)",
    &["fifo", "rr"],
);

/// What a task tells Linux's schedulers. A priority from 1 to 99 is that of a task of real time, as in
/// Linux; without one, or with 0, it is a normal task.
///
/// # Errors
/// [`Missing::Other`] for a priority above 99.
pub(crate) fn linux_task(task: &Facts, values: &dyn Values) -> Result<LinuxTask, Missing> {
    let class = match task.priority.unwrap_or(0) {
        0 => LinuxClass::Normal,
        priority if values.text("class") == "rr" => LinuxClass::RoundRobin(priority),
        priority => LinuxClass::Fifo(priority),
    };
    let nice = task.nice.unwrap_or(0);
    let params = LinuxTask { nice, class };
    if params.is_valid() {
        Ok(params)
    } else {
        Err(Missing::Other(
            "has a `priority` above 99, and Linux has none",
        ))
    }
}

/// One of the two arrays. In a small image there is no room for groups in both, and equals are not sorted.
#[cfg(not(feature = "small"))]
type Array<S> = AnyDesign<Level, S>;
#[cfg(feature = "small")]
type Array<S> = flyball_policy::Bitmap<Level, S>;

#[cfg(not(feature = "small"))]
fn array<S: Storage>(sorting: &Sorting, tasks: usize) -> Array<S> {
    sorting.queue(tasks)
}

#[cfg(feature = "small")]
fn array<S: Storage>(_: &Sorting, tasks: usize) -> Array<S> {
    flyball_policy::Queue::new(tasks)
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
        Setting::choice(
            "sort",
            "how equals are kept by group, as the variants of dss: not (none), between levels strictly, \
             or (loose) a task may wait for less urgent ones of the group that runs; tour: no equal starves",
            &[
                "none",
                "strict-lists",
                "loose-lists",
                "strict-walk",
                "loose-walk",
                "tour-lists",
            ],
        ),
        Sorting::BY,
        Sorting::COSTS,
        Sorting::SCOPE,
        Sorting::DEMOTES,
        Sorting::WEIGHT,
        Sorting::LIMIT,
        Sorting::FEWEST,
        Sorting::SORTING,
    ];
    const TASK_SETTINGS: &'static [Setting] = &[CLASS];

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
        let sorting = Sorting::new(values, By::of(values), values.text("sort"), REAL_TIME)?;
        Ok(LinuxO1 { rules, sorting })
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        // In the order of their declarations.
        (self.rules, self.sorting).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<LinuxO1> {
        let (rules, sorting): (_, Sorting) = Encode::parse(bytes)?;
        if cfg!(feature = "small") && sorting.design.is_some() {
            return None;
        }
        Some(LinuxO1 { rules, sorting })
    }
}

impl Scheduler for LinuxO1 {
    const NAME: &'static str = "linux-o1";
    const PROFILE: Profile = Profile {
        queue: "two priority arrays",
        decision: "O(1): the first of the active array, and a swap where that is empty; O(1) at each tick",
        ..Profile::ranked::<AnyDesign<Level, Nothing>, Level>(
            "kernel/sched.c of Linux 2.6.8 and 2.6.11; Finster, \"Double-sorted scheduling in process \
             cruise control environments\", Universität Karlsruhe 2005, section 2.1",
        )
    };
    type Params = Grouped<LinuxTask>;
    type Policy<S: Storage, C: Storage> = DoubleSorted<linux_o1::LinuxO1<Array<S>>, S>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        let [active, expired] = [(); 2].map(|()| array(&self.sorting, size.tasks));
        let policy = linux_o1::LinuxO1::with_queues(self.rules, active, expired);
        DoubleSorted::sorting(policy, self.sorting.sorts)
    }

    fn params(&self, task: &Facts, values: &dyn Values) -> Result<Self::Params, Missing> {
        let params = linux_task(task, values)?;
        self.sorting.grouped(task, params)
    }
}
