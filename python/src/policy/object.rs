//! Objects of classes of Python, as policies.
//!
//! Their methods are called as those of a policy are ([`flyball::policy::Policy`]), or `decide` is, once for each instant
//! ([`super::instant`]). What they pick is checked: a task that is ready, and that no other CPU runs.

mod returned;

use super::fault::{Told, Wrong};
use super::instant::{Event, Instants, word};
use super::methods::Methods;
use super::task::Task;
use crate::error::type_name;
use flyball::catalogue::scheduler::Size;
use flyball::policy::{
    CpuId, CpuSet, Dispatch, Policy, Ready, Refused, Resched, Stop, TaskId, Time, Usage, Wants,
};
use pyo3::prelude::*;
use std::cmp::Ordering;

/// A task of the cluster.
#[derive(Clone, Copy, Default)]
struct Member {
    /// Its place in the set.
    number: u32,
    is_queued: bool,
    runs_on: Option<CpuId>,
}

/// A CPU of the cluster.
#[derive(Clone, Copy, Default)]
struct Cpu {
    /// What it runs, or has run last and not been exchanged for another task yet.
    runs: Option<TaskId>,
    /// The CPU that waits for that.
    waits: Option<CpuId>,
    /// The one that has waited for what this CPU, having just picked, runs no more.
    released: Option<CpuId>,
}

/// An object of the class.
pub(crate) struct Object {
    /// `None`: there is none, since something went wrong.
    methods: Option<Methods>,
    /// If it has a method `decide`.
    instants: Option<Instants>,
    told: Told,
    members: Box<[Member]>,
    /// The ids of tasks, by their place in the set.
    ids: Box<[Option<TaskId>]>,
    cpus: Box<[Cpu]>,
    /// When an alarm came last.
    alarmed: Option<Time>,
    /// Since when a CPU waits for what another one runs, if one does.
    waiting: Option<Time>,
}

impl Object {
    /// An object as a policy; `None`: there is none, since something went wrong.
    pub(crate) fn of(object: Option<Py<PyAny>>, told: Told, size: Size) -> Object {
        let methods = object
            .and_then(|object| told.call("__init__", None, |py| Ok(Methods::of(object.bind(py))?)));
        let (methods, decide) =
            methods.map_or((None, None), |(methods, decide)| (Some(methods), decide));
        let mut object = Object {
            methods,
            instants: decide.map(|decide| Instants::new(decide, size.cpus)),
            members: vec![Member::default(); size.tasks].into(),
            ids: vec![None; told.tasks.len()].into(),
            cpus: vec![Cpu::default(); size.cpus].into(),
            alarmed: None,
            waiting: None,
            told,
        };
        if let Some(mut instants) = object.instants.take() {
            object.ask_alarms(&mut instants.alarms);
            object.instants = Some(instants);
        }
        object
    }

    /// Calls a method, if the object has it; `None`: it has not, or something went wrong.
    #[inline]
    fn call<T>(
        &self,
        name: &str,
        method: impl FnOnce(&Methods) -> Option<&Py<PyAny>>,
        now: Time,
        call: impl FnOnce(&Bound<'_, PyAny>) -> Result<T, Wrong>,
    ) -> Option<T> {
        let method = method(self.methods.as_ref()?)?;
        self.told.call(name, Some(now), |py| call(method.bind(py)))
    }

    /// The task as Python knows it.
    #[inline]
    fn task(&self, id: TaskId) -> Result<&Py<Task>, Wrong> {
        self.told.tasks.known(self.members[id.index()].number)
    }

    /// Asks what all CPUs run from now on, if something has happened since it was asked last.
    fn decide(&mut self, now: Time) {
        let Some(mut instants) = self.instants.take_if(|it| it.is_due()) else {
            return;
        };
        let found = self.told.call("decide", Some(now), |py| {
            let found = instants.call(py, &self.told.tasks, now)?;
            self.decided(&found, &mut instants.decided)?;
            self.ask_alarms(&mut instants.alarms);
            Ok(())
        });
        if found.is_none() {
            instants.decided.fill(None);
        }
        self.instants = Some(instants);
    }

    /// The next alarm of each CPU.
    fn ask_alarms(&self, alarms: &mut [Option<Time>]) {
        for (cpu, alarm) in (0..=CpuSet::LARGEST.0).map(CpuId).zip(alarms) {
            *alarm = self.asked_alarm(cpu);
        }
    }

    /// `cpu` runs `next` from now on, and not what it ran before.
    fn exchange(&mut self, cpu: CpuId, next: Option<TaskId>) {
        let before = self.cpus[cpu.index()].runs;
        if before != next {
            if let Some(before) = before {
                self.members[before.index()].runs_on = None;
            }
            let waits = self.cpus[cpu.index()].waits.take();
            self.cpus[cpu.index()].released = waits;
        }
        self.cpus[cpu.index()].runs = next;
        if let Some(next) = next {
            self.members[next.index()].runs_on = Some(cpu);
        }
    }

    /// `cpu` has picked `task`. If another CPU runs that, it waits until that one has given it up.
    fn accept(&mut self, cpu: CpuId, task: TaskId, now: Time) -> bool {
        let Some(on) = self.members[task.index()].runs_on else {
            return true;
        };
        let waits = self.cpus[on.index()].waits;
        if on == cpu && waits.is_none() {
            return true;
        }
        if on == cpu || waits.is_some_and(|waits| waits != cpu) {
            self.picked_twice(task, now);
            return false;
        }
        self.cpus[on.index()].waits = Some(cpu);
        self.waiting = Some(now);
        false
    }

    /// No CPU may have waited for another one since an earlier instant.
    #[inline]
    fn look_at_waits(&mut self, now: Time) {
        if self.waiting.is_none_or(|since| since == now) {
            return;
        }
        self.waiting = None;
        let waited_for = self.cpus.iter().find(|cpu| cpu.waits.is_some());
        if let Some(task) = waited_for.and_then(|cpu| cpu.runs) {
            self.picked_twice(task, now);
        }
    }

    fn picked_twice(&self, task: TaskId, now: Time) {
        let name = self.task(task).map_or("", |task| task.get().name());
        let what = format!("picked the task {name:?} for a CPU, and another one went on with it,");
        let method = self.instants.as_ref().map_or("pick", |_| "decide");
        let fault = &self.told.fault;
        fault.set(self.told.name, method, Some(now), Wrong::Broken(what));
    }
}

impl Policy for Object {
    type Params = u32;
    type Settings = ();
    const WANTS: Wants = Wants::CLOCK
        .and(Wants::USAGE)
        .and(Wants::BURSTS)
        .and(Wants::ALARMS)
        .and(Wants::PREEMPTED)
        .and(Wants::RELEASED_CPU)
        .and(Wants::RESULTS);

    fn capacity(&self) -> usize {
        self.members.len()
    }

    fn admit(&mut self, task: TaskId, number: u32, now: Time) -> Result<(), Refused> {
        let places = (
            self.members.get_mut(task.index()),
            self.ids.get_mut(number as usize),
        );
        let (Some(member), Some(id)) = places else {
            return Err(Refused::Full);
        };
        *member = Member {
            number,
            ..Member::default()
        };
        *id = Some(task);
        self.call(
            "admit",
            |it| it.admit.as_ref(),
            now,
            |method| {
                method.call1((self.task(task)?,))?;
                Ok(())
            },
        );
        Ok(())
    }

    fn adjust(&mut self, _: TaskId, _: u32, _: Time) -> Result<Resched, Refused> {
        // What Python knows of a task is what the set says at the beginning.
        Err(Refused::Fixed)
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        self.call(
            "retire",
            |it| it.retire.as_ref(),
            now,
            |method| {
                method.call1((self.task(task)?,))?;
                Ok(())
            },
        );
        self.ids[self.members[task.index()].number as usize] = None;
    }

    fn ready(&mut self, _: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        self.look_at_waits(now);
        self.members[task.index()].is_queued = true;
        let release = match why {
            Ready::Released { release } => Some(release.as_nanos()),
            Ready::Unblocked => None,
        };
        if let Some(instants) = &mut self.instants {
            instants.add(Event {
                task: self.members[task.index()].number,
                why: None,
                amount: release,
                at: now,
            });
            return self.everywhere();
        }
        let resched = self.call(
            "ready",
            |it| it.ready.as_ref(),
            now,
            |method| self.resched(&method.call1((self.task(task)?, release, now.as_nanos()))?),
        );
        resched.unwrap_or_default()
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        self.look_at_waits(now);
        let ran = self.members[task.index()].runs_on;
        let mut resched = ran.map_or(Resched::None, Resched::One);
        if matches!(why, Stop::Blocked | Stop::Completed) {
            self.members[task.index()].is_queued = false;
            if let Some(ran) = ran {
                self.exchange(ran, None);
                resched = resched.and(self.released_cpu(ran));
            }
        }
        if let Some(instants) = self.instants.as_mut().filter(|_| why != Stop::Preempted) {
            instants.add(Event {
                task: self.members[task.index()].number,
                why: Some(why),
                amount: Some(used.time.as_nanos()),
                at: now,
            });
            if ran.is_none() && self.alarmed != Some(now) {
                // No CPU is asked for the end of a job that runs on none.
                instants.alarms[0] = Some(now);
            }
            return resched.and(self.everywhere());
        }
        let told = self.call(
            "stopped",
            |it| it.stopped.as_ref(),
            now,
            |method| {
                let why = word(method.py(), why);
                let used = used.time.as_nanos();
                self.resched(&method.call1((self.task(task)?, why, used, now.as_nanos()))?)
            },
        );
        match why {
            // This CPU picks anyway. If others did, too, they would stop what they run, and so on.
            Stop::Preempted => Resched::One(cpu),
            _ => resched.and(told.unwrap_or_default()),
        }
    }

    fn ended(&mut self, task: TaskId, result: u8, now: Time) {
        self.call(
            "ended",
            |it| it.ended.as_ref(),
            now,
            |method| {
                method.call1((self.task(task)?, result, now.as_nanos()))?;
                Ok(())
            },
        );
    }

    fn alarm(&mut self, cpu: CpuId, now: Time) -> Resched {
        self.alarmed = Some(now);
        if let Some(instants) = &mut self.instants {
            instants.alarm(cpu);
            return self.everywhere();
        }
        let resched = self.call(
            "alarm",
            |it| it.alarm.as_ref(),
            now,
            |method| self.resched(&method.call1((cpu.0, now.as_nanos()))?),
        );
        resched.unwrap_or_default()
    }

    fn next_alarm(&self, cpu: CpuId) -> Option<Time> {
        match &self.instants {
            Some(instants) => instants.alarms[cpu.index()],
            None => self.asked_alarm(cpu),
        }
    }

    fn has_alarms(&self) -> bool {
        let methods = self.methods.as_ref();
        methods.is_some_and(|it| it.next_alarm.is_some()) && !self.told.fault.is_set()
    }

    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        self.look_at_waits(now);
        self.decide(now);
        let picked = match &self.instants {
            Some(instants) => instants.decided[cpu.index()],
            None => self
                .call(
                    "pick",
                    |it| it.pick.as_ref(),
                    now,
                    |method| self.picked(&method.call1((cpu.0, now.as_nanos()))?),
                )
                .flatten(),
        };
        let picked = picked.filter(|it| self.accept(cpu, it.task, now));
        self.exchange(cpu, picked.map(|it| it.task));
        picked
    }

    fn released_cpu(&mut self, cpu: CpuId) -> Resched {
        let released = self.cpus[cpu.index()].released.take();
        released.map_or(Resched::None, Resched::One)
    }

    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        let found = self.call(
            "compare",
            |it| it.compare.as_ref(),
            Time::ZERO,
            |method| {
                let found = method.call1((self.task(a)?, self.task(b)?))?;
                let number: i64 = found.extract().map_err(|_| {
                    Wrong::Broken(format!(
                        "returned {}, and no whole number,",
                        type_name(&found)
                    ))
                })?;
                Ok(number.cmp(&0))
            },
        );
        found.unwrap_or(Ordering::Equal)
    }

    fn inherit(&mut self, to: TaskId, from: Option<TaskId>, now: Time) -> Resched {
        let resched = self.call(
            "inherit",
            |it| it.inherit.as_ref(),
            now,
            |method| {
                let from = from.map(|from| self.task(from)).transpose()?;
                self.resched(&method.call1((self.task(to)?, from, now.as_nanos()))?)
            },
        );
        resched.unwrap_or_default()
    }
}
