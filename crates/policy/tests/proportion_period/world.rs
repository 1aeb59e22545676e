//! A CPU, and a policy that divides it: what a kernel does for its tasks.

use flyball_policy::proportion_period::{
    BestEffort, ControllerPlace, Part, ProportionPeriod, Request, Settings,
};
use flyball_policy::{
    Boxed, CpuId, Duration, Fifo, Fill, Policy, Ranked, Ready, Refused, Role, SortedList, Stop,
    TaskId, Time, Usage,
};

pub(super) const CPU: CpuId = CpuId(0);
pub(super) const TASKS: u16 = 6;

type Background = Ranked<Fifo, SortedList<(), Boxed>>;
type Pp = ProportionPeriod<Background, Boxed>;

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Admit(u16, Request),
    Adjust(u16, Request),
    Retire(u16),
    Ready(u16),
    /// The running task goes on for so many microseconds, and then it stops.
    Run(u64, Stop),
    /// A task moves a message: the level of the queue is this then.
    Move(u16, usize, Role, u16),
    /// A thread runs the controllers.
    Control,
    /// Nothing happens for so many microseconds, but for alarms.
    Pass(u64),
}

/// The policy, and what a kernel knows of its tasks.
pub(super) struct World {
    pub(super) policy: Pp,
    settings: Settings,
    pub(super) now: Time,
    requests: [Option<Request>; TASKS as usize],
    is_queued: [bool; TASKS as usize],
    tied: Vec<(u16, usize, Role)>,
    notes: [u16; 4],
    running: Option<(TaskId, Option<Duration>, Duration)>,
}

impl World {
    pub(super) fn new(settings: Settings) -> World {
        // Room for all ends that there can be.
        let capacity = 2 * usize::from(TASKS);
        let background = Background::new(Fifo, capacity);
        World {
            policy: Pp::new(settings, background, capacity),
            settings,
            now: Time::ZERO,
            requests: [None; TASKS as usize],
            is_queued: [false; TASKS as usize],
            tied: Vec::new(),
            notes: [0; 4],
            running: None,
        }
    }

    pub(super) fn stop(&mut self, why: Stop) {
        if let Some((task, _, used)) = self.running.take() {
            if matches!(why, Stop::Blocked | Stop::Completed) {
                self.is_queued[task.index()] = false;
            }
            let _ = self
                .policy
                .stopped(CPU, task, Usage::time(used), why, self.now);
        }
    }

    pub(super) fn pick(&mut self) {
        let picked = self.policy.pick(CPU, self.now);
        self.running = picked.map(|it| (it.task, it.burst, Duration::ZERO));
        if let Some(it) = picked {
            assert!(self.is_queued[it.task.index()], "what runs is ready");
            assert_ne!(it.burst, Some(Duration::ZERO));
        }
    }

    /// Time passes, and what runs goes on, up to its bursts and to alarms.
    pub(super) fn pass(&mut self, length: u64) {
        let end = self.now + Duration::from_micros(length);
        while self.now < end {
            let mut next = end;
            if let Some((_, Some(burst), used)) = self.running {
                next = next.min(self.now + burst.saturating_sub(used));
            }
            if let Some(alarm) = self.policy.next_alarm(CPU) {
                next = next.min(alarm.max(self.now));
            }
            let passed = next.since(self.now);
            self.now = next;
            if let Some((_, _, used)) = &mut self.running {
                *used += passed;
            }
            if let Some((_, Some(burst), used)) = self.running
                && used >= burst
            {
                self.stop(Stop::BurstEnd);
                self.pick();
            }
            if self.policy.next_alarm(CPU).is_some_and(|at| at <= self.now)
                && self.policy.alarm(CPU, self.now).includes(CPU)
            {
                self.stop(Stop::Preempted);
                self.pick();
            }
        }
    }

    pub(super) fn admit(&mut self, task: u16, request: Request) -> Result<(), Refused> {
        self.policy.admit(TaskId(task), request, self.now)?;
        self.requests[usize::from(task)] = Some(request);
        Ok(())
    }

    pub(super) fn step(&mut self, step: Step) {
        match step {
            Step::Admit(task, request) => {
                let old = self.requests[usize::from(task)];
                match (old, self.admit(task, request)) {
                    (Some(_), result) => assert_eq!(result, Err(Refused::Member)),
                    (None, Ok(())) => {}
                    (None, Err(Refused::Overload { .. })) => assert!(request.share.is_some()),
                    (None, Err(other)) => panic!("{other}"),
                }
            }
            Step::Adjust(task, request) => {
                let adjusted = self.policy.adjust(TaskId(task), request, self.now);
                match (self.requests[usize::from(task)], adjusted) {
                    (None, result) => assert_eq!(result.err(), Some(Refused::NotAdmitted)),
                    (Some(_), Ok(_)) => self.requests[usize::from(task)] = Some(request),
                    (Some(_), Err(Refused::Overload { .. })) => assert!(request.share.is_some()),
                    (Some(_), Err(other)) => panic!("{other}"),
                }
            }
            Step::Retire(task) => {
                let number = usize::from(task);
                if self.requests[number].is_some() && !self.is_queued[number] {
                    self.policy.retire(TaskId(task), self.now);
                    self.requests[number] = None;
                    self.tied.retain(|end| end.0 != task);
                }
            }
            Step::Ready(task) => {
                let number = usize::from(task);
                if self.requests[number].is_some() && !self.is_queued[number] {
                    self.is_queued[number] = true;
                    let _ = self
                        .policy
                        .ready(CPU, TaskId(task), Ready::Unblocked, self.now);
                }
            }
            Step::Run(length, why) => {
                self.pass(length);
                self.stop(why);
            }
            Step::Move(task, queue, role, level) => {
                if self.requests[usize::from(task)].is_some() {
                    let note = &mut self.notes[queue];
                    let fill = Fill {
                        note,
                        level,
                        capacity: 10,
                        by: Some((TaskId(task), role)),
                    };
                    self.policy.filled(fill, self.now);
                    if !self.tied.contains(&(task, queue, role)) {
                        self.tied.push((task, queue, role));
                    }
                }
            }
            Step::Control => {
                let resched = self.policy.control(CPU, self.now);
                if self.settings.controller == ControllerPlace::Kernel {
                    assert!(!resched.includes(CPU), "the alarm runs them");
                }
            }
            Step::Pass(length) => self.pass(length),
        }
        self.stop(Stop::Preempted);
        self.pick();
    }

    /// What tasks have been promised from their next periods on.
    pub(super) fn check(&self) {
        assert_eq!(
            self.policy.ends(),
            self.tied.len(),
            "no end is lost or left"
        );
        let mut sum = 0;
        for (number, request) in (0..).zip(&self.requests) {
            let reservation = self.policy.reservation(TaskId(number));
            let Some(request) = request else {
                continue;
            };
            let Some((share, period)) = reservation else {
                assert_eq!(self.settings.best_effort, BestEffort::LeftOver);
                continue;
            };
            sum += u64::from(share.next.0);
            assert!(Part::NOTHING < share.next && share.next <= share.now);
            if let Some(asked) = request.share {
                let least = asked.min(Part::millionths(2_000));
                assert!(share.next <= asked && share.next >= least);
                assert!(share.next == asked || self.settings.renegotiates);
            }
            if let Some(asked) = request.period {
                assert_eq!(period, asked);
            } else {
                let periods = &self.settings.periods;
                assert!(periods.shortest <= period && period <= periods.longest);
            }
        }
        // A share of nothing is 2⁻²⁸ of a CPU.
        let most = u64::from(self.settings.limit.0) + u64::from(TASKS);
        assert!(sum <= most, "{sum} is too much");
    }
}
