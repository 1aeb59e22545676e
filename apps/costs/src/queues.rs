//! Queues of deadlines alone: the first task is taken out, what the queue has put off is done, and the
//! task is put in again with a later deadline. The command line is `QUEUE TASKS`.
//!
//! That is how queues of events are compared, as "hold operations" (Jones, "An empirical comparison
//! of priority-queue and event-set implementations", CACM 29(4), 1986). Deadlines are 1 to 129 ms
//! later, evenly spread.

use crate::mark::Mark;
use crate::output::{self, Tally, fail};
use flyball_app::policy::{Calendar, End, Heap, Queue, SortedList, SortedRing, TaskId, TopTwo};
use flyball_app::{Duration, Error, Inline, Time, shut_down};

/// Operations that count, and as many before them.
const TIMES: u32 = 1000;
/// The most tasks.
const MOST: u32 = 200;
type Room = Inline<256>;
/// What measures a queue of so many tasks.
type Hold = fn(u32);

/// Measures what the command line says: `QUEUE TASKS`.
///
/// # Errors
/// None, but that is what an application may begin with.
pub fn measure() -> Result<(), Error> {
    let find = |name: &str, _| {
        let hold: Hold = match name {
            "ring" => hold::<SortedRing<Time, Room>>,
            "heap" => hold::<Heap<Time, Room>>,
            "list" => hold::<SortedList<Time, Room>>,
            // A quarter of a second in days of a millisecond.
            "calendar" => hold::<Calendar<Time, Room, 4, 20>>,
            "top-two" => hold::<TopTwo<Time, Room>>,
            _ => return None,
        };
        Some(Some(hold))
    };
    let (hold, [tasks]) = output::described::<Option<Hold>, 1, 64>(find);
    match hold {
        Some(hold) if (1..=MOST).contains(&tasks) => hold(tasks),
        _ => fail("it is not said which queue, and with how many tasks"),
    }
    shut_down(0);
}

#[inline(never)]
fn hold<Q: Queue<Time>>(tasks: u32) {
    let mut queue = Q::new(256);
    let mut random = 1_u32;
    let mut later = |key: Time| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        key + Duration::from_nanos((1 << 20) + u64::from(random >> 5))
    };
    for n in 0..tasks as usize {
        queue.insert(TaskId(crate::nth(n)), later(Time::ZERO), End::Tail);
    }
    let [mut take, mut settle, mut put] = [Tally::NONE; 3];
    for time in 0..2 * TIMES {
        let key = queue.first().and_then(|task| queue.key(task));
        let begin = Mark::now();
        let first = queue.first();
        if let Some(task) = first {
            queue.take(task);
        }
        let end = Mark::now();
        let taken = end.since(begin);
        let (Some(task), Some(key)) = (first, key) else {
            fail("the queue is empty");
        };
        let begin = Mark::now();
        queue.settle();
        let end = Mark::now();
        let settled = end.since(begin);
        let key = later(key);
        let begin = Mark::now();
        queue.insert(task, key, End::Tail);
        let end = Mark::now();
        if time >= TIMES {
            take.add(taken);
            settle.add(settled);
            put.add(end.since(begin));
        }
    }
    take.print("take");
    settle.print("settle");
    put.print("put");
}
