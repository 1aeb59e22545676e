//! How equals are sorted: settings that policies with double-sorted queues share.

use crate::facts::{Facts, Missing};
use crate::settings::{Setting, Values};
use core::num::NonZeroU8;
use flyball_policy::order::Level;
use flyball_policy::{
    AnyDesign, Breadth, Costs, Design, Encode, Group, Grouped, MOST_GROUPS, Scope, Sorts, Speed,
    Storage, Weight,
};

/// How equals are sorted, and by what.
#[derive(Clone, Copy, Debug)]
pub struct Sorting {
    /// What the group of a task is.
    pub by: By,
    /// How equals are kept by group; `None`: as they come, whatever their groups are.
    pub design: Option<Design>,
    /// What it costs to change from group to group; `None`: all changes cost the same. By speed it is
    /// what the platform says, unless the user says something else.
    pub costs: Option<Costs>,
    /// How far groups are told apart.
    pub sorts: Sorts,
}

/// What the group of a task is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// Its `group`.
    Group,
    /// The place of its `program` among the programs that tasks name.
    Program,
    /// The place of its `device` among the devices that tasks name.
    Device,
    /// The operating point that it is to run at.
    Speed,
}

/// Why a task has no group by its speed.
const NO_SPEEDS: &str = "cannot be grouped by its speed: the platform has no `speeds`";

/// Why a task cannot be pinned to its operating point.
const LEFT_OUT: &str = "has a `speed` that changes cost too much for: `limit` leaves it out";

impl By {
    /// All of them, as a setting and an image number them.
    const ALL: [By; 4] = [By::Group, By::Program, By::Device, By::Speed];

    /// As a setting has them, the default first.
    const NAMES: &'static [&'static str] = &["group", "program", "device", "speed"];

    /// What the setting `by` says.
    pub(crate) fn of(values: &dyn Values) -> By {
        let name = values.text(Sorting::BY.name);
        let found = By::ALL.iter().zip(By::NAMES).find(|(_, it)| **it == name);
        found.map_or(By::Group, |(by, _)| *by)
    }

    /// The group of a task.
    fn group(self, task: &Facts) -> Result<Group, Missing> {
        let groups = task.groups;
        let number = match self {
            By::Group => groups.number.into(),
            By::Program => groups.program,
            By::Device => groups.device,
            By::Speed => match task.speed {
                Some(speed) => speed.0.into(),
                None => return Err(Missing::Other(NO_SPEEDS)),
            },
        };
        let number = usize::from(number);
        if number < MOST_GROUPS {
            Ok(Group::of(number))
        } else {
            Err(Missing::Group(By::NAMES[self as usize]))
        }
    }
}

impl Sorting {
    /// The setting `by`.
    pub const BY: Setting = Setting::choice(
        "by",
        "what the group of a task is: one of its keys",
        By::NAMES,
    );

    /// The setting `costs`.
    pub const COSTS: Setting = Setting::costs(
        "costs",
        "what it costs to change from each group (a row) to each (a column), in any unit; lists \
         visit groups in the cheapest order",
        "all changes cost the same; with by = \"speed\" as long as the platform's transitions take",
    );

    /// The setting `scope`.
    pub const SCOPE: Setting = Setting::count(
        "scope",
        "how many levels share their lists, up to 255 (loose-lists)",
        2,
    );

    /// The setting `demotes`.
    pub const DEMOTES: Setting = Setting::switch(
        "demotes",
        "whether a task may also join its group a level below, not only above (loose-walk)",
        false,
    );

    /// The setting `weight`.
    pub const WEIGHT: Setting = Setting::decimal(
        "weight",
        "how much time counts against energy, 0 to 1; above 0.5 groups that cost more than `limit` are left out",
        "0",
    );

    /// The setting `limit`.
    pub const LIMIT: Setting = Setting::integer(
        "limit",
        "what the cheapest changes into a group and out of it may cost together, if time counts more than energy; \
         tasks of a group that costs more are served in the next higher one; 0: as much as it likes",
        0,
    );

    /// The setting `fewest`.
    pub const FEWEST: Setting = Setting::integer(
        "fewest",
        "tasks of a group that has fewer of them are queued with the next higher group, up to 255",
        0,
    );

    /// The setting `sorting`.
    pub const SORTING: Setting = Setting::integer(
        "sorting",
        "what it costs at a context switch to sort, in the unit of `costs`; while the changes of group that tasks \
         need in the order in which they come cost less, nothing is sorted; 0: all is, always",
        0,
    );

    /// Reads the shared settings but for `by`. `design` is the design's name; any other word is none. The most
    /// urgent `real_time` levels stay strict in the loose designs.
    ///
    /// # Errors
    /// What is wrong with a value.
    pub fn new(
        values: &dyn Values,
        by: By,
        design: &str,
        real_time: u8,
    ) -> Result<Sorting, &'static str> {
        let levels = u8::try_from(values.integer(Self::SCOPE.name)).ok();
        let levels = levels.and_then(NonZeroU8::new);
        let levels = levels.ok_or("`scope` is from 1 to 255")?;
        let costs = Self::costs(values, by);
        let sorts = Self::sorts(values, costs.as_ref())?;
        let design = match design {
            "strict-lists" => Some(Design::StrictLists),
            "loose-lists" => Some(Design::LooseLists(Scope { real_time, levels })),
            "strict-walk" => Some(Design::StrictWalk),
            "loose-walk" => Some(Design::LooseWalk(Breadth {
                real_time,
                demotes: values.switch(Self::DEMOTES.name),
                sorting: sorts.sorting,
                adjustment: sorts.adjustment,
            })),
            "tour-lists" => Some(Design::TourLists),
            _ => None,
        };
        Ok(Sorting {
            by,
            design,
            costs,
            sorts,
        })
    }

    /// What changes cost, by the settings or the platform.
    pub(crate) fn costs(values: &dyn Values, by: By) -> Option<Costs> {
        let of_platform = || values.transitions().filter(|_| by == By::Speed);
        values.costs(Self::COSTS.name).or_else(of_platform)
    }

    /// How far groups are told apart, by the settings.
    ///
    /// # Errors
    /// What is wrong with a value.
    pub(crate) fn sorts(values: &dyn Values, costs: Option<&Costs>) -> Result<Sorts, &'static str> {
        let even = Costs::even(1, 0);
        let costs = costs.unwrap_or(&even);
        let thousandths = u16::try_from(values.millionths(Self::WEIGHT.name) / 1_000).ok();
        let weight = thousandths.and_then(Weight::thousandths);
        let weight = weight.ok_or("`weight` is from 0 to 1")?;
        let limit = match values.integer(Self::LIMIT.name) {
            0 => u64::MAX,
            limit => limit.into(),
        };
        let fewest = u8::try_from(values.integer(Self::FEWEST.name));
        Ok(Sorts {
            kept: costs.kept(limit, weight),
            fewest: fewest.map_err(|_| "`fewest` is from 0 to 255")?,
            sorting: values.integer(Self::SORTING.name),
            adjustment: costs.mean().unwrap_or(1),
        })
    }

    /// An empty queue of the design, with room for so many tasks. Without a design it is one of lists, in
    /// which all tasks are in one group.
    pub(crate) fn queue<S: Storage>(&self, tasks: usize) -> AnyDesign<Level, S> {
        // With one group in the table, all others are visited by rising number.
        let costs = self.costs.unwrap_or(Costs::even(1, 0));
        let design = self.design.unwrap_or(Design::StrictLists);
        AnyDesign::with(tasks, design, &costs, self.sorts.kept)
    }

    /// What a task tells the policy, with its group and its operating point.
    ///
    /// # Errors
    /// [`Missing::Group`] and [`Missing::Row`]: the group is one too many. [`Missing::Other`]: it has none.
    pub(crate) fn grouped<P>(&self, task: &Facts, params: P) -> Result<Grouped<P>, Missing> {
        let group = match self.design {
            None => Group::of(0),
            Some(_) => self.by.group(task)?,
        };
        let has_row = |costs: Costs| group.index() < costs.count();
        if !self.costs.is_none_or(has_row) {
            return Err(Missing::Row);
        }
        let is_left_out = |point: Speed| !self.sorts.kept.contains(Group::of(point.index()));
        if self.by == By::Speed && task.pinned.is_some_and(is_left_out) {
            return Err(Missing::Other(LEFT_OUT));
        }
        Ok(Grouped {
            params,
            group,
            speed: task.speed,
        })
    }
}

/// In the order of their declarations.
impl Encode for Sorting {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.by as u8, self.design, self.costs, self.sorts).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Sorting> {
        let (by, design, costs, sorts): (u8, _, _, _) = Encode::parse(bytes)?;
        Some(Sorting {
            by: *By::ALL.get(usize::from(by))?,
            design,
            costs,
            sorts,
        })
    }
}
