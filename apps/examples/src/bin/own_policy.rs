//! A policy of one's own that wants nothing but the clock: a thread says how long it can wait for
//! the CPU, and the one that is due first runs, due being counted from when it could run.
#![cfg_attr(target_os = "none", no_std, no_main)]

use flyball_app::policy::{
    CpuId, Dispatch, Policy, Ready, Refused, Resched, Stop, TaskId, Usage, Wants,
};
use flyball_app::prelude::*;
use flyball_app::println;
use flyball_examples::machine;

const THREADS: usize = 4;

/// How long each member can wait, and by when those that are queued are due.
#[derive(Default)]
struct Patience {
    members: [Option<Duration>; THREADS],
    due: [Option<Time>; THREADS],
}

impl Policy for Patience {
    type Params = Duration;
    type Settings = ();
    const WANTS: Wants = Wants::CLOCK;

    fn capacity(&self) -> usize {
        THREADS
    }

    fn admit(&mut self, task: TaskId, patience: Duration, _: Time) -> Result<(), Refused> {
        let member = self.members.get_mut(task.index());
        *member.ok_or(Refused::Full)? = Some(patience);
        Ok(())
    }

    fn adjust(&mut self, task: TaskId, patience: Duration, now: Time) -> Result<Resched, Refused> {
        self.admit(task, patience, now).map(|()| Resched::None)
    }

    fn retire(&mut self, task: TaskId, _: Time) {
        self.members[task.index()] = None;
    }

    fn ready(&mut self, here: CpuId, task: TaskId, _: Ready, now: Time) -> Resched {
        let patience = self.members[task.index()];
        self.due[task.index()] = patience.map(|patience| now + patience);
        Resched::One(here)
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, _: Usage, why: Stop, _: Time) -> Resched {
        if matches!(why, Stop::Blocked | Stop::Completed) {
            self.due[task.index()] = None;
        }
        Resched::One(cpu)
    }

    fn pick(&mut self, _: CpuId, _: Time) -> Option<Dispatch> {
        let queued = (0..)
            .zip(self.due)
            .filter_map(|(row, due)| Some((due?, TaskId(row))));
        let (_, task) = queued.min()?;
        Some(Dispatch::of(task))
    }
}

flyball_app::kernel! {
    machine: machine,
    policy: Patience = Patience::default(),
    init: init,
    threads: THREADS,
    accounting: false,
}

static PATIENT: Stack<512> = Stack::new();
static HASTY: Stack<512> = Stack::new();
static MAIN: Stack<512> = Stack::new();

static FOR_PATIENT: Semaphore = Semaphore::new(0);
static FOR_HASTY: Semaphore = Semaphore::new(0);
static DONE: Semaphore = Semaphore::new(0);

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn init() -> Result<(), Error> {
    spawn(&PATIENT, Thread::once(), ms(90), || {
        work("patient", &FOR_PATIENT);
    })?;
    spawn(&HASTY, Thread::once(), ms(50), || work("hasty", &FOR_HASTY))?;
    spawn(&MAIN, Thread::once(), ms(0), || {
        // The others are due first, so both wait for their semaphores by now.
        sleep(ms(10));
        for pause in [ms(20), ms(60)] {
            println!(
                "patient can run, and {} ms later hasty can, too:",
                pause / ms(1)
            );
            let _ = FOR_PATIENT.signal();
            compute(pause);
            let _ = FOR_HASTY.signal();
            for _ in 0..2 {
                let _ = DONE.wait();
            }
        }
        shut_down(0)
    })?;
    Ok(())
}

fn work(name: &str, turn: &Semaphore) {
    while turn.wait().is_ok() {
        println!("  {name}");
        let _ = DONE.signal();
    }
}
