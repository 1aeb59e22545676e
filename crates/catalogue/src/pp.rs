//! Proportion-period reservations that set themselves, on one CPU and on all of a cluster.

mod global;

pub use global::GlobalPp;

use crate::facts::{Arrival, Facts, Missing};
use crate::profile::Profile;
use crate::scheduler::{Scheduler, Size, Unserved};
use crate::servers::Allowance;
use crate::settings::{Configured, Setting, Values};
use flyball_policy::i_plus_pi::Fraction;
use flyball_policy::proportion_period::{
    BestEffort, ControllerPlace, Order, Part, Periods, Promised, ProportionPeriod, Request,
    Sensing, Settings,
};
use flyball_policy::servers::{Inheriting, Reservation};
use flyball_policy::{Bitmap, Duration, Encode, Fifo, Ranked, RoundRobin, Storage};

/// Proportion-period reservations that set themselves. Not memoryless: what the controllers have learned stays.
#[derive(Clone, Copy, Debug)]
pub struct Pp {
    /// How reservations are served and controlled.
    pub settings: Settings,
    /// How much more than its execution time in every period a periodic task has.
    pub allowance: Allowance,
}

/// What runs where no reservation does, in turn.
type Background<S> = Ranked<RoundRobin<Fifo>, Bitmap<(), S, 1>>;

const TURN: RoundRobin<Fifo> = RoundRobin {
    order: Fifo,
    quantum: Duration::from_millis(10),
};

/// The millionths that a file says, of which the fraction is the nearest one in 2⁻²⁴. They are rounded down, so
/// that parts fit together that add up to the limit.
fn part_of(share: Fraction) -> Part {
    let whole = u64::from(Fraction::ONE.bits());
    let millionths = (u64::from(share.bits()) * 1_000_000 + whole / 2) / whole;
    // At most a million.
    u32::try_from(millionths).map_or(Part::ALL, Part::millionths)
}

impl Pp {
    /// What values of all settings but `dispatch` say, with this order.
    ///
    /// # Errors
    /// Says why they do not go together.
    fn ordered(values: &dyn Values, order: Order) -> Result<Pp, &'static str> {
        let part = |name| Part::millionths(values.millionths(name));
        let threshold = (u64::from(values.millionths("threshold")) << 16) / 1_000_000;
        let settings = Settings {
            order,
            controller: match values.text("controller") {
                "thread" => ControllerPlace::Thread,
                _ => ControllerPlace::Kernel,
            },
            interval: values.duration("interval"),
            periods: Periods {
                // Whatever is too large is refused below.
                threshold: u32::try_from(threshold).unwrap_or(u32::MAX),
                growth: values.duration("growth"),
                start: values.duration("start"),
                shortest: values.duration("shortest"),
                longest: values.duration("longest"),
                answers_missed: values.text("missed") == "longer",
            },
            limit: part("limit"),
            spare: part("spare"),
            sensing: match values.text("sensing") {
                "switch" => Sensing::Switch,
                "sampled" => Sensing::Sampled,
                _ => Sensing::Exact,
            },
            best_effort: match values.text("best_effort") {
                "left-over" => BestEffort::LeftOver,
                _ => BestEffort::OpenLoop,
            },
            denies: match values.text("tick_rule") {
                "deny" => values.tick().unwrap_or_default(),
                _ => Duration::ZERO,
            },
            renegotiates: values.text("real_time") == "renegotiated",
        };
        settings.check()?;
        let allowance = Allowance::of(values);
        Ok(Pp {
            settings,
            allowance,
        })
    }

    /// What a task asks for, however much that is: what it says of its reservation. A periodic task that says
    /// nothing has its execution time in every period, and a task that says no more than its share has that.
    fn request(&self, task: &Facts) -> Request {
        let every = task.period.filter(|_| task.arrival != Arrival::Once);
        let share = match (task.reserve.and_then(|reserve| reserve.share), every) {
            (Some(share), _) => Some(part_of(share)),
            (None, Some(every)) => Some(Part::of(self.allowance.budget(task.wcet, every), every)),
            (None, None) => task.share.map(part_of),
        };
        Request {
            share,
            period: task.reserve.and_then(|reserve| reserve.period).or(every),
            importance: task.importance.unwrap_or(1).max(1),
        }
    }
}

impl Configured for Pp {
    const SETTINGS: &'static [Setting] = &[
        Setting::choice(
            "dispatch",
            "the shortest period first (rm), or the end of a period that is nearest (edf)",
            &["rm", "edf"],
        ),
        Setting::choice(
            "controller",
            "the controllers of shares and periods run at an alarm of the policy (kernel), or whenever a task \
             does the step \"control\" (thread)",
            &["kernel", "thread"],
        ),
        Setting::duration(
            "interval",
            "how often the controllers of shares and periods run; of a thread, how often it should run them",
            Settings::DEFAULT.interval,
        ),
        Setting::decimal(
            "threshold",
            "the swing of a queue in a period above which the period becomes shorter, as a part of its \
             capacity",
            "0.5",
        ),
        Setting::duration_or_zero(
            "growth",
            "by how much a period becomes longer otherwise",
            Periods::PAPER.growth,
        ),
        Setting::duration("start", "the first period", Periods::PAPER.start),
        Setting::duration("shortest", "the shortest period", Periods::PAPER.shortest),
        Setting::duration("longest", "the longest period", Periods::PAPER.longest),
        Setting::choice(
            "missed",
            "a stage that could not get its share in a period has the next one as usual (tolerated), or a \
             longer one (longer)",
            &["tolerated", "longer"],
        ),
        Setting::decimal(
            "limit",
            "how much of each CPU all reservations have together",
            "0.98",
        ),
        Setting::decimal(
            "spare",
            "how much of that is left to tasks of best effort at the least, where there are any",
            "0.02",
        ),
        Setting::choice(
            "sensing",
            "when levels of queues are looked at: at every change, whenever a task stops, or when the \
             controllers run",
            &["exact", "switch", "sampled"],
        ),
        Setting::choice(
            "best_effort",
            "tasks that say nothing and use no queue have reservations of what is left (open-loop), or run \
             while no reservation does (left-over)",
            &["open-loop", "left-over"],
        ),
        Setting::choice(
            "tick_rule",
            "a task that comes back and has less than a tick left of its budget runs (grant), or waits for its \
             next period (deny)",
            &["grant", "deny"],
        ),
        Setting::choice(
            "real_time",
            "what tasks say of shares and periods is kept as it is, or renegotiated: what they do not use \
             is lent to others, and more important tasks take from less important ones",
            &["kept", "renegotiated"],
        ),
        Allowance::JOB,
        Allowance::INTERRUPTS,
    ];

    fn new(values: &dyn Values, _: &[Facts]) -> Result<Pp, &'static str> {
        let order = match values.text("dispatch") {
            "edf" => Order::Deadline,
            _ => Order::Rate,
        };
        Pp::ordered(values, order)
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.settings, self.allowance).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Pp> {
        let (settings, allowance) = Encode::parse(bytes)?;
        Some(Pp {
            settings,
            allowance,
        })
    }
}

impl Scheduler for Pp {
    const NAME: &'static str = "pp";
    const PROFILE: Profile = Profile {
        queue: "sorted",
        queue_complexity: "that of servers: O(log n)",
        decision: "O(1): the first task of the first reservation; the controllers are O(n) of n tasks and \
                   their queues, once in an interval",
        source: "Steere, Goel, Gruenberg, McNamee, Pu and Walpole, \"A feedback-driven proportion \
                 allocator for real-rate scheduling\", OSDI 1999, with periods that adapt themselves",
    };
    type Params = Request;
    type Policy<S: Storage, C: Storage> = Inheriting<ProportionPeriod<Background<S>, S>, S>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        let background = Ranked::new(TURN, size.tasks);
        Inheriting::new(ProportionPeriod::new(self.settings, background, size.tasks))
    }

    fn unserved(&self, tasks: &[Facts], cpus: usize) -> Option<(usize, Unserved)> {
        let is_by_thread = self.settings.controller == ControllerPlace::Thread;
        if is_by_thread && !tasks.iter().any(|task| task.controls) {
            let adapts = |task| self.request(task).adapts();
            let first = tasks.iter().position(adapts);
            if let Some(first) = first {
                return Some((first, Unserved::Uncontrolled));
            }
        }
        let settings = &self.settings;
        for (position, task) in tasks.iter().enumerate() {
            let request = self.request(task);
            let Some(share) = request.share else {
                continue;
            };
            let before = tasks[..position].iter().map(|task| self.request(task));
            let promised = Promised::beside(settings, before, &request);
            if promised.with(&request, share).beyond(settings, cpus) > 0 {
                let period = request.period.unwrap_or(settings.periods.start);
                let reservation = Reservation::every(period, share.in_period(period));
                let left = promised.left(&request, settings, cpus);
                let fits = left.in_period(period);
                return Some((position, Unserved::Overfull { reservation, fits }));
            }
        }
        None
    }

    fn params(&self, task: &Facts, _: &dyn Values) -> Result<Request, Missing> {
        let request = self.request(task);
        match request.check() {
            Ok(()) => Ok(request),
            Err(_) if request.share == Some(Part::NOTHING) => {
                Err(Missing::Other("needs a `wcet` or a share above zero"))
            }
            Err(_) => Err(Missing::Other(
                "has a period that is not from 1 µs to 4.29 s",
            )),
        }
    }
}
