//! What the processor is.

use crate::clock::Clock;
use crate::measurements::Processor;
use std::fs::read_to_string;

/// Describes the processor, as far as the operating system tells.
pub(crate) fn describe(clock: &Clock) -> Processor {
    let facts = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let fact = |name: &str| {
        let line = facts.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let flags = fact("flags").unwrap_or_default();
    let version = read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let system = match version.trim() {
        "" => std::env::consts::OS.to_owned(),
        version => format!("Linux {version}"),
    };
    Processor {
        name: fact("model name").unwrap_or_else(|| "an x86-64 processor".into()),
        is_virtual: flags.split(' ').any(|flag| flag == "hypervisor"),
        cpus: std::thread::available_parallelism().map_or(1, usize::from),
        system,
        megahertz: clock.megahertz(),
        reading: clock.reading(),
    }
}
