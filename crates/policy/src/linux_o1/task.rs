//! What a task tells Linux's scheduler.

use crate::encode::Encode;

/// More urgent levels are for real-time tasks.
pub(super) const FIRST_NORMAL: u8 = 100;
/// The number of levels.
pub(super) const LEVELS: u8 = 140;
/// The nice value of most tasks.
pub(super) const NICE_0: i8 = 0;

/// How a task is scheduled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LinuxClass {
    /// `SCHED_NORMAL`: by nice value, time slices and sleep.
    #[default]
    Normal,
    /// `SCHED_FIFO`, with a priority from 1 to 99: ahead of all normal tasks, and until it waits.
    Fifo(u8),
    /// `SCHED_RR`: the same with time slices, whose length is by nice value.
    RoundRobin(u8),
}

/// What a task tells Linux's scheduler.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LinuxTask {
    /// The nice value, from −20, the most urgent, to 19.
    pub nice: i8,
    /// How it is scheduled.
    pub class: LinuxClass,
}

impl LinuxTask {
    /// A normal task of this nice value.
    pub const fn normal(nice: i8) -> LinuxTask {
        LinuxTask {
            nice,
            class: LinuxClass::Normal,
        }
    }

    /// Whether its nice value and its priority are some that Linux has.
    pub fn is_valid(self) -> bool {
        let has_level = match self.class {
            LinuxClass::Normal => true,
            LinuxClass::Fifo(priority) | LinuxClass::RoundRobin(priority) => {
                (1..FIRST_NORMAL).contains(&priority)
            }
        };
        has_level && (-20..=19).contains(&self.nice)
    }

    pub(crate) fn is_normal(self) -> bool {
        self.class == LinuxClass::Normal
    }

    /// The level that the nice value says, from 100 to 139: 120 at nice 0.
    pub(super) const fn static_level(self) -> u8 {
        (LEVELS - 20).saturating_add_signed(self.nice)
    }

    /// The level without bonus or penalty.
    pub(super) const fn base_level(self) -> u8 {
        match self.class {
            LinuxClass::Normal => self.static_level(),
            LinuxClass::Fifo(priority) | LinuxClass::RoundRobin(priority) => {
                FIRST_NORMAL - 1 - priority
            }
        }
    }
}

impl Encode for LinuxTask {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        let (class, priority) = match self.class {
            LinuxClass::Normal => (0_u8, 0),
            LinuxClass::Fifo(priority) => (1, priority),
            LinuxClass::RoundRobin(priority) => (2, priority),
        };
        (class, priority, self.nice.cast_unsigned()).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<LinuxTask> {
        let (class, priority, nice) = <(u8, u8, u8)>::parse(bytes)?;
        let class = match (class, priority) {
            (0, 0) => LinuxClass::Normal,
            (1, _) => LinuxClass::Fifo(priority),
            (2, _) => LinuxClass::RoundRobin(priority),
            _ => return None,
        };
        let nice = nice.cast_signed();
        Some(LinuxTask { nice, class }).filter(|task| task.is_valid())
    }
}
