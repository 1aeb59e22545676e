//! Linux 2.0's scheduler word for word: lists, a clock that ticks, and signed numbers.

use crate::linux_o1::world::{Place, Schedule, Script, Step};
use flyball_policy::{Linux20Rules, LinuxClass};

/// What Linux knows of a task.
struct Task {
    class: LinuxClass,
    priority: i64,
    counter: i64,
}

struct Model {
    tasks: Vec<Task>,
    /// The tasks that can run, in the order in which they came.
    run_queue: Vec<usize>,
    current: Option<usize>,
    need_resched: bool,
}

impl Model {
    fn move_last(&mut self, task: usize) {
        self.run_queue.retain(|&other| other != task);
        self.run_queue.push(task);
    }

    fn goodness(&self, task: usize) -> i64 {
        let it = &self.tasks[task];
        match it.class {
            LinuxClass::Fifo(priority) | LinuxClass::RoundRobin(priority) => {
                1000 + i64::from(priority)
            }
            LinuxClass::Normal if it.counter > 0 && self.current == Some(task) => it.counter + 1,
            LinuxClass::Normal => it.counter,
        }
    }

    fn wake_up(&mut self, task: usize) {
        // The idle task has −100 credits.
        let counter = self.current.map_or(-100, |task| self.tasks[task].counter);
        if self.tasks[task].class != LinuxClass::Normal || self.tasks[task].counter > counter + 3 {
            self.need_resched = true;
        }
        self.run_queue.push(task);
    }

    fn tick(&mut self) {
        let Some(task) = self.current else { return };
        self.tasks[task].counter -= 1;
        if self.tasks[task].counter < 0 {
            self.tasks[task].counter = 0;
            self.need_resched = true;
        }
    }

    fn schedule(&mut self, prev_waits: bool) {
        self.need_resched = false;
        if let Some(prev) = self.current {
            let it = &mut self.tasks[prev];
            if it.counter == 0 && matches!(it.class, LinuxClass::RoundRobin(_)) {
                it.counter = it.priority;
                self.move_last(prev);
            }
            if prev_waits {
                self.run_queue.retain(|&task| task != prev);
            }
        }
        let (mut best, mut next) = (-1000, None);
        for &task in &self.run_queue {
            let weight = self.goodness(task);
            if weight > best {
                (best, next) = (weight, Some(task));
            }
        }
        if best == 0 {
            for task in &mut self.tasks {
                task.counter = (task.counter >> 1) + task.priority;
            }
        }
        self.current = next;
    }
}

/// The priority of `sys_setpriority`, where `default` is that of nice 0.
fn priority(nice: i64, default: i64) -> i64 {
    let priority = (nice.abs() * default + 10) / 20 + default;
    if nice < 0 {
        return priority;
    }
    match 2 * default - priority {
        0 => 1,
        priority => priority,
    }
}

/// What Linux makes of these tasks, and their credits at the end.
pub(crate) fn model(rules: Linux20Rules, scripts: &[Script], end: u64) -> (Schedule, Vec<i64>) {
    let task = |script: &Script| {
        let priority = priority(script.task.nice.into(), rules.credits.into());
        Task {
            class: script.task.class,
            priority,
            counter: priority,
        }
    };
    let mut model = Model {
        tasks: scripts.iter().map(task).collect(),
        run_queue: Vec::new(),
        current: None,
        need_resched: false,
    };
    let mut places: Vec<Place> = scripts.iter().map(Place::new).collect();
    let mut schedule = Schedule::new();
    for unit in 0..end {
        if unit > 0 && unit.is_multiple_of(rules.tick.as_nanos() / 1_000_000) {
            model.tick();
        }
        // A task that yields may go on at once, and may yield again.
        loop {
            let mut waits = false;
            if let Some(task) = model.current
                && let Some(step) = places[task].step(&scripts[task], unit)
            {
                model.need_resched = true;
                if step == Step::Yield {
                    model.move_last(task);
                    model.tasks[task].counter = 0;
                } else {
                    waits = true;
                }
            }
            for (task, place) in places.iter_mut().enumerate() {
                if place.wakes.take_if(|wakes| wakes.0 == unit).is_some() {
                    model.wake_up(task);
                }
            }
            if !model.need_resched {
                break;
            }
            model.schedule(waits);
        }
        if let Some(task) = model.current {
            places[task].left -= 1;
        }
        schedule.push(model.current);
    }
    let credits = model.tasks.iter().map(|task| task.counter).collect();
    (schedule, credits)
}
