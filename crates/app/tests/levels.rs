//! A policy that follows queues knows which thread has moved a message, also by calls that never wait. What an interrupt
//! moves is no thread's. A policy hears of calls that run its controllers, from threads and interrupts.

use flyball_app::Gauge;
use flyball_app::policy::{
    CpuId, Dispatch, Fill, Policy, Ready, Refused, Resched, Role, Stop, TaskId, Usage, Wants,
};
use flyball_app::prelude::*;
use std::cell::{Cell, RefCell};

/// A queue's new level, and the thread that has moved a message.
type Filled = (u16, Option<(TaskId, Role)>);

static NOTHING: Gauge = Gauge::stock(0);

thread_local! {
    static CONTROLLED: Cell<u32> = const { Cell::new(0) };
    static SHORT: Cell<bool> = const { Cell::new(false) };
    static CAPACITY: Cell<u16> = const { Cell::new(0) };
    static FILLED: RefCell<Vec<Filled>> = const { RefCell::new(Vec::new()) };
}

#[track_caller]
fn assert_filled(expected: &[Filled]) {
    assert_eq!(FILLED.take(), expected);
}

/// The thread that was made first is the most urgent one.
#[derive(Default)]
struct Following {
    queued: [bool; 4],
}

impl Policy for Following {
    type Params = ();
    type Settings = ();
    const WANTS: Wants = Wants::LEVELS;

    fn capacity(&self) -> usize {
        self.queued.len()
    }

    fn admit(&mut self, _: TaskId, (): (), _: Time) -> Result<(), Refused> {
        Ok(())
    }

    fn adjust(&mut self, _: TaskId, (): (), _: Time) -> Result<Resched, Refused> {
        Ok(Resched::None)
    }

    fn retire(&mut self, _: TaskId, _: Time) {}

    fn ready(&mut self, here: CpuId, task: TaskId, _: Ready, _: Time) -> Resched {
        self.queued[task.index()] = true;
        Resched::One(here)
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, _: Usage, why: Stop, _: Time) -> Resched {
        self.queued[task.index()] = !matches!(why, Stop::Blocked | Stop::Completed);
        Resched::One(cpu)
    }

    fn control(&mut self, _: CpuId, _: Time) -> Resched {
        CONTROLLED.set(CONTROLLED.get() + 1);
        Resched::None
    }

    /// Every second time.
    fn refilled(&mut self, fill: Fill<'_>) -> bool {
        let is_short = SHORT.replace(!SHORT.get());
        if is_short {
            self.filled(fill, Time::ZERO);
        }
        is_short
    }

    fn filled(&mut self, fill: Fill<'_>, _: Time) {
        CAPACITY.set(fill.capacity);
        FILLED.with_borrow_mut(|filled| filled.push((fill.level, fill.by)));
    }

    fn pick(&mut self, _: CpuId, _: Time) -> Option<Dispatch> {
        let first = self.queued.iter().position(|&queued| queued)?;
        Some(Dispatch::of(TaskId::from_index(first)))
    }
}

flyball_app::kernel! {
    machine: flyball_machine_host,
    policy: Following = Following::default(),
    init: init,
    threads: 4,
}

static STACKS: [Stack<128>; 2] = [const { Stack::new() }; 2];
static QUEUE: Queue<u8> = Queue::new(1);
static BACKLOG: Gauge = Gauge::backlog(10);
static STOCK: Gauge = Gauge::stock(10);
static EMPTY: Semaphore = Semaphore::new(0);
const OTHER: TaskId = TaskId(0);
const JUDGE: TaskId = TaskId(1);

fn init() -> Result<(), Error> {
    spawn(&STACKS[0], Thread::once(), (), || {
        QUEUE.try_send(1).unwrap();
        QUEUE.send(2).unwrap();
        EMPTY.wait().unwrap();
        assert_eq!(QUEUE.receive(), Ok(3));
    })?;
    spawn(&STACKS[1], Thread::once(), (), judge)?;
    Ok(())
}

fn judge() {
    let consumed = |level| (level, Some((JUDGE, Role::Consumer)));
    let produced = |level| (level, Some((JUDGE, Role::Producer)));
    let sent = (1, Some((OTHER, Role::Producer)));
    assert_filled(&[sent]);
    // That lets the thread in that waits for room.
    assert_eq!(QUEUE.try_receive(), Ok(1));
    assert_filled(&[consumed(0), sent]);
    assert_eq!(QUEUE.try_receive(), Ok(2));
    assert_eq!(QUEUE.try_receive(), Err(Error::TimedOut));
    assert_filled(&[consumed(0)]);
    EMPTY.signal().unwrap();
    // The other thread waits for a message: in, and out at once.
    QUEUE.try_send(3).unwrap();
    assert_filled(&[produced(1), (0, Some((OTHER, Role::Consumer)))]);
    QUEUE.try_send(4).unwrap();
    assert_eq!(QUEUE.try_send(5), Err(Error::Full));
    assert_filled(&[produced(1)]);
    let line = Interrupt::line(5);
    line.attach(|| {
        assert_eq!(QUEUE.try_receive(), Ok(4));
        QUEUE.try_send(6).unwrap();
        flyball_app::control();
    })
    .unwrap();
    line.pend();
    assert_filled(&[(0, None), (1, None)]);
    assert_eq!(CONTROLLED.get(), 1);
    flyball_app::control();
    assert_eq!(CONTROLLED.get(), 2);
    gauges();
    println!("all is well");
    shut_down(0)
}

/// What falls of a backlog is work of the thread that lowers it, and what rises of a stock of the thread that raises it.
fn gauges() {
    let consumed = |level| (level, Some((JUDGE, Role::Consumer)));
    let produced = |level| (level, Some((JUDGE, Role::Producer)));
    BACKLOG.set(7).unwrap();
    assert_filled(&[(7, None)]);
    BACKLOG.set(7).unwrap();
    assert_filled(&[]);
    BACKLOG.set(3).unwrap();
    assert_filled(&[consumed(3)]);
    assert_eq!(CAPACITY.get(), 10);
    // No more than there can be.
    BACKLOG.set(11).unwrap();
    assert_filled(&[(10, None)]);
    STOCK.set(2).unwrap();
    STOCK.set(1).unwrap();
    assert_filled(&[produced(2), (1, None)]);
    let line = Interrupt::line(6);
    line.attach(|| {
        BACKLOG.set(4).unwrap();
        STOCK.set(9).unwrap();
    })
    .unwrap();
    line.pend();
    assert_filled(&[(4, None), (9, None)]);
    assert_eq!(CAPACITY.get(), 10);
    assert_eq!(NOTHING.set(1), Err(Error::Invalid));
    assert_eq!(BACKLOG.set(0), Ok(()));
    assert_filled(&[consumed(0)]);
}
