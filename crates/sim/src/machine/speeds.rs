//! Operating points: at which speed CPUs compute, how long changes take, and what power that takes.

use super::Node;
use super::counters::Rest;
use crate::energy::{CpuSpeeds, Energy, SpeedUse, TaskEnergy};
use flyball_catalogue::Scheduler;
use flyball_kernel::Decided;
use flyball_model::{MOST_SPEEDS, Share, Slowdown, Speeds};
use flyball_policy::{Boxed, CpuId, Duration, Policy, Speed, TaskId, Time};
use flyball_trace::{Cause, Sink};
use std::collections::BTreeMap;

/// The operating points of a cluster's CPUs, and for how long they have been where.
pub(super) struct Clocks {
    pub(super) speeds: Speeds,
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
    pub(super) fn new(speeds: &Speeds, cpus: usize) -> Clocks {
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
        if !<S::Policy<Boxed, Boxed> as Policy>::WANTS.speeds {
            return now;
        }
        let (Some(speed), Some(clocks)) = (decided.take_speed(&mut self.core), &mut self.clocks)
        else {
            return now;
        };
        let takes = clocks.change(cpu, speed, now);
        self.note(cpu, now, Cause::Speed, takes);
        now + takes
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
