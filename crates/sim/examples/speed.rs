//! tmp
use flyball_model::{Task, TaskSet};
use flyball_sim::{Options, schedulers::*, simulate};
use flyball_trace::{Duration, NoTrace};
fn main() {
    for n in std::env::args().nth(1).map_or(vec![10u64, 100, 1000, 10000], |a| vec![a.parse().unwrap()]) {
        let us = Duration::from_micros;
        let mut x: u64 = 12345;
        let tasks: Vec<Task> = (0..n)
            .map(|i| {
                x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let period = 10_000 + (x >> 33) % 90_000;
                let c = (period * 8 / 10 / n).max(1);
                Task::periodic(format!("t{i}"), us(period), us(c))
            })
            .collect();
        let set = TaskSet { tasks, ..TaskSet::default() };
        let t = std::time::Instant::now();
        let o = simulate(&set, &Edf, &Options::until(Duration::from_secs(if n > 1000 {10} else {std::env::args().nth(2).map_or(100_000 / n, |a| a.parse().unwrap())})), &mut NoTrace).unwrap();
        let e = t.elapsed();
        println!("{n}: {} jobs {} miss {:?} preempt {} {:.2} Mjobs/s", o.jobs, o.misses, e, o.preemptions, o.jobs as f64 / e.as_secs_f64() / 1e6);
    }
}
