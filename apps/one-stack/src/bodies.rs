//! What is kept of bodies, and which one runs. Everything here is called with interrupts masked.

use flyball_kernel::Clock as _;
use flyball_machine_cortexm::board::mps2_an385::Mps2An385;
use flyball_machine_cortexm::clock::Clock;
use flyball_policy::policy::{Policy, Ready, Resched, Stop, Usage};
use flyball_policy::{
    CpuId, Duration, End, Inline, Queue, Refused, Slot, SortedRing, Storage, Table, TaskId, Time,
};

/// The only CPU.
const CPU: CpuId = CpuId(0);

/// Room for so many bodies.
pub const MOST: usize = 128;

/// What a body is: a function that is called once for each release, and returns. It is told its number.
pub type Body = fn(TaskId);

/// What has become of a body's release.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Its job is done.
    Done,
    /// It is released, and has not begun.
    Released,
    /// It has begun, and is on the stack: it runs, or was preempted.
    Begun,
}

/// Bodies, and the policy that decides which one runs. `S` has a row for each.
pub struct Bodies<P: Policy, S: Storage> {
    /// The body that runs, or will when no interrupt is being served any more; none: `main`.
    running: Slot,
    policy: P,
    states: S::Table<State>,
    functions: S::Table<Body>,
}

impl<P: Policy, S: Storage> Bodies<P, S> {
    fn new(policy: P) -> Self {
        // A policy with time slices wants to hear of what is no event here.
        const { assert!(!P::WANTS.preempted && !P::WANTS.bursts && !P::WANTS.usage) }
        let rows = policy.capacity();
        let nothing: Body = |_| ();
        Bodies {
            running: Slot::EMPTY,
            policy,
            states: Table::new(rows, State::Done),
            functions: Table::new(rows, nothing),
        }
    }

    /// Releases `task` as of `release`. Returns whether it is more urgent than the body that runs. A release
    /// before the last job is done is lost, as of OSEK's basic tasks (conformance class BCC1).
    #[inline(always)]
    fn release(&mut self, task: TaskId, release: Time) -> bool {
        let state = &mut self.states[task.index()];
        if *state != State::Done {
            return false;
        }
        *state = State::Released;
        let why = Ready::Released { release };
        self.policy.ready(CPU, task, why, Time::ZERO) != Resched::None
    }

    /// The body that is to begin now, if the most urgent one has not begun.
    ///
    /// The policy serves a preempted task ahead of its equals, so the most urgent body that has begun is the last one
    /// that did: it is the one to go on, and on top of the stack.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<(TaskId, Body)> {
        let first = self.policy.pick(CPU, Time::ZERO);
        self.running = first.map(|first| first.task).into();
        let task = first?.task;
        let state = &mut self.states[task.index()];
        if *state == State::Begun {
            return None;
        }
        *state = State::Begun;
        Some((task, self.functions[task.index()]))
    }

    /// The body that runs. It is asked by one.
    #[inline(always)]
    pub(crate) fn running(&self) -> TaskId {
        self.running.get().unwrap_or(TaskId(0))
    }

    /// The job of `task` is done, which runs.
    #[inline(always)]
    pub(crate) fn complete(&mut self, task: TaskId) {
        self.states[task.index()] = State::Done;
        let used = Usage::time(Duration::ZERO);
        // The next one is asked for anyway.
        let _ = self
            .policy
            .stopped(CPU, task, used, Stop::Completed, Time::ZERO);
    }
}

/// Instants of release. `S` has a row for each body.
pub struct Periods<S: Storage> {
    next: SortedRing<Time, S>,
    periods: S::Table<Duration>,
}

/// All of it.
pub struct System<P: Policy> {
    pub(crate) bodies: Bodies<P, Inline<MOST>>,
    periods: Periods<Inline<MOST>>,
    clock: Clock<Mps2An385>,
}

impl<P: Policy> System<P> {
    /// Without bodies. The clock begins.
    pub fn new(policy: P) -> Self {
        System {
            bodies: Bodies::new(policy),
            periods: Periods {
                next: SortedRing::new(MOST),
                periods: Table::new(MOST, Duration::ZERO),
            },
            clock: Clock::start(),
        }
    }

    /// Makes `task`, which is released by calls.
    ///
    /// # Errors
    /// What the policy says.
    pub fn admit(&mut self, task: TaskId, params: P::Params, body: Body) -> Result<(), Refused> {
        self.bodies.policy.admit(task, params, Time::ZERO)?;
        self.bodies.functions[task.index()] = body;
        Ok(())
    }

    /// From now on `task` is released at `first`, and then after each `period`.
    pub fn start(&mut self, task: TaskId, first: Time, period: Duration) {
        self.periods.periods[task.index()] = period;
        self.periods.next.put(task, first, End::Tail);
        self.set_timer();
    }

    /// No more releases at instants.
    pub fn stop(&mut self) {
        self.periods.next = SortedRing::new(MOST);
        self.set_timer();
    }

    /// The time.
    pub fn now(&mut self) -> Time {
        let stamp = self.clock.stamp();
        self.clock.time(stamp)
    }

    /// Releases `task` now; see [`Bodies::release`]. `timed`: the policy wants to know when that is.
    #[inline(always)]
    pub(crate) fn release(&mut self, task: TaskId, timed: bool) -> bool {
        let now = if timed { self.now() } else { Time::ZERO };
        self.bodies.release(task, now)
    }

    /// Releases what is due. Returns whether that is more urgent than the body that runs.
    pub(crate) fn fire(&mut self) -> bool {
        let now = self.now();
        let mut preempts = false;
        while let Some(task) = self.periods.next.first()
            && let Some(release) = self.periods.next.key(task).filter(|&at| at <= now)
        {
            self.periods.next.take(task);
            let next = release + self.periods.periods[task.index()];
            self.periods.next.put(task, next, End::Tail);
            preempts |= self.bodies.release(task, release);
        }
        self.set_timer();
        preempts
    }

    fn set_timer(&mut self) {
        let next = self.periods.next.first_key();
        self.clock.set_timer(next.unwrap_or(Time::NEVER));
    }

    /// The body `task`, which runs, is at least as urgent as one with the parameters `ceiling` (the stack resource
    /// policy: no body begins that would wait for what it has); `None`: no more. Returns whether another one is more
    /// urgent now.
    #[inline(always)]
    pub(crate) fn ceiling(&mut self, task: TaskId, ceiling: Option<P::Params>) -> bool {
        let policy = &mut self.bodies.policy;
        let Some(ceiling) = ceiling else {
            return policy.inherit(task, None, Time::ZERO) != Resched::None;
        };
        // That it is refused means that the priority is none, which `admit` would have refused.
        let _ = policy.raise(task, ceiling, Time::ZERO, Time::ZERO);
        false
    }
}

/// Bytes of RAM for each body that there is room for, besides its share of the stack: what one takes, and what one
/// takes in addition that is released at instants. `Half` is the policy `P` with room for half as many.
pub const fn bytes_each<P: Policy, Half: Policy>() -> [usize; 2] {
    type Fewer = Inline<{ MOST / 2 }>;
    let bodies = size_of::<Bodies<P, Inline<MOST>>>() - size_of::<Bodies<Half, Fewer>>();
    let periods = size_of::<Periods<Inline<MOST>>>() - size_of::<Periods<Fewer>>();
    [bodies / (MOST / 2), periods / (MOST / 2)]
}
