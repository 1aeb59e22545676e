//! What an application calls in its root.

/// Makes the application's kernel: a static of a name and a type. It brings the handlers of
/// interrupts, faults and panics.
#[macro_export]
macro_rules! kernel {
    ($name:ident: $config:ty) => {
        /// The kernel.
        static $name: $crate::Kernel<$config> = $crate::Kernel::new();

        #[unsafe(no_mangle)]
        extern "C" fn flyball_trapped(cause: usize) {
            $name.trapped(cause);
        }

        #[unsafe(no_mangle)]
        extern "C" fn flyball_begun() {
            $name.begun();
        }

        #[unsafe(no_mangle)]
        extern "C" fn flyball_other_hart() -> ! {
            $name.other_hart()
        }

        #[panic_handler]
        fn panic(info: &::core::panic::PanicInfo<'_>) -> ! {
            $name.panicked(info)
        }
    };
}

/// What an application that is built for any machine chooses about this one: how many CPUs there
/// are, and whether stacks are watched.
#[macro_export]
macro_rules! configure {
    ($config:ty, guarded: $guarded:expr, cpus: $cpus:expr) => {
        impl $crate::MachineConfig for $config {
            const STACKS: $crate::Stacks = if $guarded {
                $crate::Stacks::Guarded
            } else {
                $crate::Stacks::Unwatched
            };
            const CPUS: u8 = {
                let cpus: usize = $cpus;
                assert!(cpus >= 1 && cpus <= $crate::board::HARTS);
                cpus as u8
            };
        }
    };
}

/// What a kernel of this configuration reads of the clock.
#[macro_export]
macro_rules! stamp {
    ($config:ty) => {
        $crate::Time
    };
}

/// Makes the program: it begins with a call of `$main`, a `fn() -> !`.
#[macro_export]
macro_rules! main {
    ($main:path) => {
        #[unsafe(no_mangle)]
        extern "C" fn flyball_main() -> ! {
            $crate::heap::init();
            $main()
        }
    };
}
