//! Process cruise control: as [`Dss`], and the operating points of tasks are found by their counters.

use crate::dss::Dss;
use crate::facts::{Facts, Missing};
use crate::profile::Profile;
use crate::scheduler::{Scheduler, Size};
use crate::settings::{Configured, Setting, Values};
use crate::sorting::{By, Sorting};
use flyball_policy::cruise::{self, Domains};
use flyball_policy::{Encode, Paced, Storage};

/// How many cycles of the highest frequency a request to memory takes on virtual CPUs.
pub const LATENCY: u32 = 100;

/// Process cruise control. As [`Dss`] by operating points, it is neither sustainable nor memoryless. Without operating
/// points it is [`Dss`] with one group.
#[derive(Clone, Copy, Debug)]
pub struct Cruise {
    /// The policy within.
    pub dss: Dss,
    /// How tasks are judged.
    pub settings: cruise::Settings,
}

impl Configured for Cruise {
    const SETTINGS: &'static [Setting] = &[
        Dss::VARIANT,
        Setting::decimal(
            "loss",
            "by which part work may take longer than at the highest frequency",
            "0.1",
        ),
        Setting::count(
            "latency",
            "how long a request to memory takes, in cycles of the highest frequency, up to 2048",
            LATENCY,
        ),
        Setting::integer(
            "doubt",
            "a reading that departs from the average counts 2^doubt times less than another, up to 16",
            2,
        ),
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

    const TASK_SETTINGS: &'static [Setting] = Dss::TASK_SETTINGS;

    fn new(values: &dyn Values, _: &[Facts]) -> Result<Cruise, &'static str> {
        let dss = Dss::by(By::Speed, values)?;
        let latency = u16::try_from(values.integer("latency")).ok();
        let latency = latency.filter(|&latency| latency <= Domains::MOST_LATENCY);
        let latency = latency.ok_or("`latency` is from 1 to 2048")?;
        let doubt = u8::try_from(values.integer("doubt")).ok();
        let doubt = doubt.filter(|&doubt| doubt <= cruise::Settings::MOST_DOUBT);
        let hertz = match values.frequencies() {
            // Any: there is one point.
            [] => &[1],
            hertz => hertz,
        };
        let domains = Domains::new(hertz, latency, values.millionths("loss"));
        Ok(Cruise {
            settings: cruise::Settings {
                domains: domains.ok_or("there are 1 to 8 frequencies, the lowest first")?,
                doubt: doubt.ok_or("`doubt` is from 0 to 16")?,
                sorts: dss.sorting.design.is_some(),
            },
            dss,
        })
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.dss.emit(put);
        self.settings.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Cruise> {
        let dss = Dss::parse(bytes)?;
        let settings = Encode::parse(bytes)?;
        Some(Cruise { dss, settings })
    }
}

impl Scheduler for Cruise {
    const NAME: &'static str = "cruise";
    const PROFILE: Profile = Profile {
        source: "Weissel and Bellosa, \"Process Cruise Control\", CASES 2002; Finster, \"Double-sorted \
                 scheduling in process cruise control environments\", Universität Karlsruhe 2005; the model \
                 of a task and the averages are Flyball's own",
        ..Dss::PROFILE
    };
    type Params = Paced<<Dss as Scheduler>::Params>;
    type Policy<S: Storage, C: Storage> =
        flyball_policy::Cruise<<Dss as Scheduler>::Policy<S, C>, S>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        flyball_policy::Cruise::new(self.dss.policy::<S, C>(size), self.settings)
    }

    fn params(&self, task: &Facts, values: &dyn Values) -> Result<Self::Params, Missing> {
        // A task may get to any point, so the costs have a row for the fastest.
        let fastest = Facts {
            speed: Some(self.settings.domains.fastest()),
            ..*task
        };
        let mut params = self.dss.params(&fastest, values)?;
        params.speed = None;
        Ok(Paced {
            params,
            speed: task.pinned,
        })
    }
}
