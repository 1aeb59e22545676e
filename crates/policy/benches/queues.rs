//! What the queues cost, with few tasks and with many.
//!
//! `cargo bench -p flyball-policy`: nanoseconds of CPU time for each of
//!
//! * *first*: the first task is taken out and put in again with a later deadline, as if its job
//!   were complete and it waited for the next one;
//! * *any*: the same for a task somewhere in the queue, as if it had blocked, or inherited urgency;
//! * *mixed*: three of the former for one of the latter;
//!
//! with 5 to 1000 tasks in the queue, medians of nine runs, and how far they are apart. Deadlines
//! are of periods from 10 to 100 ms (log-uniform), or, where it says so, of 1 to 10 s, or all the
//! same.

use cpu_time::ProcessTime;
use flyball_policy::{Calendar, Duration, End, Heap, Inline, Queue, SortedList, TaskId, Time};

const MEMBERS: [u16; 8] = [5, 15, 25, 50, 75, 100, 125, 1_000];
const RUNS: usize = 9;
const OPERATIONS: u32 = 200_000;

/// Room for all of them, as a kernel would have it.
type Room = Inline<1024>;

/// Random numbers that take hardly any time: xorshift64* (Vigna, 2016).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32
    }

    fn below(&mut self, end: u16) -> u16 {
        u16::try_from((self.next() * u64::from(end)) >> 32).expect("it is below `end`")
    }
}

/// Which tasks are taken out.
#[derive(Clone, Copy)]
enum Mix {
    First,
    Any,
    Mixed,
}

/// Nanoseconds an operation, out and in again, with so many tasks.
fn cost<Q: Queue<Time>>(mix: Mix, members: u16, deadlines: &[Duration]) -> f64 {
    let mut queue = Box::new(Q::new(usize::from(members)));
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut deadline = move || deadlines[usize::from(random.below(256)) % deadlines.len()];
    let mut which = Random(42);
    let mut now = Time::from_millis(1);
    // As often as each task would run.
    let mean = deadlines
        .iter()
        .map(|length| length.as_nanos())
        .sum::<u64>()
        / deadlines.len() as u64;
    let step = Duration::from_nanos(mean / u64::from(members));
    for task in (0..members).map(TaskId) {
        queue.insert(task, now + deadline(), End::Tail);
    }
    let mut runs = [(); RUNS].map(|()| {
        let started = ProcessTime::now();
        for operation in 0..OPERATIONS {
            let any = match mix {
                Mix::First => false,
                Mix::Any => true,
                Mix::Mixed => operation % 4 == 3,
            };
            let first = queue.first().expect("it is not empty");
            let task = if any {
                TaskId(which.below(members))
            } else {
                first
            };
            let key = queue.remove(task).expect("all are queued");
            now = if any { now + step } else { now.max(key) };
            queue.insert(task, now + deadline(), End::Tail);
        }
        started.elapsed().as_secs_f64() * 1e9 / f64::from(OPERATIONS)
    });
    runs.sort_by(f64::total_cmp);
    runs[RUNS / 2]
}

fn line<Q: Queue<Time>>(name: &str, mix: Mix, deadlines: &[Duration]) {
    let costs = MEMBERS.map(|members| cost::<Q>(mix, members, deadlines));
    print!("{name:<22}");
    for cost in costs {
        print!("{cost:>8.1}");
    }
    let largest = costs.into_iter().fold(0.0, f64::max);
    let smallest = costs.into_iter().fold(f64::INFINITY, f64::min);
    // So far from the middle of the two.
    println!(
        "{:>7.0} %",
        100.0 * (largest - smallest) / (largest + smallest)
    );
}

/// 256 relative deadlines, log-uniform from `shortest` to ten times that.
fn log_uniform(shortest: Duration) -> Vec<Duration> {
    let mut random = Random(7);
    let mut length = || {
        // Halfway between two powers of ten there is their geometric mean, and so on.
        let (mut low, mut high) = (shortest.as_nanos(), shortest.as_nanos() * 10);
        for _ in 0..20 {
            let middle = (low * high).isqrt();
            let side = if random.next().is_multiple_of(2) {
                &mut low
            } else {
                &mut high
            };
            *side = middle;
        }
        Duration::from_nanos(low)
    };
    (0..256).map(|_| length()).collect()
}

fn main() {
    print!("{:<22}", "ns");
    for members in MEMBERS {
        print!("{members:>8}");
    }
    println!("{:>9}", "±");
    let usual = log_uniform(Duration::from_millis(10));
    let mixes = [
        ("first", Mix::First),
        ("any", Mix::Any),
        ("mixed", Mix::Mixed),
    ];
    for (name, mix) in mixes {
        line::<SortedList<Time, Room>>(&format!("{name}, list"), mix, &usual);
        line::<Heap<Time, Room>>(&format!("{name}, heap"), mix, &usual);
        line::<Calendar<Time, Room>>(&format!("{name}, calendar"), mix, &usual);
    }
    let long = log_uniform(Duration::from_secs(1));
    let same = [Duration::from_millis(50)];
    for (name, deadlines) in [("1 to 10 s", &long[..]), ("all the same", &same)] {
        line::<Heap<Time, Room>>(&format!("{name}, heap"), Mix::Mixed, deadlines);
        line::<Calendar<Time, Room>>(&format!("{name}, calendar"), Mix::Mixed, deadlines);
    }
}
