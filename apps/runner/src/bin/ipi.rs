//! I+PI.
#![no_std]
#![no_main]

use flyball_policy::i_plus_pi::{Settings, Share};
use flyball_policy::{IPlusPi, Inline};
use flyball_runner::{Scheduler, fail, runner};
use flyball_script::image::{Common, Task};

struct Chosen;

impl Scheduler for Chosen {
    type Policy = IPlusPi<Inline<32>>;

    fn policy(common: &Common) -> Self::Policy {
        let settings = Settings::from_words(common.settings);
        let settings = settings.unwrap_or_else(|| fail("these are no settings of I+PI"));
        IPlusPi::new(settings, 32)
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
