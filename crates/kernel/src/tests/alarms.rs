//! A policy may have an alarm on each CPU of its cluster.

use super::world::{Table, at};
use crate::{Attributes, Config, Core, Entry, InMemory, Sizes, Timing};
use flyball_policy::{
    Dispatch, Inline, Nothing, Policy, Ready, Refused, Resched, Stop, Usage, Wants,
};
use flyball_trace::{CpuId, Duration, NoTrace, TaskId, Time};

/// CPUs serve in slots of their own: CPU `n` runs task `n` from each alarm on for one slot of
/// `n + 2` nanoseconds, and then idles for another.
struct Slots {
    serves: [bool; 2],
    next: [Time; 2],
    alarms: Vec<(u8, u64)>,
}

impl Policy for Slots {
    type Params = ();
    type Settings = ();
    const WANTS: Wants = Wants::ALARMS;
    fn capacity(&self) -> usize {
        8
    }
    fn admit(&mut self, _: TaskId, (): (), _: Time) -> Result<(), Refused> {
        Ok(())
    }
    fn adjust(&mut self, _: TaskId, (): (), _: Time) -> Result<Resched, Refused> {
        Ok(Resched::None)
    }
    fn retire(&mut self, _: TaskId, _: Time) {}
    fn ready(&mut self, _: CpuId, _: TaskId, _: Ready, _: Time) -> Resched {
        Resched::None
    }
    fn stopped(&mut self, cpu: CpuId, _: TaskId, _: Usage, _: Stop, _: Time) -> Resched {
        Resched::One(cpu)
    }
    fn alarm(&mut self, cpu: CpuId, now: Time) -> Resched {
        let n = cpu.index();
        assert!(self.next[n] <= now, "an alarm comes early");
        self.alarms.push((cpu.0, now.as_nanos()));
        self.serves[n] = !self.serves[n];
        self.next[n] = now + Duration::from_nanos(u64::from(cpu.0) + 2);
        Resched::One(cpu)
    }
    fn next_alarm(&self, cpu: CpuId) -> Option<Time> {
        Some(self.next[cpu.index()])
    }
    fn pick(&mut self, cpu: CpuId, _: Time) -> Option<Dispatch> {
        self.serves[cpu.index()].then_some(Dispatch::of(TaskId(cpu.0.into())))
    }
}

struct Two;

impl Config for Two {
    type Policy = Slots;
    type Trace = NoTrace;
    type Message = ();
    type Stamp = Time;
    type Cpus = Inline<2>;
    type Threads = Table;
    type Objects = InMemory;
    type Owned = Nothing;
    type Ceilings = Nothing;
    type Queues = Nothing;
    type Messages = Nothing;
    type Jobs = Table;
    type Arrivals = Nothing;
    type Accounts = Nothing;
    type Counts = Nothing;
    type Budgets = Nothing;
}

fn run(timing: Timing) -> Vec<(u8, u64)> {
    let policy = Slots {
        serves: [false; 2],
        next: [at(2), at(3)],
        alarms: vec![],
    };
    let mut core: Core<Two> = Core::new(policy, NoTrace, timing, &Sizes::FIXED);
    for _ in 0..2 {
        let spawned = core.spawn(CpuId(0), Attributes::THREAD, (), Time::ZERO);
        assert!(spawned.is_ok());
    }
    let mut timers = [CpuId(0), CpuId(1)].map(|cpu| core.next_timer(cpu));
    for now in (0..=9).map(at) {
        let mut entering: Vec<CpuId> = [0, 1].map(CpuId).to_vec();
        entering.retain(|cpu| timers[cpu.index()] <= now);
        while let Some(cpu) = entering.pop() {
            let entry = Entry::begin(&mut core, cpu, true, now);
            if timers[cpu.index()] <= now {
                core.timer(cpu, now);
            }
            let next = entry.end(&mut core, now);
            entering.extend(next.interrupt.iter());
            assert!(next.rest.is_needed(&core));
            let more = next.rest.take(&mut core, now);
            timers[cpu.index()] = more.timer.unwrap();
            timers[0] = more.timekeeper.unwrap_or(timers[0]);
        }
        let timed = matches!(timing, Timing::Tickless);
        for cpu in [CpuId(0), CpuId(1)] {
            assert!(
                !timed || timers[cpu.index()] == core.next_timer(cpu),
                "{cpu:?} at {now:?}"
            );
            let serves = core.policy().serves[cpu.index()];
            assert_eq!(core.running(cpu).is_some(), serves, "{cpu:?} at {now:?}");
        }
    }
    core.policy().alarms.clone()
}

#[test]
fn each_cpu_has_its_own() {
    let expected = [(0, 2), (1, 3), (0, 4), (1, 6), (0, 6), (0, 8), (1, 9)];
    assert_eq!(run(Timing::Tickless), expected);
}

#[test]
fn a_tick_serves_those_of_all_cpus() {
    let expected = [(0, 4), (1, 4), (0, 8), (1, 8)];
    assert_eq!(run(Timing::Tick(Duration::from_nanos(4))), expected);
}
