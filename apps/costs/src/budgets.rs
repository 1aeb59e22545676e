//! What the end of a budget costs, and the next one: the policy alone, with as many servers as tasks. And how many
//! bytes the policy takes.

use crate::mark::Mark;
use crate::output::{self, Tally, fail};
use crate::{Rank, nth};
use flyball_app::policy::servers::{ConstantBandwidth, Reservation, Seat, Servers};
use flyball_app::policy::{CpuId, Fifo, Policy, Ready, Stop, TaskId, Usage};
use flyball_app::{Bitmap, Duration, Error, Inline, Ranked, Time, println, shut_down};

const TIMES: u32 = 300;
const CPU: CpuId = CpuId(0);

type Background<const N: usize> = Ranked<Fifo, Bitmap<(), Inline<N>, 1>>;
type Sized<const N: usize> = Servers<ConstantBandwidth, Background<N>, Inline<N>>;
type Policies = Sized<128>;

/// Measures what the command line says: `hard TASKS` or `soft TASKS`, or `bytes 64`: how many bytes that many more
/// threads take, each with a server, and how many of them the background does.
///
/// # Errors
/// None, but that is what an application may begin with.
pub fn measure() -> Result<(), Error> {
    let (rule, tasks) = output::asked(|name| {
        Some(match name {
            "hard" => Some(ConstantBandwidth::HARD),
            "soft" => Some(ConstantBandwidth::SOFT),
            "bytes" => None,
            _ => return None,
        })
    });
    if let Some(rule) = rule {
        use_up(Servers::new(rule, Ranked::new(Fifo, 128), 128), tasks);
    } else {
        tell_size();
    }
    shut_down(0);
}

/// Room for 128 threads takes so much more than room for 64.
fn tell_size() {
    let all = size_of::<Sized<128>>() - size_of::<Sized<64>>();
    let background = size_of::<Background<128>>() - size_of::<Background<64>>();
    println!("all {all} 64 {all}");
    println!("background {background} 64 {background}");
}

/// The server that runs uses up its budget, again and again; if the CPU idles, it does so up to the next
/// budget.
#[inline(never)]
fn use_up(mut policy: Policies, tasks: usize) {
    let mut now = Time::ZERO;
    for k in 0..tasks {
        let task = TaskId(nth(k));
        let period = Rank::Low(nth(k)).length();
        // Together they ask for more than the CPU, so there is nearly always one that runs.
        let seat = Seat::Own(Reservation::every(period, Duration::from_millis(1)));
        if policy.admit(task, seat, now).is_err() {
            fail("the policy refuses a task");
        }
        let _ = policy.ready(CPU, task, Ready::Released { release: now }, now);
    }
    let (mut exhausts, mut replenishes) = (Tally::default(), Tally::default());
    let mut running = policy.pick(CPU, now);
    while exhausts.count() < TIMES {
        if let Some(dispatch) = running
            && let Some(burst) = dispatch.burst
        {
            now += burst;
            let begin = Mark::now();
            let _ = policy.stopped(CPU, dispatch.task, Usage::time(burst), Stop::BurstEnd, now);
            running = policy.pick(CPU, now);
            let end = Mark::now();
            exhausts.add(end.since(begin));
        } else {
            now = policy
                .next_alarm(CPU)
                .unwrap_or_else(|| fail("nothing comes"));
        }
        while policy.next_alarm(CPU).is_some_and(|at| at <= now) {
            if let Some(dispatch) = running {
                let task = dispatch.task;
                let _ = policy.stopped(CPU, task, Usage::default(), Stop::Preempted, now);
            }
            let begin = Mark::now();
            let _ = policy.alarm(CPU, now);
            running = policy.pick(CPU, now);
            let end = Mark::now();
            replenishes.add(end.since(begin));
        }
    }
    exhausts.print("ends");
    if replenishes.count() > 0 {
        replenishes.print("comes");
    }
}
