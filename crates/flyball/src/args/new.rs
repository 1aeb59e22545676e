//! The arguments of `flyball new`.

use clap::ValueEnum;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub(crate) struct NewArgs {
    /// The folder, which is made; its last part is the name of the crate
    pub(crate) path: PathBuf,

    /// Where plain `cargo run` and `cargo test` run the application; it is built for the others by
    /// name, as `cargo board`
    #[arg(short, long, value_name = "NAME", default_value = "host")]
    pub(crate) machine: Place,

    /// The application's scheduling policy: one for one CPU; see `flyball policies`
    #[arg(short, long, value_name = "NAME", default_value = "edf")]
    pub(crate) scheduler: String,

    /// Make a scheduling policy of your own, with the whole flyball command for it
    #[arg(long, conflicts_with_all = ["machine", "scheduler"])]
    pub(crate) policy: bool,

    /// Where Flyball's sources are, which the crate depends on; otherwise FLYBALL_SOURCES, or those
    /// that this command is installed with, or where it was built
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) sources: Option<PathBuf>,
}

/// What an application runs on. All but the first are emulated by QEMU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Place {
    /// A process of this computer, on a virtual clock
    Host,
    /// Arm's MPS2 board with a Cortex-M3 (mps2-an385)
    #[value(name = "cortex-m3", alias = "cortexm")]
    CortexM3,
    /// A Stellaris LM3S6965, a Cortex-M3 with 64 KB of RAM
    Lm3s6965,
    /// An STM32F405, a Cortex-M4 with 128 KB of RAM
    #[value(name = "netduinoplus2")]
    NetduinoPlus2,
    /// RISC-V (virt), on one CPU
    Riscv,
}

impl Place {
    /// What cargo calls it.
    pub(crate) const fn target(self) -> &'static str {
        match self {
            Place::Host => "host-tuple",
            Place::CortexM3 | Place::Lm3s6965 | Place::NetduinoPlus2 => "thumbv7m-none-eabi",
            Place::Riscv => "riscv64gc-unknown-none-elf",
        }
    }

    /// The Arm board of an application: the feature of the machine's crate, and QEMU's name.
    pub(crate) const fn board(self) -> (&'static str, &'static str) {
        match self {
            Place::Host | Place::CortexM3 | Place::Riscv => ("mps2-an385", "mps2-an385"),
            Place::Lm3s6965 => ("lm3s6965", "lm3s6965evb"),
            Place::NetduinoPlus2 => ("netduinoplus2", "netduinoplus2"),
        }
    }

    /// What it is, in words.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Place::Host => "this computer",
            Place::CortexM3 | Place::Lm3s6965 | Place::NetduinoPlus2 => "the emulated board",
            Place::Riscv => "the emulated RISC-V machine",
        }
    }
}
