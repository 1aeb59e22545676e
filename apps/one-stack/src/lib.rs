//! An experiment: threads that never wait in the middle share one stack.
//!
//! A *body* is a function that is called once for each release, and returns: a basic task of OSEK, a thread of Ada's
//! Ravenscar profile under the stack resource policy, a task of RTIC that never awaits. A more urgent body preempts
//! one by running on top of it ([`preempt`]), so there is one stack, and no registers are kept but those that a call,
//! or the processor, keeps. What is the most urgent body is the decision of the kernel's own policies ([`bodies`]).
//!
//! There is an image for each policy. The emulator's command line says what it does:
//!
//! | | |
//! |---|---|
//! | `calls N` | figures of calls and interrupts, while `N` less urgent bodies are released ([`measure`]) |
//! | `release N`, `first N` | figures of `N` bodies that are released at one instant |
//! | `bytes` | bytes of RAM for a body, and for its period |
//! | `order LAST …` | the order in which bodies begin and end, up to `LAST` ms ([`order`]) |
//!
//! A figure is a line `name sum count worst`, in instructions, as in `apps/costs`, with whose marks they are counted.
#![no_std]
#![allow(
    clippy::inline_always,
    reason = "what is between two marks has to be what is measured, and nothing else"
)]

pub mod bodies;
#[path = "../../costs/src/mark.rs"]
#[allow(dead_code, reason = "not all marks are needed here")]
mod mark;
pub mod measure;
pub mod order;
pub mod preempt;

#[doc(hidden)]
pub use flyball_machine_cortexm;

use flyball_machine_cortexm::board::mps2_an385::Mps2An385;
use flyball_machine_cortexm::board::{Board as _, Timer};
use preempt::{INTERRUPTS, Image};
use semihosting::experimental::env;
use semihosting::{println, process};

/// What the processor calls at an interrupt.
type Vector = unsafe extern "C" fn();

/// Lines that no device uses: one releases a body, the other tells when its handler began.
const RELEASING: u16 = 20;
const MARKING: u16 = 21;
/// The most words of a command line, and bytes.
const WORDS: usize = 64;
const BYTES: usize = 512;

/// The vectors of an image's interrupts.
pub const fn vectors(timer: Vector, releasing: Vector) -> [Vector; 32] {
    extern "C" fn unexpected() {
        fail("an interrupt that nothing is attached to");
    }
    let mut vectors = [unexpected as Vector; 32];
    vectors[Mps2An385::TIMER_LINES[0] as usize] = timer;
    vectors[RELEASING as usize] = releasing;
    vectors[MARKING as usize] = measure::mark;
    vectors
}

/// The timer's interrupt.
pub fn timer<I: Image>() {
    Mps2An385::clear(Timer::Kernel);
    if I::with(bodies::System::fire) {
        cortex_m::peripheral::SCB::set_pendsv();
    }
}

/// Sets priorities and enables interrupts, and does what the command line says. `main` is what runs while no body
/// does.
pub fn start<I: Image>() -> ! {
    enable();
    let Ok(arguments) = env::args::<BYTES>() else {
        fail("there is no command line");
    };
    let (mut numbers, mut count) = ([0; WORDS], 0);
    let mut words = (&arguments).skip(1);
    let what = words.next().and_then(Result::ok).unwrap_or_default();
    for word in words {
        let number = word.ok().and_then(|word: &str| word.parse().ok());
        let (Some(number), true) = (number, count < WORDS) else {
            fail("the command line has something that is not understood");
        };
        numbers[count] = number;
        count += 1;
    }
    match (what, &numbers[..count]) {
        ("calls", &[n]) => measure::calls::<I>(n),
        ("release", &[n]) => measure::releases::<I>(n, false),
        ("first", &[n]) => measure::releases::<I>(n, true),
        ("bytes", []) => measure::bytes::<I>(),
        ("order", [last, tasks @ ..]) => order::run::<I>(*last, tasks),
        _ => fail("it is not said what to do"),
    }
    process::exit(0)
}

/// Enables interrupts: those that release bodies are above `PendSV`, and below `SVCall`.
fn enable() {
    // SAFETY: nothing else has the processor's registers, and all handlers are in place.
    unsafe {
        let mut core = cortex_m::Peripherals::steal();
        core.SCB
            .set_priority(cortex_m::peripheral::scb::SystemHandler::PendSV, 0xff);
        for line in [Mps2An385::TIMER_LINES[0], RELEASING, MARKING] {
            core.NVIC.set_priority(Line(line), INTERRUPTS);
            cortex_m::peripheral::NVIC::unmask(Line(line));
        }
    }
}

/// An interrupt's line.
#[derive(Clone, Copy)]
struct Line(u16);

// SAFETY: the numbers used are those of lines that the board has.
unsafe impl cortex_m::interrupt::InterruptNumber for Line {
    fn number(self) -> u16 {
        self.0
    }
}

/// Ends: something is not as it has to be.
fn fail(why: &str) -> ! {
    println!("error: {why}");
    process::exit(1)
}

/// What a panic says, at the end of all.
pub fn panicked(info: &core::panic::PanicInfo<'_>) -> ! {
    println!("error: {info}");
    process::exit(1)
}

/// An image for a policy: its type and how it is made, the same type with room for half as many bodies, what a body
/// tells it, and whether it wants to know when bodies are released.
#[macro_export]
macro_rules! image {
    (
        policy: $policy:ty = $make:expr, smaller: $half:ty, params: $params:expr, timed: $timed:expr $(,)?
    ) => {
        use $crate::bodies::{System, bytes_each};
        use $crate::preempt::{self, Image};

        struct This;

        static SYSTEM: $crate::flyball_machine_cortexm::SpinLock<
            ::core::mem::MaybeUninit<System<$policy>>,
        > = $crate::flyball_machine_cortexm::SpinLock::new(::core::mem::MaybeUninit::uninit());

        impl Image for This {
            type Policy = $policy;
            const TIMED: bool = $timed;
            const BYTES: [usize; 2] = bytes_each::<$policy, $half>();

            #[inline(always)]
            fn with<R>(f: impl FnOnce(&mut System<$policy>) -> R) -> R {
                // SAFETY: `main` has written it, before interrupts or bodies.
                SYSTEM.with(|system| f(unsafe { system.assume_init_mut() }))
            }

            fn params(urgency: u32) -> <$policy as ::flyball_policy::Policy>::Params {
                let params: fn(u32) -> _ = $params;
                params(urgency)
            }
        }

        #[unsafe(link_section = ".vector_table.interrupts")]
        #[unsafe(no_mangle)]
        static __INTERRUPTS: [unsafe extern "C" fn(); 32] = $crate::vectors(timer, releasing);

        extern "C" fn timer() {
            $crate::timer::<This>();
        }

        extern "C" fn releasing() {
            preempt::release_from_interrupt::<This>($crate::measure::HIGHER);
        }

        #[unsafe(no_mangle)]
        extern "C" fn flyball_first() -> u64 {
            preempt::first::<This>()
        }

        #[unsafe(no_mangle)]
        extern "C" fn flyball_rest() {
            preempt::rest::<This>();
        }

        $crate::flyball_machine_cortexm::main!(main);

        fn main() -> ! {
            SYSTEM.with(|system| {
                system.write(System::new($make));
            });
            $crate::start::<This>()
        }

        #[panic_handler]
        fn panic(info: &::core::panic::PanicInfo<'_>) -> ! {
            $crate::panicked(info)
        }
    };
}
