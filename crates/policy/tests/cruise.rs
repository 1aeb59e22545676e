//! Process cruise control: domains against fractions, and how tasks are judged from reading to reading.

use flyball_policy::cruise::{Computing, Domains, Settings};
use flyball_policy::order::Level;
use flyball_policy::{
    Bitmap, Costs, Counts, CpuId, Cruise, Encode, FixedPriority, Group, Grouping, Inline, Kept,
    Paced, Policy, Priority, Ranked, Ready, Speed, Stop, StrictLists, TaskId, Time, Usage, Visits,
};
use proptest::prelude::*;

const CPU: CpuId = CpuId(0);
const NOW: Time = Time::ZERO;
const LATENCY: u16 = 100;
const MHZ: u64 = 1_000_000;
/// The frequencies of the source's processor.
const XSCALE: [u64; 7] = [333, 400, 466, 533, 600, 666, 733];

fn hertz(mhz: &[u64]) -> Vec<u64> {
    mhz.iter().map(|mhz| mhz * MHZ).collect()
}

fn xscale(loss: u32) -> Domains {
    Domains::new(&hertz(&XSCALE), LATENCY, loss).unwrap()
}

/// What is counted in about so many cycles of work that waits for memory for `stalls` millionths of its time
/// at the highest frequency, and executes an instruction a cycle otherwise.
fn counts(mhz: &[u64], speed: usize, stalls: u64, cycles: u64) -> Counts {
    let (fastest, frequency) = (u128::from(*mhz.last().unwrap()), u128::from(mhz[speed]));
    let (computing, stalled) = (
        u128::from(1_000_000 - stalls) * fastest,
        u128::from(stalls) * frequency,
    );
    let cycles = u128::from(cycles);
    let of = |part: u128, parts: u128| u32::try_from(cycles * part / parts).unwrap();
    let both = computing + stalled;
    let requests = of(u128::from(stalls) * fastest, both * u128::from(LATENCY));
    Counts {
        cycles: u32::try_from(cycles).unwrap(),
        instructions: of(computing, both),
        data: requests,
        data_misses: requests,
        code_misses: 0,
    }
}

/// The slowest point at which such work takes at most `1 + loss` times as long, by the model; in fractions.
fn slowest(mhz: &[u64], stalls: u64, loss: u32) -> usize {
    let fastest = u128::from(*mhz.last().unwrap());
    let stalls = u128::from(stalls);
    let fits = |&mhz: &u64| {
        let mhz = u128::from(mhz);
        let longer = (1_000_000 - stalls) * fastest + stalls * mhz;
        longer <= mhz * u128::from(1_000_000 + loss)
    };
    mhz.iter().position(fits).unwrap()
}

/// The slowest point by domains, of what is counted at `speed`.
fn judged(domains: &Domains, mhz: &[u64], speed: usize, stalls: u64, cycles: u64) -> usize {
    let counts = counts(mhz, speed, stalls, cycles);
    domains.slowest(domains.computing(&counts).unwrap()).index()
}

#[test]
fn domains_by_hand() {
    // Waits for memory: 0.03 · 733/333 + 0.97 = 1.036 (FACTS of the source: 4 % at 333 MHz).
    assert_eq!(judged(&xscale(100_000), &XSCALE, 6, 970_000, 1_000_000), 0);
    // Computes: any lower frequency is 10 % slower, as 733 / 666 = 1.1006.
    assert_eq!(judged(&xscale(100_000), &XSCALE, 6, 0, 1_000_000), 6);
    assert_eq!(judged(&xscale(101_000), &XSCALE, 6, 0, 1_000_000), 5);
    // Half of each: 0.5 · 733/600 + 0.5 = 1.111, and 1.0503 at 666 MHz.
    assert_eq!(judged(&xscale(100_000), &XSCALE, 6, 500_000, 1_000_000), 5);
    assert_eq!(judged(&xscale(112_000), &XSCALE, 6, 500_000, 1_000_000), 4);
    // Nothing may be lost: only what never executes an instruction is not slowed down, and no reading shows that.
    assert_eq!(judged(&xscale(0), &XSCALE, 6, 999_999, 1_000_000), 6);
    // Anything may be lost.
    assert_eq!(judged(&xscale(1_300_000), &XSCALE, 6, 0, 1_000_000), 0);
}

#[test]
fn what_is_no_reading_says_nothing() {
    let domains = xscale(100_000);
    let few = counts(&XSCALE, 6, 500_000, u64::from(Domains::FEWEST) - 1);
    assert_eq!(domains.computing(&few), None);
    let full = Counts {
        cycles: u32::MAX,
        ..Counts::default()
    };
    assert_eq!(domains.computing(&full), None);
    let idle = Counts {
        cycles: 1_000,
        ..Counts::default()
    };
    assert_eq!(domains.computing(&idle), None);
    // A processor that counts more than there can be is believed as far as that is possible.
    let wild = Counts {
        cycles: 1_000,
        instructions: 4_000,
        data_misses: u32::MAX / 2,
        ..Counts::default()
    };
    assert!(domains.computing(&wild).unwrap() < Computing(Computing::ONE / 256));
}

#[test]
fn what_is_no_table_is_refused() {
    let new = |hertz: &[u64], latency| Domains::new(hertz, latency, 100_000);
    assert!(new(&[1, 2], 1).is_some() && new(&[7], Domains::MOST_LATENCY).is_some());
    assert!(new(&[], 1).is_none() && new(&[2, 2], 1).is_none() && new(&[0, 2], 1).is_none());
    assert!(new(&[1, 2], 0).is_none() && new(&[1, 2], Domains::MOST_LATENCY + 1).is_none());
    assert!(new(&[1, 2, 3, 4, 5, 6, 7, 8, 9], 1).is_none());
    assert!(new(&[1, 1_000_000_000_001], 1).is_none());
}

type Fixed = Ranked<FixedPriority, Bitmap<Level, Inline<4>>>;
type Sorted = Ranked<FixedPriority, StrictLists<Level, Inline<4>, 1, 8>>;

/// A processor with a task that is alone.
struct Alone {
    policy: Cruise<Sorted, Inline<4>>,
    mhz: &'static [u64],
}

const TASK: TaskId = TaskId(0);

impl Alone {
    fn new(speed: Option<Speed>, doubt: u8, sorts: bool) -> Alone {
        let settings = Settings {
            domains: xscale(100_000),
            doubt,
            sorts,
        };
        let queue = StrictLists::with(4, Visits::cheapest(&Costs::even(1, 0), Kept::ALL));
        let mut policy = Cruise::new(Ranked::with_queue(FixedPriority, queue), settings);
        let params = Paced {
            params: Priority(1),
            speed,
        };
        policy.admit(TASK, params, NOW).unwrap();
        Alone {
            policy,
            mhz: &XSCALE,
        }
    }

    /// A job that waits for so many hundredths of its time. Returns at which point it ran.
    fn job(&mut self, hundredths: u64) -> u8 {
        let _ = self.policy.ready(CPU, TASK, Ready::Unblocked, NOW);
        let speed = self.policy.pick(CPU, NOW).unwrap().speed.unwrap();
        let counts = counts(self.mhz, speed.index(), hundredths * 10_000, 3_000_000);
        let _ = self.policy.counted(CPU, TASK, &counts, NOW);
        let _ = self
            .policy
            .stopped(CPU, TASK, Usage::default(), Stop::Blocked, NOW);
        speed.0
    }

    fn jobs(&mut self, hundredths: &[u64]) -> Vec<u8> {
        hundredths.iter().map(|&it| self.job(it)).collect()
    }
}

#[test]
fn a_task_begins_at_the_fastest_point_and_stays_where_it_fits() {
    let mut task = Alone::new(None, 2, true);
    assert_eq!(task.jobs(&[97; 5]), [6, 0, 0, 0, 0]);
    assert_eq!(Alone::new(None, 2, true).jobs(&[0; 5]), [6; 5]);
}

#[test]
fn a_change_of_behaviour_is_noticed_with_the_second_reading() {
    let mut task = Alone::new(None, 2, true);
    assert_eq!(task.jobs(&[97, 97, 97]), [6, 0, 0]);
    // The first job that computes counts for a sixteenth. Then the average begins anew.
    let [first, second, third] = [task.job(10), task.job(10), task.job(10)];
    // At 666 MHz it loses 0.9 · 733/666 + 0.1 = 1.0905.
    assert!(first == 0 && second < 5 && third == 5, "{second}");
    // And back.
    let [first, second, third] = [task.job(97), task.job(97), task.job(97)];
    assert!(first == 5 && second > 0 && third == 0, "{second}");
}

#[test]
fn a_single_departure_counts_little() {
    let tail = |doubt| {
        let mut task = Alone::new(None, doubt, true);
        task.jobs(&[97, 97, 97, 97, 80, 97, 97])
    };
    assert_eq!(tail(2), [6, 0, 0, 0, 0, 0, 0]);
    assert_eq!(tail(16), [6, 0, 0, 0, 0, 0, 0]);
    // 3/4 · 0.97 + 1/4 · 0.5 = 0.8525, for which 400 MHz is too slow: 0.1475 · 733/400 + 0.8525 = 1.123; and
    // 466 MHz is not: 1.0845.
    let mut task = Alone::new(None, 0, true);
    assert_eq!(task.jobs(&[97, 97, 50, 97])[3], 2);
}

#[test]
fn a_task_with_a_point_is_pinned() {
    assert_eq!(
        Alone::new(Some(Speed(2)), 2, true).jobs(&[97, 97, 0]),
        [2; 3]
    );
    assert_eq!(Alone::new(Some(Speed(9)), 2, true).jobs(&[97, 97]), [6; 2]);
    let mut task = Alone::new(None, 2, true);
    assert_eq!(task.jobs(&[97, 97]), [6, 0]);
    let mut adjust = |speed| {
        let params = Paced {
            params: Priority(1),
            speed,
        };
        let _ = task.policy.adjust(TASK, params, NOW).unwrap();
        task.policy.speed(TASK)
    };
    assert_eq!(adjust(None), Speed(0), "what is known stays");
    assert_eq!(adjust(Some(Speed(3))), Speed(3));
    assert_eq!(adjust(None), Speed(6));
}

#[test]
fn the_policy_within_hears_of_points_if_it_sorts() {
    for (sorts, group) in [(true, 0), (false, 0)] {
        let mut task = Alone::new(None, 2, sorts);
        let first = task.policy_group();
        assert_eq!(first, Group(if sorts { 6 } else { 0 }));
        task.jobs(&[97, 97]);
        assert_eq!(task.policy_group(), Group(group));
    }
}

impl Alone {
    fn policy_group(&self) -> Group {
        self.policy.within().group(TASK)
    }
}

#[test]
fn any_policy_will_do_within() {
    let settings = Settings {
        domains: xscale(100_000),
        doubt: 2,
        sorts: true,
    };
    let mut policy: Cruise<Fixed, Inline<4>> = Cruise::new(Ranked::new(FixedPriority, 4), settings);
    let params = Paced {
        params: Priority(1),
        speed: None,
    };
    policy.admit(TASK, params, NOW).unwrap();
    let counts = counts(&XSCALE, 6, 970_000, 100_000);
    let _ = policy.ready(CPU, TASK, Ready::Unblocked, NOW);
    let _ = policy.pick(CPU, NOW);
    let _ = policy.counted(CPU, TASK, &counts, NOW);
    assert_eq!(policy.speed(TASK), Speed(0));
}

/// Rising, and so near to each other that a request takes a cycle at least.
fn frequencies() -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::btree_set(30..=3_000_u64, 1..=8).prop_map(|set| set.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 3_000 }))]

    /// A task is judged as by fractions at whatever point it is, but near to where domains meet, where it may be judged a
    /// little too fast and never too slow.
    #[test]
    fn domains_are_those_of_fractions(
        mhz in frequencies(),
        at in any::<prop::sample::Index>(),
        stalls in 0..=1_000_000_u64,
        loss in prop_oneof![Just(100_000_u32), 0..3_000_000_u32],
        cycles in 200_000..4_000_000_000_u64,
    ) {
        let domains = Domains::new(&hertz(&mhz), LATENCY, loss).unwrap();
        let found = judged(&domains, &mhz, at.index(mhz.len()), stalls, cycles);
        let exact = slowest(&mhz, stalls, loss);
        // Requests are whole, and instructions are rounded up to 3 parts of 2^16.
        let events = 300_000_000 / cycles + 1 + 60;
        let careful = slowest(&mhz, stalls.saturating_sub(events), loss.saturating_sub(loss / 50));
        prop_assert!(exact <= found && found <= careful.max(exact), "{exact} {found} {careful}");
    }

    /// Whatever work a task does, once its behaviour has been the same for two readings, it never loses more
    /// than it may.
    #[test]
    fn no_task_loses_too_much(
        before in proptest::collection::vec(0..=100_u64, 0..6),
        then in 0..=100_u64,
    ) {
        let mut task = Alone::new(None, 2, true);
        task.jobs(&before);
        // Two that depart, or the average has to come near: 3/4 of the difference each time.
        task.jobs(&[then; 24]);
        let speed = usize::from(task.job(then));
        let fits = slowest(&XSCALE, then * 10_000, 101_000);
        prop_assert!(speed >= fits, "{speed} {fits}");
    }

    #[test]
    fn settings_are_bytes(mhz in frequencies(), loss in any::<u32>(), doubt in 0..=16_u8, sorts: bool) {
        let settings = Settings { domains: Domains::new(&mhz, 7, loss).unwrap(), doubt, sorts };
        let mut bytes = Vec::new();
        settings.emit(&mut |part| bytes.extend(part));
        let mut rest = &bytes[..];
        prop_assert_eq!(Settings::parse(&mut rest), Some(settings));
        prop_assert!(rest.is_empty());
        prop_assert_eq!(Settings::parse(&mut &bytes[1..]), None);
    }
}
