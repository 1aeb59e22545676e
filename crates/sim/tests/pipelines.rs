//! Pipelines with sources and sinks, against a model that goes from one unit of time to the next.

use flyball_catalogue::Fp;
use flyball_model::{End, Endpoint, Format, Length, Queue, Step, Task, TaskSet, read_str};
use flyball_sim::{Options, Outcome, simulate};
use flyball_trace::metrics::{Metrics, Summary, TaskInfo};
use flyball_trace::{Duration, Event, Kind, Sink, Time};
use proptest::collection::vec;
use proptest::prelude::*;

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// Keeps all events, those of queues among them.
#[derive(Default)]
struct Events(Vec<Event>);

impl Sink for Events {
    const FILLS: bool = true;

    fn record(&mut self, event: Event) {
        self.0.push(event);
    }
}

fn run(set: &TaskSet, until: Duration) -> (Vec<Event>, Outcome) {
    let mut events = Events::default();
    let outcome = simulate(set, &Fp, &Options::until(until), &mut events).unwrap();
    (events.0, outcome)
}

fn summary(set: &TaskSet, events: &[Event], end: Duration) -> Summary {
    let tasks = set.tasks.iter().map(|task| TaskInfo {
        name: task.name.clone(),
        ..TaskInfo::default()
    });
    let mut metrics = Metrics::new(&tasks.collect::<Vec<_>>(), 1);
    for &event in events {
        metrics.record(event);
    }
    metrics.finish(Time::ZERO + end)
}

/// What a queue goes through: `(µs, what, messages)`.
fn story(events: &[Event], number: u16) -> Vec<(u64, &'static str, u16)> {
    let told = events.iter().filter_map(|event| {
        let (queue, messages) = match event.kind {
            Kind::Fill { queue, level } => (queue, level),
            Kind::Overrun { queue, lost } => (queue, lost),
            Kind::Underrun { queue, missing } => (queue, missing),
            _ => return None,
        };
        let at = event.time.since(Time::ZERO).as_nanos() / 1000;
        (queue == number).then_some((at, event.kind.name(), messages))
    });
    told.collect()
}

/// By hand. The source brings two messages every 10 ms, the queue holds three, and the stage takes 6 ms
/// for each. The sink takes one every 5 ms.
const HAND: &str = r#"
    schema = 1
    [[source]]
    queue = "in"
    every = "10ms"
    count = 2
    [[sink]]
    queue = "out"
    every = "5ms"
    phase = "7ms"
    [[queue]]
    name = "in"
    capacity = 3
    [[queue]]
    name = "out"
    capacity = 2
    [[task]]
    name = "stage"
    priority = 1
    behaviour = [{ repeat = "forever", do = [{ receive = "in" }, { compute = "6ms" }, { send = "out" }] }]
"#;

#[test]
fn a_source_overruns_and_a_sink_finds_nothing() {
    let set = read_str(HAND, Format::Toml, "hand.toml").unwrap();
    let (events, outcome) = run(&set, us(31_000));
    // The stage begins after the source has brought its first messages.
    let expected = [
        (0, "fill", 1),
        (0, "fill", 2),
        (0, "fill", 1),
        (6_000, "fill", 0),
        (10_000, "fill", 1),
        (10_000, "fill", 2),
        (12_000, "fill", 1),
        (18_000, "fill", 0),
        (20_000, "fill", 1),
        (20_000, "fill", 2),
        (24_000, "fill", 1),
        (30_000, "fill", 0),
        (30_000, "fill", 1),
        (30_000, "fill", 2),
    ];
    assert_eq!(story(&events, 0), expected);
    let expected = [
        (6_000, "fill", 1),
        (7_000, "fill", 0),
        (12_000, "fill", 1),
        (12_000, "fill", 0),
        (17_000, "underrun", 1),
        (18_000, "fill", 1),
        (22_000, "fill", 0),
        (24_000, "fill", 1),
        (27_000, "fill", 0),
        (30_000, "fill", 1),
    ];
    assert_eq!(story(&events, 1), expected);
    assert_eq!(outcome.misses, 1);
    let sums = summary(&set, &events, us(31_000));
    assert_eq!(
        (sums.misses(), sums.overruns(), sums.underruns()),
        (1, 0, 1)
    );
    let [inside, out] = &sums.queues[..] else {
        panic!("two queues are told of");
    };
    assert_eq!((inside.put, inside.highest, inside.lost), (8, 2, 0));
    assert_eq!((out.put, out.missing), (5, 1));
    assert_eq!((inside.stalls, inside.stalled), (0, Duration::ZERO));
    assert_eq!(out.delay.max(), Some(us(4_000)));

    // A queue for one message has no room for the second, but where the stage waits for the first.
    let mut set = set;
    set.queues[0].capacity = 1;
    let (events, outcome) = run(&set, us(10_001));
    let expected = [
        (0, "fill", 1),
        (0, "overrun", 1),
        (0, "fill", 0),
        (10_000, "fill", 1),
        (10_000, "fill", 0),
        (10_000, "fill", 1),
    ];
    assert_eq!(story(&events, 0), expected);
    assert_eq!(outcome.misses, 1);
}

#[test]
fn a_length_follows_the_clock() {
    let text = r#"
        schema = 1
        [[task]]
        name = "a"
        period = "10ms"
        priority = 1
        behaviour = [{ compute = { cycle = ["1ms", "3ms", "2ms"], every = "20ms" } }]
    "#;
    let set = read_str(text, Format::Toml, "cycle.toml").unwrap();
    assert_eq!(set.tasks[0].wcet, us(3_000));
    let (events, _) = run(&set, us(80_000));
    let ends = events.iter().filter_map(|event| match event.kind {
        Kind::Complete { .. } => Some(event.time.since(Time::ZERO).as_nanos() / 1_000_000),
        _ => None,
    });
    assert_eq!(ends.collect::<Vec<_>>(), [1, 11, 23, 33, 42, 52, 61, 71]);
}

/// A stage that receives, computes and sends, without end.
#[derive(Clone, Debug)]
struct Stage {
    from: Option<u16>,
    compute: u64,
    to: Option<u16>,
}

/// Stages by falling priority, queues by their capacities, and endpoints.
fn set(stages: &[Stage], queues: &[u16], endpoints: &[Endpoint]) -> TaskSet {
    let task = |number: usize, stage: &Stage| {
        let compute = Step::Compute(Length::Fixed(us(stage.compute)));
        let steps = [
            stage.from.map(Step::Receive),
            Some(compute),
            stage.to.map(Step::Send),
        ];
        Task {
            arrival: flyball_model::Arrival::Once,
            deadline: None,
            wcet: Duration::MAX,
            priority: Some(u8::try_from(200 - number).unwrap()),
            behaviour: vec![Step::Repeat {
                times: None,
                body: steps.into_iter().flatten().collect(),
            }],
            ..Task::periodic(format!("stage {number}"), us(1), us(1))
        }
    };
    let queue = |(number, &capacity): (usize, &u16)| Queue {
        name: format!("queue {number}"),
        capacity,
        gauge: None,
    };
    let mut set = TaskSet {
        tasks: stages
            .iter()
            .enumerate()
            .map(|(n, it)| task(n, it))
            .collect(),
        queues: queues.iter().enumerate().map(queue).collect(),
        endpoints: endpoints.to_vec(),
        ..TaskSet::default()
    };
    set.platform.cpus = 1;
    set
}

/// What a stage does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    Receive,
    Compute(u64),
    Send,
}

/// The model: stages by falling priority, one of which runs.
struct Model<'a> {
    stages: &'a [Stage],
    capacities: &'a [u16],
    levels: Vec<u16>,
    next: Vec<Next>,
    waits: Vec<bool>,
    running: Option<usize>,
    now: u64,
    story: Vec<Vec<(u64, &'static str, u16)>>,
}

impl<'a> Model<'a> {
    fn new(stages: &'a [Stage], capacities: &'a [u16]) -> Model<'a> {
        let next = stages.iter().map(|stage| match stage.from {
            Some(_) => Next::Receive,
            None => Next::Compute(stage.compute),
        });
        Model {
            stages,
            capacities,
            levels: vec![0; capacities.len()],
            next: next.collect(),
            waits: vec![false; stages.len()],
            running: None,
            now: 0,
            story: vec![Vec::new(); capacities.len()],
        }
    }

    fn tell(&mut self, queue: u16, what: &'static str, number: u16) {
        self.story[usize::from(queue)].push((self.now, what, number));
    }

    fn set_level(&mut self, queue: u16, level: u16) {
        self.levels[usize::from(queue)] = level;
        self.tell(queue, "fill", level);
    }

    /// The most urgent stage that waits at a queue.
    fn waiter(&self, queue: u16) -> Option<usize> {
        let waits = |&stage: &usize| {
            let Stage { from, to, .. } = self.stages[stage];
            let at = if self.next[stage] == Next::Receive {
                from
            } else {
                to
            };
            self.waits[stage] && at == Some(queue)
        };
        (0..self.stages.len()).find(waits)
    }

    /// A message comes. Returns whether there was room.
    fn put(&mut self, queue: u16) -> bool {
        let level = self.levels[usize::from(queue)];
        if level == self.capacities[usize::from(queue)] {
            return false;
        }
        self.set_level(queue, level + 1);
        if level == 0
            && let Some(stage) = self.waiter(queue)
        {
            self.set_level(queue, 0);
            self.waits[stage] = false;
            self.next[stage] = Next::Compute(self.stages[stage].compute);
        }
        true
    }

    /// A message is taken. Returns whether there was one.
    fn take(&mut self, queue: u16) -> bool {
        let level = self.levels[usize::from(queue)];
        if level == 0 {
            return false;
        }
        self.set_level(queue, level - 1);
        if level == self.capacities[usize::from(queue)]
            && let Some(stage) = self.waiter(queue)
        {
            self.set_level(queue, level);
            self.waits[stage] = false;
            self.go_round(stage);
        }
        true
    }

    /// A stage has sent its message.
    fn go_round(&mut self, stage: usize) {
        self.next[stage] = match self.stages[stage].from {
            Some(_) => Next::Receive,
            None => Next::Compute(self.stages[stage].compute),
        };
    }

    /// The stage that runs makes its calls until it computes, waits, or a more urgent one can run.
    fn act(&mut self, stage: usize) {
        loop {
            let Stage { from, compute, to } = self.stages[stage];
            match self.next[stage] {
                Next::Compute(0) if to.is_some() => self.next[stage] = Next::Send,
                Next::Compute(0) => {
                    self.go_round(stage);
                    continue;
                }
                Next::Compute(_) => return,
                _ => {}
            }
            let done = match self.next[stage] {
                Next::Receive => from.is_none_or(|queue| self.take(queue)),
                _ => to.is_none_or(|queue| self.put(queue)),
            };
            if !done {
                self.waits[stage] = true;
                return;
            }
            if self.next[stage] == Next::Receive {
                self.next[stage] = Next::Compute(compute);
            } else {
                self.go_round(stage);
            }
            if (0..stage).any(|other| !self.waits[other]) {
                return;
            }
        }
    }

    fn run(&mut self, endpoints: &[Endpoint], until: u64) {
        let mut instants: Vec<_> = (0..)
            .zip(endpoints)
            .map(|(number, it)| {
                it.instants(number, 0)
                    .map(|at| at.since(Time::ZERO).as_nanos() / 1000)
                    .peekable()
            })
            .collect();
        while self.now < until {
            let mut first = true;
            loop {
                if let Some(stage) = self.running {
                    self.act(stage);
                }
                for (endpoint, instants) in endpoints.iter().zip(&mut instants) {
                    while first && self.now > 0 && instants.next_if_eq(&self.now).is_some() {
                        self.serve(endpoint);
                    }
                    if first && self.now == 0 {
                        // The first jobs are released before the first event.
                        while instants.next_if_eq(&0).is_some() {
                            self.serve(endpoint);
                        }
                    }
                }
                first = false;
                self.running = (0..self.stages.len()).find(|&stage| !self.waits[stage]);
                match self.running.map(|stage| self.next[stage]) {
                    None | Some(Next::Compute(1..)) => break,
                    _ => {}
                }
            }
            self.now += 1;
            if let Some(stage) = self.running
                && let Next::Compute(left) = &mut self.next[stage]
            {
                *left -= 1;
            }
        }
    }

    fn serve(&mut self, endpoint: &Endpoint) {
        let (what, done): (_, fn(&mut Self, u16) -> bool) = match endpoint.end {
            End::Source => ("overrun", Model::put),
            End::Sink => ("underrun", Model::take),
        };
        for count in 0..endpoint.count {
            if !done(self, endpoint.queue) {
                self.tell(endpoint.queue, what, endpoint.count - count);
                break;
            }
        }
    }
}

const QUEUES: u16 = 3;

fn stage() -> impl Strategy<Value = Stage> {
    let queue = || proptest::option::weighted(0.8, 0..QUEUES);
    (queue(), 1..30_u64, queue()).prop_map(|(from, compute, to)| Stage {
        from,
        compute,
        // A stage that feeds itself may wait for itself.
        to: to.filter(|_| from != to),
    })
}

fn endpoint() -> impl Strategy<Value = Endpoint> {
    let end = proptest::sample::select(vec![End::Source, End::Sink]);
    (end, 0..QUEUES, 1..40_u64, 1..4_u16, 0..50_u64).prop_map(
        |(end, queue, every, count, phase)| Endpoint {
            end,
            queue,
            every: Length::Fixed(us(every)),
            count,
            phase: us(phase),
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_pipeline_is_that_of_the_model(
        stages in vec(stage(), 1..5),
        capacities in vec(1..6_u16, usize::from(QUEUES)),
        endpoints in vec(endpoint(), 0..4),
    ) {
        const UNTIL: u64 = 600;
        let set = set(&stages, &capacities, &endpoints);
        let (events, outcome) = run(&set, us(UNTIL));
        let mut model = Model::new(&stages, &capacities);
        model.run(&endpoints, UNTIL);
        let mut misses = 0;
        for queue in 0..QUEUES {
            let expected = &model.story[usize::from(queue)];
            let mut found = story(&events, queue);
            // What happens at the end is not the model's.
            found.retain(|(at, ..)| *at < UNTIL);
            prop_assert_eq!(&found, expected);
            misses += expected.iter().filter(|it| it.1 != "fill").count();
        }
        prop_assert_eq!(outcome.misses, misses as u64);
        // Messages are neither made nor lost on the way.
        let sums = summary(&set, &events, us(UNTIL));
        for (queue, sums) in sums.queues.iter().enumerate() {
            let left = sums.put - sums.delay.count();
            prop_assert!(left <= u64::from(capacities[queue]));
        }
    }
}
