//! The kernel of C and C++ programs, with a policy that is chosen when it is compiled (`build.rs`).
//! `sdk/install` puts the archive where a compiler finds it.
#![no_std]
#![cfg(any(target_arch = "arm", target_arch = "riscv64"))]

mod interrupt;
#[cfg_attr(target_arch = "arm", path = "cortexm.rs")]
#[cfg_attr(target_arch = "riscv64", path = "riscv.rs")]
mod machine;
mod memory;
mod policy;
#[cfg(target_arch = "arm")]
mod reset;
#[cfg_attr(feature = "traced", path = "trace/on.rs")]
#[cfg_attr(not(feature = "traced"), path = "trace/off.rs")]
mod trace;

use core::fmt::Display;
use flyball_capi::Note;
use flyball_capi::binding::Terms;
use flyball_kernel::{Attributes, Ceilings, Config, InMemory, Sizes};
use flyball_policy::{CpuId, TaskId};
use machine::chosen::{self, Fault, MachineConfig, Stacks};
use memory::Carved;
use policy::{Policy, params};

chosen::kernel!(KERNEL: Program);
flyball_app::__bind!(KERNEL);
flyball_app::__bind_c!(KERNEL);

struct Program;

impl Config for Program {
    type Policy = Policy;
    type Trace = trace::Trace;
    type Message = Message;
    type Stamp = chosen::stamp!(Program);
    type Cpus = machine::Cpus;
    type Threads = Carved;
    type Objects = InMemory;
    type Owned = Nothing;
    type Ceilings = Carved;
    type Queues = Nothing;
    type Messages = Nothing;
    type Jobs = Carved;
    type Arrivals = Carved;
    type Accounts = Carved;
    type Counts = Nothing;
    type Budgets = Nothing;
    const TICKS: bool = false;
    const LAZY_CEILINGS: bool = true;

    fn ceiling(bits: u32) -> Option<policy::Params> {
        let mut terms = Terms::LEAST;
        // There are 32 at most.
        terms.facts.priority = Some(u8::try_from(bits.checked_ilog2()? + 1).ok()?);
        params(&terms).ok()
    }
}

impl MachineConfig for Program {
    const STACKS: Stacks = Stacks::Guarded;
    const CPUS: u8 = machine::CPUS;
    const C_LIBRARY: bool = true;

    fn after_interrupt() -> Option<extern "C" fn()> {
        flyball_capi::signal::interrupted()
    }

    fn sizes() -> Sizes {
        let threads = threads().next_power_of_two();
        Sizes {
            threads,
            arrivals: threads,
            ..Sizes::FIXED
        }
    }

    fn name(thread: TaskId) -> Option<&'static str> {
        flyball_capi::last::name(thread)
    }

    fn fault(
        kernel: &'static impl chosen::Machine<Config = Self>,
        fault: &Fault,
        message: Option<&dyn Display>,
    ) -> ! {
        trace::end(fault.time);
        chosen::report(kernel, fault, message)
    }
}

/// How many threads there can be at the same time: what the program says, but `main` is there, and there is
/// a largest number.
fn threads() -> usize {
    unsafe extern "C" {
        safe static __flyball_threads: core::ffi::c_uint;
    }
    usize::try_from(__flyball_threads).map_or(MOST, |threads| threads.clamp(1, MOST))
}

/// The kernel's names of threads have 15 bits for the row.
const MOST: usize = 1 << 15;

/// The name of the policy, where tools look for it in the image.
#[used]
#[unsafe(link_section = ".flyball.policy")]
static POLICY: [u8; policy::NAME.to_bytes_with_nul().len()] = {
    let mut bytes = [0; policy::NAME.to_bytes_with_nul().len()];
    bytes.copy_from_slice(policy::NAME.to_bytes_with_nul());
    bytes
};

/// The name of the policy.
#[unsafe(no_mangle)]
extern "C" fn flyball_policy() -> *const core::ffi::c_char {
    policy::NAME.as_ptr()
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_knows(terms: &Terms) -> bool {
    policy::knows(terms)
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_spawn(
    stack: &'static mut [usize],
    attributes: Attributes<At>,
    terms: &Terms,
    entry: extern "C" fn(usize) -> !,
    argument: usize,
) -> Result<ThreadId, Error> {
    let params = params(terms)?;
    // SAFETY: a C thread may begin anywhere, and begins once.
    unsafe { KERNEL.spawn_on(stack, attributes, params, entry, argument) }
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_adjust(thread: ThreadId, terms: &Terms) -> Result<(), Error> {
    let params = params(terms)?;
    KERNEL.act_now(|core, cpu, now| core.adjust(cpu, thread, params, now))
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_has_floors() -> bool {
    policy::has_floors()
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_raise(floor: Option<(Duration, Time)>) -> Result<(), Error> {
    let floor = match floor {
        Some((deadline, since)) => {
            let mut terms = Terms::LEAST;
            terms.facts.deadline = Some(deadline);
            Some((params(&terms)?, since))
        }
        None => None,
    };
    KERNEL.act_now(|core, cpu, now| core.raise(cpu, floor, now))
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_register_ceilings(ceilings: &'static Ceilings) -> Result<(), Error> {
    KERNEL.act(|core, cpu, _| core.register_ceilings(cpu, ceilings))
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_apply_ceilings() {
    let _ = KERNEL.act_now(|core, cpu, now| {
        core.apply_ceilings(cpu, now);
        Ok(())
    });
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_note(note: Note) {
    trace::note(note);
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_fail(fault: &Fault, callers: &[usize], code: u8) -> ! {
    KERNEL.stop_others();
    trace::end(fault.time);
    KERNEL.print_error(format_args!("{fault}"));
    for caller in callers {
        KERNEL.print_error(format_args!(", called from {caller:#010x}"));
    }
    KERNEL.print_error(format_args!("\n"));
    KERNEL.shut_down(code)
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_end() {
    trace::end(KERNEL.now());
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_cpus() -> u8 {
    machine::cpus()
}

#[unsafe(no_mangle)]
extern "Rust" fn _flyball_c_idle_time() -> (Time, Duration) {
    let idle = KERNEL.act_now(|core, _, now| {
        let cpus = (0..machine::cpus()).map(CpuId);
        let idle = cpus.fold(Duration::ZERO, |sum, cpu| {
            sum + core.idle_time_until(cpu, now)
        });
        Ok((now, idle))
    });
    idle.unwrap_or((Time::ZERO, Duration::ZERO))
}

/// The whole program: `init` makes the kernel for so many CPUs, with this policy.
fn run(cpus: u8, init: impl FnOnce(Policy)) -> ! {
    match policy::policy(threads(), cpus) {
        Ok(policy) => init(policy),
        Err(why) => cannot_start(why),
    }
    if let Err(error) = flyball_capi::start::make_main() {
        cannot_start(error.text());
    }
    KERNEL.start()
}

fn cannot_start(why: &str) -> ! {
    KERNEL.print("flyball: the program cannot start: ");
    KERNEL.print(why);
    KERNEL.print("\n");
    KERNEL.shut_down(1)
}
