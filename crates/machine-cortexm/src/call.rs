//! Calls that a thread makes because another one says so: it is preempted in the middle of its program, and
//! before it goes on there, it runs a function. Signals of C programs rest on this.
//!
//! ```text
//!   kept -> | r4 … r11 | r0: before, pc: the function … | r4 … r11 | r0 … xPSR | the thread's stack
//!            \---------- the frame of the call ---------/ ^ before
//! ```

use crate::config::BoardConfig;
use crate::guard;
use crate::kernel::Kernel;
use crate::mask::{Mask, rest};
use core::ptr::with_exposed_provenance_mut;
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_kernel::ThreadId;
use flyball_port::EntryPoint;

impl<C: BoardConfig> Kernel<C> {
    /// Has `thread` call `entry` before it goes on, and sets `gate` to 1. Does neither, and returns false, if
    /// `gate` is not 0; if the thread is the one that calls this, or has ended; or if its stack has no room.
    ///
    /// # Safety
    /// Wherever the thread is while `gate` is 0 it may call `entry`, which does not return, but may end with
    /// [`Kernel::end_call`].
    pub unsafe fn begin_call(
        &'static self,
        thread: ThreadId,
        gate: &AtomicU32,
        entry: EntryPoint,
    ) -> bool {
        let has_begun = self.with_ready(|switch, state| {
            let Ok(task) = state.core.living(thread) else {
                return false;
            };
            let context = &mut state.contexts[task.index()];
            if gate.load(Ordering::Relaxed) != 0 || core::ptr::eq(switch.running(), context) {
                return false;
            }
            // SAFETY: it lives and another one runs, with interrupts masked.
            let has_room = unsafe { context.begin_call(guard::reserved(C::STACKS), entry) };
            if has_room {
                gate.store(1, Ordering::Relaxed);
            }
            has_room
        });
        has_begun.unwrap_or(false)
    }

    /// Ends the call of the calling thread whose function was passed `before`.
    ///
    /// # Safety
    /// It was passed that, and what it called has returned.
    pub unsafe fn end_call(&'static self, before: usize) -> ! {
        let mask = Mask::set();
        let (switch, _) = self.parts(&mask);
        // SAFETY: contexts stay in place, interrupts are masked, and otherwise as the caller promises.
        unsafe {
            (*switch.running()).end_call(with_exposed_provenance_mut(before), switch);
        }
        mask.lift();
        // The context switch comes at the latest now.
        cortex_m::asm::isb();
        rest()
    }
}
