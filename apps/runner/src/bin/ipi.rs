//! I+PI.
#![no_std]
#![no_main]

use flyball_policy::IPlusPi;
use flyball_policy::i_plus_pi::{Settings, Share};
use flyball_runner::machine::Rows;
use flyball_runner::{Scheduler, fail, runner};
use flyball_script::image::{Common, Task};

struct Chosen;

impl Scheduler for Chosen {
    type Policy = IPlusPi<Rows>;

    fn policy(common: &Common, threads: usize, _: usize) -> Self::Policy {
        let settings = Settings::from_words(common.settings);
        let settings = settings.unwrap_or_else(|| fail("these are no settings of I+PI"));
        IPlusPi::new(settings, threads)
    }

    fn params(task: &Task) -> Share {
        Share {
            cpu: task.share,
            importance: task.importance,
            deadline: task.deadline,
            wcet: task.wcet,
        }
    }
}

runner!(Chosen);
