//! Double-sorted scheduling: fixed priorities with time slices, and equals by group.

use crate::facts::{Facts, Missing};
use crate::profile::Profile;
use crate::rule::{TIME_SLICES, priority, time_slice};
use crate::scheduler::{Scheduler, Size};
use crate::settings::{Configured, Setting, Values};
use crate::sorting::{By, Sorting};
use flyball_policy::order::Level;
use flyball_policy::{
    AnyDesign, DoubleSorted, Duration, Encode, FixedPriority, Grouped, Nothing, Priority, Ranked,
    Storage, Weighted, WeightedRoundRobin,
};

/// Double-sorted scheduling. Not sustainable, as [`FpRr`](crate::FpRr) is not. Not memoryless: which group
/// comes first depends on the one that ran last.
#[derive(Clone, Copy, Debug)]
pub struct Dss {
    /// How equals are sorted.
    pub sorting: Sorting,
    /// The length of a time slice, where a task does not say another.
    pub quantum: Duration,
}

impl Dss {
    /// The setting `variant`.
    pub(crate) const VARIANT: Setting = Setting::choice(
        "variant",
        "how equals are kept: between levels priorities are strict, or (loose) a task may wait \
         for less urgent ones of the group that runs; tour: no equal starves; unsorted: groups \
         do not matter",
        &[
            "strict-lists",
            "loose-lists",
            "strict-walk",
            "loose-walk",
            "tour-lists",
            "unsorted",
        ],
    );

    /// The setting `quantum`.
    pub(crate) const QUANTUM: Setting = Setting::duration(
        "quantum",
        "how long a time slice is",
        Duration::from_millis(10),
    );

    /// The setting `real_time`.
    pub(crate) const REAL_TIME: Setting = Setting::count(
        "real_time",
        "tasks of this priority or a larger one stay strict in the loose variants; 256: none do",
        156,
    );

    /// Reads the settings but for what the group of a task is.
    ///
    /// # Errors
    /// What is wrong with a value.
    pub(crate) fn by(by: By, values: &dyn Values) -> Result<Dss, &'static str> {
        // The level of a priority is 255 less it.
        let real_time = 256_u32.checked_sub(values.integer("real_time"));
        let real_time = real_time.and_then(|levels| u8::try_from(levels).ok());
        let real_time = real_time.ok_or("`real_time` is from 1 to 256")?;
        Ok(Dss {
            sorting: Sorting::new(values, by, values.text("variant"), real_time)?,
            quantum: values.duration("quantum"),
        })
    }
}

impl Configured for Dss {
    const SETTINGS: &'static [Setting] = &[
        Dss::VARIANT,
        Sorting::BY,
        Sorting::COSTS,
        Dss::QUANTUM,
        Sorting::SCOPE,
        Sorting::DEMOTES,
        Sorting::WEIGHT,
        Sorting::LIMIT,
        Sorting::FEWEST,
        Sorting::SORTING,
        Dss::REAL_TIME,
    ];

    const TASK_SETTINGS: &'static [Setting] = TIME_SLICES;

    fn new(values: &dyn Values, _: &[Facts]) -> Result<Dss, &'static str> {
        Dss::by(By::of(values), values)
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        // In the order of their declarations.
        (self.sorting, self.quantum).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Dss> {
        let (sorting, quantum): (_, Duration) = Encode::parse(bytes)?;
        (!quantum.is_zero()).then_some(Dss { sorting, quantum })
    }
}

impl Scheduler for Dss {
    const NAME: &'static str = "dss";
    const PROFILE: Profile = Profile {
        decision: "O(1): the first task of the most urgent level, in the first of at most 8 groups \
                   that has one there",
        ..Profile::ranked::<AnyDesign<Level, Nothing>, Level>(
            "Finster, \"Double-sorted scheduling in process cruise control environments\", \
             Universität Karlsruhe 2005, chapter 3; tour-lists are Flyball's own",
        )
    };
    type Params = Grouped<Weighted<Priority>>;
    type Policy<S: Storage, C: Storage> =
        DoubleSorted<Ranked<WeightedRoundRobin<FixedPriority>, AnyDesign<Level, S>>, S>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        let order = WeightedRoundRobin {
            order: FixedPriority,
        };
        let queue = self.sorting.queue(size.tasks);
        DoubleSorted::sorting(Ranked::with_queue(order, queue), self.sorting.sorts)
    }

    fn params(&self, task: &Facts, values: &dyn Values) -> Result<Self::Params, Missing> {
        let params = Weighted {
            params: priority(task)?,
            quantum: time_slice(values, self.quantum),
        };
        self.sorting.grouped(task, params)
    }
}
