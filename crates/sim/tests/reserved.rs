//! What the controllers of `pp` find, in the mean: run by a thread or by the kernel, from queues or from gauges.

use crate::real_rate::{Pipeline, by_default, number, random_length, read};
use flyball_model::random::Random;
use flyball_policy::proportion_period::ControllerPlace;
use flyball_sim::{Options, simulate};
use flyball_trace::{Duration, Event, Kind, Sink, Time};

/// Shares and periods over time, of each task: the sum of what it was reserved in each of so many looks, from 5 s on.
struct Reserved {
    now: Vec<(u32, Duration)>,
    next: Time,
    sums: Vec<(u64, u64)>,
    looks: u64,
    glitches: u64,
}

impl Sink for Reserved {
    const BUDGETS: bool = true;

    fn record(&mut self, event: Event) {
        while event.time > self.next {
            for ((share, period), sums) in self.now.iter().zip(&mut self.sums) {
                sums.0 += u64::from(*share);
                sums.1 += period.as_nanos();
            }
            self.looks += 1;
            self.next += Duration::from_millis(10);
        }
        match event.kind {
            Kind::Reserve {
                task,
                share,
                period,
            } => self.now[task.index()] = (share, period),
            Kind::Overrun { .. } | Kind::Underrun { .. } => self.glitches += 1,
            _ => {}
        }
    }
}

/// The mean share of each stage, as a part of a CPU, its mean period in milliseconds, and how many glitches there
/// are, with a task that takes 10 us every 10 ms and may run the controllers.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn reservations(file: &str, steps: &str, controller: ControllerPlace) -> (Vec<(f64, f64)>, u64) {
    let set = read(&format!(
        "{file}[[task]]\nname = \"control\"\nperiod = \"10ms\"\nphase = \"10ms\"\nwcet = \"10us\"\n\
         behaviour = [{steps}]\n"
    ));
    let mut scheduler = by_default();
    scheduler.settings.controller = controller;
    let stages = set.tasks.len() - 1;
    let mut reserved = Reserved {
        now: vec![(0, Duration::ZERO); set.tasks.len()],
        next: Time::ZERO + Duration::from_secs(5),
        sums: vec![(0, 0); stages],
        looks: 0,
        glitches: 0,
    };
    let options = Options::until(Duration::from_secs(15));
    simulate(&set, &scheduler, &options, &mut reserved).unwrap();
    let looks = reserved.looks as f64;
    let mean = |&(share, period): &(u64, u64)| {
        let whole = f64::from(Kind::WHOLE_CPU);
        (share as f64 / looks / whole, period as f64 / looks / 1e6)
    };
    (reserved.sums.iter().map(mean).collect(), reserved.glitches)
}

/// Controllers in a thread find nearly the same shares and periods as in the kernel: they run a little later.
#[test]
fn controllers_in_a_thread_find_the_same() {
    for seed in 1..=8 {
        let mut random = Random::new(seed, 2);
        let load = number(&mut random, 30, 90);
        let file = Pipeline::draw(&mut random).file(&mut random, load, random_length);
        let compute = "{ compute = \"10us\" }";
        let (kernel, glitches) = reservations(&file, compute, ControllerPlace::Kernel);
        assert_eq!(glitches, 0);
        let steps = format!("{compute}, \"control\"");
        // The step says nothing to the controllers in the kernel.
        let with_step = reservations(&file, &steps, ControllerPlace::Kernel);
        assert_eq!(with_step.0, kernel);
        let (thread, glitches) = reservations(&file, &steps, ControllerPlace::Thread);
        assert_eq!(glitches, 0);
        for (kernel, thread) in kernel.iter().zip(&thread) {
            let is_near = |a: f64, b: f64, part: f64| (a - b).abs() <= a.max(b) * part;
            assert!(is_near(kernel.0, thread.0, 0.1), "{kernel:?} {thread:?}");
            assert!(is_near(kernel.1, thread.1, 0.2), "{kernel:?} {thread:?}");
        }
    }
}

/// A server that a semaphore wakes, and of whose requests only a gauge tells, gets nearly the share of one that receives them from a
/// queue. A task that never waits keeps up, too: it draws frames ahead of a display, and a gauge says how many.
#[test]
fn gauges_tell_as_much_as_queues() {
    let hog = "[[task]]\nname = \"hog\"\nbehaviour = [{ repeat = \"forever\", do = [{ compute = \"1ms\" }] }]\n";
    let file = |objects: &str, wakes: &str, waits: &str, done: &str| {
        format!(
            "schema = 1\n[[source]]\nqueue = \"wire\"\nevery = \"8ms\"\n\
             [[queue]]\nname = \"wire\"\ncapacity = 9\n{objects}\
             [[task]]\nname = \"server\"\nbehaviour = [{{ repeat = \"forever\", do = [{waits}, {{ compute = \"2ms\" }}{done}] }}]\n\
             {hog}[[task]]\nname = \"driver\"\nreserve = {{ share = 0.02, period = \"5ms\" }}\n\
             behaviour = [{{ repeat = \"forever\", do = [{{ receive = \"wire\" }}, {{ compute = \"10us\" }}, {wakes}] }}]\n"
        )
    };
    let compute = "{ compute = \"10us\" }";
    let run = |file: &str| {
        let (found, glitches) = reservations(file, compute, ControllerPlace::Kernel);
        (found[0].0, glitches)
    };
    let queue = "[[queue]]\nname = \"requests\"\ncapacity = 30\n";
    let by_queue = file(
        queue,
        "{ send = \"requests\" }",
        "{ receive = \"requests\" }",
        "",
    );
    let gauge = "[[semaphore]]\nname = \"some\"\n\
                 [[gauge]]\nname = \"requests\"\ncapacity = 30\nkind = \"backlog\"\n";
    let wakes = "{ raise = \"requests\" }, { signal = \"some\" }";
    let by_gauge = file(
        gauge,
        wakes,
        "{ wait = \"some\" }",
        ", { lower = \"requests\" }",
    );
    let ((by_queue, none), (by_gauge, no)) = (run(&by_queue), run(&by_gauge));
    assert_eq!((none, no), (0, 0));
    assert!(
        (by_queue - by_gauge).abs() <= by_queue * 0.05,
        "{by_queue} {by_gauge}"
    );
    // 3 ms for each of the 50 frames in a second.
    let ahead = format!(
        "schema = 1\n[[sink]]\ngauge = \"frames\"\nevery = \"20ms\"\nphase = \"1s\"\n\
         [[gauge]]\nname = \"frames\"\ncapacity = 20\nkind = \"stock\"\n\
         [[task]]\nname = \"draws\"\nbehaviour = [{{ repeat = \"forever\", do = [{{ compute = \"3ms\" }}, \
         {{ raise = \"frames\" }}] }}]\n{hog}"
    );
    let (share, glitches) = run(&ahead);
    assert_eq!(glitches, 0);
    // It never waits, and yet does not take all that it could.
    assert!(share < 0.2, "{share}");
}
