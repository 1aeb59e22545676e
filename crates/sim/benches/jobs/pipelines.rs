//! How many messages the simulator passes on in a second of CPU time, while all levels of queues are noted.

use crate::{median, once};
use flyball_catalogue::{Configured, Fp, Pp, Rr, settings::Defaults};
use flyball_model::{Format, TaskSet, read_str};
use flyball_sim::{Options, Scheduler, simulate};
use flyball_trace::{Duration, Event, Kind, Sink};
use std::fmt::Write;

/// Notes the levels of queues, and so counts messages that were put in.
#[derive(Default)]
struct Levels {
    levels: Vec<u16>,
    sent: u64,
}

impl Sink for Levels {
    const FILLS: bool = true;

    fn record(&mut self, event: Event) {
        if let Kind::Fill { queue, level } = event.kind {
            let queue = usize::from(queue);
            if queue >= self.levels.len() {
                self.levels.resize(queue + 1, 0);
            }
            self.sent += u64::from(level > self.levels[queue]);
            self.levels[queue] = level;
        }
    }
}

/// A source, stages with queues of 20 messages between them, and a sink, with a load of 80 %: a message comes each
/// millisecond.
fn set(stages: usize) -> TaskSet {
    let mut file = format!(
        "schema = 1\n[[source]]\nqueue = \"q0\"\nevery = \"1ms\"\n\
         [[sink]]\nqueue = \"q{stages}\"\nevery = \"1ms\"\nphase = \"{}ms\"\n",
        10 * (stages + 1)
    );
    for queue in 0..=stages {
        // Writing to a string cannot fail.
        let _ = write!(file, "[[queue]]\nname = \"q{queue}\"\ncapacity = 20\n");
    }
    for stage in 0..stages {
        let _ = write!(
            file,
            "[[task]]\nname = \"t{stage}\"\npriority = {}\nbehaviour = [{{ repeat = \"forever\", do = [{{ receive = \"q{stage}\" }}, \
             {{ compute = \"{}us\" }}, {{ send = \"q{}\" }}] }}]\n",
            stage + 1,
            800 / stages,
            stage + 1
        );
    }
    read_str(&file, Format::Toml, "pipeline.toml").expect("the file is right")
}

/// Messages in a second of CPU time, median of five runs.
fn rate(set: &TaskSet, scheduler: &impl Scheduler) -> f64 {
    let run = || {
        let mut levels = Levels::default();
        let options = Options::until(Duration::from_secs(100));
        simulate(set, scheduler, &options, &mut levels).expect("it runs");
        levels.sent
    };
    median([(); 5].map(|()| once(run)))
}

/// The table.
pub(crate) fn table() {
    println!("million messages a second of CPU time, one CPU, all levels noted");
    println!("{:>7} {:>8} {:>8} {:>8}", "stages", "fp", "rr", "pp");
    let pp = Pp::new(&Defaults(Pp::SETTINGS), &[]).expect("the defaults are possible");
    let rr = Rr {
        quantum: Duration::from_millis(10),
    };
    for stages in [2, 5, 10, 40] {
        let set = set(stages);
        println!(
            "{stages:>7} {:>8.2} {:>8.2} {:>8.2}",
            rate(&set, &Fp) / 1e6,
            rate(&set, &rr) / 1e6,
            rate(&set, &pp) / 1e6,
        );
    }
}
