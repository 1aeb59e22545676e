//! Runs a task set on several CPUs, each with an I+PI of its own, and above them a supervisor that
//! gives tasks their shares and moves them from CPU to CPU.
//!
//! The supervisor is a thread of the first CPU: the last task of the set, behind which the image
//! has what the supervisor is told ([`Plan`], and then [`RequirementChanges`]). It is a member of
//! that CPU's I+PI like any other, but it does not supervise itself. So its own work is bounded by
//! its share, as is that of any task, and no policy above I+PI is needed to run it. It waits for
//! its place in the round, so it acts late by a round at most; what tasks got is divided by the
//! time that has really passed. What it sees goes to a file of the host.
#![no_std]
#![no_main]

use core::fmt::Debug;
use flyball_catalogue::Ipi;
use flyball_policy::supervisor::{Observation, Observed, Plan, RequirementChanges};
use flyball_policy::{Boxed, CpuId, Encode};
use flyball_runner::machine::machine::Supervised;
use flyball_runner::machine::{Kernel, SpinLock};
use flyball_runner::{Program, Runner, TraceBuffer, fail, thread_of};
use flyball_script::image::Image;
use semihosting::fs::File;
use semihosting::io::Write;

/// I+PI on each CPU, and a supervisor.
struct Ipis;

type Supervisor = Observed<Boxed, Boxed, RequirementChanges<'static>, fn(Observation)>;

/// What the supervisor's thread begins with.
struct Beginning {
    /// The thread's number.
    number: usize,
    tasks: Supervised<Runner<Ipis>>,
    supervisor: Supervisor,
}

static BEGINNING: SpinLock<Option<Beginning>> = SpinLock::new(None);

/// Where it writes what it sees.
static FILE: SpinLock<Option<File>> = SpinLock::new(None);

impl Program for Ipis {
    type Boot = Ipi;

    fn prepare(kernel: &'static Kernel<Runner<Ipis>>, image: Image<'static>) {
        let mut bytes = image.controller();
        let Some(plan) = Plan::parse(&mut bytes) else {
            fail("the image does not say what the supervisor is to do")
        };
        if plan.tasks + 1 != image.tasks() {
            fail("the supervisor is not the last task");
        }
        let places = (0..plan.tasks).filter_map(|number| {
            let cpu = image.task(number).map(|task| CpuId(task.cpu));
            cpu.zip(thread_of(number.into()))
        });
        let tasks = or_fail(kernel.supervise(places, TraceBuffer::name));
        let start = image.common().start;
        let supervisor = Observed::new(
            &plan,
            start,
            RequirementChanges(bytes),
            tell as fn(Observation),
        );
        let file = or_fail(File::create(c"flyball-observations.bin"));
        FILE.with(|place| *place = Some(file));
        let beginning = Beginning {
            number: plan.tasks.into(),
            tasks,
            supervisor,
        };
        BEGINNING.with(|place| *place = Some(beginning));
    }
}

/// Writes what is seen to the host, which takes no time on the machine's clock but for the call.
fn tell(seen: Observation) {
    FILE.with(|file| {
        let Some(file) = file else { return };
        seen.emit(&mut |part| or_fail(file.write_all(part)));
    });
}

fn or_fail<T, E: Debug>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| fail(format_args!("{error:?}")))
}

/// What each thread does. The supervisor is the last one.
fn perform(kernel: &'static Kernel<Runner<Ipis>>, number: usize) -> ! {
    let mine = BEGINNING.with(|place| place.take_if(|place| place.number == number));
    if let Some(mut mine) = mine {
        or_fail(mine.tasks.control(&mut mine.supervisor));
    }
    flyball_runner::thread(kernel, number)
}

flyball_runner::runner!(Ipis, perform);
