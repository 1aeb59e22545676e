//! Every policy of the catalogue: its names, and what an image carries of it.

use flyball_catalogue::settings::{Defaults, Kind, Setting};
use flyball_catalogue::{
    Arrival, Boot, Clustered, Configured, Edf, Facts, FpRr, Groups, Llf, Multiprocessor, Placement,
    Reserve, Rr, Rule, Scheduler, Shape, Uniprocessor, Values, Visitor, entries, find, path, visit,
};
use flyball_policy::i_plus_pi::Fraction;
use flyball_policy::{Costs, CpuSet, Duration, Encode};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use std::collections::HashSet;

/// The defaults, for a policy that asks for none but its own settings.
struct OwnDefaults(Defaults);

impl OwnDefaults {
    fn has(&self, name: &str, is_kind: impl Fn(&Kind) -> bool) {
        let setting = self.0.0.iter().find(|setting| setting.name == name);
        let setting = setting.unwrap_or_else(|| panic!("it has no setting {name}"));
        assert!(is_kind(&setting.kind), "{name} is {:?}", setting.kind);
    }
}

impl Values for OwnDefaults {
    fn duration(&self, name: &str) -> Duration {
        self.has(name, |kind| matches!(kind, Kind::Duration { .. }));
        self.0.duration(name)
    }
    fn optional_duration(&self, name: &str) -> Option<Duration> {
        self.has(name, |kind| matches!(kind, Kind::OptionalDuration(_)));
        self.0.optional_duration(name)
    }
    fn integer(&self, name: &str) -> u32 {
        self.has(name, |kind| matches!(kind, Kind::Integer { .. }));
        self.0.integer(name)
    }
    fn millionths(&self, name: &str) -> u32 {
        self.has(name, |kind| matches!(kind, Kind::Decimal(_)));
        self.0.millionths(name)
    }
    fn switch(&self, name: &str) -> bool {
        self.has(name, |kind| matches!(kind, Kind::Switch(_)));
        self.0.switch(name)
    }
    fn text(&self, name: &str) -> &str {
        self.has(name, |kind| matches!(kind, Kind::Choice(_)));
        self.0.text(name)
    }
    fn costs(&self, name: &str) -> Option<Costs> {
        self.has(name, |kind| matches!(kind, Kind::Costs(_)));
        self.0.costs(name)
    }
}

/// Half of a number's bits.
fn low(number: u64) -> u32 {
    u32::try_from(number & u64::from(u32::MAX)).unwrap()
}

/// What a task says to a policy: any values of its settings, or nothing.
struct Said {
    known: OwnDefaults,
    /// Zero: it says nothing.
    random: u64,
}

impl Said {
    /// A number that differs from setting to setting; `None`: the task says nothing of this one.
    fn random(&self, name: &str) -> Option<u64> {
        let sum: u64 = name.bytes().map(u64::from).sum();
        (self.random > 0).then(|| self.random.rotate_left(u32::try_from(sum % 64).unwrap()))
    }
}

impl Values for Said {
    fn duration(&self, name: &str) -> Duration {
        let default = self.known.duration(name);
        let said = self.random(name).map(Duration::from_nanos);
        said.map_or(default, |said| said.max(Duration::from_nanos(1)))
    }
    fn optional_duration(&self, name: &str) -> Option<Duration> {
        assert_eq!(self.known.optional_duration(name), None);
        // Zero is another thing than nothing, and not rare.
        let said = self.random(name)?;
        Some(Duration::from_nanos(if said % 4 == 0 { 0 } else { said }))
    }
    fn integer(&self, name: &str) -> u32 {
        let default = self.known.integer(name);
        self.random(name).map_or(default, low)
    }
    fn millionths(&self, name: &str) -> u32 {
        let default = self.known.millionths(name);
        self.random(name).map_or(default, low)
    }
    fn switch(&self, name: &str) -> bool {
        let default = self.known.switch(name);
        self.random(name).map_or(default, |said| said % 2 == 0)
    }
    fn text(&self, name: &str) -> &str {
        self.known.text(name)
    }
    fn costs(&self, name: &str) -> Option<Costs> {
        self.known.costs(name)
    }
}

#[test]
fn decimals_are_read_as_millionths() {
    const SETTINGS: &[Setting] = &[
        Setting::decimal("gain", "", "0.88"),
        Setting::decimal("whole", "", "12"),
        Setting::decimal("fine", "", "1.2345678"),
    ];
    let read = ["gain", "whole", "fine", "other"].map(|name| Defaults(SETTINGS).millionths(name));
    assert_eq!(read, [880_000, 12_000_000, 1_234_567, 0]);
}

/// What any task may say.
fn facts() -> impl Strategy<Value = Facts> {
    let times = (1..1_000_u64, 1..1_000_u64, 0..1_000_u64, 1..1_000_u64);
    let rest = (
        any::<Option<u8>>(),
        prop::option::of(-20_i8..20),
        any::<Option<u16>>(),
        0..=100_u32,
        any::<u128>(),
    );
    (0..3_usize, times, any::<bool>(), rest).prop_map(
        |(arrival, (period, wcet, phase, deadline), has_deadline, rest)| {
            let us = Duration::from_micros;
            let (priority, nice, importance, share, cpus) = rest;
            let mut facts = Facts::periodic(us(10 * period), us(wcet));
            facts.arrival = [Arrival::Once, Arrival::Periodic, Arrival::Sporadic][arrival];
            facts.period = facts.period.filter(|_| facts.arrival != Arrival::Once);
            facts.deadline = has_deadline.then_some(us(10 * deadline));
            facts.phase = us(phase);
            facts.priority = priority;
            facts.nice = nice;
            facts.importance = importance;
            facts.share = (share > 0).then(|| Fraction::percent(share));
            let reserved = [priority.is_some(), nice.is_some()];
            facts.reserve = reserved.contains(&true).then(|| Reserve {
                share: reserved[0].then(|| Fraction::percent(share.max(1))),
                period: reserved[1].then(|| us(deadline)),
            });
            facts.groups = Groups {
                number: u8::try_from(period % 8).unwrap(),
                program: u16::try_from(wcet % 10).unwrap(),
                device: u16::try_from(phase % 10).unwrap(),
            };
            facts.affinity = CpuSet::from_bits(cpus | 1);
            facts
        },
    )
}

/// Writes the settings and the parameters of many tasks as an image has them, and reads both back
/// by what the images of all machines are.
struct RoundTrip;

impl Visitor for RoundTrip {
    /// How many tasks told the policy something.
    type Output = usize;

    fn visit<S: Scheduler + 'static>(self) -> usize {
        let scheduler = S::new(&OwnDefaults(Defaults(S::SETTINGS)), &[]).unwrap();
        let mut settings = Vec::new();
        scheduler.emit(&mut |part| settings.extend(part));
        let mut rest = &settings[..];
        let many = Multiprocessor::find(S::NAME, S::SHAPE, &mut rest).expect("it is in the image");
        assert!(rest.is_empty(), "{} bytes are left", rest.len());
        let one = Uniprocessor::find(S::NAME, S::SHAPE, &mut &settings[..]);
        assert_eq!(one.is_some(), S::SHAPE == Shape::One, "{}", S::NAME);
        let booted = S::parse(&mut &settings[..]).expect("these are its settings");
        let told = Cell::new(0);
        let mut runner = TestRunner::new(Config::with_cases(1_000));
        runner
            .run(
                &(facts(), any::<u64>(), any::<bool>()),
                |(facts, random, says)| {
                    let said = Said {
                        known: OwnDefaults(Defaults(S::TASK_SETTINGS)),
                        random: if says { random } else { 0 },
                    };
                    let Ok(params) = scheduler.params(&facts, &said) else {
                        return Ok(());
                    };
                    let mut bytes = Vec::new();
                    params.emit(&mut |part| bytes.extend(part));
                    // What the machine reads is what the simulator has, and nothing is left over.
                    let mut rest = &bytes[..];
                    let read = booted.decode(&mut rest).expect("these are its parameters");
                    prop_assert!(rest.is_empty());
                    let mut again: Vec<u8> = Vec::new();
                    Encode::emit(&read, &mut |part| again.extend(part));
                    prop_assert_eq!(&again, &bytes);
                    prop_assert!(many.decode(&mut &bytes[..]).is_some());
                    if let Some(one) = &one {
                        prop_assert!(one.decode(&mut &bytes[..]).is_some());
                    }
                    if let Some(short) = bytes.len().checked_sub(1) {
                        prop_assert!(many.decode(&mut &bytes[..short]).is_none());
                    }
                    told.set(told.get() + 1);
                    Ok(())
                },
            )
            .unwrap();
        told.get()
    }
}

#[test]
fn what_an_image_has_of_every_policy_is_what_the_simulator_has() {
    for entry in entries() {
        for shape in [entry.placement.shape(), Shape::Affine] {
            let Some(told) = visit(entry.scheduler, shape, RoundTrip) else {
                assert_eq!(shape, Shape::Affine, "{} is not there", entry.name);
                continue;
            };
            assert!(told > 100, "{}: {told}", entry.name);
        }
    }
}

#[test]
fn names_are_different_and_lead_to_a_scheduler() {
    let mut names = HashSet::new();
    for entry in entries() {
        assert!(names.insert(entry.name), "{} is there twice", entry.name);
        assert_eq!(find(entry.name), Some(entry));
        assert!(path(entry.scheduler, entry.placement.shape()).is_some());
        assert!(!entry.title.is_empty() && !entry.about.is_empty());
    }
    assert_eq!(find("edf-x"), None);
    assert_eq!(find(""), None);
    let g_edf = find("g-edf").unwrap();
    assert_eq!(g_edf.title, "Global earliest deadline first");
    assert_eq!(g_edf.placement, Placement::Global);
    assert_eq!(
        path(g_edf.scheduler, Shape::Affine),
        Some("flyball_catalogue::Affine<flyball_catalogue::Edf>")
    );
}

#[test]
fn an_image_refuses_what_it_does_not_know() {
    let none: [u8; 0] = [];
    let found = |name: &str, shape, settings: &[u8]| {
        Multiprocessor::find(name, shape, &mut &*settings).is_some()
    };
    assert!(found("edf", Shape::One, &none));
    assert!(!found("edf-x", Shape::One, &none));
    assert!(!found("pd2", Shape::One, &[1; 8]));
    assert!(found("pd2", Shape::Several, &[1; 8]));
    // A quantum is eight bytes, and never zero.
    assert!(!found("rr", Shape::One, &[1; 7]));
    assert!(!found("rr", Shape::One, &[0; 8]));
    assert!(Uniprocessor::find("edf", Shape::Several, &mut &none[..]).is_none());
}

/// What a task says of its turns, or that it has none, is what the order has.
#[test]
fn a_turn_is_the_tasks_own_or_the_policys() {
    use flyball_policy::{Order, Priority, Weighted};
    let us = Duration::from_micros;
    let mut task = Facts::periodic(us(9_000), us(1_000));
    task.priority = Some(3);
    let scheduler = FpRr { quantum: us(250) };
    let turn = |values: &dyn Values| {
        let params = Rule::params(&scheduler, &task, values).unwrap();
        assert_eq!(params.params, Priority(3));
        Rule::order(&scheduler).quantum(&params).unwrap()
    };
    let said = |random| Said {
        known: OwnDefaults(Defaults(FpRr::TASK_SETTINGS)),
        random,
    };
    assert_eq!(turn(&said(0)), us(250));
    let quantum = |n: &u64| said(*n).optional_duration("quantum").unwrap();
    let mut numbers = (1..100).map(|n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let own = numbers.find(|n| !quantum(n).is_zero()).unwrap();
    assert_eq!(turn(&said(own)), quantum(&own));
    let none = numbers.find(|n| quantum(n).is_zero()).unwrap();
    assert_eq!(turn(&said(none)), Weighted::<()>::ENDLESS);
    for rule in [
        Edf::TASK_SETTINGS,
        Llf::TASK_SETTINGS,
        Clustered::<Edf>::TASK_SETTINGS,
    ] {
        assert_eq!(rule, []);
    }
    assert_eq!(Clustered::<Rr>::TASK_SETTINGS, Rr::TASK_SETTINGS);
}

/// Defect of old: the simulator and the machine computed weights apart from each other.
#[test]
fn weights_have_room_for_the_wait_for_the_first_slot() {
    use flyball_catalogue::{Pd2, until_slot};
    let us = Duration::from_micros;
    let mut a = Facts::periodic(us(6_000), us(940));
    (a.phase, a.deadline) = (us(50), Some(us(3_050)));
    let quantum = us(1_000);
    assert_eq!(until_slot(&a, quantum), us(950));
    let weight = Pd2 { quantum }.params(&a, &Defaults(&[])).unwrap();
    assert_eq!((weight.wcet, weight.period), (us(940), us(2_100)));
}
