//! Operating points: at which speed CPUs compute, how long changes take, and what power that takes.

use super::counters::Rest;
use super::{Node, PolicyOf};
use crate::energy::{CpuSpeeds, Energy, SpeedUse, TaskEnergy};
use flyball_catalogue::Scheduler;
use flyball_kernel::Decided;
use flyball_model::{MOST_SPEEDS, Share, Slowdown, Speeds};
use flyball_policy::{CpuId, Duration, Policy, Speed, TaskId, Time};
use flyball_trace::{Cause, Event, Kind, Sink};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The operating points that CPUs ask for, where some of them share clocks. All clusters have one table.
pub(crate) struct Asked {
    /// By CPU of the whole machine, the first one that shares its clock.
    clock: Vec<usize>,
    /// The point that each asks for; `None`: it idles, and asks for none.
    points: RefCell<Vec<Option<Speed>>>,
}

impl Asked {
    /// `None` where each CPU has a clock of its own.
    pub(crate) fn new(speeds: &Speeds, cpus: usize) -> Option<Asked> {
        let first = |cpu: usize| {
            let mut clocks = speeds.clocks().iter();
            let own = clocks.find(|clock| clock.iter().any(|&other| usize::from(other) == cpu));
            own.and_then(|own| own.first())
                .map_or(cpu, |&first| first.into())
        };
        (!speeds.clocks().is_empty()).then(|| Asked {
            clock: (0..cpus).map(first).collect(),
            points: RefCell::new(vec![None; cpus]),
        })
    }

    /// What the clock of a CPU of the whole machine is to run at; `None`: it stays where it is.
    fn point(&self, cpu: usize) -> Option<Speed> {
        let own = self.clock.get(cpu)?;
        let points = self.points.borrow();
        let all = self.clock.iter().zip(points.iter());
        let same = all.filter(|(clock, _)| *clock == own);
        same.filter_map(|(_, &point)| point).max()
    }
}

/// The operating points of a cluster's CPUs, and for how long they have been where.
pub(super) struct Clocks {
    pub(super) speeds: Speeds,
    /// Where some CPUs share clocks: what they ask for.
    asked: Option<Rc<Asked>>,
    cpus: Vec<Clock>,
    /// What of each task's events is left to be counted.
    pub(super) rests: BTreeMap<TaskId, Rest>,
    /// How long each task has computed, at which point and waiting for memory for which part.
    tasks: BTreeMap<(TaskId, Speed, Share), Duration>,
}

/// The clock of one CPU.
struct Clock {
    speed: Speed,
    /// Since when.
    since: Time,
    /// How long it has been at each point.
    at: [Duration; MOST_SPEEDS],
    /// How long tasks, or the kernel, have computed there.
    busy: [Duration; MOST_SPEEDS],
    /// Of that, the kernel.
    kernel: [Duration; MOST_SPEEDS],
    adjustments: u64,
    /// How long those took.
    changing: Duration,
}

impl Clocks {
    pub(super) fn new(speeds: &Speeds, cpus: usize, asked: Option<Rc<Asked>>) -> Clocks {
        let clock = || Clock {
            speed: speeds.fastest(),
            since: Time::ZERO,
            at: [Duration::ZERO; MOST_SPEEDS],
            busy: [Duration::ZERO; MOST_SPEEDS],
            kernel: [Duration::ZERO; MOST_SPEEDS],
            adjustments: 0,
            changing: Duration::ZERO,
        };
        Clocks {
            speeds: speeds.clone(),
            asked,
            cpus: (0..cpus).map(|_| clock()).collect(),
            tasks: BTreeMap::new(),
            rests: BTreeMap::new(),
        }
    }

    /// How much longer the kernel's own work takes on a CPU.
    pub(super) fn kernel_pace(&self, cpu: CpuId) -> Slowdown {
        self.pace(cpu, self.speeds.kernel_stalls())
    }

    /// The point of a CPU.
    pub(super) fn speed(&self, cpu: CpuId) -> Speed {
        self.cpus[cpu.index()].speed
    }

    /// How much longer something takes on a CPU that waits for memory for this part of its time.
    pub(super) fn pace(&self, cpu: CpuId, stalls: Share) -> Slowdown {
        self.speeds.slowdown(self.cpus[cpu.index()].speed, stalls)
    }

    /// A task has computed for so long.
    pub(super) fn ran(&mut self, cpu: CpuId, task: TaskId, stalls: Share, ran: Duration) {
        let clock = &mut self.cpus[cpu.index()];
        clock.busy[clock.speed.index()] += ran;
        *self.tasks.entry((task, clock.speed, stalls)).or_default() += ran;
    }

    /// The kernel has worked for so long, or will have.
    pub(super) fn worked(&mut self, cpu: CpuId, length: Duration) {
        let clock = &mut self.cpus[cpu.index()];
        clock.busy[clock.speed.index()] += length;
        clock.kernel[clock.speed.index()] += length;
    }

    /// The simulation ends while the kernel still has to work for so long.
    pub(super) fn left_over(&mut self, cpu: CpuId, length: Duration) {
        let clock = &mut self.cpus[cpu.index()];
        for time in [&mut clock.busy, &mut clock.kernel] {
            let time = &mut time[clock.speed.index()];
            *time = time.saturating_sub(length);
        }
    }

    /// A CPU goes over to another point from `now` on. Returns how long that takes, during which it
    /// counts as being at the faster one of the two.
    fn change(&mut self, cpu: CpuId, speed: Speed, now: Time) -> Duration {
        let clock = &mut self.cpus[cpu.index()];
        let speed = speed.min(self.speeds.fastest());
        let takes = self.speeds.transition(clock.speed, speed);
        // The time of the change is that of the faster one.
        let until = if clock.speed > speed {
            now + takes
        } else {
            now
        };
        let faster = clock.speed.max(speed).index();
        clock.at[clock.speed.index()] += until.since(clock.since);
        clock.busy[faster] += takes;
        clock.kernel[faster] += takes;
        (clock.speed, clock.since) = (speed, until);
        clock.adjustments += 1;
        clock.changing += takes;
        takes
    }

    /// The clock of a CPU that idles goes over to another point. That takes no time of the CPU.
    fn follow(&mut self, cpu: CpuId, speed: Speed, now: Time) -> Duration {
        let clock = &mut self.cpus[cpu.index()];
        clock.at[clock.speed.index()] += now.since(clock.since);
        (clock.speed, clock.since) = (speed, now);
        Duration::ZERO
    }

    /// What it comes to at `now`.
    fn sum(&mut self, now: Time) -> SpeedUse {
        for clock in &mut self.cpus {
            clock.at[clock.speed.index()] += now.since(clock.since);
            clock.since = now;
        }
        let speeds = &self.speeds;
        let stalls = speeds.kernel_stalls();
        let cpus = self.cpus.iter().map(|clock| {
            let points = || (0_u8..).take(speeds.count()).map(Speed);
            let at: Vec<Duration> = points().map(|speed| clock.at[speed.index()]).collect();
            let energy = speeds.power().map(|power| {
                let kernel = |speed: Speed| {
                    Energy::of(speeds, power, speed, stalls, clock.kernel[speed.index()])
                };
                let idle =
                    |speed: Speed| at[speed.index()].saturating_sub(clock.busy[speed.index()]);
                let idle = points()
                    .map(idle)
                    .fold(Duration::ZERO, |sum, idle| sum + idle);
                (points().map(kernel).sum(), Energy::idle(power, idle))
            });
            let (kernel, idle) = energy.unzip();
            CpuSpeeds {
                adjustments: clock.adjustments,
                changing: clock.changing,
                at,
                kernel,
                idle,
            }
        });
        let cpus = cpus.collect();
        let mut tasks: BTreeMap<TaskId, Energy> = BTreeMap::new();
        if let Some(power) = speeds.power() {
            for (&(task, speed, stalls), &time) in &self.tasks {
                *tasks.entry(task).or_default() += Energy::of(speeds, power, speed, stalls, time);
            }
        }
        let tasks = tasks
            .into_iter()
            .map(|(task, energy)| TaskEnergy { task, energy });
        SpeedUse {
            cpus,
            tasks: tasks.collect(),
        }
    }
}

impl<S: Scheduler, T: Sink> Node<S, T> {
    /// The clock of a CPU goes over to the point that was decided, if it is another one. Returns until
    /// when that takes, from `now` on.
    #[inline]
    pub(super) fn adjust(&mut self, cpu: CpuId, decided: &Decided, now: Time) -> Time {
        if !<PolicyOf<S> as Policy>::WANTS.speeds {
            return now;
        }
        let Some(clocks) = &mut self.clocks else {
            return now;
        };
        let asked = decided.take_speed(&mut self.core);
        let Some(all) = &clocks.asked else {
            let Some(speed) = asked else {
                return now;
            };
            let takes = clocks.change(cpu, speed, now);
            self.note(cpu, now, Cause::Speed, takes);
            return now + takes;
        };
        let running = decided.run();
        let asked = running.and_then(|_| self.core.speed(cpu));
        all.points.borrow_mut()[self.cpu.index() + cpu.index()] = asked;
        self.follow(cpu, running.is_some(), now)
    }

    /// A CPU follows its clock, which it shares. It pays for that unless it idles. Returns until when that
    /// takes, from `now` on.
    fn follow(&mut self, cpu: CpuId, pays: bool, now: Time) -> Time {
        let (true, Some(clocks)) = (self.lags(cpu), &mut self.clocks) else {
            return now;
        };
        let place = self.cpu.index() + cpu.index();
        let Some(speed) = clocks.asked.as_ref().and_then(|all| all.point(place)) else {
            return now;
        };
        let takes = if pays {
            clocks.change(cpu, speed, now)
        } else {
            clocks.follow(cpu, speed, now)
        };
        if T::ENABLED {
            self.sink.borrow_mut().record(Event {
                time: now,
                cpu: CpuId(self.cpu.0 + cpu.0),
                kind: Kind::Speed { speed },
            });
        }
        self.note(cpu, now, Cause::Speed, takes);
        now + takes
    }

    /// Whether the clock of a CPU, which it shares, runs at another point than the CPU knows.
    pub(super) fn lags(&self, cpu: CpuId) -> bool {
        let Some(clocks) = &self.clocks else {
            return false;
        };
        let place = self.cpu.index() + cpu.index();
        let point = clocks.asked.as_ref().and_then(|all| all.point(place));
        point.is_some_and(|point| point != clocks.speed(cpu))
    }

    /// Whether CPUs share clocks, with others of this cluster or with those of other clusters.
    pub(crate) fn shares_clocks(&self) -> bool {
        let clocks = self.clocks.as_ref();
        clocks.is_some_and(|clocks| clocks.asked.is_some())
    }

    /// CPUs whose clock goes over to another point because of one that shares it are interrupted; those that
    /// idle are not. O(CPUs²).
    pub(crate) fn follow_clocks(&mut self, now: Time) {
        for cpu in self.cpus() {
            let lane = &self.lanes[cpu.index()];
            if !lane.interrupt.is_never() || !self.lags(cpu) {
                continue;
            }
            if lane.running.is_none() && lane.busy_until <= now {
                self.follow(cpu, false, now);
            } else {
                let at = lane.busy_until.max(now + self.costs.ipi);
                self.lanes[cpu.index()].interrupt = at;
                if !self.is_alone() {
                    let next = self.nexts.at(cpu.index()).min(at);
                    self.nexts.set(cpu.index(), next);
                }
            }
        }
    }

    /// The task that a CPU goes on with computes at the CPU's pace.
    #[inline]
    pub(super) fn set_pace(&mut self, cpu: CpuId) {
        if let Some(clocks) = &self.clocks
            && let Some(row) = self.lanes[cpu.index()].running
        {
            let program = &mut self.threads[row].program;
            program.go_on_at(clocks.pace(cpu, program.stalls()));
        }
    }

    /// From now on the job of `row`, which runs on `cpu`, waits for memory for this part of its
    /// computations, in millionths.
    pub(super) fn stall(&mut self, cpu: CpuId, row: usize, millionths: u32) {
        let stalls = Share::from_millionths(millionths);
        let clocks = self.clocks.as_ref();
        let pace = clocks.map_or(Slowdown::NONE, |clocks| clocks.pace(cpu, stalls));
        self.threads[row].program.stall(stalls, pace);
    }

    /// What operating points there are, how long CPUs were there, and what energy that took; `None`
    /// where there are none to choose from.
    pub(crate) fn speed_use(&mut self, ended: Time) -> Option<SpeedUse> {
        let clocks = self.clocks.as_mut()?;
        for (cpu, lane) in (0..=u8::MAX).map(CpuId).zip(&self.lanes) {
            clocks.left_over(cpu, lane.busy_until.max(ended).since(ended));
        }
        Some(clocks.sum(ended))
    }
}
