//! What this machine asks of an application's configuration.

use flyball_port::MachineConfig;
use flyball_trace::Time;

/// Any configuration in which CPU time is counted in nanoseconds: the clock has 64 bits.
pub trait HartConfig: MachineConfig<Stamp = Time> {}

impl<C: MachineConfig<Stamp = Time>> HartConfig for C {}
