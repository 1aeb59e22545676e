//! Earliest deadline first, and the deadlines of a window by group.

use crate::facts::{Facts, Missing};
use crate::profile::Profile;
use crate::scheduler::{Scheduler, Size};
use crate::settings::{Configured, Setting, Values};
use crate::sorting::{By, Sorting};
use flyball_policy::{
    Costs, Deadline, Design, DoubleSorted, Duration, EarliestDeadline, Encode, Grouped, Nothing,
    Queue, Ranked, Storage, Visits, Windows,
};

/// EDF whose deadlines are equal within windows of time, and sorted by group there. Not sustainable, and not
/// memoryless: which group comes first depends on the one that ran last.
#[derive(Clone, Copy, Debug)]
pub struct DssEdf {
    /// How the deadlines of a window are sorted. The design is that of lists that are visited in the cheapest
    /// order.
    pub sorting: Sorting,
    /// The length of a window; zero: only equal deadlines are equal.
    pub window: Duration,
}

impl DssEdf {
    /// The setting `window`.
    pub const WINDOW: Setting = Setting::duration_or_zero(
        "window",
        "within how long a stretch of time deadlines are equal, and sorted by group; 0: only equal \
         deadlines are",
        Duration::ZERO,
    );
}

impl Configured for DssEdf {
    const SETTINGS: &'static [Setting] = &[
        DssEdf::WINDOW,
        Sorting::BY,
        Sorting::COSTS,
        Sorting::WEIGHT,
        Sorting::LIMIT,
        Sorting::FEWEST,
        Sorting::SORTING,
    ];

    fn new(values: &dyn Values, _: &[Facts]) -> Result<DssEdf, &'static str> {
        let by = By::of(values);
        let costs = Sorting::costs(values, by);
        Ok(DssEdf {
            sorting: Sorting {
                by,
                design: Some(Design::StrictLists),
                sorts: Sorting::sorts(values, costs.as_ref())?,
                costs,
            },
            window: values.duration(DssEdf::WINDOW.name),
        })
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        // In the order of their declarations.
        (self.sorting, self.window).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<DssEdf> {
        let (sorting, window) = Encode::parse(bytes)?;
        Some(DssEdf { sorting, window })
    }
}

impl Scheduler for DssEdf {
    const NAME: &'static str = "dss-edf";
    const PROFILE: Profile = Profile {
        queue: Windows::<Nothing>::NAME,
        queue_complexity: Windows::<Nothing>::COMPLEXITY,
        decision: "O(1): the first of the queue; where it stops, O(n) of n tasks in the earliest window",
        source: "Flyball's own, after Finster, \"Double-sorted scheduling in process cruise control \
                 environments\", Universität Karlsruhe 2005, and Liu and Layland 1973",
    };
    type Params = Grouped<Deadline>;
    type Policy<S: Storage, C: Storage> = DoubleSorted<Ranked<EarliestDeadline, Windows<S>>, S>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        // With one group in the table, all others are visited by rising number.
        let costs = self.sorting.costs.unwrap_or(Costs::even(1, 0));
        let visits = Visits::cheapest(&costs, self.sorting.sorts.kept);
        let queue = Windows::with(size.tasks, self.window, visits);
        let policy = Ranked::with_queue(EarliestDeadline, queue);
        DoubleSorted::sorting(policy, self.sorting.sorts)
    }

    fn params(&self, task: &Facts, _: &dyn Values) -> Result<Self::Params, Missing> {
        let deadline = Deadline(task.deadline_or_never());
        self.sorting.grouped(task, deadline)
    }
}
