//! I+PI, and what it can be told.

use crate::facts::{Facts, Missing};
use crate::profile::Profile;
use crate::scheduler::{Scheduler, Size};
use crate::settings::{Configured, Setting, Values};
use flyball_policy::i_plus_pi::{
    Division, Fraction, Gain, Gains, Round, Sequence, Settings, Share, Unstable, Wake,
};
use flyball_policy::{Duration, Encode, IPlusPi, Storage};

/// I+PI.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ipi {
    /// Its settings.
    pub settings: Settings,
}

impl Ipi {
    /// What a task tells the policy, wherever it runs. A task that does not say what `share` it
    /// needs gets its utilisation, and one with a single job 5 %, as the main thread has in the
    /// benchmarks of I+PI's authors.
    pub fn share(task: &Facts) -> Share {
        let cpu = match (task.share, task.period) {
            (Some(share), _) => share,
            (None, Some(period)) => Fraction::ratio(task.wcet.as_nanos(), period.as_nanos()),
            (None, None) => Fraction::percent(5),
        };
        Share {
            cpu,
            importance: task.importance.unwrap_or(1),
            deadline: task.deadline_or_never(),
            wcet: task.wcet,
        }
    }
}

impl Configured for Ipi {
    const SETTINGS: &'static [Setting] = &[
        Setting::decimal("kpi", "the gain of the inner regulators", "0.5"),
        Setting::decimal("krr", "the gain of the outer regulator", "0.9"),
        Setting::decimal("zrr", "the zero of the outer regulator", "0.88"),
        Setting::duration(
            "nominal",
            "the burst from which the round's set point is made",
            Duration::from_millis(4),
        ),
        Setting::choice(
            "round",
            "what the set point of a round is: the nominal burst for each task, for each task that \
             is ready, or itself",
            &["per-task", "per-ready", "constant"],
        ),
        Setting::duration_or_zero("shortest", "the shortest burst", Settings::THESIS.shortest),
        Setting::duration("longest", "the longest burst", Settings::THESIS.longest),
        Setting::choice(
            "division",
            "what a round is divided by: the shares that tasks need, or the rest of their jobs over \
             the time that is left",
            &["shares", "demand"],
        ),
        Setting::choice(
            "sequence",
            "who comes first in a round",
            &["admission", "deadline", "urgency"],
        ),
        Setting::choice(
            "wake",
            "who wakes waits for its turn, has the next one, or begins a new round",
            &["wait", "next", "round"],
        ),
        Setting::switch(
            "feedforward",
            "whether a task that waits needs nothing",
            Settings::THESIS.feedforward,
        ),
        Setting::switch(
            "reinitialise",
            "whether regulators start anew when shares change",
            Settings::THESIS.reinitialise,
        ),
    ];

    fn new(values: &dyn Values, _: &[Facts]) -> Result<Ipi, &'static str> {
        let gain = |name| Gain::ratio(values.millionths(name), 1_000_000);
        let nominal = values.duration("nominal");
        let gains = Gains::new(gain("kpi"), gain("krr"), gain("zrr"));
        let settings = Settings {
            gains: gains.map_err(Unstable::text)?,
            shortest: values.duration("shortest"),
            longest: values.duration("longest"),
            round: match values.text("round") {
                "per-ready" => Round::PerReady(nominal),
                "constant" => Round::Constant(nominal),
                _ => Round::PerTask(nominal),
            },
            division: match values.text("division") {
                "demand" => Division::Demand,
                _ => Division::Shares,
            },
            sequence: match values.text("sequence") {
                "deadline" => Sequence::Deadline,
                "urgency" => Sequence::Urgency,
                _ => Sequence::Admission,
            },
            wake: match values.text("wake") {
                "next" => Wake::Next,
                "round" => Wake::Round,
                _ => Wake::Wait,
            },
            feedforward: values.switch("feedforward"),
            reinitialise: values.switch("reinitialise"),
        };
        Ok(Ipi { settings })
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.settings.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Ipi> {
        Settings::parse(bytes).map(|settings| Ipi { settings })
    }
}

impl Scheduler for Ipi {
    const NAME: &'static str = "ipi";
    const PROFILE: Profile = Profile {
        queue: "round",
        queue_complexity: "O(1), or O(n) for a task that wakes and has the next turn",
        decision: "O(1) amortised, and O(n) of n tasks once a round, or up to O(n²) where deadlines \
                   order it",
        source: "Terraneo, \"Control based design of OS components\", thesis, Politecnico di Milano, \
                 2011, chapter 2",
    };

    type Params = Share;
    type Policy<S: Storage, C: Storage> = IPlusPi<S>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> IPlusPi<S> {
        IPlusPi::new(self.settings, size.tasks)
    }

    fn params(&self, task: &Facts, _: &dyn Values) -> Result<Share, Missing> {
        Ok(Ipi::share(task))
    }
}
