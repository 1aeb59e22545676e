//! What an image defines for its policy: how threads are made, and what they tell the policy.

use core::sync::atomic::AtomicU32;
use flyball_app::catalogue::{Arrival, Facts};
use flyball_kernel::{At, Attributes, Ceilings, Error, ThreadId};
use flyball_port::Fault;
use flyball_script::Note;
use flyball_trace::{Duration, Time};

/// What a thread tells the policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    /// Its priority, from 1 to [`HIGHEST`], the larger, the more urgent; its period, deadline and so on.
    pub facts: Facts,
    /// How long a time slice among equals is; zero: without end.
    pub slice: Duration,
}

impl Terms {
    /// What a thread says that says nothing: its priority is the lowest, and equals take turns.
    pub const LEAST: Terms = {
        let mut facts = Facts::periodic(Duration::MAX, Duration::ZERO);
        facts.arrival = Arrival::Once;
        facts.period = None;
        facts.deadline = None;
        facts.priority = Some(1);
        Terms {
            facts,
            slice: QUANTUM,
        }
    };
}

/// The highest priority of a thread.
pub const HIGHEST: u8 = 32;

/// A time slice of `SCHED_RR`.
pub const QUANTUM: Duration = Duration::from_millis(1);

// SAFETY: an image defines these with these types, as safe Rust functions.
unsafe extern "Rust" {
    /// Whether the policy looks at the parts of `terms` that are not as in [`Terms::LEAST`], apart from
    /// periods, deadlines and execution times, which are said of a thread under any policy.
    pub(crate) safe fn _flyball_c_knows(terms: &Terms) -> bool;

    /// Makes a thread that begins at `entry` with `argument` on `stack`, of which no word is lost at the end.
    ///
    /// # Errors
    /// As [`Core::spawn`](flyball_kernel::Core::spawn).
    pub(crate) safe fn _flyball_c_spawn(
        stack: &'static mut [usize],
        attributes: Attributes<At>,
        terms: &Terms,
        entry: extern "C" fn(usize) -> !,
        argument: usize,
    ) -> Result<ThreadId, Error>;

    /// Whether the policy has floors: ceilings that are deadlines.
    pub(crate) safe fn _flyball_c_has_floors() -> bool;

    /// Under a policy with floors: the calling thread is at least as urgent as a job with this relative deadline, not zero,
    /// that was released at that instant, not later than now; as long as the next call says something else.
    ///
    /// # Errors
    /// As [`Core::raise`](flyball_kernel::Core::raise).
    pub(crate) safe fn _flyball_c_raise(floor: Option<(Duration, Time)>) -> Result<(), Error>;

    /// From now on the calling thread notes its ceilings there: bit n stands for priority n + 1.
    ///
    /// # Errors
    /// As [`Core::register_ceilings`](flyball_kernel::Core::register_ceilings).
    pub(crate) safe fn _flyball_c_register_ceilings(
        ceilings: &'static Ceilings,
    ) -> Result<(), Error>;

    /// Applies the ceilings that the calling thread has noted.
    pub(crate) safe fn _flyball_c_apply_ceilings();

    /// Something has become due for `thread`, which is not the calling one. If it is in the middle of its program it
    /// finds out before it goes on there: on the Cortex-M3 it calls `__flyball_interrupt`, and `gate` becomes 1, if that
    /// is 0; on RISC-V it calls [`interrupted`](crate::signal::interrupted), on whatever CPU it is.
    pub(crate) safe fn _flyball_c_interrupt(thread: ThreadId, gate: &AtomicU32);

    /// Ends what a thread was interrupted with: it goes on where it was. On the Cortex-M3.
    ///
    /// # Safety
    /// `before` is what `entry` was passed, in this thread.
    #[cfg(target_arch = "arm")]
    pub(crate) fn _flyball_c_end_interrupt(before: usize) -> !;

    /// The line of the interrupt whose handler calls.
    pub(crate) safe fn _flyball_c_line() -> u16;

    /// Adds to the trace what is no event, if there is a trace.
    pub(crate) safe fn _flyball_c_note(note: Note);

    /// The program ends now: its trace is complete.
    pub(crate) safe fn _flyball_c_end();

    /// Says where errors go why the program cannot go on, and which function after the other has called: the return
    /// addresses, from the innermost on. The program ends with `code`.
    pub(crate) safe fn _flyball_c_fail(fault: &Fault, callers: &[usize], code: u8) -> !;

    /// How many CPUs there are.
    pub(crate) safe fn _flyball_c_cpus() -> u8;

    /// What time it is, and how long CPUs were idle until then, all together.
    pub(crate) safe fn _flyball_c_idle_time() -> (Time, Duration);

    /// A thread tells the policy something else from now on.
    ///
    /// # Errors
    /// As [`Core::adjust`](flyball_kernel::Core::adjust).
    pub(crate) safe fn _flyball_c_adjust(thread: ThreadId, terms: &Terms) -> Result<(), Error>;
}
