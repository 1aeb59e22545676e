//! Handlers of interrupts.
//!
//! While one runs, the C library has a state that is this line's alone, and in which there is no thread: a handler that sets
//! `errno` does not change a thread's, and a mutex that it locks would not be locked by the thread that it has interrupted.
//! Such calls are refused with `EPERM`, and the line is named; where a function cannot be refused, as it needs the heap or a
//! stream, the program ends.

use crate::binding::{_flyball_c_end, _flyball_c_line};
use crate::control::Control;
use crate::errno::{EPERM, ESRCH, number};
use crate::last::ABORTED;
use crate::place::Place;
use core::ffi::{c_int, c_uint, c_void};
use core::fmt::{self, Write};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use flyball_app::seam::{
    _flyball_attach, _flyball_pend, _flyball_print, _flyball_set_timer, _flyball_shut_down,
    _flyball_timer_line,
};
use flyball_trace::Duration;

/// In [`Signals::due`](crate::signal::Signals::due): no thread calls, but the handler of an interrupt. Nothing is to be done.
pub(crate) const INTERRUPT: u32 = 4;

/// More than a board has.
const LINES: usize = 64;

/// What belongs to a line.
struct Line {
    handler: AtomicPtr<()>,
    /// What the C library has as the state of a thread.
    control: AtomicPtr<Control>,
    is_named: AtomicBool,
}

static SERVED: [Line; LINES] = [const {
    Line {
        handler: AtomicPtr::new(ptr::null_mut()),
        control: AtomicPtr::new(ptr::null_mut()),
        is_named: AtomicBool::new(false),
    }
}; LINES];

unsafe extern "C" {
    safe fn malloc(size: usize) -> *mut c_void;
}

impl Line {
    /// Whether there is a state for its handlers; makes one if there is memory.
    fn prepare(&self) -> bool {
        if !self.control.load(Ordering::Acquire).is_null() {
            return true;
        }
        let size = Place::overhead();
        let block = malloc(size);
        if block.is_null() {
            return false;
        }
        // SAFETY: the memory has just been allocated, and is never given back.
        let Some(place) = (unsafe { Place::divide(block, size) }) else {
            return false;
        };
        // SAFETY: nothing knows it yet.
        let (made, _) = unsafe { place.init(nothing, ptr::null_mut()) };
        made.signals.due.store(INTERRUPT, Ordering::Relaxed);
        self.control
            .store(ptr::from_ref(made).cast_mut(), Ordering::Release);
        true
    }
}

extern "C" fn nothing(argument: *mut c_void) -> *mut c_void {
    argument
}

/// What the machine calls at each interrupt of a line that has a handler.
extern "C" fn serve() {
    let Some(line) = SERVED.get(usize::from(_flyball_c_line())) else {
        return;
    };
    let handler = line.handler.load(Ordering::Acquire);
    // SAFETY: the line has been attached, so there is a handler, and a state that lasts. It is this line's, which does
    // not interrupt itself.
    unsafe {
        let handler = core::mem::transmute::<*mut (), extern "C" fn()>(handler);
        let own = &*line.control.load(Ordering::Acquire);
        let before = Control::replace(own);
        // No memory of it is ever freed.
        own.block
            .store(ptr::from_ref(before).cast_mut().cast(), Ordering::Relaxed);
        handler();
        Control::replace(before);
    }
}

/// Whether the handler of an interrupt calls, and not a thread.
#[inline]
pub(crate) fn calls() -> bool {
    Control::current().signals.due.load(Ordering::Relaxed) & INTERRUPT != 0
}

/// newlib's state of the thread that calls, or that handlers have interrupted which now run: for `sdk/cmsis`.
#[unsafe(no_mangle)]
extern "C" fn __flyball_interrupted_reent() -> *const c_void {
    let mut control = Control::current();
    while control.signals.due.load(Ordering::Relaxed) & INTERRUPT != 0 {
        // SAFETY: its handler runs, and `serve` has put there what was interrupted.
        control = unsafe { &*control.block.load(Ordering::Relaxed).cast() };
    }
    ptr::from_ref(control).cast()
}

/// Whether the handler of an interrupt calls what only threads may call. It is named the first time.
#[cold]
pub(crate) fn refuses() -> bool {
    if !calls() {
        return false;
    }
    let line = _flyball_c_line();
    if !SERVED[usize::from(line) % LINES]
        .is_named
        .swap(true, Ordering::Relaxed)
    {
        say(line, "has called what only threads may call: it got EPERM");
    }
    true
}

/// Ends the program: the handler of an interrupt needs what only threads can have, and cannot be told.
#[cold]
pub(crate) fn end() -> ! {
    say(
        _flyball_c_line(),
        "needs the heap, a stream or a list of threads, which only threads can have: the program ends",
    );
    _flyball_c_end();
    _flyball_shut_down(ABORTED)
}

struct Output;

impl Write for Output {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        _flyball_print(text);
        Ok(())
    }
}

fn say(line: u16, what: &str) {
    // That does not fail.
    let _ = writeln!(Output, "flyball: the handler of interrupt {line} {what}");
}

#[unsafe(no_mangle)]
extern "C" fn flyball_interrupt(line: c_uint, handler: extern "C" fn()) -> c_int {
    if refuses() {
        return EPERM;
    }
    let Ok(number_of_line) = u16::try_from(line) else {
        return ESRCH;
    };
    let Some(served) = SERVED.get(usize::from(number_of_line)) else {
        return ESRCH;
    };
    if !served.prepare() {
        return crate::errno::ENOMEM;
    }
    served.handler.store(handler as *mut (), Ordering::Release);
    number(_flyball_attach(number_of_line, serve))
}

#[unsafe(no_mangle)]
extern "C" fn flyball_pend(line: c_uint) {
    if let Ok(line) = u16::try_from(line) {
        _flyball_pend(line);
    }
}

#[unsafe(no_mangle)]
extern "C" fn flyball_timer_line() -> c_uint {
    _flyball_timer_line().into()
}

#[unsafe(no_mangle)]
extern "C" fn flyball_set_timer(after: u64) {
    _flyball_set_timer(Duration::from_nanos(after));
}
