//! What an application calls in its root.

/// Makes the application's kernel: a static of a name and a type; and, if it likes, what its own timer
/// calls (otherwise: what is [attached](crate::Kernel::attach) to it). It brings the handlers of context
/// switches, faults and panics.
#[macro_export]
macro_rules! kernel {
    ($name:ident: $config:ty) => {
        $crate::kernel!($name: $config, $crate::board::serve_timer);
    };
    ($name:ident: $config:ty, $timer:expr) => {
        $crate::pend_sv!(<$config as $crate::MachineConfig>::STACKS);
        $crate::fault_handlers!(<$config as $crate::MachineConfig>::STACKS);

        /// The kernel.
        #[unsafe(export_name = "FLYBALL_KERNEL")]
        static $name: $crate::Kernel<$config> = $crate::Kernel::new();

        #[unsafe(no_mangle)]
        extern "C" fn flyball_timer() {
            $name.timer();
        }

        #[unsafe(no_mangle)]
        extern "C" fn flyball_application_timer() {
            $crate::board::Timer::Application.clear();
            ($timer)();
        }

        #[unsafe(no_mangle)]
        extern "C" fn flyball_fault(taken: $crate::Taken) -> ! {
            $name.fault(taken)
        }

        #[panic_handler]
        fn panic(info: &::core::panic::PanicInfo<'_>) -> ! {
            $name.panicked(info)
        }
    };
}

/// What an application that is built for any machine chooses about this one: whether stacks are
/// guarded.
#[macro_export]
macro_rules! configure {
    ($config:ty, guarded: $guarded:expr, cpus: $cpus:expr) => {
        const _: () = assert!($cpus == 1, "this machine has one CPU");
        impl $crate::MachineConfig for $config {
            const STACKS: $crate::Stacks = if $guarded {
                $crate::Stacks::Guarded
            } else {
                $crate::Stacks::Unwatched
            };
        }
    };
}

/// Makes the program: it begins with a call of `$main`, a `fn() -> !`.
#[macro_export]
macro_rules! main {
    ($main:path) => {
        #[unsafe(export_name = "main")]
        extern "C" fn flyball_main() -> ! {
            $main()
        }
    };
}
