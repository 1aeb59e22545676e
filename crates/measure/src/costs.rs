//! What this project's kernel is known to spend on a machine, for simulations that have no measured
//! schedule to read it off.

use flyball_model::{Cost, Overheads};
use flyball_trace::Duration;

/// The kernel of a machine whose instructions take so long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel {
    instruction: Duration,
}

/// Instructions on the Cortex-M3, by policy: a release, a call, a decision, a context switch, and
/// the ways into the kernel and out of it at the end of a time slice. Read off two seconds of the
/// Hartstone baseline (`flyball compare examples/hartstone-ph.toml --policy NAME --until 2s`). The
/// least squares divide them as explains the whole schedule best, so only their sums mean
/// something.
///
/// The ways are part of a time slice there, since the clock is read inside of them, and the
/// measured decision includes them. Here they are taken out of it, and the task that loses the CPU
/// makes up for them ([`time_slice`](crate::calibrate::time_slice) tells more).
const INSTRUCTIONS: [(&str, [u64; 5]); 7] = [
    ("rm", [588, 879, 213, 19, 0]),
    ("dm", [591, 879, 210, 24, 0]),
    ("edf", [651, 925, 166, 21, 0]),
    ("fifo", [497, 398, 534, 74, 0]),
    ("rr", [536, 356, 426, 65, 237]),
    ("ipi", [1034, 293, 670, 0, 237]),
    ("pp", [1561, 1568, 1005, 457, 0]),
];

/// Instructions on the Cortex-M3 of a run of the controllers of `pp`, by the number of tasks, each of which uses two
/// queues, where there is enough CPU time for all (`./x bench kernel`).
const CONTROL: [(u32, u64); 9] = [
    (1, 1_173),
    (2, 2_091),
    (3, 2_821),
    (5, 4_442),
    (10, 8_756),
    (25, 21_838),
    (40, 34_646),
    (80, 68_607),
    (125, 109_092),
];

impl Kernel {
    /// A kernel that takes no time.
    pub const FREE: Kernel = Kernel::with_instruction(Duration::ZERO);

    /// That of the emulated Cortex-M3, an instruction a nanosecond.
    pub const CORTEX_M3: Kernel = Kernel::with_instruction(Duration::from_nanos(1));

    /// That of the same with 62.5 million instructions a second.
    pub const CORTEX_M3_62: Kernel = Kernel::with_instruction(Duration::from_nanos(16));

    /// That of a Cortex-M3 whose instructions all take so long.
    pub const fn with_instruction(instruction: Duration) -> Kernel {
        Kernel { instruction }
    }

    /// How long an instruction takes.
    pub const fn instruction(self) -> Duration {
        self.instruction
    }

    /// What its work costs under a policy. EDF's costs where the policy has not been measured.
    pub fn overheads(self, policy: &str) -> Overheads {
        if self == Kernel::FREE {
            return Overheads::default();
        }
        let find = |name| INSTRUCTIONS.iter().find(|(policy, _)| *policy == name);
        let costs = find(policy).or_else(|| find("edf"));
        let [release, call, scheduling, switch, ways] = costs
            .map_or([0; 5], |(_, costs)| *costs)
            .map(|instructions| Cost::fixed(self.instruction * instructions));
        let control = CONTROL
            .iter()
            .filter(|_| policy == "pp")
            .map(|&(tasks, instructions)| (tasks, self.instruction * instructions));
        Overheads {
            control: Cost::table(control.collect()),
            release,
            call,
            scheduling,
            context_switch: switch,
            cache: ways,
            ..Overheads::default()
        }
    }
}

impl Default for Kernel {
    /// [`CORTEX_M3`](Kernel::CORTEX_M3).
    fn default() -> Kernel {
        Kernel::CORTEX_M3
    }
}
