//! Shares of several CPUs: a controller above one [`IPlusPi`](crate::IPlusPi) for each CPU.
//!
//! I+PI divides one CPU. With several, each CPU has a kernel core and an I+PI of its own, which
//! share nothing; this controller looks after all of them. Once a *period*, which is long against a
//! round of I+PI, it is told how much CPU time each task got, and says for each task which CPU it
//! is to be on and which share it is to have there. It is no policy: it only turns knobs.
//! [`SharesOfCpus`] is the [`Controller`](crate::Controller) that reads them from a
//! [`Plant`](crate::Plant) and turns them there.
//!
//! ```text
//!  wants ──> fill ──σ──>(−)──> Σ ──D──> r = σ + gD ──┬── shares ──> adjust ──> I+PI of each CPU ──┬─> x
//!             ^          ^                           └── moves ───> migrate ─┘                    │
//!             └── limits │<────────────────────────────────────────────────────── CPU times ──────┤
//!                  ^     └────────────────────────────────────────────────────────────────────────┤
//!                  └── what is not taken <────────────────────────────────────────────────────────┘
//! ```
//!
//! It is what the thesis behind I+PI leaves for the future (F. Terraneo, chapter 5). The names: of
//! a task, σ is its *set point*, x what it got, both in CPUs; D its *deficit*, in CPUs times
//! periods; *r* its *request*.
//!
//! # Set points
//!
//! They are the thesis's rescaling (2.3.2) for *m* CPUs: in proportion to what tasks want, or in
//! overload of the whole machine to want times importance, such that together they are all that the
//! CPUs have; but no task has more than one CPU, as a thread runs on one at a time, nor more than
//! it takes (its *limit*). What is cut off is divided among the rest in the same proportion. So
//! 0 ≤ σ ≤ 1 and Σσ ≤ m, which is all that it takes for a schedule that gives every task its share
//! to exist (McNaughton 1959: lay the tasks end to end, and cut at whole numbers).
//!
//! A task that leaves an eighth or more of what it is offered has a limit as soon as this adds up
//! to half a period's worth: what it takes. It has none again as soon as it takes what it is
//! offered. Its CPU keeps the larger share ready for it, as what it leaves goes to its neighbours
//! there anyway. This is the thesis's feed-forward (2.3.3), at a slower rate.
//!
//! # The control law, and what is proved
//!
//! D' = D + σ − x each period; a task asks for r = σ + gD, kept between σ/4 and 1, and I+PI gives
//! it x = r/R, with R the sum of the requests on its CPU. Deficits are shifted so that their sum is
//! zero: a surplus that all tasks have, none of them owes.
//!
//! * **On a CPU whose set points add up to one** and whose deficits add up to zero, R = 1, so
//!   D' = (1 − g)D: the pole is 1 − g, and errors fade by that a period. It takes g in (0, 2); a
//!   [`Fraction`] cannot be more than 1, where nothing oscillates. (Tested, period by period.)
//! * **Where the set points do not add up to one** no shares can help, and the sum of the CPU's
//!   deficits grows by the difference, R with it, until a task is moved or two are exchanged. The
//!   actuator is a quantiser with an integrator before it: a sigma-delta modulator. If R ≤ B at all
//!   times on all CPUs, deficits are bounded whatever the assignment does: for a task with Bσ < 1,
//!   x ≥ min(1, σ + gD)/B where D > 0, so D falls as soon as gD > (B − 1)σ; and a task with
//!   gD < −¾σ asks for σ/4, gets σ/4R, and D rises wherever R > ¼. If |D| ≤ Δ, a share over N
//!   periods is wrong by at most 2Δ/N. That deficits stay within [`Settings::memory`] periods is so
//!   by construction, but what is beyond is forgotten, and is an error then.
//! * **Where a task has Bσ ≥ 1** it may need a CPU to itself, and in the extreme, σ = 1, it can
//!   make up nothing: its deficit would be forgotten each period. A small neighbour could stay for
//!   good then, when no move or exchange makes requests any more equal: of random sets one in
//!   13,000 kept an error of 0.15 of a CPU. So what is forgotten while the task has neighbours
//!   becomes *pressure*: a load of its CPU that no share follows. A neighbour with the share s
//!   takes s/(1 + s) ≥ s/2 a period from a task with σ = 1. So pressure reaches any bound in a
//!   number of periods that goes by 1/s, the CPU is then 4/3 s above another, and s moves. As soon
//!   as nothing is forgotten, pressure is zero. That the CPU then stays free of neighbours is
//!   simulated: of 300,000 random sets none has an error of 0.04 over the 40 periods that follow
//!   the first 30 (property test; `SOAK`).
//! * **B.** A move of r from a CPU to one whose load is G less takes 2r(G − r) off the sum of the
//!   squares of the loads, so moves come to an end, and none is undone before the deficits
//!   have changed. At the end G is less than [`Settings::hysteresis`] or 4/3 of the smallest
//!   request there: B ≤ 1 + 4/3 or so. That [`Settings::moves`] are enough each period to stay
//!   there is not proved, but simulated.
//! * **No moves.** If the tasks are assigned such that the loads differ by less than the
//!   hysteresis, and set points add up to the same on each CPU, then nothing ever moves. If set
//!   points differ by δ, a move comes about every hysteresis / gδ periods, forever: there is no
//!   other way to give three tasks ⅔ of a CPU each on two CPUs.
//! * **Time scales.** x = r/R holds if a period is many rounds of I+PI, whose own errors fade by
//!   0.78 a round. A round that is cut by the period's end is an error of one burst, and that of
//!   the next period is its opposite. So the period should be at least 8 rounds, also for the
//!   limits' sake.
//!
//! # Numbers
//!
//! Shares are multiples of 2⁻²⁴ of a CPU. Set points are rounded down, by less than 2⁻²³ each; as
//! deficits are counted against them and shifted together, this does not add up.

mod balance;
mod controller;
mod fill;
mod observed;
#[cfg(test)]
mod tests;

pub use controller::{Moves, SharesOfCpus};
pub use observed::{Observation, Observed, Plan, RequirementChange, RequirementChanges, Sample};

use crate::i_plus_pi::Fraction;
use crate::policy::{Parameter, Refused};
use crate::storage::{Storage, Table};
use flyball_trace::{CpuId, Duration, TaskId};

/// A CPU, or a period of one, in the units that everything here is counted in.
const ONE: i64 = 1 << 24;

/// What a task wants of the whole machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Requirement {
    /// The CPU time that it needs on the average, at most one CPU. Zero: only what is left over.
    pub cpu: Fraction,
    /// Its relative importance, which has a meaning in overload of the whole machine only. A task
    /// whose importance is zero gets nothing then.
    pub importance: u16,
}

/// How a [`Supervisor`] works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The part of a deficit that is made up in a period: g, ½. More than zero.
    pub gain: Fraction,
    /// CPUs whose loads differ by less are left alone: ⅛.
    pub hysteresis: Fraction,
    /// A deficit that could not be made up in so many periods is forgotten, and so is a
    /// surplus: 16.
    pub memory: u16,
    /// A task that has moved stays for so many periods, at least: 2.
    pub dwell: u16,
    /// So many tasks move in a period at most; to exchange two takes two: 2.
    pub moves: u16,
}

/// The controller, for tasks in tables of `S` and CPUs in tables of `C`.
///
/// Each period costs O(tasks²) in the worst case: set points O(tasks × tasks that have a limit),
/// moves O(tasks²) each.
pub struct Supervisor<S: Storage, C: Storage> {
    settings: Settings,
    members: S::Table<Option<Member>>,
    cpus: C::Table<Cpu>,
    /// How many CPUs there are.
    count: usize,
}

#[derive(Clone, Copy)]
struct Member {
    requirement: Requirement,
    cpu: CpuId,
    /// It has got in this period: the sensor.
    used: Duration,
    /// It has not been there for a period.
    fresh: bool,
    set_point: i64,
    /// What it would get if it took it.
    entitled: i64,
    deficit: i64,
    /// What neighbours took of its set point and it can never make up: a load of its CPU, not a
    /// share.
    pressure: i64,
    /// What it asks its CPU for.
    share: i64,
    /// What it takes, if that is less than what it is offered; and how much it has left so far, in
    /// multiples of what it was offered in a period.
    limit: Option<i64>,
    left: i64,
    /// For how many periods it has been where it is.
    stays: u16,
    /// For [`fill`]: it has its set point.
    settled: bool,
}

#[derive(Clone, Copy, Default)]
struct Cpu {
    /// What others than tasks have taken of it in this period.
    lost: Duration,
    /// What it has for tasks.
    capacity: i64,
    /// The shares of all tasks there.
    shares: i64,
    /// Their requests, less what it has.
    load: i64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            gain: Fraction::percent(50),
            hysteresis: Fraction::ratio(1, 8),
            memory: 16,
            dwell: 2,
            moves: 2,
        }
    }
}

/// Parts of `whole`, at most one.
fn part(of: Duration, whole: Duration) -> i64 {
    Fraction::ratio(of.as_nanos(), whole.as_nanos())
        .bits()
        .into()
}

/// x·factor/whole; `whole` is not zero.
fn scale(x: i64, factor: i64, whole: i64) -> i64 {
    let scaled = i128::from(x) * i128::from(factor) / i128::from(whole);
    i64::try_from(scaled).unwrap_or(i64::MAX)
}

impl<S: Storage, C: Storage> Supervisor<S, C> {
    /// The controller for `cpus` CPUs, at least one and at most the rows of `C`, and tasks with ids
    /// below `capacity` (storages whose size is part of their type have room for that many
    /// instead).
    pub fn new(settings: Settings, cpus: u8, capacity: usize) -> Self {
        let count = usize::from(cpus.max(1));
        let cpus: C::Table<Cpu> = Table::new(count, Cpu::default());
        Supervisor {
            settings,
            members: Table::new(capacity, None),
            count: count.min(cpus.capacity()),
            cpus,
        }
    }

    // ---- membership ----------------------------------------------------------------------------

    /// There is a new task, on `cpu`. Until the next [`Supervisor::step`] it is left alone.
    ///
    /// # Errors
    /// [`Refused::Full`], [`Refused::Member`]; [`Refused::Invalid`] if there is no such CPU.
    pub fn admit(
        &mut self,
        task: TaskId,
        requirement: Requirement,
        cpu: CpuId,
    ) -> Result<(), Refused> {
        if cpu.index() >= self.count {
            return Err(Refused::Invalid(Parameter::Cpus));
        }
        if task.index() >= self.members.capacity() {
            return Err(Refused::Full);
        }
        let place = &mut self.members[task.index()];
        if place.is_some() {
            return Err(Refused::Member);
        }
        *place = Some(Member {
            requirement,
            cpu,
            used: Duration::ZERO,
            fresh: true,
            set_point: 0,
            entitled: 0,
            deficit: 0,
            pressure: 0,
            share: 0,
            limit: None,
            left: 0,
            // What is best was not known when it was put there.
            stays: u16::MAX,
            settled: false,
        });
        Ok(())
    }

    /// A task wants something else from the next [`Supervisor::step`] on.
    ///
    /// # Errors
    /// [`Refused::NotAdmitted`].
    pub fn adjust(&mut self, task: TaskId, requirement: Requirement) -> Result<(), Refused> {
        self.find_mut(task).ok_or(Refused::NotAdmitted)?.requirement = requirement;
        Ok(())
    }

    /// A task has gone.
    pub fn retire(&mut self, task: TaskId) {
        if let Some(place) = self.members.find_mut(task.index()) {
            *place = None;
        }
    }

    /// A task is on `cpu`, whatever was said: it could not be moved.
    pub fn stays(&mut self, task: TaskId, cpu: CpuId) {
        if cpu.index() < self.count
            && let Some(member) = self.find_mut(task)
        {
            member.cpu = cpu;
        }
    }

    // ---- sensors -------------------------------------------------------------------------------

    /// The CPU time that a task has got in the period that is over; none, if this is not told.
    pub fn measured(&mut self, task: TaskId, used: Duration) {
        if let Some(member) = self.find_mut(task) {
            member.used = used;
        }
    }

    /// The time that a CPU had for no task in the period that is over: its kernel's, its
    /// interrupts'; none, if this is not told. Time in which it idled is not lost.
    pub fn lost(&mut self, cpu: CpuId, time: Duration) {
        if cpu.index() < self.count {
            self.cpus[cpu.index()].lost = time;
        }
    }

    // ---- the controller ------------------------------------------------------------------------

    /// A period of this length, not zero, is over: decides for the next one.
    pub fn step(&mut self, period: Duration) {
        for n in 0..self.count {
            let cpu = &mut self.cpus[n];
            cpu.capacity = ONE - part(core::mem::take(&mut cpu.lost), period);
        }
        self.measure(period);
        let load = fill::fill(self);
        self.shift(load);
        let Settings { gain, .. } = self.settings;
        self.for_each(|member| {
            member.share = if member.limit.is_some() {
                member.entitled
            } else {
                let owed = scale(member.deficit, gain.bits().into(), ONE);
                (member.set_point + owed).clamp(member.set_point / 4, ONE)
            };
            member.stays = member.stays.saturating_add(1);
        });
        balance::balance(self);
    }

    /// Compares what tasks got with what they were to get, and with what they were offered.
    fn measure(&mut self, period: Duration) {
        let cpus = &self.cpus;
        for row in 0..self.members.capacity() {
            let Some(member) = &mut self.members[row] else {
                continue;
            };
            let got = part(core::mem::take(&mut member.used), period);
            if core::mem::take(&mut member.fresh) {
                continue;
            }
            let Cpu {
                shares, capacity, ..
            } = cpus[member.cpu.index()];
            // Of a task that was offered nothing, nothing is known.
            let offered = scale(member.share, capacity, shares.max(1));
            if got >= offered - offered / 8 {
                if member.limit.take().is_none() {
                    member.deficit += member.set_point - got;
                }
                member.left = 0;
                continue;
            }
            member.left = (member.left + ONE - scale(got, ONE, offered)).min(ONE);
            if member.left >= ONE / 2 {
                // What was offered and not taken is not owed.
                member.limit = Some(got);
                member.deficit = 0;
            } else {
                member.deficit += member.set_point - got;
            }
        }
    }

    /// Shifts the deficits of the tasks without a limit, whose set points add up to `load`, such
    /// that they add up to zero. Forgets what cannot be made up; of a deficit that becomes pressure
    /// as long as the task has neighbours.
    fn shift(&mut self, load: i64) {
        let unlimited = || self.members().filter(|member| member.limit.is_none());
        let sum: i64 = unlimited().map(|member| member.deficit).sum();
        let memory = i64::from(self.settings.memory);
        let cpus = &self.cpus;
        for row in 0..self.members.capacity() {
            let Some(member) = &mut self.members[row] else {
                continue;
            };
            if member.limit.is_none() && load > 0 {
                member.deficit -= scale(sum, member.set_point, load);
            }
            let (debt, credit) = (member.set_point, ONE - member.set_point);
            let forgotten = member.deficit - memory * credit;
            let has_neighbours = cpus[member.cpu.index()].shares > member.share;
            member.pressure = match forgotten {
                1.. if has_neighbours => (member.pressure + forgotten).min(memory * ONE),
                _ => 0,
            };
            member.deficit = member.deficit.clamp(-memory * debt, memory * credit);
        }
    }

    // ---- actuators -----------------------------------------------------------------------------

    /// The CPU that a task is to be on.
    pub fn cpu(&self, task: TaskId) -> Option<CpuId> {
        Some(self.find(task)?.cpu)
    }

    /// The share that it is to have there, for a policy that divides its CPU in proportion to
    /// shares. All tasks of the CPU together may ask for more than there is, or less; so in
    /// overload of the CPU all have to be equally important.
    pub fn share(&self, task: TaskId) -> Option<Fraction> {
        Some(fraction(self.find(task)?.share))
    }

    // ---- for observers -------------------------------------------------------------------------

    /// What a task is to get on the average, in CPUs.
    pub fn set_point(&self, task: TaskId) -> Option<Fraction> {
        Some(fraction(self.find(task)?.set_point))
    }

    /// By how much it has got less than that since it came, in multiples of 2⁻²⁴ CPUs times
    /// periods, without what is forgotten.
    pub fn deficit(&self, task: TaskId) -> Option<i64> {
        Some(self.find(task)?.deficit)
    }

    /// What it takes, if that is less than what it is offered.
    pub fn limit(&self, task: TaskId) -> Option<Fraction> {
        self.find(task)?.limit.map(fraction)
    }

    fn find(&self, task: TaskId) -> Option<&Member> {
        self.members.find(task.index())?.as_ref()
    }

    fn find_mut(&mut self, task: TaskId) -> Option<&mut Member> {
        self.members.find_mut(task.index())?.as_mut()
    }

    fn members(&self) -> impl Iterator<Item = &Member> {
        (0..self.members.capacity()).filter_map(|row| self.members[row].as_ref())
    }

    fn for_each(&mut self, mut f: impl FnMut(&mut Member)) {
        for row in 0..self.members.capacity() {
            if let Some(member) = &mut self.members[row] {
                f(member);
            }
        }
    }
}

impl Member {
    /// By how much it loads its CPU.
    fn request(&self) -> i64 {
        match self.limit {
            Some(_) => self.set_point,
            None => self.share + self.pressure,
        }
    }
}

/// A number of units that is not negative.
fn fraction(units: i64) -> Fraction {
    Fraction::ratio(u64::try_from(units).unwrap_or(0), ONE.unsigned_abs())
}
