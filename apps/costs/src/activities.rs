//! What SOOS does in a slot, activity by activity: the policy alone, in slots that take no time.
//!
//! The policy is told what a kernel would tell it, and nothing computes between. The command line is
//! `LIST REACTIVATION SLACK SLOTS PERIOD LENGTH PERIOD LENGTH …`: how the list of ready servers is
//! kept, how those that are due are found, and which server has the rest of a slot, by the names of the
//! policy's settings; how many slots there are; and for each task a period in slots and how many
//! microseconds of a slot of 10 ms its jobs take, which is its budget, too.
//!
//! Each slot is a line: `slot` with the instructions of the five activities, in the order of
//! [`Activity`], and how many servers were put into the list.

use crate::mark::Mark;
use crate::nth;
use crate::output::{self, fail};
use flyball_app::policy::servers::{Bids, ConstantBandwidth, Reservation, Seat};
use flyball_app::policy::soos::{Reactivation, Slack, Soos, Switches};
use flyball_app::policy::{
    CpuId, End, Fifo, Flagged, Policy, Queue, Ready, Resched, SortedList, Stop, TaskId, TopTwo,
    Unsorted, Usage,
};
use flyball_app::{Bitmap, Duration, Error, Inline, Ranked, Time, println, shut_down};
use flyball_machine_cortexm::SpinLock;

/// The most tasks.
const MOST: usize = 200;
const CPU: CpuId = CpuId(0);
type Room = Inline<256>;
type Scheduler<Q> = Soos<Metered<Q>, Ranked<Fifo, Bitmap<(), Room, 1>>>;

/// What the policy is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activity {
    /// Which servers are due, and what they have then.
    Reactivation,
    /// To put a server into the list.
    Insertion,
    /// To choose the server that runs.
    Choice,
    /// To find the second of the list, which was put off.
    Settling,
    /// At the end of a job, and at its arrival.
    Other,
    /// Nothing that counts.
    Nothing,
}

/// What has been counted.
struct Meter {
    activity: Activity,
    /// When it began.
    last: Mark,
    /// Instructions between two changes with nothing between.
    calm: u32,
    sums: [u32; 6],
    inserted: u32,
}

static METER: SpinLock<Meter> = SpinLock::new(Meter {
    activity: Activity::Nothing,
    last: Mark::NONE,
    calm: 0,
    sums: [0; 6],
    inserted: 0,
});

impl Meter {
    /// Another activity begins. Returns the one that ends.
    #[inline(always)]
    fn change(&mut self, to: Activity) -> Activity {
        let from = self.charge(Mark::now(), to);
        self.last = Mark::now();
        from
    }

    #[inline(never)]
    fn charge(&mut self, now: Mark, to: Activity) -> Activity {
        let all = now.since(self.last);
        self.sums[self.activity as usize] += all.saturating_sub(self.calm);
        core::mem::replace(&mut self.activity, to)
    }
}

#[inline(never)]
fn change(to: Activity) -> Activity {
    METER.with(|meter| meter.change(to))
}

/// Counts what `work` does for `activity`.
#[inline(always)]
fn during<T>(activity: Activity, work: impl FnOnce() -> T) -> T {
    let before = change(activity);
    let done = work();
    change(before);
    done
}

/// Finds how long a change takes by itself.
fn calibrate() {
    change(Activity::Other);
    change(Activity::Nothing);
    METER.with(|meter| meter.calm = core::mem::take(&mut meter.sums)[Activity::Other as usize]);
}

/// Ends a slot: prints it if there was one.
#[inline(never)]
fn end_slot(is_first: bool) {
    let (sums, inserted) = METER.with(|meter| {
        let sums = core::mem::take(&mut meter.sums);
        (sums, core::mem::take(&mut meter.inserted))
    });
    if !is_first {
        let [reactivation, insertion, choice, settling, other, _] = sums;
        println!("slot {reactivation} {insertion} {choice} {settling} {other} {inserted}");
    }
}

/// A list that says what it is at.
struct Metered<Q>(Q);

impl<Q: Queue<Time>> Queue<Time> for Metered<Q> {
    const NAME: &'static str = Q::NAME;
    const COMPLEXITY: &'static str = Q::COMPLEXITY;
    type Storage = Q::Storage;

    fn new(capacity: usize) -> Self {
        Metered(Q::new(capacity))
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }

    fn insert(&mut self, task: TaskId, key: Time, end: End) -> bool {
        during(Activity::Insertion, || self.0.insert(task, key, end))
    }

    fn put(&mut self, task: TaskId, key: Time, end: End) {
        during(Activity::Insertion, || self.0.put(task, key, end));
        METER.with(|meter| meter.inserted += 1);
    }

    fn remove(&mut self, task: TaskId) -> Option<Time> {
        self.0.remove(task)
    }

    fn first(&self) -> Option<TaskId> {
        during(Activity::Choice, || self.0.first())
    }

    fn key(&self, task: TaskId) -> Option<Time> {
        self.0.key(task)
    }

    fn settle(&mut self) {
        during(Activity::Settling, || self.0.settle());
    }
}

/// A task, as a kernel sees it.
#[derive(Clone, Copy)]
struct Task {
    period: Duration,
    length: Duration,
    /// The next release.
    release: Time,
    /// What is left of the job.
    left: Duration,
    /// Jobs that have been released and have not ended.
    jobs: u32,
}

/// The task that runs.
struct Running {
    task: TaskId,
    /// What is left of its burst.
    burst: Duration,
    /// What the policy has not been told yet.
    used: Duration,
}

/// What the first words of the command line say.
#[derive(Clone, Copy, Default)]
struct Said {
    list: Option<fn(Switches, &[Task], u32)>,
    reactivation: Option<Reactivation>,
    slack: Option<Slack>,
}

impl Said {
    /// The same with a word more.
    fn and(mut self, word: &str) -> Option<Said> {
        match word {
            "top-two" => self.list = Some(simulate::<TopTwo<Time, Room>>),
            "sorted" => self.list = Some(simulate::<SortedList<Time, Room>>),
            "unsorted" => self.list = Some(simulate::<Unsorted<Time, Room>>),
            "flagged" => self.list = Some(simulate::<Flagged<Time, Room>>),
            "next" => self.reactivation = Some(Reactivation::Next),
            "every-slot" => self.reactivation = Some(Reactivation::EverySlot),
            "none" => self.slack = Some(Slack::None),
            "one" => self.slack = Some(Slack::One),
            "all" => self.slack = Some(Slack::All),
            _ => return None,
        }
        Some(self)
    }
}

/// Measures what the command line says.
///
/// # Errors
/// None, but that is what an application may begin with.
pub fn measure() -> Result<(), Error> {
    let (said, [slots, numbers @ ..]) =
        output::described::<Said, { 1 + 2 * MOST }, 4_096>(|word, said: Said| said.and(word));
    let Said {
        list: Some(simulate),
        reactivation: Some(reactivation),
        slack: Some(slack),
    } = said
    else {
        fail("it is not said what to measure");
    };
    let switches = Switches {
        reactivation,
        slack,
        bids: Bids {
            budgets: ConstantBandwidth::HARD,
            ..Bids::default()
        },
        ..Switches::default()
    };
    let mut tasks = [Task {
        period: Duration::ZERO,
        length: Duration::ZERO,
        release: Time::ZERO,
        left: Duration::ZERO,
        jobs: 0,
    }; MOST];
    let mut count = 0;
    for (task, numbers) in tasks.iter_mut().zip(numbers.chunks_exact(2)) {
        if numbers[1] > 0 {
            task.period = switches.slot * u64::from(numbers[0]);
            task.length = Duration::from_micros(numbers[1].into());
            count += 1;
        }
    }
    calibrate();
    simulate(switches, &tasks[..count], slots);
    shut_down(0);
}

/// The tasks run for so many slots.
#[inline(never)]
fn simulate<Q: Queue<Time>>(switches: Switches, tasks: &[Task], slots: u32) {
    let capacity = MOST + 1;
    let policy = Soos::new(
        switches,
        Metered(Q::new(capacity)),
        Ranked::new(Fifo, capacity),
    );
    let mut world = World::<Q> {
        policy,
        tasks: [None; MOST],
        running: None,
        now: Time::ZERO,
    };
    for (number, (place, &task)) in world.tasks.iter_mut().zip(tasks).enumerate() {
        let seat = Seat::Own(Reservation::every(task.period, task.length));
        if world
            .policy
            .admit(TaskId(nth(number)), seat, Time::ZERO)
            .is_err()
        {
            fail("the policy refuses a task");
        }
        *place = Some(task);
    }
    let mut begun = 0;
    while begun <= slots {
        begun += world.step(begun == 0);
    }
}

/// A policy and its tasks.
struct World<Q: Queue<Time>> {
    policy: Scheduler<Q>,
    tasks: [Option<Task>; MOST],
    running: Option<Running>,
    now: Time,
}

impl<Q: Queue<Time>> World<Q> {
    /// Goes to the next instant at which something happens, and does what a kernel does there, in its
    /// order: ends of jobs, releases, slots, ends of budgets, the decision. Returns how many slots
    /// began.
    fn step(&mut self, is_first: bool) -> u32 {
        self.advance();
        let mut resched = self.end_job();
        resched |= self.release();
        let mut begun = 0;
        if self.policy.next_alarm(CPU).is_some_and(|at| at <= self.now) {
            end_slot(is_first);
            let asked = during(Activity::Reactivation, || self.policy.alarm(CPU, self.now));
            resched |= asked != Resched::None;
            begun = 1;
        }
        if self.running.as_ref().is_some_and(|it| it.burst.is_zero()) {
            resched |= self.stop(Stop::BurstEnd);
        }
        if resched {
            self.stop(Stop::Preempted);
            let choice = during(Activity::Choice, || self.policy.pick(CPU, self.now));
            self.running = choice.map(|dispatch| Running {
                task: dispatch.task,
                burst: dispatch.burst.unwrap_or(Duration::MAX),
                used: Duration::ZERO,
            });
        }
        begun
    }

    /// Lets time pass up to the next instant.
    fn advance(&mut self) {
        let releases = self.tasks.iter().flatten().map(|task| task.release);
        let next = releases.chain(self.policy.next_alarm(CPU)).min();
        let mut next = next.unwrap_or_else(|| fail("nothing comes"));
        if let Some(running) = &mut self.running
            && let Some(task) = &mut self.tasks[running.task.index()]
        {
            next = next.min(self.now + task.left.min(running.burst));
            let used = next.since(self.now);
            task.left = task.left.saturating_sub(used);
            running.burst = running.burst.saturating_sub(used);
            running.used += used;
        }
        self.now = next;
    }

    /// The job that runs is over, if it is. Returns whether there has to be a decision.
    fn end_job(&mut self) -> bool {
        let Some(running) = &self.running else {
            return false;
        };
        let id = running.task;
        if self.tasks[id.index()].is_some_and(|task| !task.left.is_zero()) {
            return false;
        }
        self.stop(Stop::Completed);
        if let Some(task) = &mut self.tasks[id.index()] {
            task.jobs -= 1;
            if task.jobs > 0 {
                task.left = task.length;
                self.ready(id);
            }
        }
        true
    }

    /// All jobs are released that are due now.
    fn release(&mut self) -> bool {
        let mut resched = false;
        for number in 0..MOST {
            let now = self.now;
            let Some(task) = &mut self.tasks[number] else {
                break;
            };
            if task.release > now {
                continue;
            }
            task.release += task.period;
            task.jobs += 1;
            if task.jobs == 1 {
                task.left = task.length;
                resched |= self.ready(TaskId(nth(number)));
            }
        }
        resched
    }

    fn ready(&mut self, task: TaskId) -> bool {
        let why = Ready::Released { release: self.now };
        let asked = during(Activity::Other, || {
            self.policy.ready(CPU, task, why, self.now)
        });
        asked != Resched::None
    }

    /// The task that runs, if one does, runs no more.
    fn stop(&mut self, why: Stop) -> bool {
        let Some(Running { task, used, .. }) = self.running.take() else {
            return false;
        };
        let used = Usage::time(used);
        // It is decided anew in any case.
        let _ = during(Activity::Other, || {
            self.policy.stopped(CPU, task, used, why, self.now)
        });
        true
    }
}
