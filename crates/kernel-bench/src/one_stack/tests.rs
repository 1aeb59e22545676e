//! Whether bodies run in the order in which they should.

use super::{POLICIES, image};
use flyball_board::image::SHIFT;
use std::fmt::Write;

/// Nanoseconds.
type Time = u64;

/// A millisecond, and an instruction.
const MS: Time = 1_000_000;
const INSTRUCTION: Time = 1 << SHIFT;
/// Bodies of a set, and until when they are watched, in ms.
const BODIES: usize = 6;
const LAST: Time = 2_000;

/// A body, as on the image's command line: ms, ms, instructions, and the number of another one from 1 on, 0: none.
#[derive(Clone, Copy)]
struct Body {
    period: Time,
    first: Time,
    length: Time,
    urgency: Time,
    releases: usize,
}

/// What happened when: a body began, or ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Event {
    Begin(usize),
    End(usize),
}

/// A job on the stack.
#[derive(Clone, Copy)]
struct Job {
    body: usize,
    key: Time,
    /// What it computes until it is half done, and afterwards.
    left: [Time; 2],
}

/// A schedule of bodies on one CPU.
struct Model<'a> {
    bodies: &'a [Body],
    edf: bool,
    /// What each half of a job, and each release of a running one's, takes beside.
    overhead: Time,
    now: Time,
    /// The next instants of release, with the number of releases that were planned before.
    next: Vec<(Time, usize)>,
    planned: usize,
    /// Released, and not begun: in the order of release.
    waiting: Vec<(usize, Time)>,
    stack: Vec<Job>,
    events: Vec<(Time, Event)>,
    /// By an interrupt, by a call, and where a body begins because another one has ended.
    preemptions: [usize; 3],
}

impl Model<'_> {
    fn release(&mut self, body: usize, at: Time) {
        let begun = self.stack.iter().any(|job| job.body == body);
        if begun || self.waiting.iter().any(|&(other, _)| other == body) {
            return;
        }
        let urgency = self.bodies[body].urgency;
        let key = if self.edf {
            at + urgency * 100 * MS
        } else {
            urgency
        };
        self.waiting.push((body, key));
    }

    /// Begins the most urgent body if it is more urgent than the one that runs; `by`: an index of `preemptions`.
    fn begin(&mut self, by: usize) {
        // The first of equals.
        let Some(first) = (0..self.waiting.len()).min_by_key(|&n| self.waiting[n].1) else {
            return;
        };
        let (body, key) = self.waiting[first];
        if self.stack.last().is_some_and(|job| job.key <= key) {
            return;
        }
        self.preemptions[by] += usize::from(!self.stack.is_empty());
        self.waiting.remove(first);
        let all = self.bodies[body].length;
        let left = [all / 2, all - all / 2].map(|half| half * INSTRUCTION + self.overhead);
        self.stack.push(Job { body, key, left });
        self.events.push((self.now, Event::Begin(body)));
    }

    /// Goes on to the next thing that happens.
    fn step(&mut self) {
        let release = self.first().map_or(Time::MAX, |body| self.next[body].0);
        let Some(job) = self.stack.last_mut() else {
            self.now = release;
            return self.fire();
        };
        let half = usize::from(job.left[0] == 0);
        let done = self.now + job.left[half];
        if release < done {
            job.left[half] = done - release + self.overhead;
            self.now = release;
            return self.fire();
        }
        self.now = done;
        job.left[half] = 0;
        let body = job.body;
        if half == 0 {
            if let Some(other) = self.bodies[body].releases.checked_sub(1) {
                self.release(other, self.now);
                self.begin(1);
            }
        } else {
            self.stack.pop();
            self.events.push((self.now, Event::End(body)));
            self.begin(2);
        }
    }

    /// The body that is released next by the timer.
    fn first(&self) -> Option<usize> {
        let periodic = (0..self.bodies.len()).filter(|&body| self.bodies[body].period > 0);
        periodic.min_by_key(|&body| self.next[body])
    }

    /// Releases all that are due at this instant.
    fn fire(&mut self) {
        while let Some(body) = self.first()
            && self.next[body].0 <= self.now
        {
            self.planned += 1;
            let next = self.next[body].0 + self.bodies[body].period * MS;
            self.next[body] = (next, self.planned);
            self.release(body, self.now);
        }
        self.begin(0);
    }
}

/// What happens up to 50 ms before the end, and how often a body is preempted.
fn model(bodies: &[Body], edf: bool, overhead: Time) -> (Vec<Event>, [usize; 3]) {
    let mut model = Model {
        bodies,
        edf,
        overhead,
        now: 0,
        next: (0..)
            .zip(bodies)
            .map(|(n, body)| (body.first * MS, n))
            .collect(),
        planned: bodies.len(),
        waiting: Vec::new(),
        stack: Vec::new(),
        events: Vec::new(),
        preemptions: [0; 3],
    };
    while model.now < LAST * MS {
        model.step();
    }
    let early = model
        .events
        .iter()
        .filter(|&&(at, _)| at < (LAST - 50) * MS);
    (early.map(|&(_, event)| event).collect(), model.preemptions)
}

/// What happens on the emulated board.
fn run(policy: &str, bodies: &[Body]) -> Vec<Event> {
    let mut line = format!("order {LAST}");
    for body in bodies {
        let Body {
            period,
            first,
            length,
            urgency,
            releases,
        } = body;
        write!(line, " {period} {first} {length} {urgency} {releases}").unwrap();
    }
    let words: Vec<_> = line.split(' ').collect();
    let printed = image::run(&format!("one-stack-{policy}"), SHIFT, &words).unwrap();
    let event = |line: &str| {
        let (what, body) = line.split_once(' ').unwrap();
        let body = body.parse().unwrap();
        match what {
            "begin" => Event::Begin(body),
            "end" => Event::End(body),
            _ => panic!("{line}"),
        }
    };
    printed.lines().map(event).collect()
}

/// Numbers below `n`, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % n
    }
}

/// Whether images can be run; if so, they are built.
fn built() -> bool {
    if !image::can_be_run() {
        assert!(std::env::var_os("FLYBALL_REQUIRE_QEMU").is_none());
        eprintln!("skipped: there is no emulator of a Cortex-M3, or no target for it");
        return false;
    }
    image::build("flyball-one-stack", "release", &[]).unwrap();
    true
}

/// Random sets, in which bodies are released by the timer, and by others that are half done. A schedule that
/// depends on what the kernel takes is left out: that is where it differs between nothing and more than that.
#[test]
fn bodies_begin_and_end_as_in_a_schedule() {
    if !built() {
        return;
    }
    let mut random = Random(24);
    let mut set = |_| Body {
        period: 60 + random.below(240),
        first: 20 + random.below(100),
        length: 1_000 + random.below(25_000),
        urgency: 1 + random.below(6),
        releases: 0,
    };
    for policy in POLICIES {
        let (mut compared, mut preemptions) = (0, [0; 3]);
        for _ in 0..200 {
            let mut bodies: Vec<Body> = (0..BODIES).map(&mut set).collect();
            // The last two have no period: the first two release them.
            for n in 0..2 {
                bodies[BODIES - 2 + n].period = 0;
                bodies[n].releases = BODIES - 1 + n;
            }
            let edf = policy == "edf";
            let (events, preempted) = model(&bodies, edf, 0);
            if events != model(&bodies, edf, 500 * INSTRUCTION).0 {
                continue;
            }
            let found = run(policy, &bodies);
            let differs = events
                .iter()
                .zip(&found)
                .position(|(one, other)| one != other);
            assert_eq!(differs, None, "{policy}: {events:?} {found:?}");
            assert!(events.len() > 20 && found.len() >= events.len());
            compared += 1;
            for (all, some) in preemptions.iter_mut().zip(preempted) {
                *all += some;
            }
        }
        eprintln!("{policy}: {compared} sets, {preemptions:?} preemptions");
        assert!(compared >= 20 && preemptions.iter().all(|&n| n >= 10));
    }
}

/// So many interrupts that they come anywhere, in the midst of preemptions as well: each body that begins is more
/// urgent than the one below it, and ends before that.
#[test]
fn bodies_nest_by_urgency_whenever_interrupts_come() {
    if !built() {
        return;
    }
    for policy in POLICIES {
        let body = |n: u64| Body {
            period: 3 + 2 * n,
            first: 20 + n,
            length: 40 + 90 * n,
            urgency: 1 + n,
            releases: 0,
        };
        let bodies: Vec<Body> = (0..8).map(body).collect();
        let (mut stack, mut deepest) = (Vec::new(), 0);
        let events = run(policy, &bodies);
        for &event in &events {
            match event {
                Event::Begin(body) => {
                    let more_urgent = stack.last().is_none_or(|&below| body < below);
                    assert!(policy == "edf" || more_urgent, "{body} on {stack:?}");
                    stack.push(body);
                }
                Event::End(body) => assert_eq!(stack.pop(), Some(body)),
            }
            deepest = deepest.max(stack.len());
        }
        assert!(
            events.len() > 900 && deepest >= 3,
            "{policy}: {}, {deepest}",
            events.len()
        );
    }
}
