//! Looks on from outside: what tasks use of the CPUs, and what they may.

use flyball_model::TaskSet;
use flyball_trace::{Duration, Event, Kind, Sink, Time};

/// What an observer of the trace knows of a task's reservation.
#[derive(Clone, Copy, Default)]
struct Observed {
    /// What the task is entitled to in its present period, if that is known.
    budget: Option<Duration>,
    /// The largest budget in this period, as a larger share holds at once.
    largest: Duration,
    /// When the period began, when it ends, and what has been used in it.
    begin: Time,
    end: Time,
    used: Duration,
    /// How long the present period is, and those to come.
    length: Duration,
    period: Duration,
}

/// Looks on from outside: no task may use more of the CPU in a period than its reservation says.
pub(super) struct Observer {
    tasks: Vec<Observed>,
    /// What runs on each CPU, and since when that has been looked at.
    running: Vec<Option<(usize, Time)>>,
    /// How many stretches have been looked at.
    pub(super) stretches: u64,
    /// What each task has used of the CPUs.
    pub(super) used: Vec<Duration>,
    /// The shares of the present reservations, and the most that they have been together from the first run of the controllers on, in [`Kind::WHOLE_CPU`].
    shares: Vec<u64>,
    pub(super) most: u64,
    now: Time,
    /// When messages were lost, or missing.
    pub(super) glitches: Vec<Time>,
    /// How often tasks' shares were squished.
    pub(super) squished: u64,
}

impl Observer {
    pub(super) fn of(set: &TaskSet) -> Observer {
        let tasks = set.tasks.len();
        Observer {
            tasks: vec![Observed::default(); tasks],
            running: vec![None; usize::from(set.platform.cpus.max(1))],
            stretches: 0,
            used: vec![Duration::ZERO; tasks],
            shares: vec![0; tasks],
            most: 0,
            now: Time::ZERO,
            glitches: Vec::new(),
            squished: 0,
        }
    }

    fn runs_up_to(&mut self, now: Time) {
        if now > self.now {
            // All that happens at an instant has happened.
            let before = core::mem::replace(&mut self.now, now);
            let present = self.tasks.iter().zip(&self.shares);
            let present = present.filter(|(task, _)| task.end > before);
            // The controllers have run for the first time then.
            if before >= Time::from_nanos(10_000_000) {
                self.most = self.most.max(present.map(|(_, share)| share).sum());
            }
        }
        for cpu in 0..self.running.len() {
            self.runs_on(cpu, now);
        }
    }

    fn runs_on(&mut self, cpu: usize, now: Time) {
        let Some((task, since)) = self.running[cpu] else {
            return;
        };
        self.used[task] += now.since(since);
        let it = &mut self.tasks[task];
        it.used += now.since(since);
        if it.budget.is_some() {
            assert!(
                it.used <= it.largest,
                "task {task} at {now}: {} of {}, up to {}",
                it.used,
                it.largest,
                it.end
            );
            self.stretches += 1;
        }
        self.running[cpu] = Some((task, now));
    }
}

impl Sink for Observer {
    const BUDGETS: bool = true;

    fn record(&mut self, event: Event) {
        let now = event.time;
        self.runs_up_to(now);
        match event.kind {
            Kind::Dispatch { task, .. } => {
                let runs = Some((task.index(), now));
                let others = self.running.iter().enumerate();
                let mut others = others.filter(|&(cpu, _)| cpu != event.cpu.index());
                assert!(
                    others.all(|(_, other)| *other != runs),
                    "{task} runs twice at {now}"
                );
                self.running[event.cpu.index()] = runs;
            }
            Kind::Idle => self.running[event.cpu.index()] = None,
            Kind::Overrun { .. } | Kind::Underrun { .. } => self.glitches.push(now),
            Kind::Quality { .. } => self.squished += 1,
            Kind::Replenish { server, deadline } => {
                let it = &mut self.tasks[server.index()];
                let (begin, before) = (deadline - it.period, it.end - it.length);
                let is_early = now < it.end && begin > before;
                if is_early && begin < before + it.period {
                    // By the ends of periods (EDF) a task that comes back may begin a new one before the old one is over, if it
                    // has not used more than its part of that. Otherwise the old one has become shorter, and is over.
                    let ran = now.since(before);
                    let [used, largest, ran, whole] =
                        [it.used, it.largest, ran, it.length].map(|it| u128::from(it.as_nanos()));
                    assert!(
                        used * whole <= (largest + 1) * ran + whole,
                        "{server:?} at {now}: {used} of {largest} in {ran} of {whole}"
                    );
                }
                // Otherwise this period has got another length.
                if now >= it.end || is_early {
                    (it.begin, it.used) = (now, Duration::ZERO);
                    it.largest = it.budget.unwrap_or_default();
                }
                (it.end, it.length) = (deadline, it.period);
            }
            Kind::Reserve {
                task,
                share,
                period,
            } => {
                let it = &mut self.tasks[task.index()];
                self.shares[task.index()] = share.into();
                it.period = period;
                let parts = u128::from(period.as_nanos()) * u128::from(share);
                let budget = u64::try_from(parts / u128::from(Kind::WHOLE_CPU)).unwrap();
                let budget = Duration::from_nanos(budget.max(1));
                let begins = it.begin == now && it.used.is_zero();
                it.largest = if begins {
                    budget
                } else {
                    it.largest.max(budget)
                };
                it.budget = Some(budget);
            }
            _ => {}
        }
    }
}
