//! A policy may choose the operating point of each CPU.

use super::world::{Table, at};
use crate::{Attributes, Config, Core, Entry, InMemory, Sizes, ThreadId, Timing};
use flyball_policy::order::Level;
use flyball_policy::{
    Bitmap, DoubleSorted, FixedPriority, Group, Grouped, Inline, Nothing, Priority, Ranked, Sorts,
};
use flyball_trace::{CpuId, Event, Kind, Speed, Time};

const CPU: CpuId = CpuId(0);

struct One;

impl Config for One {
    type Policy = DoubleSorted<Ranked<FixedPriority, Bitmap<Level, Table>>, Table>;
    type Trace = Vec<Event>;
    type Message = ();
    type Stamp = Time;
    type Cpus = Inline<1>;
    type Threads = Table;
    type Objects = InMemory;
    type Owned = Nothing;
    type Ceilings = Nothing;
    type Queues = Nothing;
    type Messages = Nothing;
    type Jobs = Nothing;
    type Arrivals = Nothing;
    type Accounts = Nothing;
    type Counts = Nothing;
    type Budgets = Nothing;
}

fn core() -> Core<One> {
    let policy = DoubleSorted::sorting(Ranked::new(FixedPriority, 8), Sorts::ALWAYS);
    Core::new(policy, Vec::new(), Timing::Tickless, &Sizes::FIXED)
}

/// A thread that has to run at this point, the more urgent the later it is made.
fn spawn(core: &mut Core<One>, priority: u8, speed: Option<Speed>) -> ThreadId {
    let params = Grouped {
        params: Priority(priority),
        group: Group(0),
        speed,
    };
    core.spawn(CPU, Attributes::THREAD, params, Time::ZERO)
        .unwrap()
}

/// What is told of the speed when the kernel is left.
fn leave(core: &mut Core<One>, entry: Entry) -> Option<Speed> {
    let now = entry.now();
    let decided = entry.decide(core);
    let told = decided.take_speed(core);
    assert_eq!(decided.take_speed(core), None);
    let next = decided.leave(core, now);
    let _ = next.rest.take(core, now);
    told
}

fn told(core: &mut Core<One>) -> Vec<(Time, Speed)> {
    let events = core.trace().iter().filter_map(|event| match event.kind {
        Kind::Speed { speed } => Some((event.time, speed)),
        _ => None,
    });
    events.collect()
}

#[test]
fn a_change_is_told_once() {
    let mut core = core();
    core.starts_at(CPU, Speed(3));
    let slow = spawn(&mut core, 1, Some(Speed(0)));
    let entry = Entry::begin(&mut core, CPU, true, at(1));
    assert_eq!(leave(&mut core, entry), Some(Speed(0)));
    assert_eq!(
        (core.running(CPU), core.speed(CPU)),
        (Some(slow), Some(Speed(0)))
    );
    // It goes on, at the same point.
    let entry = Entry::begin(&mut core, CPU, true, at(2));
    assert_eq!(leave(&mut core, entry), None);
    // Another one of the same speed takes over, one that does not care, and a faster one.
    let like = spawn(&mut core, 2, Some(Speed(0)));
    let entry = Entry::begin(&mut core, CPU, true, at(3));
    assert_eq!(leave(&mut core, entry), None);
    assert_eq!(core.running(CPU), Some(like));
    spawn(&mut core, 3, None);
    let entry = Entry::begin(&mut core, CPU, true, at(4));
    assert_eq!(leave(&mut core, entry), None);
    spawn(&mut core, 4, Some(Speed(2)));
    let entry = Entry::begin(&mut core, CPU, true, at(5));
    assert_eq!(leave(&mut core, entry), Some(Speed(2)));
    assert_eq!(told(&mut core), [(at(1), Speed(0)), (at(5), Speed(2))]);
}

#[test]
fn an_idle_cpu_stays_where_it_is() {
    let mut core = core();
    core.starts_at(CPU, Speed(1));
    spawn(&mut core, 1, Some(Speed(0)));
    let entry = Entry::begin(&mut core, CPU, true, at(1));
    let _ = leave(&mut core, entry);
    let entry = Entry::begin(&mut core, CPU, true, at(2));
    core.exit(CPU, at(2)).unwrap();
    assert_eq!(leave(&mut core, entry), None);
    assert_eq!((core.running(CPU), core.speed(CPU)), (None, Some(Speed(0))));
}

#[test]
fn the_first_point_is_told_where_none_is_known() {
    let mut core = core();
    assert_eq!(core.speed(CPU), None);
    spawn(&mut core, 1, Some(Speed(1)));
    let entry = Entry::begin(&mut core, CPU, true, at(1));
    assert_eq!(leave(&mut core, entry), Some(Speed(1)));
    // The machine says so itself.
    let mut core = self::core();
    core.starts_at(CPU, Speed(1));
    spawn(&mut core, 1, Some(Speed(1)));
    let entry = Entry::begin(&mut core, CPU, true, at(1));
    assert_eq!(leave(&mut core, entry), None);
}
