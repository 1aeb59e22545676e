//! Double-sorted scheduling: fixed priorities with time slices, and equals by group.

use crate::facts::{Facts, Missing};
use crate::profile::Profile;
use crate::rule::{TIME_SLICES, priority, time_slice};
use crate::scheduler::{Scheduler, Size};
use crate::settings::{Configured, Setting, Values};
use core::num::NonZeroU8;
use flyball_policy::order::Level;
use flyball_policy::{
    AnyDesign, Breadth, Costs, Design, DoubleSorted, Duration, Encode, FixedPriority, Group,
    Grouped, Kept, MOST_GROUPS, Nothing, Priority, Ranked, Scope, Storage, Weighted,
    WeightedRoundRobin,
};

/// Double-sorted scheduling. Not sustainable, as [`FpRr`](crate::FpRr) is not. Not memoryless: which group
/// comes first depends on the one that ran last.
#[derive(Clone, Copy, Debug)]
pub struct Dss {
    /// What the group of a task is.
    pub by: By,
    /// How equals are kept by group; `None`: as they come, whatever their groups are.
    pub design: Option<Design>,
    /// The length of a time slice, where a task does not say another.
    pub quantum: Duration,
    /// What it costs to change from group to group; `None`: all changes cost the same. By speed it is
    /// what the platform says, unless the user says something else.
    pub costs: Option<Costs>,
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

impl By {
    /// All of them, as a setting and an image number them.
    const ALL: [By; 4] = [By::Group, By::Program, By::Device, By::Speed];

    /// As a setting has them, the default first.
    const NAMES: &'static [&'static str] = &["group", "program", "device", "speed"];

    fn named(name: &str) -> By {
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

impl Configured for Dss {
    const SETTINGS: &'static [Setting] = &[
        Setting::choice(
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
        ),
        Setting::choice(
            "by",
            "what the group of a task is: one of its keys",
            By::NAMES,
        ),
        Setting::costs(
            "costs",
            "what it costs to change from each group (a row) to each (a column), in any unit; lists \
             visit groups in the cheapest order",
            "all changes cost the same; with by = \"speed\" as long as the platform's transitions take",
        ),
        Setting::duration(
            "quantum",
            "how long a time slice is",
            Duration::from_millis(10),
        ),
        Setting::count(
            "scope",
            "how many levels share their lists, up to 255 (loose-lists)",
            2,
        ),
        Setting::switch(
            "demotes",
            "whether a task may also join its group a level below, not only above (loose-walk)",
            false,
        ),
        Setting::count(
            "real_time",
            "tasks of this priority or a larger one stay strict in the loose variants; 256: none do",
            156,
        ),
    ];

    const TASK_SETTINGS: &'static [Setting] = TIME_SLICES;

    fn new(values: &dyn Values, _: &[Facts]) -> Result<Dss, &'static str> {
        let levels = u8::try_from(values.integer("scope")).ok();
        let levels = levels.and_then(NonZeroU8::new);
        let levels = levels.ok_or("`scope` is from 1 to 255")?;
        // The level of a priority is 255 less it.
        let real_time = 256_u32.checked_sub(values.integer("real_time"));
        let real_time = real_time.and_then(|levels| u8::try_from(levels).ok());
        let real_time = real_time.ok_or("`real_time` is from 1 to 256")?;
        let by = By::named(values.text("by"));
        let of_platform = || values.transitions().filter(|_| by == By::Speed);
        Ok(Dss {
            by,
            design: match values.text("variant") {
                "unsorted" => None,
                "loose-lists" => Some(Design::LooseLists(Scope { real_time, levels })),
                "strict-walk" => Some(Design::StrictWalk),
                "loose-walk" => Some(Design::LooseWalk(Breadth {
                    real_time,
                    demotes: values.switch("demotes"),
                    ..Breadth::default()
                })),
                "tour-lists" => Some(Design::TourLists),
                _ => Some(Design::StrictLists),
            },
            quantum: values.duration("quantum"),
            costs: values.costs("costs").or_else(of_platform),
        })
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        // In the order of their declarations.
        (self.by as u8, self.design, self.quantum, self.costs).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Dss> {
        let (by, design, quantum, costs): (u8, Option<Design>, Duration, _) = Encode::parse(bytes)?;
        let dss = Dss {
            by: *By::ALL.get(usize::from(by))?,
            design,
            quantum,
            costs,
        };
        (!quantum.is_zero()).then_some(dss)
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
        // With one group in the table, all others are visited by rising number.
        let costs = self.costs.unwrap_or(Costs::even(1, 0));
        let queue = AnyDesign::with(
            size.tasks,
            self.design.unwrap_or(Design::StrictLists),
            &costs,
            Kept::ALL,
        );
        let order = WeightedRoundRobin {
            order: FixedPriority,
        };
        DoubleSorted::with_speeds(Ranked::with_queue(order, queue))
    }

    fn params(&self, task: &Facts, values: &dyn Values) -> Result<Self::Params, Missing> {
        let group = match self.design {
            None => Group::of(0),
            Some(_) => self.by.group(task)?,
        };
        if self
            .costs
            .is_some_and(|costs| group.index() >= costs.count())
        {
            return Err(Missing::Row);
        }
        let params = Weighted {
            params: priority(task)?,
            quantum: time_slice(values, self.quantum),
        };
        Ok(Grouped {
            params,
            group,
            speed: task.speed,
        })
    }
}
