//! The machines that task sets can run on.

use flyball_catalogue::Placement;
use flyball_trace::{Duration, Time};

/// A machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machine {
    /// Arm's MPS2 board with a Cortex-M3 (AN385), emulated by QEMU, one instruction a nanosecond.
    CortexM3,
    /// The same board, 16 times as slow: 62.5 million instructions a second, which is nearer to a
    /// microcontroller of 72 MHz. The kernel's work takes 16 times as long, and the host gets
    /// through a busy second several times as fast.
    CortexM3At62,
    /// A Stellaris LM3S6965, a Cortex-M3 with 64 KB of RAM and 256 KB of flash, emulated by QEMU
    /// (lm3s6965evb), one instruction a nanosecond. The task set is in flash, and the host takes
    /// the trace whenever a small buffer is full.
    Lm3s6965,
    /// RISC-V with 1 to 64 CPUs, emulated by QEMU, one instruction a nanosecond, whichever CPU
    /// executes it: while one executes the others do not, so jobs pass their time asleep, and only
    /// the kernel's work is instructions.
    Riscv,
}

/// What machines execute, and what the kernel can do there.
enum Architecture {
    CortexM3,
    Riscv,
}

/// What a machine can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// CPUs.
    pub cpus: usize,
    /// Tasks.
    pub tasks: usize,
    /// Mutexes.
    pub mutexes: usize,
    /// Semaphores.
    pub semaphores: usize,
    /// Message queues.
    pub queues: usize,
    /// Messages in all queues together.
    pub messages: usize,
    /// Jobs of all tasks whose jobs no clock releases which wait for earlier ones of the same task.
    pub waiting: usize,
    /// Repetitions inside each other.
    pub depth: usize,
    /// Time that a run takes. Clocks have 64 bits, so it could be longer.
    pub time: Duration,
    /// Bytes that a task set with all its random numbers may have.
    pub bytes: usize,
}

/// The longest run on any machine. (One of 1,000 s, for which counters go round, is tested.)
const LONGEST: Duration = Duration::from_secs(3_600);

impl Machine {
    /// All machines.
    pub const ALL: [Machine; 4] = [
        Machine::CortexM3,
        Machine::CortexM3At62,
        Machine::Lm3s6965,
        Machine::Riscv,
    ];

    /// Their names, in the same order.
    pub const NAMES: [&'static str; 4] = [
        Machine::CortexM3.name(),
        Machine::CortexM3At62.name(),
        Machine::Lm3s6965.name(),
        Machine::Riscv.name(),
    ];

    /// The machine of that name.
    pub fn find(name: &str) -> Option<Machine> {
        Machine::ALL
            .into_iter()
            .find(|machine| machine.name() == name)
    }

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Machine::CortexM3 => "cortex-m3",
            Machine::CortexM3At62 => "cortex-m3-62mips",
            Machine::Lm3s6965 => "lm3s6965",
            Machine::Riscv => "riscv",
        }
    }

    /// What it is and what its times mean, for a heading: they must not be taken for those of real
    /// hardware.
    pub const fn title(self) -> &'static str {
        match self {
            Machine::CortexM3 => {
                "emulated Cortex-M3 (QEMU mps2-an385); its time counts instructions, 1 ns each, and \
                 is no hardware's time"
            }
            Machine::CortexM3At62 => {
                "emulated Cortex-M3 (QEMU mps2-an385); its time counts instructions, 16 ns each (62.5 \
                 million a second), and is no hardware's time"
            }
            Machine::Lm3s6965 => {
                "emulated Cortex-M3 with 64 KB of RAM (QEMU lm3s6965evb); its time counts instructions, 1 \
                 ns each, and is no hardware's time"
            }
            Machine::Riscv => {
                "emulated RISC-V (QEMU virt); its CPUs take turns, its time counts the instructions of \
                 them all, 1 ns each, and is no hardware's time"
            }
        }
    }

    /// How long it takes for an instruction.
    pub const fn instruction(self) -> Duration {
        Duration::from_nanos(1 << self.shift())
    }

    /// The same as the binary logarithm of nanoseconds, which is what the emulator is told.
    const fn shift(self) -> u32 {
        match self {
            Machine::CortexM3 | Machine::Lm3s6965 | Machine::Riscv => 0,
            Machine::CortexM3At62 => 4,
        }
    }

    /// What it executes.
    const fn architecture(self) -> Architecture {
        match self {
            Machine::CortexM3 | Machine::CortexM3At62 | Machine::Lm3s6965 => Architecture::CortexM3,
            Machine::Riscv => Architecture::Riscv,
        }
    }

    /// Whether task sets can change while they run.
    pub const fn changes(self) -> bool {
        matches!(self.architecture(), Architecture::CortexM3)
    }

    /// Whether jobs can go from one CPU to another where each has its own tasks.
    pub const fn splits(self) -> bool {
        matches!(self.architecture(), Architecture::Riscv)
    }

    /// Whether a controller can move tasks from one CPU to another.
    pub const fn supervises(self) -> bool {
        matches!(self.architecture(), Architecture::Riscv)
    }

    /// Whether it can count what its kernel does.
    pub const fn counts(self) -> bool {
        matches!(self.architecture(), Architecture::Riscv)
    }

    /// Whether there are images for its board that measure by themselves: see [`image`](crate::image).
    pub const fn measures(self) -> bool {
        matches!(self, Machine::CortexM3 | Machine::CortexM3At62)
    }

    /// What it can hold.
    pub const fn limits(self) -> Limits {
        match self {
            Machine::CortexM3 | Machine::CortexM3At62 => Limits {
                cpus: 1,
                tasks: 32,
                mutexes: 16,
                semaphores: 16,
                queues: 16,
                messages: 256,
                waiting: 16,
                depth: 8,
                time: LONGEST,
                bytes: 4 << 20,
            },
            Machine::Lm3s6965 => Limits {
                cpus: 1,
                tasks: 8,
                mutexes: 16,
                semaphores: 16,
                queues: 16,
                messages: 64,
                waiting: 16,
                depth: 8,
                time: LONGEST,
                bytes: 64 << 10,
            },
            Machine::Riscv => Limits {
                cpus: 64,
                tasks: 1024,
                mutexes: 16,
                semaphores: 16,
                queues: 16,
                messages: 4096,
                waiting: 64,
                depth: 8,
                time: LONGEST,
                bytes: 4 << 20,
            },
        }
    }

    /// When the task set starts on the board's clock: after all threads have been made.
    pub const fn start(self) -> Time {
        match self.architecture() {
            Architecture::CortexM3 => Time::from_millis(1),
            Architecture::Riscv => Time::from_millis(10),
        }
    }

    /// For how long it runs at most if nothing says for how long: some seconds of the host.
    pub const fn patience(self) -> Duration {
        Duration::from_secs(2)
    }

    /// Whether it has the CPUs for policies of this placement.
    pub const fn runs(self, placement: Placement) -> bool {
        match self.architecture() {
            Architecture::CortexM3 => placement.is_assigned(),
            Architecture::Riscv => true,
        }
    }

    /// The names of the catalogue's policies that it runs.
    pub fn policies(self) -> impl Iterator<Item = &'static str> {
        let entries = flyball_catalogue::entries();
        entries
            .filter(move |entry| self.runs(entry.placement))
            .map(|entry| entry.name)
    }

    /// The tool chain's name for what it executes.
    pub(crate) const fn triple(self) -> &'static str {
        match self.architecture() {
            Architecture::CortexM3 => "thumbv7m-none-eabi",
            Architecture::Riscv => "riscv64gc-unknown-none-elf",
        }
    }

    /// The features with which the sources are built for it.
    pub(crate) const fn features(self) -> &'static [&'static str] {
        match self {
            Machine::CortexM3 | Machine::CortexM3At62 | Machine::Riscv => &[],
            Machine::Lm3s6965 => &["lm3s6965"],
        }
    }

    /// The emulator, and what it is told for so many CPUs; but for image and task set.
    pub(crate) fn emulator(self, cpus: u8) -> (&'static str, Vec<String>) {
        self.emulator_of(cpus, self.shift(), &[])
    }

    /// The same, with an instruction that takes 2^`shift` ns, and the words of a command line.
    pub(crate) fn emulator_of(
        self,
        cpus: u8,
        shift: u32,
        words: &[&str],
    ) -> (&'static str, Vec<String>) {
        const FLAGS: [&str; 9] = [
            "-nodefaults",
            "-display",
            "none",
            "-monitor",
            "none",
            "-serial",
            "none",
            "-nic",
            "none",
        ];
        let cpus = cpus.to_string();
        let (program, board) = match self {
            Machine::CortexM3 | Machine::CortexM3At62 => {
                ("qemu-system-arm", vec!["-M", "mps2-an385"])
            }
            Machine::Lm3s6965 => ("qemu-system-arm", vec!["-M", "lm3s6965evb"]),
            Machine::Riscv => (
                "qemu-system-riscv64",
                vec!["-M", "virt", "-m", "512M", "-bios", "none", "-smp", &cpus],
            ),
        };
        // The image writes files itself, by semihosting. A comma in a word is written twice.
        let words = words
            .iter()
            .map(|word| format!(",arg={}", word.replace(',', ",,")));
        let semihosting = format!("enable=on,target=native{}", words.collect::<String>());
        // Without `sleep=off` runs differ.
        let count = format!("shift={shift},sleep=off");
        let last = ["-semihosting-config", &semihosting, "-icount", &count];
        let flags = board.into_iter().chain(FLAGS).chain(last);
        (program, flags.map(str::to_owned).collect())
    }

    /// Where in the board's memory the task set is.
    pub(crate) const fn address(self) -> u32 {
        match self {
            Machine::CortexM3 | Machine::CortexM3At62 => 0x2100_0000,
            // Behind the program.
            Machine::Lm3s6965 => 0x0003_4000,
            Machine::Riscv => 0x9000_0000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_of_one_cpu_runs_policies_by_their_plain_names() {
        let policies: Vec<_> = Machine::CortexM3.policies().collect();
        assert!(policies.contains(&"fp-rr") && policies.contains(&"ipi"));
        assert!(!policies.contains(&"g-edf") && !policies.contains(&"p-edf"));
        let all = flyball_catalogue::entries().count();
        assert_eq!(Machine::Riscv.policies().count(), all);
    }

    #[test]
    fn every_machine_has_its_name() {
        for (machine, name) in Machine::ALL.into_iter().zip(Machine::NAMES) {
            assert_eq!(Machine::find(name), Some(machine));
            assert_eq!(machine.name(), name);
        }
        assert_eq!(Machine::find("z80"), None);
    }
}
