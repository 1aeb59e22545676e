//! What an application calls in its root.

/// Makes the application's kernel: a static of a name and a type; and, if it likes, what its own
/// timer calls (otherwise: what is [attached](crate::Machine::attach) to it). It brings the
/// handlers of context switches, faults and panics.
#[macro_export]
macro_rules! kernel {
    ($name:ident: $config:ty) => {
        $crate::kernel!($name: $config, $crate::vectors::serve_timer);
    };
    ($name:ident: $config:ty, $timer:expr) => {
        $crate::pend_sv!(
            <$config as $crate::MachineConfig>::STACKS,
            <$config as $crate::MachineConfig>::C_LIBRARY
        );
        $crate::fault_handlers!(<$config as $crate::MachineConfig>::STACKS);

        /// The kernel.
        #[unsafe(export_name = "FLYBALL_KERNEL")]
        static $name: $crate::Kernel<$config> = $crate::Kernel::new();

        const _: () = {
            type Board = <$config as $crate::BoardConfig>::Board;
            const LINES: usize = $crate::vectors::lines::<Board>();

            #[unsafe(link_section = ".vector_table.interrupts")]
            #[unsafe(no_mangle)]
            static __INTERRUPTS: [$crate::vectors::Vector; LINES] =
                $crate::vectors::table::<Board, LINES>(timer, application_timer);

            #[unsafe(export_name = "flyball_attached")]
            static ATTACHED: $crate::vectors::Attached<LINES> = $crate::vectors::Attached::new();

            extern "C" fn timer() {
                $name.timer();
            }

            extern "C" fn application_timer() {
                <Board as $crate::Board>::clear($crate::board::Timer::Application);
                ($timer)();
            }
        };

        #[unsafe(no_mangle)]
        extern "C" fn flyball_fault(taken: $crate::ExceptionState) -> ! {
            $name.fault(taken)
        }

        #[panic_handler]
        fn panic(info: &::core::panic::PanicInfo<'_>) -> ! {
            $name.panicked(info)
        }
    };
}

/// What an application that is built for any machine chooses about this one: whether stacks are
/// guarded, and the board, if it is none of this crate's.
#[macro_export]
macro_rules! configure {
    ($config:ty, guarded: $guarded:expr, cpus: $cpus:expr) => {
        $crate::configure!($config, guarded: $guarded, cpus: $cpus, board: $crate::board::Chosen);
    };
    ($config:ty, guarded: $guarded:expr, cpus: $cpus:expr, board: $board:ty) => {
        const _: () = assert!($cpus == 1, "this machine has one CPU");
        impl $crate::BoardConfig for $config {
            type Board = $board;
        }
        impl $crate::MachineConfig for $config {
            const STACKS: $crate::Stacks = if $guarded {
                $crate::Stacks::Guarded
            } else {
                $crate::Stacks::Unwatched
            };
        }
    };
}

/// What a kernel of this configuration reads of the clock.
#[macro_export]
macro_rules! stamp {
    ($config:ty) => {
        $crate::Ticks<<$config as $crate::BoardConfig>::Board>
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
