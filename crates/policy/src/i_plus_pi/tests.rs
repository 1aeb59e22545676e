//! The policy against the same equations in real numbers, and what the thesis claims of it.

use super::*;
use crate::policy::{Policy, Ready, Stop, Usage};
use crate::storage::Inline;
use flyball_trace::CpuId;
use proptest::prelude::*;

mod order;

const CPU: CpuId = CpuId(0);

/// A pool of tasks that do what the test says. Each may use less of a burst than it is given.
struct Pool {
    scheduler: IPlusPi<Inline<16>>,
    now: Time,
}

/// What a task does with a burst.
#[derive(Clone, Copy, Debug)]
enum Does {
    /// It computes to the end of it, and then for this long with interrupts off.
    Compute(u64),
    /// It yields this long before the end of it.
    Stop(u64),
    /// It uses a part of it, in 256ths, and yields.
    Yield(u64),
}

impl Pool {
    fn new(settings: Settings, shares: &[Share]) -> Pool {
        let mut scheduler = IPlusPi::new(settings, 16);
        for (task, &share) in (0..).map(TaskId).zip(shares) {
            scheduler.admit(task, share, Time::ZERO).unwrap();
            let _ = scheduler.ready(CpuId(0), task, Ready::Unblocked, Time::ZERO);
        }
        let now = Time::ZERO;
        Pool { scheduler, now }
    }

    /// A task gets the CPU; returns it, and what it uses of it.
    fn step(&mut self, does: impl Fn(TaskId) -> Does) -> Option<(TaskId, Duration)> {
        let chosen = self.scheduler.pick(CPU, self.now)?;
        let burst = chosen.burst.expect("I+PI limits each burst").as_nanos();
        let (used, why) = match does(chosen.task) {
            Does::Compute(more) => (burst + more, Stop::BurstEnd),
            Does::Stop(less) => (burst.saturating_sub(less), Stop::Yielded),
            Does::Yield(part) => (burst * part / 256, Stop::Yielded),
        };
        let used = Duration::from_nanos(used);
        self.now += used;
        let usage = Usage::time(used);
        let _ = self
            .scheduler
            .stopped(CPU, chosen.task, usage, why, self.now);
        Some((chosen.task, used))
    }

    fn block(&mut self, task: TaskId) {
        let none = Usage::default();
        let _ = self
            .scheduler
            .stopped(CPU, task, none, Stop::Blocked, self.now);
    }

    fn wake(&mut self, task: TaskId) {
        let _ = self
            .scheduler
            .ready(CpuId(0), task, Ready::Unblocked, self.now);
    }

    /// What each task used up to the end of this round.
    fn round(&mut self, does: impl Fn(TaskId) -> Does) -> Vec<u64> {
        let mut used = vec![0; self.scheduler.tasks];
        // The first burst of a round begins it.
        loop {
            let Some((task, time)) = self.step(&does) else {
                return used;
            };
            used[task.index()] += time.as_nanos();
            if self.is_over() {
                return used;
            }
        }
    }

    /// Whether no task will run any more in this round.
    fn is_over(&self) -> bool {
        let next = self.scheduler.place;
        let mut rest = (next..self.scheduler.tasks).filter_map(|n| self.scheduler.member(n).1);
        rest.all(|member| member.left().is_none())
    }
}

fn shares(percents: &[u32]) -> Vec<Share> {
    percents
        .iter()
        .map(|&percent| Share::new(Fraction::percent(percent)))
        .collect()
}

/// The equations of chapter 2 in real numbers, in nanoseconds: Algorithm 1 with τt° = α(τr + bc).
struct Model {
    gains: [f64; 3],
    limits: [f64; 2],
    bursts: Vec<f64>,
    /// The bursts before they were limited.
    unlimited: Vec<f64>,
    correction: f64,
    error: f64,
}

impl Model {
    fn new(settings: &Settings, set_point: f64, alpha: &[f64]) -> Model {
        let Gains { kpi, krr, .. } = settings.gains;
        let krr_zrr = settings.gains.krr_zrr();
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let gains = [kpi, krr, krr_zrr].map(|gain| gain as f64 / 65_536.0);
        let limits = [settings.shortest, settings.longest].map(|limit| f64_of(limit.as_nanos()));
        let [shortest, longest] = limits;
        let unlimited: Vec<f64> = alpha.iter().map(|a| a * set_point).collect();
        Model {
            gains,
            limits,
            bursts: unlimited
                .iter()
                .map(|burst| burst.clamp(shortest, longest))
                .collect(),
            unlimited,
            correction: 0.0,
            error: 0.0,
        }
    }

    fn round(&mut self, set_point: f64, alpha: &[f64], used: &[f64]) {
        let [kpi, krr, krr_zrr] = self.gains;
        let [shortest, longest] = self.limits;
        let round: f64 = used.iter().sum();
        let error = set_point - round;
        let mut correction = self.correction + krr * error - krr_zrr * self.error;
        if self.bursts.iter().all(|&burst| burst >= longest) {
            correction = correction.min(self.correction);
        }
        self.correction = correction.clamp(-round, longest * f64_of(used.len() as u64));
        self.error = error;
        let bursts = self.bursts.iter_mut().zip(&mut self.unlimited);
        for (((burst, unlimited), used), alpha) in bursts.zip(used).zip(alpha) {
            let wanted = alpha * (round + self.correction);
            *unlimited = *burst + kpi * (wanted - used);
            *burst = unlimited.clamp(shortest, longest);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn f64_of(n: u64) -> f64 {
    n as f64
}

const MS: u64 = 1_000_000;

fn settings() -> impl Strategy<Value = Settings> {
    let gains = (200_u32..950, 200_u32..1_500, 520_u32..980).prop_filter_map(
        "stable gains",
        |(kpi, krr, zrr)| {
            let gain = |thousandths| Gain::ratio(thousandths, 1_000);
            Gains::new(gain(kpi), gain(krr), gain(zrr)).ok()
        },
    );
    (gains, 0_u64..MS, MS..40 * MS, 10_000..10 * MS).prop_map(|(gains, least, most, burst)| {
        Settings {
            gains,
            shortest: Duration::from_nanos(least),
            longest: Duration::from_nanos(most),
            round: Round::PerTask(Duration::from_nanos(burst)),
            ..Settings::default()
        }
    })
}

/// After how many rounds an error has faded to a 10¹²th, as the poles predict: those of the pair
/// that [`Gains`] derives, and 1 − kpi; and as many again, for states that were saturated.
fn rounds_to_settle(settings: &Settings) -> u32 {
    let [kpi, krr, krr_zrr] = Model::new(settings, 0.0, &[]).gains;
    let (half, square) = (1.0 - kpi * krr / 2.0, 1.0 - kpi * krr_zrr);
    let pair = match half * half - square {
        real if real >= 0.0 => half.abs() + real.sqrt(),
        _ => square.sqrt(),
    };
    let radius = pair.max(1.0 - kpi);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "some thousands"
    )]
    let rounds = (2.0 * 1e-12_f64.ln() / radius.ln()).ceil() as u32;
    rounds
}

/// By how much one unit of noise in each measured burst of each round can move a burst: the sum of
/// the absolute impulse responses. The same again, as saturations come and go.
fn noise_gain(settings: &Settings, alpha: &[f64]) -> f64 {
    let mut worst = 0.0_f64;
    let free = Settings {
        shortest: Duration::ZERO,
        longest: Duration::MAX,
        ..*settings
    };
    let mut sums = vec![0.0; alpha.len()];
    for source in 0..alpha.len() {
        let mut model = Model::new(&free, 1e6, alpha);
        let calm = model.bursts.clone();
        model.bursts[source] += 1.0;
        for _ in 0..rounds_to_settle(settings) {
            for ((sum, burst), calm) in sums.iter_mut().zip(&model.bursts).zip(&calm) {
                *sum += (burst - calm).abs();
            }
            let used = model.bursts.clone();
            model.round(1e6, alpha, &used);
        }
        worst = sums.iter().copied().fold(worst, f64::max);
    }
    2.0 * worst
}

/// What moves a burst by so much, whatever it is.
fn disturbance() -> impl Strategy<Value = Does> {
    prop_oneof![
        2 => Just(Does::Compute(0)),
        1 => (0..2 * MS).prop_map(Does::Compute),
        1 => (0..2 * MS).prop_map(Does::Stop),
    ]
}

fn does() -> impl Strategy<Value = Does> {
    prop_oneof![
        3 => Just(Does::Compute(0)),
        1 => (0..2 * MS).prop_map(Does::Compute),
        1 => (0_u64..256).prop_map(Does::Yield),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 256 }))]

    /// The bound that the module states on what fixed point costs: the two loops are run apart from
    /// each other, with the same disturbances.
    #[test]
    fn fixed_point_stays_with_the_real_numbers(
        settings in settings(),
        percents in prop::collection::vec(1_u32..=20, 1..=5),
        script in prop::collection::vec(prop::collection::vec(disturbance(), 5), 1..300),
    ) {
        let mut pool = Pool::new(settings, &shares(&percents));
        let needs = shares(&percents).into_iter().map(|share| f64::from(share.cpu.bits()));
        let whole: f64 = needs.clone().sum();
        let alpha: Vec<f64> = needs.map(|needs| needs / whole).collect();
        let Round::PerTask(nominal) = settings.round else { unreachable!() };
        let set_point = f64_of(nominal.as_nanos() * percents.len() as u64);
        let mut model = Model::new(&settings, set_point, &alpha);
        let mut longest_round = set_point;
        let gain = noise_gain(&settings, &alpha);
        for does in script {
            // A round in which no task gets anything is not one, to the policy.
            prop_assume!(model.bursts.iter().all(|&burst| burst > 1.0 + gain));
            let bound = 0.5 + gain * (0.5 + longest_round / f64::from(1 << 27));
            // Whether all bursts are at their limit is yes or no, and there the error of fixed
            // point decides.
            let longest = model.limits[1];
            prop_assume!(model.unlimited.iter().all(|burst| (burst - longest).abs() > bound));
            let before = model.bursts.clone();
            pool.round(|task| does[task.index()]);
            for (task, expected) in (0..).map(TaskId).zip(before) {
                let burst = f64_of(pool.scheduler.burst(task).unwrap().as_nanos());
                prop_assert!((burst - expected).abs() <= bound, "{burst}, not {expected}");
            }
            let used: Vec<f64> = model.bursts.iter().zip(&does).map(|(burst, does)| match *does {
                Does::Compute(more) => burst + f64_of(more),
                Does::Stop(less) => (burst - f64_of(less)).max(0.0),
                Does::Yield(_) => unreachable!(),
            }).collect();
            longest_round = longest_round.max(used.iter().sum());
            model.round(set_point, &alpha, &used);
        }
    }

    /// The α's add up to one, whichever tasks are there, and none is wrong by more than 2⁻²⁸.
    #[test]
    fn a_round_is_divided_without_rest(
        tasks in prop::collection::vec((0_u32..=100, 0_u16..1_000, any::<bool>()), 1..=16),
        feedforward: bool,
    ) {
        let settings = Settings { feedforward, ..Settings::default() };
        let shares: Vec<_> = tasks.iter()
            .map(|&(cpu, importance, _)| {
                Share::new(Fraction::percent(cpu)).with_importance(importance)
            })
            .collect();
        let mut pool = Pool::new(settings, &shares);
        for (task, &(.., blocked)) in (0..).map(TaskId).zip(&tasks) {
            if blocked {
                pool.block(task);
            }
        }
        prop_assume!(pool.step(|_| Does::Compute(0)).is_some());
        let alpha = |task| pool.scheduler.alpha(TaskId(task)).unwrap();
        let all = 0..u16::try_from(tasks.len()).unwrap();
        prop_assert_eq!(all.clone().map(alpha).sum::<u32>(), 1 << 28);
        // The rule of 2.3.2, in real numbers.
        let counts = |task: u16| !feedforward || !tasks[usize::from(task)].2;
        let needs = |task: u16| f64::from(shares[usize::from(task)].cpu.bits());
        let weighs = |task: u16| needs(task) * f64::from(shares[usize::from(task)].importance);
        let sum = |of: &dyn Fn(u16) -> f64| -> f64 { all.clone().filter(|&t| counts(t)).map(of).sum() };
        // As in `Load::is_overload`: each share is rounded by half a unit at most.
        let whole = f64::from(1 << 24) + (0.5 * sum(&|_| 1.0)).ceil();
        let rule: &dyn Fn(u16) -> f64 = if sum(&needs) > whole && sum(&weighs) > 0.0 {
            &weighs
        } else if sum(&needs) > 0.0 {
            &needs
        } else {
            &|_| 1.0
        };
        // Where no ready task should get anything, the division begins anew for these alone.
        let gets = |task: u16| rule(task) > 0.0;
        prop_assume!(feedforward || all.clone().any(|t| !tasks[usize::from(t)].2 && gets(t)));
        for task in all.clone() {
            let expected = if counts(task) { rule(task) / sum(rule) } else { 0.0 };
            let error = f64::from(alpha(task)) / f64::from(1 << 28) - expected;
            prop_assert!(error.abs() <= 1.1 / f64::from(1 << 28), "{task}: {error}");
        }
    }

    /// Whatever tasks do, bursts stay within their bounds, a task that can run always does, and a
    /// round that all tasks leave alone settles at its set point with exact shares: no wind-up.
    #[test]
    fn it_recovers_from_anything(
        settings in settings(),
        percents in prop::collection::vec(1_u32..=20, 2..=5),
        feedforward: bool,
        reinitialise: bool,
        script in prop::collection::vec((0_u16..5, any::<bool>(), does()), 0..200),
    ) {
        let settings = Settings { feedforward, reinitialise, ..settings };
        let mut pool = Pool::new(settings, &shares(&percents));
        let tasks = u16::try_from(percents.len()).unwrap();
        for (task, wakes, does) in script {
            let task = TaskId(task % tasks);
            match (wakes, pool.scheduler.members[task.index()].unwrap().ready) {
                (true, false) => pool.wake(task),
                (false, true) => pool.block(task),
                _ => {}
            }
            let ran = pool.step(|_| does).is_some();
            prop_assert_eq!(ran, pool.scheduler.ready > 0);
            for task in (0..tasks).map(TaskId) {
                let burst = pool.scheduler.burst(task).unwrap();
                prop_assert!(burst >= settings.shortest && burst <= settings.longest.max(settings.shortest));
            }
        }
        for task in (0..tasks).map(TaskId) {
            if !pool.scheduler.members[task.index()].unwrap().ready {
                pool.wake(task);
            }
        }
        // Only what can be reached: no burst is to be at a bound.
        let Round::PerTask(nominal) = settings.round else { unreachable!() };
        let set_point = f64_of(nominal.as_nanos() * u64::from(tasks));
        let needs = shares(&percents).into_iter().map(|share| f64::from(share.cpu.bits()));
        let whole: f64 = needs.clone().sum();
        let alpha: Vec<f64> = needs.map(|needs| needs / whole).collect();
        let bursts = alpha.iter().map(|alpha| set_point * alpha);
        let (least, most) = (settings.shortest.as_nanos(), settings.longest.as_nanos());
        let is_reachable = |burst| burst > 1.5 * f64_of(least) + 10.0 && burst < 0.6 * f64_of(most);
        if !bursts.clone().all(is_reachable) {
            return Ok(());
        }
        let rounds = rounds_to_settle(&settings);
        for _ in 0..rounds {
            pool.round(|_| Does::Compute(0));
        }
        let mut used = vec![0; percents.len()];
        for _ in 0..1_000 {
            for (sum, time) in used.iter_mut().zip(pool.round(|_| Does::Compute(0))) {
                *sum += time;
            }
        }
        // The errors of all rounds add up to what the outer regulator's state has moved by, over
        // krr(1 − zrr).
        let [_, krr, krr_zrr] = Model::new(&settings, 0.0, &[]).gains;
        let noise = noise_gain(&settings, &alpha) / (krr - krr_zrr).min(1.0);
        for (used, burst) in used.into_iter().zip(bursts) {
            // What is left of a thousand rounds is what one moment's state can hold.
            let error = f64_of(used) - 1_000.0 * burst;
            let bound = noise * 0.5 + 1_000.0 * set_point / f64::from(1 << 27);
            prop_assert!(error.abs() < bound, "{error} of {burst}");
        }
    }
}

/// The measurement is there: a burst that a task does not use changes its next one. (An
/// implementation that took no measurement would give every task the same burst for ever.)
#[test]
fn the_sensor_works() {
    let mut pool = Pool::new(Settings::default(), &shares(&[30, 30]));
    pool.round(|_| Does::Compute(0));
    let before = pool.scheduler.burst(TaskId(0)).unwrap();
    for _ in 0..3 {
        pool.round(|task| Does::Yield(if task == TaskId(0) { 16 } else { 255 }));
    }
    pool.round(|_| Does::Compute(0));
    let after = pool.scheduler.burst(TaskId(0)).unwrap();
    assert!(
        after.as_nanos() * 2 > before.as_nanos() * 3,
        "{after:?} after {before:?}"
    );
}

/// The examples of 2.2.5 and 2.3.2, and zero importance.
#[test]
fn shares_are_as_in_the_thesis() {
    let alpha = |needs: &[Share]| -> Vec<u64> {
        let mut pool = Pool::new(Settings::default(), needs);
        pool.step(|_| Does::Compute(0));
        let tasks = (0..).map(TaskId).take(needs.len());
        tasks
            .map(|task| (u64::from(pool.scheduler.alpha(task).unwrap()) * 1_000 + (1 << 27)) >> 28)
            .collect()
    };
    // In thousandths.
    assert_eq!(alpha(&shares(&[20, 20, 20])), [333, 333, 333]);
    assert_eq!(
        alpha(&shares(&[50, 10, 10, 10, 10, 10])),
        [500, 100, 100, 100, 100, 100]
    );
    let importance = |importances: [u16; 3]| {
        importances.map(|importance| Share::new(Fraction::percent(50)).with_importance(importance))
    };
    assert_eq!(alpha(&importance([1, 1, 2])), [250, 250, 500]);
    assert_eq!(alpha(&importance([0, 1, 1])), [0, 500, 500]);
    // No task is important.
    assert_eq!(alpha(&importance([0, 0, 0])), [333, 333, 333]);
}

/// Shares of all of the CPU are no overload, however they are rounded: 10, 60, 6 and 24 % are each
/// rounded up.
#[test]
fn all_of_the_cpu_is_no_overload() {
    let load = |percent: &[u32]| Load {
        tasks: u32::try_from(percent.len()).unwrap(),
        ready: 0,
        shares: percent
            .iter()
            .map(|&share| u64::from(Fraction::percent(share).bits()))
            .sum(),
    };
    let whole = load(&[10, 60, 6, 24]);
    assert!(whole.shares > u64::from(Fraction::ONE.bits()));
    assert!(!whole.is_overload());
    assert!(load(&[10, 60, 6, 25]).is_overload());
}
