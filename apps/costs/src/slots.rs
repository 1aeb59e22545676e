//! What the kernel does in a slot, where threads compute.
//!
//! All threads, and one in the background that never ends, make the same turns: they read the
//! counter and compute. What a turn takes longer than others, the kernel has had. It counts for the
//! slot in which the turn ends.
//!
//! An instruction takes 1,024 ns, so a slot of [`SLOT`] has 160,000: 10 ms of a processor that
//! executes 16 million a second. Where one thread follows another, some twenty instructions of
//! the threads count as well.

use crate::START;
use crate::mark::Mark;
use crate::output::{self, Tally, fail};
use flyball_app::policy::servers::{Reservation, Seat};
use flyball_app::seam::Binding;
use flyball_app::{Duration, Error, Stack, Thread, now, println, shut_down, spawn, wait_next};
use flyball_machine_cortexm::SpinLock;

/// The length of a slot.
pub const SLOT: Duration = Duration::from_nanos(163_840_000);
/// The same in ticks of the counter.
const TICKS: u32 = 4_096_000;
/// By so many ticks, 390 instructions, a slot is taken to end early, so that the kernel's entry at
/// its end is in the next one.
const EARLY: u32 = 10_000;
/// Instructions that a turn computes.
const TURN: u64 = 100;
/// More than a turn takes with all that it does beside, in time.
const BUDGET: Duration = Duration::from_nanos(200 * 1_024);
/// The most tasks.
const MOST: usize = 40;
/// Turns before the start from which the length of one is found.
const TRIALS: u32 = 20;

static STACKS: [Stack<256>; MOST] = [const { Stack::new() }; MOST];
static BACKGROUND: Stack<1024> = Stack::new();

/// What is counted.
struct Count {
    /// The end of the last reading.
    last: Mark,
    /// Instructions of a turn if nothing happens; zero: that is not known yet.
    calm: u32,
    /// Those of the shortest turn before that is known.
    shortest: u32,
    /// The end of this slot, once there is one.
    edge: Option<Mark>,
    /// What the kernel has had in it.
    work: i32,
    /// What it had in the first slot, in which all servers are reactivated.
    first: Option<u32>,
    /// In the others.
    least: u32,
    tally: Tally,
}

static COUNT: SpinLock<Count> = SpinLock::new(Count {
    last: Mark::NONE,
    calm: 0,
    shortest: u32::MAX,
    edge: None,
    work: 0,
    first: None,
    least: u32::MAX,
    tally: Tally::NONE,
});

impl Count {
    /// A turn is over.
    #[inline(always)]
    fn turn(&mut self) {
        let now = Mark::now();
        let gap = now.since(self.last);
        if gap != self.calm {
            self.notice(now, gap);
        }
        self.last = Mark::now();
    }

    /// A turn that ends `now` took so many instructions. What a thread has done of one when another
    /// preempts it counts as work there, and is missing when the thread goes on.
    #[inline(never)]
    fn notice(&mut self, now: Mark, gap: u32) {
        if self.calm == 0 {
            self.shortest = self.shortest.min(gap);
            return;
        }
        while let Some(edge) = self.edge.filter(|&edge| now.is_after(edge)) {
            self.edge = Some(edge.later(TICKS));
            let all = core::mem::take(&mut self.work).max(0).unsigned_abs();
            if self.first.is_none() {
                self.first = Some(all);
            } else {
                self.least = self.least.min(all);
                self.tally.add(all);
            }
        }
        self.work += gap.cast_signed() - self.calm.cast_signed();
    }
}

/// Makes so many turns.
#[inline(never)]
fn compute(turns: u32) {
    for _ in 0..turns {
        flyball_machine_cortexm::compute(TURN);
        COUNT.with(Count::turn);
    }
}

/// Has what the tasks leave, and ends all when so many slots were counted.
fn background(slots: u32) {
    compute(TRIALS);
    COUNT.with(|count| {
        count.calm = count.shortest;
        let ahead = START.since(now()).as_nanos() / 40;
        let Ok(ahead) = u32::try_from(ahead) else {
            fail("it starts too late")
        };
        count.edge = Some(Mark::now().later(ahead + TICKS - EARLY));
    });
    loop {
        // It seldom looks, as that counts as the kernel's work.
        compute(50_000);
        let (first, tally, least) = COUNT.with(|count| (count.first, count.tally, count.least));
        if let Some(first) = first
            && tally.count() >= slots
        {
            println!("first {first} 1 {first}");
            println!("least {least} 1 {least}");
            tally.print("slot");
            shut_down(0);
        }
    }
}

/// Makes the threads for what the command line says: how many slots are counted beside the first, and
/// for each task a period in slots and the turns that its jobs make.
///
/// # Errors
/// What the kernel says.
pub fn prepare<B: Binding<Params = Seat<()>>>() -> Result<(), Error> {
    let [slots, numbers @ ..] = output::numbers::<{ 1 + 2 * MOST }, 1_024>();
    for (stack, task) in STACKS.iter().zip(numbers.chunks_exact(2)) {
        let (slots, turns) = (task[0], task[1]);
        if turns > 0 {
            let period = SLOT * u64::from(slots);
            let seat = Seat::Own(Reservation::every(period, BUDGET * u64::from(turns)));
            spawn::<B, 256>(
                stack,
                Thread::periodic(period).start(START),
                seat,
                move || {
                    loop {
                        compute(turns);
                        wait_next();
                    }
                },
            )?;
        }
    }
    let seat = Seat::Background(());
    spawn::<B, 1024>(&BACKGROUND, Thread::once(), seat, move || background(slots)).map(drop)
}

/// An image of SOOS with room for so many threads.
#[macro_export]
macro_rules! slots_image {
    ($threads:literal) => {
        use $crate::flyball_app::policy::servers::{Bids, ConstantBandwidth};
        use $crate::flyball_app::policy::soos::{Soos, Switches};
        use $crate::flyball_app::policy::{Fifo, Queue, TopTwo};
        use $crate::flyball_app::{Bitmap, Inline, NoTrace, Ranked, Time, Timing};
        use $crate::slots::{SLOT, prepare};

        type Room = Inline<$threads>;
        type Policy = Soos<TopTwo<Time, Room>, Ranked<Fifo, Bitmap<(), Room, 1>>>;

        fn policy() -> Policy {
            let switches = Switches {
                slot: SLOT,
                bids: Bids {
                    budgets: ConstantBandwidth::HARD,
                    ..Bids::default()
                },
                ..Switches::default()
            };
            Soos::new(switches, TopTwo::new($threads), Ranked::new(Fifo, $threads))
        }

        $crate::flyball_app::kernel! {
            machine: flyball_machine_cortexm,
            policy: Policy = policy(),
            trace: NoTrace = NoTrace,
            init: prepare::<Application>,
            threads: $threads,
            objects: false,
            queues: 0,
            messages: 0,
            jobs: true,
            arrivals: 0,
            accounting: false,
            checks: false,
            guarded: false,
            timing: Timing::Tickless,
        }
    };
}
