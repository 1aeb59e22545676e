//! A kernel whose work is counted: how often it looks at a row of its tables, and for what.
//!
//! The policy is that of the catalogue. Its tables are in a storage that counts each access, and its
//! list says when an access is the list's. What the paper measures as time is counted here, so
//! nothing depends on a machine; but a row of the list and one of the servers count the same, and what
//! each slot costs beside (to save and load a context) is not in it.

use super::slot::{Activity, Slot};
use flyball_catalogue::soos::AnyList;
use flyball_catalogue::{self as catalogue, Configured, Facts, Missing, Scheduler, Size, Values};
use flyball_measure::bench::BenchError;
use flyball_model::TaskSet;
use flyball_policy::order::Level;
use flyball_policy::servers::Seat;
use flyball_policy::soos::Soos;
use flyball_policy::{
    Bitmap, Boxed, CpuId, Dispatch, End, FixedPriority, Heap, Nothing, Policy, Priority, Queue,
    Ranked, Ready, Refused, Resched, StaticOrder, Stop, Storage, Table, TaskId, Time, Usage, Wants,
};
use flyball_sim::{Options, simulate};
use flyball_study::StudyError;
use flyball_trace::{Duration, NoTrace};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::ops::{Index, IndexMut};

/// What is counted on this thread.
#[derive(Default)]
struct Count {
    activity: Option<Activity>,
    slot: Slot,
    slots: Vec<Slot>,
}

thread_local! {
    static COUNT: RefCell<Count> = RefCell::default();
}

fn count<T>(change: impl FnOnce(&mut Count) -> T) -> T {
    COUNT.with_borrow_mut(change)
}

fn look() {
    count(|count| {
        if let Some(activity) = count.activity {
            count.slot.counts[activity as usize] += 1;
        }
    });
}

/// Counts for `activity` what `work` looks at.
fn during<T>(activity: Activity, work: impl FnOnce() -> T) -> T {
    let before = count(|count| count.activity.replace(activity));
    let done = work();
    count(|count| count.activity = before);
    done
}

/// Tables that count.
struct Counting;

struct Rows<T>(Vec<T>);

impl Storage for Counting {
    type Table<T> = Rows<T>;
    type Sorted<K: Copy + Ord + Default> = Heap<K, Counting>;
    type ForMany = Nothing;
    type Static<O: StaticOrder> = Ranked<O, Heap<O::Key, Counting>>;
}

impl<T> Table<T> for Rows<T> {
    fn new(capacity: usize, row: T) -> Self
    where
        T: Copy,
    {
        Rows(vec![row; capacity])
    }

    fn capacity(&self) -> usize {
        self.0.len()
    }
}

impl<T> Index<usize> for Rows<T> {
    type Output = T;
    fn index(&self, row: usize) -> &T {
        look();
        &self.0[row]
    }
}

impl<T> IndexMut<usize> for Rows<T> {
    fn index_mut(&mut self, row: usize) -> &mut T {
        look();
        &mut self.0[row]
    }
}

/// The list, which says what it is asked for.
struct Asked(AnyList<Counting>);

impl Queue<Time> for Asked {
    const NAME: &'static str = AnyList::<Counting>::NAME;
    const COMPLEXITY: &'static str = AnyList::<Counting>::COMPLEXITY;
    type Storage = Counting;

    fn new(capacity: usize) -> Self {
        Asked(Queue::new(capacity))
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }

    fn insert(&mut self, task: TaskId, key: Time, end: End) -> bool {
        during(Activity::Insertion, || self.0.insert(task, key, end))
    }

    fn put(&mut self, task: TaskId, key: Time, end: End) {
        during(Activity::Insertion, || self.0.put(task, key, end));
        count(|count| {
            count.slot.reactivated += 1;
            // With debug assertions each list makes sure first that the task is not in it.
            count.slot.counts[Activity::Insertion as usize] -= u32::from(cfg!(debug_assertions));
        });
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

/// No task is in the background here.
type Background = Ranked<FixedPriority, Bitmap<Level, Boxed>>;

/// The policy, which says when a slot begins.
struct Watched(Soos<Asked, Background>);

impl Policy for Watched {
    type Params = Seat<Priority>;
    type Settings = ();
    const WANTS: Wants = Soos::<Asked, Background>::WANTS;

    fn capacity(&self) -> usize {
        self.0.capacity()
    }

    fn admit(&mut self, task: TaskId, seat: Self::Params, now: Time) -> Result<(), Refused> {
        self.0.admit(task, seat, now)
    }

    fn adjust(&mut self, task: TaskId, seat: Self::Params, now: Time) -> Result<Resched, Refused> {
        self.0.adjust(task, seat, now)
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        self.0.retire(task, now);
    }

    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        during(Activity::Other, || self.0.ready(here, task, why, now))
    }

    fn ended(&mut self, task: TaskId, result: u8, now: Time) {
        during(Activity::Other, || self.0.ended(task, result, now));
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        during(Activity::Other, || {
            self.0.stopped(cpu, task, used, why, now)
        })
    }

    fn alarm(&mut self, cpu: CpuId, now: Time) -> Resched {
        count(|count| {
            let slot = std::mem::take(&mut count.slot);
            count.slots.push(slot);
        });
        during(Activity::Reactivation, || self.0.alarm(cpu, now))
    }

    fn next_alarm(&self, cpu: CpuId) -> Option<Time> {
        self.0.next_alarm(cpu)
    }

    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        during(Activity::Choice, || self.0.pick(cpu, now))
    }

    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        self.0.compare(a, b)
    }

    fn inherit(&mut self, to: TaskId, from: Option<TaskId>, now: Time) -> Resched {
        self.0.inherit(to, from, now)
    }
}

/// The catalogue's scheduler, counted.
struct Counted(catalogue::Soos);

impl Configured for Counted {
    const SETTINGS: &'static [catalogue::Setting] = catalogue::Soos::SETTINGS;

    fn new(values: &dyn Values, tasks: &[Facts]) -> Result<Counted, &'static str> {
        Configured::new(values, tasks).map(Counted)
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.0.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Counted> {
        Configured::parse(bytes).map(Counted)
    }
}

impl Scheduler for Counted {
    const NAME: &'static str = catalogue::Soos::NAME;
    type Params = Seat<Priority>;
    type Policy<S: Storage, C: Storage> = Watched;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Watched {
        let list = Asked(AnyList::of(self.0.list, size.tasks));
        let background = Background::new(FixedPriority, size.tasks);
        Watched(Soos::new(self.0.switches, list, background))
    }

    fn params(&self, task: &Facts, values: &dyn Values) -> Result<Seat<Priority>, Missing> {
        self.0.params(task, values)
    }
}

/// Simulates `set`, and returns what was looked at in each slot up to `until`.
///
/// # Errors
/// [`BenchError`] if it cannot be simulated.
pub(super) fn slots(
    set: &TaskSet,
    soos: catalogue::Soos,
    until: Duration,
) -> Result<Vec<Slot>, BenchError> {
    count(|count| *count = Count::default());
    simulate(set, &Counted(soos), &Options::until(until), &mut NoTrace)
        .map_err(StudyError::from)?;
    let mut slots = count(|count| std::mem::take(&mut count.slots));
    // What was there before the first slot began.
    slots.remove(0);
    Ok(slots)
}
