//! A simulation by means follows another one whose kernel takes longer and shorter by turns.

use flyball_catalogue::{Configured, Fp, Pp, Scheduler, settings::Defaults};
use flyball_model::{Cost, Format, TaskSet, read_str};
use flyball_sim::{Modes, Options, Seen, simulate, simulate_modes};
use flyball_trace::{Duration, Event, Kind, Time};
use std::ops::ControlFlow;

/// Two stages, and a source that comes at random.
fn pipeline(urgent: u8) -> TaskSet {
    let text = format!(
        r#"
schema = 1
[[source]]
queue = "in"
every = {{ uniform = ["900us", "1300us"] }}
[[queue]]
name = "in"
capacity = 3
[[queue]]
name = "out"
capacity = 3
[[task]]
name = "first"
priority = {urgent}
behaviour = [{{ repeat = "forever", do = [{{ receive = "in" }}, {{ compute = {{ uniform = ["200us", "500us"] }} }}, {{ send = "out" }}] }}]
[[task]]
name = "second"
priority = 2
behaviour = [{{ repeat = "forever", do = [{{ receive = "out" }}, {{ compute = "300us" }}] }}]
"#
    );
    read_str(&text, Format::Toml, "pipeline.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn with_costs(urgent: u8, nanos: u64) -> TaskSet {
    let mut set = pipeline(urgent);
    let overheads = &mut set.platform.overheads;
    let cost = Cost::fixed(Duration::from_nanos(nanos));
    (overheads.call, overheads.release, overheads.scheduling) = (cost.clone(), cost.clone(), cost);
    set
}

/// What happens after the start: on a machine all threads are there before the first one starts.
fn compared(events: Vec<Event>) -> Vec<Event> {
    let start = Time::from_nanos(2_000_000);
    let is_compared =
        |event: &Event| event.time > start && !matches!(event.kind, Kind::Overhead { .. });
    events.into_iter().filter(is_compared).collect()
}

fn following(set: TaskSet, scheduler: &impl Scheduler, seen: Seen) -> Vec<Event> {
    let mut events = Vec::new();
    let modes = Modes::from(set).following(seen);
    let options = Options::until(Duration::from_secs(2));
    simulate_modes(&modes, scheduler, &options, &mut events, |_| {
        ControlFlow::Continue(())
    })
    .expect("it can be simulated");
    compared(events)
}

/// Each event of the other one, and at its instant.
#[test]
fn a_simulation_follows_what_was_seen() {
    let options = Options::until(Duration::from_secs(2));
    let mut events = Vec::new();
    simulate(&with_costs(1, 1_900), &Fp, &options, &mut events).expect("it can be simulated");
    let seen = || Seen::new(&events, Duration::from_micros(10));
    let other = compared(events.clone());
    let mut alone = Vec::new();
    simulate(&with_costs(1, 700), &Fp, &options, &mut alone).expect("it can be simulated");
    assert_ne!(compared(alone), other);
    assert_eq!(following(with_costs(1, 700), &Fp, seen()), other);
    // Another order is not followed.
    let kinds = |events: &[Event]| events.iter().map(|event| event.kind).collect::<Vec<_>>();
    let reversed = following(with_costs(3, 700), &Fp, seen());
    assert_ne!(kinds(&reversed), kinds(&other));
}

/// A kernel whose controllers take much longer. Not all of their runs leave an event; what of the others is not seen
/// of the time that they take, budgets tell.
#[test]
fn controllers_are_followed() {
    let scheduler = Pp::new(&Defaults(Pp::SETTINGS), &[]).unwrap();
    let set = |nanos, control| {
        let mut set = with_costs(1, nanos);
        set.platform.overheads.control = Cost::fixed(Duration::from_nanos(control));
        set
    };
    let options = Options::until(Duration::from_secs(2));
    let mut events = Vec::new();
    simulate(&set(1_100, 7_300), &scheduler, &options, &mut events).expect("it can be simulated");
    let seen = || Seen::new(&events, Duration::from_micros(10));
    let decided = |events: Vec<Event>| -> Vec<Event> {
        let mut events = compared(events);
        events.retain(|event| !event.kind.is_of_reservation());
        events
    };
    let same = |ours: Vec<Event>, others: &[Event]| {
        let ours = decided(ours).into_iter();
        let pairs = ours.zip(others);
        pairs
            .take_while(|(ours, other)| ours.kind == other.kind)
            .count()
    };
    let other = decided(events.clone());
    let mut alone = Vec::new();
    simulate(&set(700, 2_000), &scheduler, &options, &mut alone).expect("it can be simulated");
    let alone = same(alone, &other);
    let followed = same(following(set(700, 2_000), &scheduler, seen()), &other);
    assert!(alone < other.len() / 2, "{alone} of {}", other.len());
    assert_eq!(followed, other.len());
}
