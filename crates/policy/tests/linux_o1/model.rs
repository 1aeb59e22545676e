//! Linux's O(1) scheduler word for word: lists, a clock that ticks, and signed numbers.

use super::world::{Place, Schedule, Script, Step};
use flyball_policy::{LinuxClass, LinuxRules, LinuxVersion};

const MILLISECOND: i64 = 1_000_000;

/// What Linux knows of a task.
struct Task {
    nice: i64,
    class: LinuxClass,
    prio: i64,
    sleep_avg: i64,
    credit: i64,
    slice: i64,
    timestamp: i64,
    /// 0: not woken; 1: by a task; 2: by an interrupt.
    activated: u8,
    has_begun: bool,
}

struct Model {
    is_old: bool,
    hz: i64,
    tasks: Vec<Task>,
    /// The active array and the expired one, each in the order in which tasks came.
    active: Vec<usize>,
    expired: Vec<usize>,
    running: Option<usize>,
    expired_timestamp: Option<i64>,
    best_expired_prio: i64,
}

impl Model {
    fn ticks(&self, milliseconds: i64) -> i64 {
        milliseconds * self.hz / 1000
    }

    fn nanos(&self, ticks: i64) -> i64 {
        ticks * (1_000_000_000 / self.hz)
    }

    fn static_prio(&self, task: usize) -> i64 {
        120 + self.tasks[task].nice
    }

    fn timeslice(&self, prio: i64) -> i64 {
        if self.is_old {
            let (min, max) = (self.ticks(10), self.ticks(200));
            return min + (max - min) * (139 - prio) / 39;
        }
        let scaled = self.ticks(if prio < 120 { 400 } else { 100 }) * (140 - prio) / 20;
        scaled.max(self.ticks(5).max(1))
    }

    fn slice_of(&self, task: usize) -> i64 {
        self.timeslice(self.static_prio(task))
    }

    fn max_sleep(&self) -> i64 {
        self.timeslice(120) * 10
    }

    fn bonus(&self, task: usize) -> i64 {
        self.tasks[task].sleep_avg / self.nanos(1) * 10 / self.max_sleep()
    }

    fn effective_prio(&self, task: usize) -> i64 {
        if self.tasks[task].class != LinuxClass::Normal {
            return self.tasks[task].prio;
        }
        let prio = self.static_prio(task) - (self.bonus(task) - 5);
        prio.clamp(100, 139)
    }

    fn delta(&self, task: usize) -> i64 {
        self.tasks[task].nice * 10 / 40 + 2
    }

    fn is_interactive(&self, task: usize) -> bool {
        self.tasks[task].prio <= self.static_prio(task) - self.delta(task)
    }

    fn granularity(&self, task: usize) -> i64 {
        self.ticks(10) * (1 << ((10 - self.bonus(task)).max(1) - 1))
    }

    fn is_starving(&self, task: usize, jiffies: i64) -> bool {
        let ready = i64::try_from(self.active.len() + self.expired.len()).unwrap();
        let limit = self.max_sleep() * ready + 1;
        self.expired_timestamp
            .is_some_and(|at| jiffies - at >= limit)
            || self.static_prio(task) > self.best_expired_prio
    }

    /// The average of sleep after `slept`, and what follows.
    fn recalculate(&mut self, task: usize, slept: i64) {
        let most = self.nanos(self.max_sleep());
        let mut slept = slept.min(most);
        if slept > 0 {
            let is_idle =
                slept > self.nanos(self.max_sleep() * (5 + self.delta(task) + 1) / 10 - 1);
            if is_idle {
                self.tasks[task].sleep_avg = self.nanos(self.max_sleep() - self.timeslice(120));
            } else {
                slept *= (10 - self.bonus(task)).max(1);
                if self.is_old && self.tasks[task].credit < -100 {
                    slept = slept.min(self.nanos(self.slice_of(task)));
                }
                self.tasks[task].sleep_avg += slept;
            }
            let is_full = self.tasks[task].sleep_avg > most;
            self.tasks[task].sleep_avg = self.tasks[task].sleep_avg.min(most);
            if (is_idle || is_full) && self.tasks[task].credit <= 100 {
                self.tasks[task].credit += 1;
            }
        }
        self.tasks[task].prio = self.effective_prio(task);
    }

    fn wake(&mut self, task: usize, by_clock: bool, now: i64) {
        let slept = now - self.tasks[task].timestamp;
        if self.tasks[task].has_begun {
            self.recalculate(task, slept);
            let by_interrupt = by_clock || self.running.is_none();
            self.tasks[task].activated = if by_interrupt { 2 } else { 1 };
        }
        self.tasks[task].has_begun = true;
        self.tasks[task].timestamp = now;
        self.active.push(task);
    }

    /// What `schedule()` does with the task that ran.
    fn charge(&mut self, now: i64) {
        let Some(task) = self.running.take() else {
            return;
        };
        let mut time = (now - self.tasks[task].timestamp).min(self.nanos(self.max_sleep()));
        if !self.is_old || self.tasks[task].credit > 100 {
            time /= self.bonus(task).max(1);
        }
        let it = &mut self.tasks[task];
        it.timestamp = now;
        it.sleep_avg -= time;
        if it.sleep_avg <= 0 {
            it.sleep_avg = 0;
            if (-100..=100).contains(&it.credit) {
                it.credit -= 1;
            }
        }
    }

    fn put_last(&mut self, task: usize) {
        self.active.retain(|&other| other != task);
        self.active.push(task);
    }

    /// Returns whether the CPU has to reschedule.
    fn tick(&mut self, now: i64) -> bool {
        let jiffies = now / self.nanos(1);
        let Some(task) = self.running else {
            return false;
        };
        if matches!(self.tasks[task].class, LinuxClass::Fifo(_)) {
            return false;
        }
        self.tasks[task].slice -= 1;
        let (slice, whole) = (self.tasks[task].slice, self.slice_of(task));
        if matches!(self.tasks[task].class, LinuxClass::RoundRobin(_)) {
            if slice == 0 {
                self.tasks[task].slice = whole;
                self.put_last(task);
            }
            return slice == 0;
        }
        if slice == 0 {
            self.active.retain(|&other| other != task);
            self.tasks[task].prio = self.effective_prio(task);
            self.tasks[task].slice = whole;
            self.expired_timestamp.get_or_insert(jiffies);
            // It counts as running all the while.
            self.active.push(task);
            if !self.is_interactive(task) || self.is_starving(task, jiffies) {
                self.active.pop();
                self.expired.push(task);
                self.best_expired_prio = self.best_expired_prio.min(self.static_prio(task));
            }
            return true;
        }
        let granularity = self.granularity(task);
        if self.is_interactive(task) && (whole - slice) % granularity == 0 && slice >= granularity {
            if self.is_old {
                self.tasks[task].prio = self.effective_prio(task);
            }
            self.put_last(task);
            return true;
        }
        false
    }

    fn schedule(&mut self, now: i64) {
        self.charge(now);
        if self.active.is_empty() {
            std::mem::swap(&mut self.active, &mut self.expired);
            self.expired_timestamp = None;
            self.best_expired_prio = 140;
        }
        // The first of those with the least number.
        let best = self
            .active
            .iter()
            .min_by_key(|&&task| self.tasks[task].prio);
        self.running = best.copied();
        let Some(task) = self.running else { return };
        let waited = now - self.tasks[task].timestamp;
        let normal = self.tasks[task].class == LinuxClass::Normal;
        match self.tasks[task].activated {
            1 if normal => {
                self.recalculate(task, waited * 38 / 128);
                self.put_last(task);
            }
            2 if normal => {
                self.recalculate(task, waited);
                self.put_last(task);
            }
            _ => {}
        }
        self.tasks[task].activated = 0;
        self.tasks[task].timestamp = now;
    }
}

/// What Linux makes of these tasks.
pub(crate) fn model(rules: LinuxRules, scripts: &[Script], end: u64) -> Schedule {
    let mut model = Model {
        is_old: rules.version == LinuxVersion::V2_6_8,
        hz: rules.hz.into(),
        tasks: Vec::new(),
        active: Vec::new(),
        expired: Vec::new(),
        running: None,
        expired_timestamp: None,
        best_expired_prio: 140,
    };
    for (number, script) in scripts.iter().enumerate() {
        let nice = script.task.nice.into();
        let prio = match script.task.class {
            LinuxClass::Normal => 0,
            LinuxClass::Fifo(prio) | LinuxClass::RoundRobin(prio) => 99 - i64::from(prio),
        };
        model.tasks.push(Task {
            nice,
            class: script.task.class,
            prio,
            sleep_avg: 0,
            credit: 0,
            slice: model.timeslice(120 + nice),
            timestamp: 0,
            activated: 0,
            has_begun: false,
        });
        model.tasks[number].prio = model.effective_prio(number);
    }
    let mut places: Vec<Place> = scripts.iter().map(Place::new).collect();
    let mut schedule = Schedule::new();
    for unit in 0..end {
        let now = i64::try_from(unit).unwrap() * MILLISECOND;
        let mut reschedules = false;
        let mut ticks = unit > 0 && now % model.nanos(1) == 0;
        loop {
            if let Some(task) = model.running
                && let Some(step) = places[task].step(&scripts[task], unit)
            {
                model.charge(now);
                reschedules = true;
                model.active.retain(|&other| other != task);
                if step == Step::Yield {
                    if model.tasks[task].class == LinuxClass::Normal {
                        model.expired.push(task);
                    } else {
                        if model.is_old {
                            model.tasks[task].prio = model.effective_prio(task);
                        }
                        model.active.push(task);
                    }
                }
            }
            for (task, place) in places.iter_mut().enumerate() {
                if let Some((_, by_clock)) = place.wakes.take_if(|wakes| wakes.0 == unit) {
                    model.wake(task, by_clock, now);
                    let prio = model.tasks[task].prio;
                    let running = model.running.map(|running| model.tasks[running].prio);
                    reschedules |= running.is_none_or(|running| prio < running);
                }
            }
            if std::mem::take(&mut ticks) {
                reschedules |= model.tick(now);
            }
            if !std::mem::take(&mut reschedules) {
                break;
            }
            model.schedule(now);
        }
        if let Some(task) = model.running {
            places[task].left -= 1;
        }
        schedule.push(model.running);
    }
    schedule
}
