//! Interrupts, and how a machine ends.

use core::cell::{Cell, RefCell};
use core::task::Poll;
use flyball_kernel::{Attributes, Config, Error, Numbered, SemaphoreId, Timing};
use flyball_machine_host::{Ended, EntryPoint, Kernel, Machine};
use flyball_policy::order::Level;
use flyball_policy::{Bitmap, Duration, FixedPriority, Inline, Nothing, Priority, Ranked, Time};
use flyball_trace::Event;

struct Small;

impl Config for Small {
    type Policy = Ranked<FixedPriority, Bitmap<Level, Inline<4>>>;
    type Trace = Vec<Event>;
    type Message = ();
    type Stamp = Time;
    type Cpus = Inline<1>;
    type Threads = Inline<4>;
    type Objects = Numbered<Inline<1>, Inline<2>, Inline<1>>;
    type Owned = Nothing;
    type Ceilings = Nothing;
    type Queues = Inline<1>;
    type Messages = Inline<1>;
    type Jobs = Self::Threads;
    type Arrivals = Inline<1>;
    type Accounts = Inline<4>;
    type Counts = Nothing;
    type Budgets = Nothing;
}

thread_local! {
    /// Each test has a thread of the operating system, and so a kernel, of its own.
    static KERNEL: &'static Kernel<Small> = {
        let kernel: &'static Kernel<Small> = Box::leak(Box::default());
        kernel.init(Ranked::new(FixedPriority, 4), Vec::new(), Timing::Tickless);
        kernel
    };
    static SEMAPHORE: Cell<Option<SemaphoreId>> = const { Cell::new(None) };
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn kernel() -> &'static Kernel<Small> {
    KERNEL.with(|kernel| *kernel)
}

fn log(what: &str) {
    LOG.with_borrow_mut(|log| log.push(format!("{} {what}", kernel().now())));
}

fn logged() -> Vec<String> {
    LOG.take()
}

fn semaphore() -> SemaphoreId {
    SEMAPHORE.get().unwrap_or_else(|| {
        let made = kernel().look(|core| core.semaphore(0)).unwrap().unwrap();
        SEMAPHORE.set(Some(made));
        made
    })
}

fn us(n: u64) -> Duration {
    Duration::from_micros(n)
}

fn spawn(priority: u8, entry: EntryPoint) {
    let attributes = Attributes::THREAD;
    // SAFETY: the entries here can be called with any number, and no job is given up.
    let spawned = unsafe { kernel().spawn_on(&mut [], attributes, Priority(priority), entry, 0) };
    spawned.unwrap();
}

fn wait() -> Result<Option<()>, Error> {
    let semaphore = semaphore();
    kernel().call(|core, cpu, now| core.wait(cpu, semaphore, Time::NEVER, now))
}

fn signal() {
    let semaphore = semaphore();
    let signalled =
        kernel().call(|core, cpu, now| core.signal(cpu, semaphore, now).map(Poll::Ready));
    signalled.unwrap();
}

fn exit() -> ! {
    let ended = kernel().call(|core, cpu, now| core.exit(cpu, now).map(|()| Poll::Pending::<()>));
    panic!("a thread has ended and goes on: {ended:?}")
}

extern "C" fn waits(_: usize) -> ! {
    while wait() == Ok(None) {
        log("woken");
    }
    panic!("a wait has no outcome")
}

extern "C" fn computes(_: usize) -> ! {
    log("begins");
    kernel().compute(us(10));
    log("has computed");
    exit()
}

#[test]
fn interrupts_come_at_their_instants_and_preempt() {
    extern "C" fn handler() {
        log("interrupt");
        assert!(!kernel().in_thread());
        signal();
    }
    spawn(1, computes);
    spawn(2, waits);
    let line = 3;
    kernel().attach(line, handler).unwrap();
    kernel().pend_at(line, Time::ZERO + us(7));
    kernel().pend_at(line, Time::ZERO + us(4));
    kernel().pend_at(30, Time::ZERO + us(5));
    assert_eq!(kernel().attach(99, handler), Err(Error::Unknown));
    assert_eq!(kernel().run(Time::ZERO + us(8)), Ok(Ended::Until));
    assert_eq!(
        logged(),
        [
            "0 begins",
            "4us interrupt",
            "4us woken",
            "7us interrupt",
            "7us woken"
        ]
    );
    // It goes on where it was.
    assert_eq!(kernel().run(Time::NEVER), Ok(Ended::Stuck(1)));
    assert_eq!(logged(), ["10us has computed"]);
    kernel().pend(line);
    assert_eq!(kernel().run(Time::NEVER), Ok(Ended::Stuck(1)));
    assert_eq!(logged(), ["10us interrupt", "10us woken"]);
}

#[test]
fn the_timer_is_set_anew_by_its_handler_and_forgets_what_was_set_before() {
    extern "C" fn handler() {
        log("tick");
        if kernel().now() < Time::ZERO + us(20) {
            kernel().set_timer(us(10));
        }
    }
    let line = kernel().timer_line();
    kernel().attach(line, handler).unwrap();
    kernel().set_timer(us(3));
    kernel().set_timer(us(5));
    assert_eq!(kernel().run(Time::NEVER), Ok(Ended::Finished));
    assert_eq!(logged(), ["5us tick", "15us tick", "25us tick"]);
}

#[test]
fn an_interrupt_from_a_thread_is_served_before_the_thread_goes_on() {
    extern "C" fn handler() {
        log("interrupt");
    }
    extern "C" fn pends(_: usize) -> ! {
        kernel().pend(3);
        log("pended");
        exit()
    }
    kernel().attach(3, handler).unwrap();
    spawn(1, pends);
    assert_eq!(kernel().run(Time::NEVER), Ok(Ended::Finished));
    assert_eq!(logged(), ["0 interrupt", "0 pended"]);
}

#[test]
fn a_handler_cannot_wait_even_while_a_thread_runs() {
    extern "C" fn handler() {
        log(&format!("{:?}", kernel().in_thread()));
    }
    extern "C" fn computes_long(_: usize) -> ! {
        kernel().compute(us(100));
        exit()
    }
    spawn(1, computes_long);
    kernel().attach(3, handler).unwrap();
    kernel().pend_at(3, Time::ZERO + us(4));
    assert_eq!(kernel().run(Time::NEVER), Ok(Ended::Finished));
    assert_eq!(logged(), ["4us false"]);
    assert_eq!(kernel().now(), Time::ZERO + us(100));
}

#[test]
fn rows_are_used_again() {
    for n in 0..20 {
        spawn(1, computes);
        assert_eq!(kernel().run(Time::NEVER), Ok(Ended::Finished));
        assert_eq!(kernel().now(), Time::ZERO + us(10 * (n + 1)));
    }
}

#[test]
fn who_spins_is_found_out() {
    extern "C" fn spins(_: usize) -> ! {
        loop {
            let yielded = kernel().call(|core, cpu, now| core.yield_now(cpu, now).map(Poll::Ready));
            yielded.unwrap();
        }
    }
    spawn(1, spins);
    assert_eq!(kernel().run(Time::NEVER), Ok(Ended::Spinning));
}

/// Runs `test` of this file in a process of its own, in which `CHILD` is set. Returns the exit
/// code, and what it says.
fn as_process(test: &str) -> (Option<i32>, String) {
    let program = std::env::current_exe().unwrap();
    let output = std::process::Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env("CHILD", "")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), said)
}

fn is_child() -> bool {
    std::env::var_os("CHILD").is_some()
}

#[test]
fn a_process_that_is_stuck_says_so() {
    if is_child() {
        spawn(2, waits);
        spawn(1, computes);
        spawn(1, waits);
        kernel().start();
    }
    let (code, said) = as_process("a_process_that_is_stuck_says_so");
    assert_eq!(code, Some(1));
    assert!(
        said.contains(
            "flyball: 10us: all 2 threads wait for ever: nothing is left that could wake one\n"
        ),
        "{said}"
    );
}

#[test]
fn a_process_whose_threads_have_ended_ends() {
    if is_child() {
        spawn(1, computes);
        kernel().start();
    }
    let ended = as_process("a_process_whose_threads_have_ended_ends");
    assert_eq!(ended, (Some(0), String::new()));
}

#[test]
fn a_panic_in_a_thread_ends_the_process() {
    extern "C" fn panics(_: usize) -> ! {
        panic!("out of order")
    }
    if is_child() {
        spawn(1, panics);
        kernel().start();
    }
    let (code, said) = as_process("a_panic_in_a_thread_ends_the_process");
    assert_eq!(code, Some(101));
    assert!(said.contains("out of order"), "{said}");
    assert!(!said.contains("cannot unwind"), "{said}");
}

#[test]
fn other_threads_of_the_operating_system_have_no_kernel() {
    let mine = kernel();
    let signal = std::thread::spawn(move || {
        mine.init(Ranked::new(FixedPriority, 4), Vec::new(), Timing::Tickless);
        assert_eq!(mine.run(Time::NEVER), Err(Error::Unknown));
        mine.look(|_| ())
    });
    assert_eq!(signal.join().unwrap(), None);
    assert_eq!(mine.look(|core| core.misses()), Some(0));
    // Nor is there one inside of itself.
    assert_eq!(mine.look(|_| mine.look(|_| ())), Some(None));
}
