//! Several CPUs, and an adversary that decides when each of them gets its interrupts, and when the
//! timer fires: as late as it likes, while threads go on that should have been preempted long ago.
//! Whatever it does, no thread runs in two places, no list or wake-up is lost; and as soon as all
//! interrupts have come, the most urgent threads run.

use super::contract::Watched;
use super::informed::Informed;
use super::world::{Numbers, ROWS, Small, Table, TestObjects, ns};
use crate::{
    Attributes, Core, Entry, InMemory, MutexId, OnMiss, Protocol, Release, SemaphoreId, Sizes,
    Timing,
};
use flyball_multicore::Word;
use flyball_policy::order::Level;
use flyball_policy::{
    Bitmap, CpuId, Deadline, EarliestDeadline, FixedPriority, Global, Heap, Inline, Policy,
    Priority, SortedList, TaskId, Time,
};
use proptest::prelude::*;

const CPUS: u8 = 4;
const OBJECTS: u16 = 3;

type Shared<O, Q> = Global<O, Q, Inline<4>>;
type Fixed = Shared<FixedPriority, Bitmap<Level, Table>>;
type Edf = Shared<EarliestDeadline, Heap<Time, Table>>;
type SortedEdf = Shared<EarliestDeadline, SortedList<Time, Table>>;

/// What a thread that runs on some CPU may do.
#[derive(Clone, Copy, Debug)]
enum Call {
    Lock(u16),
    Unlock(u16),
    Wait(u16, u64),
    Signal(u16),
    Sleep(u64),
    Yield,
    WaitNext,
    Adjust(u8, u8),
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// The thread on a CPU calls, whether it should still run or not.
    Call(u8, Call),
    /// An interrupt signals a semaphore on a CPU.
    Signal(u8, u16),
    /// A CPU gets its interrupt, if one is on its way.
    Deliver(u8),
    /// Time passes.
    Pass(u64),
    /// The timer fires, if it is due.
    Timer,
    /// All interrupts come.
    Settle,
}

fn step() -> impl Strategy<Value = Step> {
    let object = || 0..OBJECTS;
    let call = prop_oneof![
        3 => object().prop_map(Call::Lock),
        3 => object().prop_map(Call::Unlock),
        2 => (object(), 0_u64..20).prop_map(|(n, time)| Call::Wait(n, time)),
        3 => object().prop_map(Call::Signal),
        1 => (1_u64..15).prop_map(Call::Sleep),
        1 => Just(Call::Yield),
        1 => Just(Call::WaitNext),
        1 => (0..8_u8, 1_u8..9).prop_map(|(thread, value)| Call::Adjust(thread, value)),
    ];
    prop_oneof![
        12 => (0..CPUS, call).prop_map(|(cpu, call)| Step::Call(cpu, call)),
        1 => (0..CPUS, object()).prop_map(|(cpu, n)| Step::Signal(cpu, n)),
        6 => (0..CPUS).prop_map(Step::Deliver),
        3 => (1_u64..10).prop_map(Step::Pass),
        3 => Just(Step::Timer),
        1 => Just(Step::Settle),
    ]
}

/// The machine.
struct Machine<P: Policy, O: TestObjects> {
    core: Core<Small<P, true, 4, O>>,
    mutexes: [MutexId<O::Place>; OBJECTS as usize],
    semaphores: [SemaphoreId<O::Place>; OBJECTS as usize],
    now: Time,
    /// The CPUs to which an interrupt is on its way.
    pending: [bool; CPUS as usize],
    /// What the timer of the first CPU is set to.
    timer: Time,
    /// Calls that a thread made on a CPU that had been told to look.
    stale: u64,
}

impl<P: Policy, O: TestObjects> Machine<P, O> {
    fn new(policy: P, params: impl Fn(u8) -> P::Params) -> Machine<P, O> {
        let mut core: Core<Small<P, true, 4, O>> = Core::new(
            Watched::new(policy),
            Vec::new(),
            Timing::Tickless,
            &Sizes::FIXED,
        );
        let numbers = [0, 1, 2];
        let mutexes = numbers.map(|n| MutexId(core.objects.mutex(n, Protocol::Inherit)));
        let semaphores = numbers.map(|n| SemaphoreId(core.objects.semaphore(n, 1)));
        for number in 0..ROWS {
            let value = u8::try_from(number % 5 + 1).unwrap();
            let attributes = Attributes {
                // Some begin anew again and again, and some of those are late.
                release: match number % 3 {
                    0 => Release::Once,
                    _ => Release::Periodic {
                        period: ns(11 + number as u64),
                    },
                },
                start: Time::from_nanos(number as u64 % 4),
                deadline: Some(ns(9)),
                on_miss: match number % 4 {
                    1 => OnMiss::Abort,
                    2 => OnMiss::Skip,
                    _ => OnMiss::Continue,
                },
                alert: None,
            };
            core.spawn(CpuId(0), attributes, params(value), Time::ZERO)
                .unwrap();
        }
        let mut machine = Machine {
            core,
            mutexes,
            semaphores,
            now: Time::ZERO,
            pending: [false; CPUS as usize],
            timer: Time::NEVER,
            stale: 0,
        };
        machine.enter(CpuId(0), |_, _, _| ());
        machine
    }

    /// One entry on one CPU: it decides for itself, others are interrupted, and timers are set.
    fn enter(&mut self, cpu: CpuId, f: impl FnOnce(&mut Core<Small<P, true, 4, O>>, CpuId, Time)) {
        let now = self.now;
        let entry = Entry::begin(&mut self.core, cpu, true, now);
        f(&mut self.core, entry.cpu(), entry.now());
        let next = entry.end(&mut self.core, now);
        assert_eq!(next.run, self.core.running_task(cpu));
        self.pending[cpu.index()] = false;
        for other in next.interrupt.iter() {
            self.pending[other.index()] = true;
        }
        for other in (0..CPUS).map(CpuId) {
            assert!(self.pending[other.index()] || !self.core.needs_resched(other));
        }
        let more = next
            .rest
            .is_needed(&self.core)
            .then(|| next.rest.take(&mut self.core, now));
        if let Some(more) = more {
            let own = more
                .timer
                .filter(|_| cpu == Core::<Small<P, true, 4, O>>::TIMEKEEPER);
            self.timer = own.or(more.timekeeper).unwrap_or(self.timer);
        }
        // The one timer that all releases depend on is what it should be, whichever CPU has set it.
        assert_eq!(self.timer, self.core.next_timer(CpuId(0)));
        self.core.audit_all(false);
    }

    /// What a thread can do without the kernel, where objects are in memory; returns whether it has.
    fn is_quick(&self, task: TaskId, call: Call) -> bool {
        let name = if self.core.locks_by_kernel(task) {
            0
        } else {
            self.core.name(task)
        };
        let word = |place| O::word(place);
        let mutex = |n: u16| word(self.mutexes[usize::from(n)].0);
        let semaphore = |n: u16| word(self.semaphores[usize::from(n)].0);
        match call {
            Call::Lock(n) => mutex(n).is_some_and(|word| word.try_lock(name)),
            Call::Unlock(n) => mutex(n).is_some_and(|word| word.try_unlock(name)),
            Call::Wait(n, _) => semaphore(n).is_some_and(Word::try_pass),
            Call::Signal(n) => semaphore(n).is_some_and(Word::try_give),
            _ => false,
        }
    }

    fn step(&mut self, step: Step, params: &impl Fn(u8) -> P::Params) {
        match step {
            Step::Call(cpu, call) => {
                let cpu = CpuId(cpu);
                let Some(thread) = self.core.running(cpu) else {
                    return;
                };
                self.stale += u64::from(self.core.needs_resched(cpu));
                if self.is_quick(thread.task(), call) {
                    return;
                }
                let (mutexes, semaphores) = (self.mutexes, self.semaphores);
                let mutex = |n: u16| mutexes[usize::from(n)];
                let semaphore = |n: u16| semaphores[usize::from(n)];
                self.enter(cpu, |core, cpu, now| {
                    // What is refused (another thread's mutex, say) changes nothing.
                    let _ = match call {
                        Call::Lock(n) => core.lock(cpu, mutex(n), Time::NEVER, now).map(drop),
                        Call::Unlock(n) => core.unlock(cpu, mutex(n), now),
                        Call::Wait(n, time) => {
                            core.wait(cpu, semaphore(n), now + ns(time), now).map(drop)
                        }
                        Call::Signal(n) => core.signal(cpu, semaphore(n), now),
                        Call::Sleep(time) => core.sleep_until(cpu, now + ns(time), now).map(drop),
                        Call::Yield => core.yield_now(cpu, now),
                        // Threads that run once stay.
                        Call::WaitNext if thread.task().index() % 3 == 0 => Ok(()),
                        Call::WaitNext => core.wait_next(cpu, now).map(drop),
                        Call::Adjust(n, value) => match core.running(CpuId(n % CPUS)) {
                            Some(other) => core.adjust(cpu, other, params(value), now),
                            None => Ok(()),
                        },
                    };
                });
            }
            Step::Signal(cpu, n) => {
                let semaphore = self.semaphores[usize::from(n)];
                if !O::word(semaphore.0).is_some_and(Word::try_give) {
                    self.enter(CpuId(cpu), |core, cpu, now| {
                        core.signal(cpu, semaphore, now).unwrap();
                    });
                }
            }
            Step::Deliver(cpu) if self.pending[usize::from(cpu)] => {
                self.enter(CpuId(cpu), |_, _, _| ());
            }
            Step::Deliver(_) => {}
            Step::Pass(time) => self.now += ns(time),
            Step::Timer => {
                if self.core.next_timer(CpuId(0)) <= self.now {
                    self.enter(CpuId(0), |core, cpu, now| {
                        core.timer(cpu, now);
                    });
                }
            }
            Step::Settle => {
                // A CPU that reschedules may make others reschedule, but not for ever.
                for _ in 0..2 * CPUS {
                    for cpu in (0..CPUS)
                        .filter(|&cpu| self.pending[usize::from(cpu)])
                        .collect::<Vec<_>>()
                    {
                        self.enter(CpuId(cpu), |_, _, _| ());
                    }
                }
                assert_eq!(self.pending, [false; CPUS as usize]);
                self.core.audit_all(true);
            }
        }
    }
}

fn drive<P: Policy, O: TestObjects>(
    policy: P,
    params: impl Fn(u8) -> P::Params,
    steps: &[Step],
) -> u64 {
    let mut machine = Machine::<P, O>::new(policy, &params);
    for &step in steps {
        machine.step(step, &params);
    }
    machine.step(Step::Settle, &params);
    machine.stale
}

fn all<O: TestObjects>(steps: &[Step]) -> u64 {
    let (rows, cpus) = (ROWS, CPUS.into());
    let fixed = Fixed::new(FixedPriority, rows, cpus);
    let fixed = drive::<_, O>(fixed, Priority, steps);
    let deadline = |value: u8| Deadline(ns(u64::from(value) * 7));
    let edf = Edf::new(EarliestDeadline, rows, cpus);
    let edf = drive::<_, O>(edf, deadline, steps);
    let informed = Informed::new(Edf::new(EarliestDeadline, rows, cpus));
    drive::<_, O>(informed, deadline, steps);
    let sorted = SortedEdf::new(EarliestDeadline, rows, cpus);
    let sorted = drive::<_, O>(sorted, deadline, steps);
    assert_eq!(edf, sorted, "the queue decides nothing");
    fixed + edf
}

#[test]
fn nothing_is_lost_however_late_interrupts_come() {
    use core::cell::Cell;
    use proptest::test_runner::TestRunner;
    let stale = Cell::new(0);
    let cases = 500;
    let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
    runner
        .run(&prop::collection::vec(step(), 200..600), |steps| {
            stale.set(stale.get() + all::<Numbers>(&steps));
            all::<InMemory>(&steps);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    // The adversary does what it is there for: threads go on after they should have stopped.
    assert!(stale.get() > u64::from(cases), "{}", stale.get());
}
