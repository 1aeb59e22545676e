//! What a machine's kernel spends, read off a measured schedule.
//!
//! All events of one kernel entry carry the instant at which it began, but for the
//! last one: which task is dispatched (or that the CPU idles) is said when the entry ends. So
//! each decision tells what the entry took, but for the way in before and the way out after it
//! (the interrupt handler, saving registers):
//!
//! ```text
//!   complete, release × n   dispatch
//!   --------|-------------------|-----------  time
//!    way in      the entry      way out
//! ```
//!
//! These ways, the interpreter of the script, and entries that decide nothing show as jobs that
//! take longer than they compute. So there are three kinds of equations:
//!
//! ```text
//!   a call that decides     entry + ways + step = call + scheduling + switch
//!   the timer that decides  entry + ways        = n · release + scheduling + switch
//!   a job of p parts        longer = p · ways + d · step + calls · call + releases · release
//! ```
//!
//! A *step* is what the interpreter takes to come to a call; a job's `d` calls that decide (it
//! blocks, or ends) are over later, so only their steps lengthen it.
//!
//! Under a policy that cuts time into slots the first CPU of a cluster decides for all of them when
//! a slot begins, and no event says so. A release within a slot decides nothing, so what is
//! dispatched after it, in the next slot, is not its entry's decision:
//!
//! ```text
//!   release                                slot     dispatch
//!   ---|------------------------------------:-----------|-----------  time
//!      an entry that decides nothing        one without an event
//! ```
//!
//! Where the policy has controllers, an entry in which they change reservations takes longer than its decision and its switch by
//! a run of theirs; the median of that is what they cost.
//!
//! What the same does to time slices is read off [apart](time_slice()).
//!
//! The first two say what the simulator charges, so what it is told is what explains them all best,
//! by least squares. What is put in is a median for each kind of entry and job, so that the rare
//! long way round counts for nothing.

use flyball_model::behaviour::follows_clock;
use flyball_model::endpoint::Instants;
use flyball_model::{Cost, Overheads, Share, Slowdown, Speeds, TaskSet};
use flyball_sim::program::{Call, Program};
use flyball_trace::file::Trace;
use flyball_trace::{Duration, Event, Kind, Object, Speed, TaskId, Time};
use std::collections::{BTreeMap, HashMap};

mod least_squares;
mod rounds;
mod slice;

pub use slice::time_slice;

use least_squares::{Equation, solve};
use rounds::Rounds;

/// The unknowns, by their places in an equation.
const WAYS: usize = 0;
const CALL: usize = 1;
const RELEASE: usize = 2;
const SCHEDULING: usize = 3;
const SWITCH: usize = 4;
const STEP: usize = 5;

/// What comes later than this after something on another CPU was not caused by it.
const LONGEST_INTERRUPT: Duration = Duration::from_micros(100);

/// How a policy cuts time into slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slots {
    /// When the first one begins.
    pub first: Time,
    /// How long each is, not zero.
    pub length: Duration,
}

/// The overheads of the machine that `measured` was recorded on, by the random numbers of `seed`.
/// Zero where it shows none. `cluster` CPUs share a kernel, at least one. `slots` are the policy's,
/// if it cuts time into them. O(events).
pub fn calibrate(
    set: &TaskSet,
    measured: &Trace,
    seed: u64,
    cluster: u8,
    slots: Option<Slots>,
) -> Overheads {
    let mut observer = Observer::new(set, seed, cluster, slots);
    for event in &measured.events {
        observer.observe(event);
    }
    let costs = solve(&observer.seen);
    // Where each CPU has a kernel of its own, a CPU that looks without a cause has lost a task.
    let mut interrupts = match observer.messages {
        messages if messages.is_empty() => observer.interrupts,
        messages => messages,
    };
    let cost = |which: usize| Cost::fixed(costs[which]);
    let controls = observer.controls.iter().map(|&(length, switches)| {
        let switch = costs[SWITCH] * u64::from(switches);
        length.saturating_sub(costs[SCHEDULING] + switch)
    });
    let mut controls: Vec<Duration> = controls.collect();
    Overheads {
        control: Cost::fixed(median(&mut controls)),
        ipi: Cost::fixed(median(&mut interrupts)),
        release: cost(RELEASE),
        call: cost(CALL),
        scheduling: cost(SCHEDULING),
        context_switch: cost(SWITCH),
        ..Overheads::default()
    }
}

/// A kernel entry, as far as it is over.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "what happened in it")]
struct KernelEntry {
    began: Time,
    /// A call of a task began it.
    called: bool,
    /// A time slice was over.
    slice_ended: bool,
    /// Jobs released and sleepers woken in it.
    releases: i64,
    /// A source or a sink began it.
    device: bool,
    /// Controllers of the policy have changed reservations in it.
    controls: bool,
    /// Something else happened, too.
    other: bool,
    /// How long the CPU took from one operating point to another, which the simulator knows.
    changing: Duration,
}

/// A job to which nothing has happened that is not charged for.
struct Job {
    number: u32,
    compute: Duration,
    /// In how many parts it has run.
    parts: i64,
    /// Calls that decide: it blocks or ends.
    deciding: i64,
    /// Its other calls.
    calls: i64,
    /// Releases while it ran, and went on.
    releases: i64,
    /// How long it has run, and since when it does.
    ran: Duration,
    since: Option<Time>,
}

/// Goes through the events.
struct Observer<'a> {
    /// The operating points of the platform, if it has several.
    speeds: Option<&'a Speeds>,
    /// What was seen, by kind.
    seen: BTreeMap<Equation, Vec<Duration>>,
    /// When sources and sinks interrupt next, with their queues.
    devices: Vec<(u16, Instants)>,
    /// What each task's jobs do; `None`: that is not known, or not any more.
    programs: Vec<Option<Program>>,
    /// What tasks do that go on without end.
    rounds: Rounds,
    /// The job that each task has begun last.
    begun: HashMap<TaskId, u32>,
    jobs: HashMap<TaskId, Job>,
    /// The tasks that wait, and whether for the clock.
    waiting: HashMap<TaskId, bool>,
    lanes: Vec<Lane>,
    /// How many CPUs share a kernel, and in each such cluster the CPU of the last event.
    cluster: usize,
    inside: Vec<Option<usize>>,
    /// The policy's slots, if it cuts time into them.
    slots: Option<Slots>,
    /// How long it took from the beginning of an entry on one CPU to that of one on another that
    /// had to look because of it.
    interrupts: Vec<Duration>,
    /// How long entries took in which the policy's controllers ran, and whether another task ran then.
    controls: Vec<(Duration, bool)>,
    /// How long tasks were on their way that went from one kernel to another.
    messages: Vec<Duration>,
    /// When the CPU of a task's last job was done with it.
    done: HashMap<TaskId, Time>,
}

/// What is seen of one CPU.
#[derive(Clone, Copy, Default)]
struct Lane {
    running: Option<TaskId>,
    /// The task that ran last.
    last: Option<TaskId>,
    /// The task whose job is complete in this entry.
    complete: Option<TaskId>,
    entry: KernelEntry,
    /// The operating point of the CPU; `None`: the fastest, at which it began.
    speed: Option<Speed>,
}

impl Observer<'_> {
    fn new(set: &TaskSet, seed: u64, cluster: u8, slots: Option<Slots>) -> Observer<'_> {
        let tasks = set.tasks.iter().enumerate();
        let cpus = usize::from(set.platform.cpus.max(1));
        Observer {
            speeds: set.platform.speeds.as_ref(),
            seen: BTreeMap::new(),
            devices: set
                .endpoints
                .iter()
                .enumerate()
                .map(|(number, it)| (it.queue, it.instants(number, seed)))
                .collect(),
            programs: tasks
                .map(|(number, task)| {
                    // What a job does depends on the time otherwise.
                    let is_known = !follows_clock(&task.behaviour);
                    is_known.then(|| Program::new(task, number, seed))
                })
                .collect(),
            rounds: Rounds::new(set, seed),
            begun: HashMap::new(),
            jobs: HashMap::new(),
            waiting: HashMap::new(),
            lanes: vec![Lane::default(); cpus],
            cluster: cluster.max(1).into(),
            inside: vec![None; cpus],
            slots: slots.filter(|slots| !slots.length.is_zero()),
            interrupts: Vec::new(),
            controls: Vec::new(),
            messages: Vec::new(),
            done: HashMap::new(),
        }
    }

    fn observe(&mut self, event: &Event) {
        let now = event.time;
        let cpu = event.cpu.index();
        if cpu >= self.lanes.len() {
            return;
        }
        // CPUs that share a kernel are in it one after the other, so an event on another one says
        // that the last entry is over: its CPU goes on with what it did, be it nothing. (A later
        // dispatch there has another cause.)
        let before = self.inside[cpu / self.cluster].replace(cpu);
        if let Some(other) = before.filter(|&other| other != cpu) {
            self.undecided(other);
        }
        match event.kind {
            kind if kind.is_of_reservation() => {
                // A budget that comes again is an alarm of the policy.
                if now != self.lanes[cpu].entry.began {
                    self.undecided(cpu);
                    self.lanes[cpu].entry.began = now;
                    self.lanes[cpu].entry.other = true;
                }
                self.lanes[cpu].entry.controls |= matches!(event.kind, Kind::Reserve { .. });
                return;
            }
            Kind::Dispatch { task, job } => {
                self.decided(cpu, now, Some(task));
                self.dispatch(task, job, cpu, now);
                return;
            }
            Kind::Idle => return self.decided(cpu, now, None),
            _ if now != self.lanes[cpu].entry.began => {
                self.undecided(cpu);
                self.lanes[cpu].entry.began = now;
            }
            _ => {}
        }
        if let Some(queue) = event.kind.queue() {
            // What a task puts in or takes out, its script says.
            if self.device_comes(queue, now) {
                let entry = &mut self.lanes[cpu].entry;
                entry.device = true;
                entry.releases += 1;
            } else if !self.lanes[cpu].entry.device {
                self.calls(cpu, Object::Queue(queue), false, now);
            }
            return;
        }
        let entry = &mut self.lanes[cpu].entry;
        match event.kind {
            Kind::Complete { task, job } => {
                entry.called = true;
                self.lanes[cpu].complete = Some(task);
                self.stop(task, now);
                self.complete(task, job);
            }
            Kind::Block { task, on, .. } => {
                entry.called = true;
                self.waiting.insert(task, on == Object::Clock);
                self.calls(cpu, on, true, now);
                self.stop(task, now);
                if let Some(job) = self.jobs.get_mut(&task) {
                    job.calls -= 1;
                    job.deciding += 1;
                }
            }
            Kind::Preempt { task, .. } => self.stop(task, now),
            Kind::Wake { task, .. } if self.waiting.remove(&task) == Some(true) => {
                entry.releases += 1;
            }
            Kind::Wake { .. } | Kind::Arrive { .. } if entry.device => {}
            Kind::Wake { .. }
            | Kind::Arrive { .. }
            | Kind::Lock { .. }
            | Kind::Unlock { .. }
            | Kind::Inherit { .. } => {
                entry.called = true;
            }
            // Both are the timer's work, and the simulator charges them alike.
            Kind::Release { .. } | Kind::Miss { .. } => entry.releases += 1,
            Kind::BurstEnd { .. } => entry.slice_ended = true,
            Kind::Speed { speed } => {
                let before = self.lanes[cpu].speed.replace(speed);
                if let Some(speeds) = self.speeds {
                    let before = before.unwrap_or(speeds.fastest());
                    self.lanes[cpu].entry.changing += speeds.transition(before, speed);
                }
            }
            Kind::Abort { task, .. } => {
                entry.other = true;
                self.jobs.remove(&task);
                // It is not known how many of its random lengths it has used up.
                if let Some(program) = self.programs.get_mut(task.index()) {
                    *program = None;
                }
            }
            Kind::Start { task } if now > Time::ZERO => {
                entry.other = true;
                self.arrived(task, now);
            }
            Kind::Overhead { .. } | Kind::Tick | Kind::Start { .. } => {}
            _ => entry.other = true,
        }
    }

    /// Whether a source or a sink of a queue has interrupted by `now` that has not been seen yet.
    fn device_comes(&mut self, queue: u16, now: Time) -> bool {
        let mut devices = self.devices.iter_mut().filter(|(it, _)| *it == queue);
        let device = devices.find(|(_, instants)| instants.peek() <= now);
        device.is_some_and(|(_, instants)| instants.next().is_some())
    }

    /// When the slot of an instant began; time zero if there are no slots, or none yet.
    fn slot_of(&self, now: Time) -> Time {
        match self.slots {
            Some(Slots { first, length }) if first <= now => {
                first + length * (now.since(first) / length)
            }
            _ => Time::ZERO,
        }
    }

    /// The entry is over, and `next` runs, or no task.
    fn decided(&mut self, cpu: usize, now: Time, next: Option<TaskId>) {
        let slot = self.slot_of(now);
        if self.lanes[cpu].entry.began < slot {
            // It is decided because this slot begins. What came before had decided nothing.
            self.undecided(cpu);
            self.lanes[cpu].entry = KernelEntry {
                began: slot,
                other: true,
                ..KernelEntry::default()
            };
        }
        let lane = &mut self.lanes[cpu];
        self.done
            .extend(lane.complete.take().map(|task| (task, now)));
        let entry = std::mem::take(&mut lane.entry);
        // What a later event of the same instant belongs to.
        lane.entry.began = entry.began;
        let mut equation = Equation::default();
        equation[WAYS] = -1;
        equation[STEP] = -i64::from(entry.called);
        equation[CALL] = i64::from(entry.called);
        equation[RELEASE] = entry.releases;
        equation[SCHEDULING] = 1;
        equation[SWITCH] = i64::from(next.is_some() && next != lane.last);
        let causes = [entry.called, entry.slice_ended, entry.releases > 0];
        let (running, last) = (next, next.or(lane.last));
        (lane.running, lane.last) = (running, last);
        if causes == [false; 3] && !entry.other {
            self.interrupted(cpu, entry.began);
        }
        if causes == [false; 3] && entry.controls && entry.began > Time::ZERO {
            let switches = equation[SWITCH] > 0;
            self.controls.push((now.since(entry.began), switches));
        }
        let is_plain = causes.iter().filter(|&&cause| cause).count() == 1 && !entry.other;
        // The first decision of all has no beginning.
        if is_plain && entry.began > Time::ZERO {
            let length = now.since(entry.began).saturating_sub(entry.changing);
            self.seen.entry(equation).or_default().push(length);
        }
    }

    /// A CPU had to look because of what happened on another one.
    fn interrupted(&mut self, cpu: usize, began: Time) {
        let others = self.lanes.iter().enumerate();
        let others = others.filter(|&(other, _)| other != cpu);
        let cause = others.map(|(_, lane)| lane.entry.began).max();
        let cause = cause.max(self.slots.map(|_| self.slot_of(began)));
        let Some(cause) = cause.filter(|&cause| cause > Time::ZERO && began > cause) else {
            return;
        };
        let took = began.since(cause);
        if took < LONGEST_INTERRUPT {
            self.interrupts.push(took);
        }
    }

    /// A task has come from another CPU, to which its job had gone. If that is complete then it
    /// comes as a message, and not when it is time to.
    fn arrived(&mut self, task: TaskId, now: Time) {
        if let Some(done) = self.done.remove(&task) {
            self.messages.push(now.since(done));
        }
    }

    /// The entry is over, and the thread that ran goes on.
    fn undecided(&mut self, cpu: usize) {
        let lane = &mut self.lanes[cpu];
        let entry = std::mem::take(&mut lane.entry);
        // What other CPUs do because of it begins there.
        lane.entry.began = entry.began;
        let Some(running) = lane.running else {
            return;
        };
        let is_known = !entry.other && !entry.slice_ended;
        self.rounds.interrupted(running, entry.releases, is_known);
        if entry.other || entry.slice_ended {
            self.jobs.remove(&running);
        } else if let Some(job) = self.jobs.get_mut(&running) {
            job.releases += entry.releases;
        }
    }

    /// A job begins, or goes on.
    fn dispatch(&mut self, task: TaskId, number: u32, cpu: usize, now: Time) {
        self.done.remove(&task);
        if self.begun.insert(task, number) != Some(number) {
            self.jobs.remove(&task);
            // A task always runs at the same point.
            let speed = self.lanes[cpu].speed;
            let pace = |stalls| {
                let points = self.speeds.zip(speed);
                points.map_or(Slowdown::NONE, |(speeds, speed)| {
                    speeds.slowdown(speed, stalls)
                })
            };
            let program = self.programs.get_mut(task.index());
            if let Some(job) = program.and_then(|program| script(program, number, pace)) {
                self.jobs.insert(task, job);
            }
        }
        self.rounds.dispatch(task, now);
        if let Some(job) = self.jobs.get_mut(&task) {
            job.since = Some(now);
        }
    }

    /// The task that runs on a CPU makes a call that the trace tells of.
    fn calls(&mut self, cpu: usize, on: Object, blocks: bool, now: Time) {
        let running = self.lanes[cpu].running;
        let round = running.and_then(|task| self.rounds.call(task, on, blocks, now));
        if let Some((equation, longer)) = round {
            self.seen.entry(equation).or_default().push(longer);
        }
    }

    /// A job loses the CPU or gives it away.
    fn stop(&mut self, task: TaskId, now: Time) {
        self.rounds.stop(task, now);
        if let Some(job) = self.jobs.get_mut(&task)
            && let Some(since) = job.since.take()
        {
            job.ran += now.since(since);
            job.parts += 1;
        }
    }

    fn complete(&mut self, task: TaskId, number: u32) {
        if let Some(job) = self.jobs.remove(&task)
            && job.number == number
        {
            let mut equation = Equation::default();
            equation[WAYS] = job.parts;
            equation[STEP] = job.deciding;
            equation[CALL] = job.calls;
            equation[RELEASE] = job.releases;
            let longer = job.ran.saturating_sub(job.compute);
            self.seen.entry(equation).or_default().push(longer);
        }
    }
}

/// The middle one of some lengths; zero: there are none.
fn median(lengths: &mut [Duration]) -> Duration {
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or_default()
}

/// What the next job of a task does, before it has begun. What it computes takes as long as at a `pace`,
/// which depends on the part of the time in which it waits for memory.
fn script(
    program: &mut Option<Program>,
    number: u32,
    pace: impl Fn(Share) -> Slowdown,
) -> Option<Job> {
    const MOST_STEPS: u32 = 1_000;
    let mut compute = Duration::ZERO;
    let mut now = pace(Share::default());
    let mut calls = 0;
    let next = program.as_mut()?;
    for _ in 0..MOST_STEPS {
        match next.step(Time::ZERO) {
            Call::End => {
                return Some(Job {
                    number,
                    compute,
                    parts: 0,
                    deciding: 1,
                    calls,
                    releases: 0,
                    ran: Duration::ZERO,
                    since: None,
                });
            }
            Call::Compute(length) => compute += now.stretch(next.draw(length)),
            Call::Result(result) => next.note(result),
            Call::Stalls(millionths) => now = pace(Share::from_millionths(millionths)),
            Call::Suspend(length) => {
                next.draw(length);
                calls += 1;
            }
            _ => calls += 1,
        }
    }
    *program = None;
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_model::{Length, Step, Task};
    use flyball_trace::CpuId;
    use flyball_trace::file::Header;

    /// The first CPU keeps the time for both. It idles, releases a job that the other one takes,
    /// and gets one much later.
    #[test]
    fn what_an_idle_cpu_does_for_another_one_is_over_at_once() {
        let us = Duration::from_micros;
        let set = TaskSet {
            tasks: vec![Task::periodic("a", us(100), us(10)); 2],
            platform: flyball_model::Platform {
                cpus: 2,
                ..Default::default()
            },
            ..TaskSet::default()
        };
        let (a, b) = (TaskId(0), TaskId(1));
        let release = |task, job| Kind::Release {
            task,
            job,
            deadline: Time::NEVER,
        };
        let dispatch = |task, job| Kind::Dispatch { task, job };
        let mut events = Vec::new();
        for job in 1..9 {
            let at = u64::from(job) * 100_000;
            events.extend([
                (at, 0, release(a, job)),
                (at + 300, 1, dispatch(a, job)),
                (at + 10_300, 1, Kind::Complete { task: a, job }),
                (at + 10_300, 1, Kind::Lock { task: b, mutex: 0 }),
                (at + 10_500, 1, Kind::Idle),
                (at + 10_600, 0, dispatch(b, job)),
                (at + 20_600, 0, Kind::Complete { task: b, job }),
                (at + 20_800, 0, Kind::Idle),
            ]);
        }
        let event = |(time, cpu, kind)| Event {
            time: Time::from_nanos(time),
            cpu: CpuId(cpu),
            kind,
        };
        let trace = Trace {
            header: Header::default(),
            events: events.into_iter().map(event).collect(),
        };
        let overheads = calibrate(&set, &trace, 0, 2, None);
        let [release, scheduling, switch] = [
            &overheads.release,
            &overheads.scheduling,
            &overheads.context_switch,
        ]
        .map(|cost| cost.at(2).as_nanos());
        assert!(release + scheduling + switch < 1_000, "{overheads:?}");
    }

    /// Slots of 100 us. A job comes in the middle of one and is dispatched in the next one, at
    /// first on the CPU that keeps the time, which interrupts the other one.
    #[test]
    fn what_is_released_within_a_slot_is_decided_in_the_next_one() {
        let us = Duration::from_micros;
        let set = TaskSet {
            tasks: vec![Task::periodic("a", us(400), us(250)); 2],
            platform: flyball_model::Platform {
                cpus: 2,
                ..Default::default()
            },
            ..TaskSet::default()
        };
        let (a, b) = (TaskId(0), TaskId(1));
        let release = |task, job| Kind::Release {
            task,
            job,
            deadline: Time::NEVER,
        };
        let dispatch = |task, job| Kind::Dispatch { task, job };
        let mut events = Vec::new();
        for job in 1..9 {
            let at = u64::from(job) * 400_000;
            events.extend([
                (at + 40_000, 0, release(a, job)),
                (at + 70_000, 0, release(b, job)),
                // The policy decides for both CPUs.
                (at + 102_000, 0, dispatch(a, job)),
                (at + 103_000, 1, dispatch(b, job)),
                // They take turns, as if there were others.
                (at + 203_000, 1, Kind::Preempt { task: b, job }),
                (at + 203_500, 1, Kind::Idle),
                (at + 302_000, 1, dispatch(b, job)),
                (at + 352_000, 0, Kind::Complete { task: a, job }),
                (at + 352_700, 0, Kind::Idle),
                (at + 392_000, 1, Kind::Complete { task: b, job }),
                (at + 392_700, 1, Kind::Idle),
            ]);
        }
        let event = |(time, cpu, kind)| Event {
            time: Time::from_nanos(time),
            cpu: CpuId(cpu),
            kind,
        };
        let trace = Trace {
            header: Header::default(),
            events: events.into_iter().map(event).collect(),
        };
        let slots = Slots {
            first: Time::ZERO,
            length: us(100),
        };
        let overheads = calibrate(&set, &trace, 0, 2, Some(slots));
        let [release, scheduling, switch, ipi] = [
            &overheads.release,
            &overheads.scheduling,
            &overheads.context_switch,
            &overheads.ipi,
        ]
        .map(|cost| cost.at(2).as_nanos());
        assert!(release + scheduling + switch < 5_000, "{overheads:?}");
        // From the beginning of the slot to the preemption.
        assert_eq!(ipi, 3_000);
    }

    #[test]
    fn costs_are_read_off_a_small_schedule() {
        let us = Duration::from_micros;
        let mut set = TaskSet {
            tasks: vec![
                Task::periodic("a", us(100), us(10)),
                Task::periodic("b", us(100), us(20)),
            ],
            ..TaskSet::default()
        };
        set.tasks[1].behaviour = vec![
            Step::Lock(0),
            Step::Compute(Length::Fixed(us(20))),
            Step::Unlock(0),
        ];
        let (a, b) = (TaskId(0), TaskId(1));
        let release = |task, job| Kind::Release {
            task,
            job,
            deadline: Time::NEVER,
        };
        let dispatch = |task, job| Kind::Dispatch { task, job };
        let complete = |task, job| Kind::Complete { task, job };
        let lock = Kind::Lock { task: b, mutex: 0 };
        let unlock = Kind::Unlock { task: b, mutex: 0 };
        // Ways take 100 ns, a step of the interpreter 50 ns, and the kernel's work what is expected
        // below.
        let events = [
            // Both together, and b calls twice.
            (1_000, release(a, 1)),
            (1_000, release(b, 1)),
            (1_450, dispatch(a, 1)),
            (11_600, complete(a, 1)),
            (11_900, dispatch(b, 1)),
            (12_000, lock),
            (32_300, unlock),
            (32_650, complete(b, 1)),
            (32_900, Kind::Idle),
            // b comes while a runs, and waits.
            (101_000, release(a, 2)),
            (101_250, dispatch(a, 2)),
            (105_000, release(b, 2)),
            (111_600, complete(a, 2)),
            (111_900, dispatch(b, 2)),
            (112_000, lock),
            (132_300, unlock),
            (132_650, complete(b, 2)),
            (132_900, Kind::Idle),
            // a comes while b runs, and takes over.
            (201_000, release(b, 3)),
            (201_200, dispatch(b, 3)),
            (201_300, lock),
            (205_000, release(a, 3)),
            (205_000, Kind::Preempt { task: b, job: 3 }),
            (205_250, dispatch(a, 3)),
            (215_400, complete(a, 3)),
            (215_700, dispatch(b, 3)),
            (232_400, unlock),
            (232_750, complete(b, 3)),
            (233_000, Kind::Idle),
        ];
        let events = events.map(|(time, kind)| Event {
            time: Time::from_nanos(time),
            cpu: CpuId(0),
            kind,
        });
        let trace = Trace {
            header: Header::default(),
            events: events.into(),
        };
        let overheads = calibrate(&set, &trace, 0, 1, None);
        for (cost, expected) in [
            (&overheads.call, 300),
            (&overheads.release, 200),
            (&overheads.scheduling, 100),
            (&overheads.context_switch, 50),
        ] {
            let cost = cost.at(2).as_nanos();
            assert!(cost.abs_diff(expected) <= 1, "{cost}, not {expected}");
        }
    }

    /// Controllers run while a task computes, and another one is dispatched.
    #[test]
    fn a_run_of_controllers_is_what_is_left_of_its_entry() {
        let us = Duration::from_micros;
        let set = TaskSet {
            tasks: vec![Task::periodic("a", us(100), us(10)); 2],
            ..TaskSet::default()
        };
        let (a, b) = (TaskId(0), TaskId(1));
        let reserve = |task| Kind::Reserve {
            task,
            share: 1,
            period: us(50),
        };
        let mut events = Vec::new();
        for job in 1..9 {
            let at = u64::from(job) * 100_000;
            let deadline = Time::NEVER;
            let release = |task| Kind::Release {
                task,
                job,
                deadline,
            };
            events.extend([
                (at, release(a)),
                (at, release(b)),
                // Two releases of 200 ns, a decision of 100 ns and a switch of 50 ns.
                (at + 550, Kind::Dispatch { task: a, job }),
                (at + 5_000, reserve(a)),
                (at + 5_000, reserve(b)),
                (at + 5_000, Kind::Preempt { task: a, job }),
                (at + 8_150, Kind::Dispatch { task: b, job }),
                (at + 18_150, Kind::Complete { task: b, job }),
                (at + 18_300, Kind::Dispatch { task: a, job }),
                (at + 23_850, Kind::Complete { task: a, job }),
                (at + 23_950, Kind::Idle),
            ]);
        }
        let event = |(time, kind)| Event {
            time: Time::from_nanos(time),
            cpu: CpuId(0),
            kind,
        };
        let trace = Trace {
            header: Header::default(),
            events: events.into_iter().map(event).collect(),
        };
        let overheads = calibrate(&set, &trace, 0, 1, None);
        let [scheduling, switch, control] = [
            &overheads.scheduling,
            &overheads.context_switch,
            &overheads.control,
        ]
        .map(|cost| cost.at(2));
        assert_eq!(scheduling + switch + control, Duration::from_nanos(3_150));
        assert!(control > us(2), "{control}");
    }
}
