//! How a thread is made: its memory, what is kept of it, and its row in the kernel.

use crate::attributes::Attributes;
use crate::binding::{_flyball_c_note, _flyball_c_spawn, Terms};
use crate::control::{Control, Routine};
use crate::errno::number;
use crate::place::Place;
use crate::thread::{LISTS, begin};
use crate::{floating, floor};
use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering;
use flyball_app::seam::_flyball_name_of;

/// A thread that is to be created.
pub(crate) struct New<'a> {
    /// Of these, not the policy and the priority.
    pub(crate) attributes: &'a Attributes,
    pub(crate) policy: c_int,
    pub(crate) priority: c_int,
    pub(crate) terms: &'a Terms,
    /// Which signals it blocks.
    pub(crate) blocked: u64,
    pub(crate) routine: Routine,
    pub(crate) argument: *mut c_void,
}

impl New<'_> {
    /// Creates it, and writes its name to `name`. Returns what `pthread_create` returns.
    ///
    /// # Safety
    /// `name` is a place.
    #[expect(
        clippy::inline_always,
        reason = "it is long; the second call is in few programs"
    )]
    #[inline(always)]
    pub(crate) unsafe fn create(&self, name: *mut u32) -> c_int {
        let attributes = self.attributes;
        // SAFETY: the program gives a stack for this thread alone, or none.
        let place = unsafe { Place::of(attributes.address, attributes.size) };
        let place = match place {
            Ok(place) => place,
            Err(error) => return error,
        };
        // SAFETY: no thread knows the place yet.
        let (control, stack) = unsafe { place.init(self.routine, self.argument) };
        control.signals.block(self.blocked);
        floating::inherit(control);
        control
            .is_detached
            .store(attributes.detached != 0, Ordering::Relaxed);
        control
            .is_cancelled_late
            .store(attributes.jobs.cancel_late(), Ordering::Relaxed);
        control.set_policy(self.policy, self.priority);
        if floor::are_known() {
            // SAFETY: no thread knows it yet.
            unsafe { control.set_deadline(attributes.jobs.deadline()) };
        }
        // With the lists locked, so that the thread cannot end before it is in one of them.
        let made = LISTS.with(|lists| {
            let address = control.address();
            let jobs = attributes.jobs.attributes();
            let id = _flyball_c_spawn(stack, jobs, self.terms, begin, address)?;
            control.note(id);
            _flyball_c_note(attributes.jobs.note(id.task()));
            let named = _flyball_name_of(id);
            control.name.store(named, Ordering::Relaxed);
            // SAFETY: the lists are locked.
            unsafe { control.set_id(id) };
            lists.add(control);
            // SAFETY: as the caller promises.
            unsafe { name.write(named) };
            Ok(())
        });
        if made.is_err() {
            // SAFETY: there is no such thread.
            unsafe { Control::free(control) };
        }
        number(made)
    }
}
