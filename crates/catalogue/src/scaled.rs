//! EDF on a CPU that is scaled: `static-edf` and `cc-edf`.

use crate::facts::{Facts, Missing};
use crate::profile::Profile;
use crate::rule::{Edf, Rule};
use crate::scheduler::{Scheduler, Size, Unserved};
use crate::settings::{Configured, Values};
use flyball_policy::scaled::{Admission, Points, Settings};
use flyball_policy::servers::Reservation;
use flyball_policy::{
    Costs, Deadline, Duration, Encode, Heap, Nothing, Scaled, Storage, Time, Timed,
};

/// EDF at the slowest operating point at which all tasks' worst cases fit.
pub type StaticEdf = ScaledEdf<false>;
/// EDF at the slowest operating point at which what jobs may still use fits.
pub type CcEdf = ScaledEdf<true>;

/// EDF on a CPU that is scaled by the sum of its tasks' parts. Without operating points it is [`Edf`].
#[derive(Clone, Copy, Debug)]
pub struct ScaledEdf<const CONSERVES: bool> {
    /// The operating points, and what each job is charged for their changes.
    pub settings: Settings,
}

/// How much longer a job takes than its work at slower points, however often the point changes meanwhile: its
/// end is rounded up.
pub const ROUNDING: Duration = Duration::from_nanos(2);

impl<const CONSERVES: bool> ScaledEdf<CONSERVES> {
    /// What is charged to each job for changes among so many points, where the longest takes so much: one change
    /// under static scaling, which goes to its point before the first job, whichever that is; three and one for each point where
    /// cycles are conserved; and [`ROUNDING`].
    ///
    /// Conserving cycles, take an interval that ends at a deadline, and in which the CPU always has one of the m jobs that are
    /// released and due in it. The point falls when one of them ends, and once more at the begin if the CPU has idled. It rises at
    /// releases, those of other jobs, too, but at most as often as it falls and from the first point to the last. So there are
    /// at most 2 m + 1 changes and one for each point; m is at least 1.
    pub fn charge(longest: Duration, points: usize) -> Duration {
        // There are at most 8.
        let changes = if CONSERVES { 3 + points as u64 } else { 1 };
        longest * changes + ROUNDING
    }

    /// The window of a task: zero if it has neither deadline nor period.
    fn window(task: &Facts) -> Duration {
        let window = task.deadline_or_never().min(task.period_or_never());
        if window == Duration::MAX {
            Duration::ZERO
        } else {
            window
        }
    }
}

impl<const CONSERVES: bool> Configured for ScaledEdf<CONSERVES> {
    fn new(values: &dyn Values, _: &[Facts]) -> Result<Self, &'static str> {
        let hertz = match values.frequencies() {
            // Any: there is one point.
            [] => &[1],
            hertz => hertz,
        };
        let points = Points::new(hertz).ok_or("there are 1 to 8 frequencies, the lowest first")?;
        let transitions = values.transitions();
        let all = transitions.iter().flat_map(Costs::rows).flatten();
        let longest = all.copied().max().unwrap_or(0);
        let charge = match hertz.len() {
            1 => Duration::ZERO,
            count => Self::charge(Duration::from_nanos(longest.into()), count),
        };
        Ok(ScaledEdf {
            settings: Settings { points, charge },
        })
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.settings.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Self> {
        let settings = Encode::parse(bytes)?;
        Some(ScaledEdf { settings })
    }
}

impl<const CONSERVES: bool> Scheduler for ScaledEdf<CONSERVES> {
    const NAME: &'static str = if CONSERVES { "cc-edf" } else { "static-edf" };
    const SCALES: bool = true;
    const PROFILE: Profile = Profile::ranked::<Heap<Time, Nothing>, Time>(
        "Pillai and Shin, \"Real-time dynamic voltage scaling for low-power embedded operating systems\", \
         SOSP 2001; windows shorter than periods and the charges for changes are Flyball's own",
    );
    type Params = Timed<Deadline>;
    type Policy<S: Storage, C: Storage> = Scaled<<Edf as Rule>::Policy<S>, S, CONSERVES>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        Scaled::new(Scheduler::policy::<S, C>(&Edf, size), self.settings)
    }

    fn unserved(&self, tasks: &[Facts], _: usize) -> Option<(usize, Unserved)> {
        let mut admission = Admission::new(&self.settings.points);
        let refused = |task: &Facts| {
            let (wcet, window) = (task.wcet, Self::window(task));
            let fits = admission.left(window);
            let refused = admission.change((Duration::ZERO, window), (wcet, window));
            refused.is_err().then(|| Unserved::Overload {
                reservation: Reservation::every(window, wcet),
                fits,
            })
        };
        let mut refused = tasks.iter().map(refused).enumerate();
        refused.find_map(|(position, why)| Some((position, why?)))
    }

    fn params(&self, task: &Facts, values: &dyn Values) -> Result<Timed<Deadline>, Missing> {
        Ok(Timed {
            params: Rule::params(&Edf, task, values)?,
            wcet: task.wcet,
            window: Self::window(task),
        })
    }
}
