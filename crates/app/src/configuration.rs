//! The one place in an application that chooses policy, sizes, tracing and accounting.

use flyball_kernel::Timing;
use flyball_policy::Storage;

/// What the settings of a [`kernel!`](crate::kernel!) are, but for policy and trace.
///
/// Sizes are rounded up to powers of two. What the kernel has no room for is refused with
/// [`Error::Full`](crate::Error::Full) when it is used for the first time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
pub struct Settings {
    /// CPUs, which share all threads; the policy has to be one for several then, such as
    /// [`GlobalFixedPriorities`](crate::GlobalFixedPriorities). Most machines have one.
    pub cpus: usize,
    /// Threads that there are at the same time. (The policy has to have room for them, too.)
    pub threads: usize,
    /// Whether there are [`Mutex`](crate::Mutex)es, [`Semaphore`](crate::Semaphore)s and
    /// [`Condition`](crate::Condition)s. Where there are to be none, they need no memory and no code, and a thread cannot
    /// wait for one.
    pub objects: bool,
    /// Whether there are [`Condition`](crate::Condition)s among them.
    pub conditions: bool,
    /// Whether waits may have limits: [`lock_until`](crate::Mutex::lock_until) and its like. Where they may not, such a
    /// call says [`Error::Full`](crate::Error::Full) if it would have to wait; threads sleep all the same.
    pub timeouts: bool,
    /// Mutexes that all threads together whose late jobs are given up
    /// ([`spawn_abortable`](crate::spawn_abortable)) may have at the same time, with those that they wait for.
    pub held: usize,
    /// [`Queue`](crate::Queue)s.
    pub queues: usize,
    /// Messages in all queues together.
    pub messages: usize,
    /// Whether there are periodic and sporadic threads, and threads with deadlines. Where all just
    /// start and run, jobs need no memory and no code.
    pub jobs: bool,
    /// Jobs of sporadic threads that wait for an earlier job of the same thread to end, besides the
    /// first of each thread.
    pub arrivals: usize,
    /// Whether CPU time is counted. Where it is not, [`cpu_time`](crate::cpu_time) and
    /// [`idle_time`](crate::idle_time) are zero, and calls need not look at the clock.
    pub accounting: bool,
    /// Whether a semaphore can be signalled where the budget of a server is used up, see
    /// [`Handle::on_exhaust`](crate::Handle::on_exhaust). (The policy has to have servers.)
    pub overruns: bool,
    /// Whether calls make sure that a thread calls, and that what they name exists. Where they do
    /// not, a handler of an interrupt that waits, or `init`, stops the threads for ever; at a queue it is refused all the same.
    pub checks: bool,
    /// Whether a thread that needs more stack than it has is stopped and named, on machines that
    /// can do that.
    pub guarded: bool,
    /// When the kernel looks at the clock.
    pub timing: Timing,
}

impl Settings {
    /// What is not said in a [`kernel!`](crate::kernel!).
    pub const DEFAULT: Settings = Settings {
        cpus: 1,
        threads: 8,
        objects: true,
        conditions: true,
        timeouts: true,
        held: 0,
        queues: 4,
        messages: 16,
        jobs: true,
        arrivals: 8,
        accounting: true,
        overruns: false,
        checks: true,
        guarded: true,
        timing: Timing::Tickless,
    };
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::DEFAULT
    }
}

/// Makes an application: its kernel, and its `main`.
///
/// ```
/// use flyball_app::prelude::*;
/// use flyball_app::println;
/// # // The program's `main` is made by a macro, which rustdoc has to be told.
/// # macro_rules! made { () => { fn main() {} } }
///
/// flyball_app::kernel! {
///     machine: flyball_machine_host,
///     policy: FixedPriorities<8> = FixedPriorities::new(FixedPriority, 8),
///     init: init,
///     threads: 4,
/// }
///
/// static HELLO: Stack<512> = Stack::new();
///
/// fn init() -> Result<(), Error> {
///     spawn(&HELLO, Thread::once(), Priority(1), || println!("hello"))?;
///     Ok(())
/// }
/// ```
///
/// In this order:
///
/// * `machine`: the crate of the machine. One source is built for several machines if the
///   dependency has the same name for all: `machine = { package = "flyball-machine-host", … }`.
/// * `board` (if at all): the type of a board that the application brings, on machines that know
///   several boards.
/// * `policy`: its type, and how it is made.
/// * `trace` (if at all): the type of a [`Sink`](crate::Sink), and how it is made, such as `Ring<64> = Ring::new()`. Without it nothing is traced.
/// * `init`: a `fn() -> Result<(), Error>` that makes the first threads, before scheduling starts.
///   If it fails the program says why, and ends with exit code 1.
/// * in any order, and each if at all: the fields of [`Settings`].
///
/// The crate that calls this has to call it in its root, once. There are then, beside `main`:
///
/// * `spawn(&STACK, thread, params, body)`, which makes a thread; see [`spawn`](crate::spawn).
/// * `spawn_abortable(…)`, for threads whose late jobs are given up; see
///   [`spawn_abortable`](crate::spawn_abortable).
/// * `Handle`, what a thread is known by: [`Handle`](crate::Handle) for this application.
/// * `with_trace(|trace| …)`, which looks at what has been traced so far.
/// * `Application`, the type that the above belong to.
#[macro_export]
macro_rules! kernel {
    (
        machine: $machine:ident,
        $(board: $board:ty,)?
        policy: $policy:ty = $make:expr,
        $(trace: $trace:ty = $sink:expr,)?
        init: $init:path
        $(, $setting:ident: $value:expr)* $(,)?
    ) => {
        /// This application, as its threads' policy sees it.
        pub(crate) struct Application;

        /// What a thread of this application is known by.
        #[allow(dead_code, reason = "for who needs it")]
        pub(crate) type Handle = $crate::Handle<Application>;

        /// Makes a thread; see [`flyball_app::spawn`](flyball_app::spawn).
        ///
        /// # Errors
        /// As there.
        #[allow(dead_code, reason = "for who needs it")]
        #[inline]
        pub(crate) fn spawn<const WORDS: usize>(
            stack: &'static $crate::Stack<WORDS>,
            thread: $crate::Thread,
            params: <$policy as $crate::Policy>::Params,
            body: impl FnOnce() + Send + 'static,
        ) -> Result<Handle, $crate::Error> {
            $crate::spawn(stack, thread, params, body)
        }

        /// Makes a thread whose late jobs are given up; see
        /// [`flyball_app::spawn_abortable`](flyball_app::spawn_abortable).
        ///
        /// # Errors
        /// As there.
        ///
        /// # Safety
        /// As there.
        #[allow(dead_code, unsafe_code, reason = "for who needs it, and keeps its contract")]
        #[inline]
        pub(crate) unsafe fn spawn_abortable<const WORDS: usize>(
            stack: &'static $crate::Stack<WORDS>,
            thread: $crate::Thread,
            params: <$policy as $crate::Policy>::Params,
            body: impl Fn() + Send + 'static,
        ) -> Result<Handle, $crate::Error> {
            // SAFETY: as the caller promises.
            unsafe { $crate::spawn_abortable(stack, thread, params, body) }
        }

        /// Gives the whole policy other settings while it runs: a quantum, or how far groups are sorted.
        ///
        /// # Errors
        /// [`Error::Refused`](flyball_app::Error::Refused) if it does not take them; nothing has changed then.
        #[allow(dead_code, reason = "not every application tunes its policy")]
        pub(crate) fn tune(
            settings: <$policy as $crate::Policy>::Settings,
        ) -> Result<(), $crate::Error> {
            <Application as $crate::seam::Binding>::tune(settings)
        }

        /// With what has been traced so far. Interrupts may have to wait meanwhile, and `look`
        /// makes no call of the kernel.
        #[allow(dead_code, reason = "for who needs it")]
        pub(crate) fn with_trace<R>(
            look: impl FnOnce(&$crate::__first!($($trace,)? $crate::__private::NoTrace)) -> R,
        ) -> Option<R> {
            Application::with_trace(look)
        }

        // The kernel has no name outside of this block: see `__bind!`. What is in it must not
        // hide what `$policy` and `$trace` name.
        #[allow(unsafe_code, clippy::needless_update)]
        const _: () = {
            $machine::kernel!(KERNEL: FlyballConfig);
            $crate::__bind!(KERNEL);

            const FLYBALL_SETTINGS: $crate::Settings = $crate::Settings {
                $($setting: $value,)*
                ..$crate::Settings::DEFAULT
            };

            const _: () = assert!(
                !matches!(FLYBALL_SETTINGS.timing, $crate::Timing::Tick(tick) if tick.is_zero()),
                "timing: a tick of zero; say how long it is, or leave `timing` out"
            );

            type FlyballTrace = $crate::__first!($($trace,)? $crate::__private::NoTrace);

            struct FlyballConfig;

            impl $crate::__private::Config for FlyballConfig {
                type Policy = $policy;
                type Trace = FlyballTrace;
                type Message = Message;
                type Stamp = $machine::stamp!(FlyballConfig);
                type Cpus = $crate::Inline<{ FLYBALL_SETTINGS.cpus.next_power_of_two() }>;
                type Threads = $crate::Inline<{ FLYBALL_SETTINGS.threads.next_power_of_two() }>;
                type Objects = $crate::__private::InMemory;
                type Owned = $crate::__rows!(FLYBALL_SETTINGS.held);
                type Ceilings = Nothing;
                type Queues = $crate::__rows!(FLYBALL_SETTINGS.queues);
                type Messages = $crate::__rows!(FLYBALL_SETTINGS.messages);
                type Jobs = <If<{ FLYBALL_SETTINGS.jobs }> as Choice>::Of<Self::Threads, Nothing>;
                type Arrivals = $crate::__rows!(FLYBALL_SETTINGS.arrivals);
                type Accounts = <If<{ FLYBALL_SETTINGS.accounting }> as Choice>::Of<Self::Threads, Nothing>;
                type Counts = <If<{ <$policy as $crate::Policy>::WANTS.counts }> as Choice>::Of<Self::Threads, Nothing>;
                type Budgets = <If<{ FLYBALL_SETTINGS.overruns || <FlyballTrace as $crate::Sink>::BUDGETS }> as Choice>::Of<Self::Threads, Nothing>;
                const OBJECTS: bool = FLYBALL_SETTINGS.objects;
                const CONDITIONS: bool = FLYBALL_SETTINGS.objects && FLYBALL_SETTINGS.conditions;
                const ACCOUNTING: bool = FLYBALL_SETTINGS.accounting;
                const TIMEOUTS: bool = FLYBALL_SETTINGS.timeouts;
                const OVERRUNS: bool = FLYBALL_SETTINGS.overruns;
                const CHECKS: bool = FLYBALL_SETTINGS.checks;
                const TICKS: bool = matches!(FLYBALL_SETTINGS.timing, $crate::Timing::Tick(_));
            }

            $machine::configure!(
                FlyballConfig, guarded: FLYBALL_SETTINGS.guarded, cpus: FLYBALL_SETTINGS.cpus $(, board: $board)?
            );

            impl $crate::seam::Binding for Application {
                type Params = <$policy as $crate::Policy>::Params;
                type Settings = <$policy as $crate::Policy>::Settings;

                unsafe fn spawn(
                    stack: &'static mut [usize],
                    attributes: $crate::__private::Attributes<$crate::__private::At>,
                    params: Self::Params,
                    entry: extern "C" fn(usize) -> !,
                    argument: usize,
                ) -> Result<ThreadId, Error> {
                    // SAFETY: as the caller promises.
                    unsafe { KERNEL.spawn_on(stack, attributes, params, entry, argument) }
                }

                fn adjust(thread: ThreadId, params: Self::Params) -> Result<(), Error> {
                    KERNEL.act_now(|core, cpu, now| core.adjust(cpu, thread, params, now))
                }

                fn tune(settings: Self::Settings) -> Result<(), Error> {
                    KERNEL.act_now(|core, _, now| core.tune(settings, now))
                }
            }

            impl Application {
                /// The whole program.
                fn start() -> ! {
                    let sink: FlyballTrace =
                        $crate::__first!(@value $($sink,)? $crate::__private::NoTrace);
                    KERNEL.init($make, sink, FLYBALL_SETTINGS.timing);
                    let started: Result<(), Error> = $init();
                    if let Err(error) = started {
                        // Without formatting, which takes kilobytes.
                        KERNEL.print("flyball: the application cannot start: ");
                        KERNEL.print(error.text());
                        KERNEL.print("\n");
                        KERNEL.shut_down(1);
                    }
                    KERNEL.start()
                }

                fn with_trace<R>(look: impl FnOnce(&FlyballTrace) -> R) -> Option<R> {
                    KERNEL.look(|core| look(core.trace()))
                }
            }
        };

        $machine::main!(Application::start);
    };
}

/// The storage of a table with so many rows.
#[doc(hidden)]
#[macro_export]
macro_rules! __rows {
    ($rows:expr) => {
        <If<{ $rows > 0 }> as Choice>::Of<
            $crate::Inline<{ $rows.next_power_of_two() }>,
            Nothing,
        >
    };
}

/// A choice between two types, made by the compiler.
#[doc(hidden)]
pub trait Choice {
    /// The first if so, the second if not.
    type Of<A: Storage, B: Storage>: Storage;
}

/// See [`Choice`].
#[doc(hidden)]
pub struct If<const SO: bool>;

impl Choice for If<true> {
    type Of<A: Storage, B: Storage> = A;
}

impl Choice for If<false> {
    type Of<A: Storage, B: Storage> = B;
}

/// The first of one or two.
#[doc(hidden)]
#[macro_export]
macro_rules! __first {
    (@value $first:expr $(, $second:expr)?) => {
        $first
    };
    ($first:ty $(, $second:ty)?) => {
        $first
    };
}
