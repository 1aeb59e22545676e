//! The bare switch from one coroutine to another, by the way that the host machine takes: back to
//! its loop, and from there to the next.

use crate::clock::{Clock, stamp};
use crate::stats::{Samples, Summary};
use core::cell::{Cell, RefCell};
use corosensei::Coroutine;
use std::rc::Rc;

/// What the coroutines share.
struct Shared {
    clock: Clock,
    /// The stamp of the coroutine that was left last.
    left: Cell<u64>,
    /// How many switches are to come.
    to_come: Cell<usize>,
    samples: RefCell<Samples>,
}

/// How long a switch takes, among so many coroutines, which run in turn.
pub(super) fn switch(threads: usize, repetitions: usize, clock: &Clock) -> Summary {
    let shared = Rc::new(Shared {
        clock: *clock,
        left: Cell::new(stamp()),
        to_come: Cell::new(repetitions + threads.max(2)),
        samples: RefCell::new(Samples::with_capacity(repetitions)),
    });
    let coroutine = |_| {
        let shared = Rc::clone(&shared);
        Coroutine::<(), (), ()>::new(move |yielder, ()| {
            while let Some(to_come) = shared.to_come.get().checked_sub(1) {
                shared.to_come.set(to_come);
                shared.left.set(stamp());
                yielder.suspend(());
                let came = stamp();
                if shared.to_come.get() == 0 {
                    // The coroutine before has ended, and has not told when.
                    break;
                }
                let nanoseconds = shared.clock.net(shared.left.get(), came);
                shared.samples.borrow_mut().push(nanoseconds);
            }
        })
    };
    let mut coroutines: Vec<_> = (0..threads.max(2)).map(coroutine).collect();
    while !coroutines.is_empty() {
        coroutines.retain_mut(|coroutine| coroutine.resume(()).as_yield().is_some());
    }
    shared.samples.take().summary()
}
