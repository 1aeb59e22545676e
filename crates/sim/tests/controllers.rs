//! What reservations cost, how ticks cut them, and how fast they follow (policy `pp`).

use flyball_catalogue::{Configured, Pp, Rr, settings::Defaults};
use flyball_model::{Cost, Format, TaskSet, read_str};
use flyball_sim::{Options, simulate};
use flyball_trace::{Cause, Duration, Event, Kind, NoTrace, Sink, Time};

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn read(file: &str) -> TaskSet {
    read_str(file, Format::Toml, "reservations.toml").unwrap()
}

fn by_default() -> Pp {
    Pp::new(&Defaults(Pp::SETTINGS), &[]).unwrap()
}

/// Two stages, of which the second one takes twice as long from the fifth second on, with a load of 30 and 45 %.
const DOUBLED: &str = "
schema = 1
[[source]]
queue = \"raw\"
every = \"10ms\"
[[queue]]
name = \"raw\"
capacity = 20
[[queue]]
name = \"done\"
capacity = 20
[[task]]
name = \"filter\"
behaviour = [{ repeat = \"forever\", do = [{ receive = \"raw\" }, { compute = \"1.5ms\" }, { send = \"done\" }] }]
[[task]]
name = \"writer\"
behaviour = [{ repeat = \"forever\", do = [{ receive = \"done\" }, { compute = { cycle = [\"1.5ms\", \"3ms\"], every = \"5s\" } }] }]
";

/// The runs of controllers that a trace tells of.
#[derive(Default)]
struct Runs(Vec<(Time, Duration)>);

impl Sink for Runs {
    fn record(&mut self, event: Event) {
        if let Kind::Overhead {
            cause: Cause::Control,
            length,
        } = event.kind
        {
            self.0.push((event.time, length));
        }
    }
}

#[test]
fn each_run_of_controllers_costs_what_the_platform_says() {
    let mut set = read(DOUBLED);
    let cost = Duration::from_micros(50);
    set.platform.overheads.control = Cost::table(vec![(1, ms(9)), (2, cost), (3, ms(9))]);
    let options = Options::until(Duration::from_secs(1));
    let (mut runs, mut others) = (Runs::default(), Runs::default());
    simulate(&set, &by_default(), &options, &mut runs).unwrap();
    simulate(&set, &Rr { quantum: ms(10) }, &options, &mut others).unwrap();
    assert_eq!(runs.0.len(), 99, "every 10 ms from the first one on");
    assert!(runs.0.iter().all(|&(_, length)| length == cost));
    assert!(others.0.is_empty());
}

/// When a share first was nine tenths of what it is in the end, counted from the fifth second on.
#[derive(Default)]
struct Shares(Vec<(Time, u32)>);

impl Sink for Shares {
    const BUDGETS: bool = true;

    fn record(&mut self, event: Event) {
        if let Kind::Reserve { task, share, .. } = event.kind
            && task.index() == 1
        {
            self.0.push((event.time, share));
        }
    }
}

#[test]
fn twice_the_load_is_answered_in_half_a_second() {
    let mut shares = Shares::default();
    let options = Options::until(Duration::from_secs(10));
    simulate(&read(DOUBLED), &by_default(), &options, &mut shares).unwrap();
    let five = Time::ZERO + Duration::from_secs(5);
    // 3 ms every 10 ms.
    let needed = 3 * (Kind::WHOLE_CPU / 10);
    let before = shares.0.iter().rfind(|(at, _)| *at < five).unwrap().1;
    assert!(before < needed * 3 / 4, "{before}");
    let enough = |&&(at, share): &&(Time, u32)| at >= five && share >= needed;
    let answered = shares.0.iter().find(enough).unwrap().0.since(five);
    assert!(answered <= ms(500), "{answered}");
}

/// What a task has computed in its first period of 100 ms, of which it has a quarter. It waits in the middle of a
/// slice when it has used 22 ms.
fn in_first_period(rule: Option<Duration>) -> Duration {
    let set = read(
        "
schema = 1
[platform]
tick = \"10ms\"
[[task]]
name = \"a\"
reserve = { share = 0.25, period = \"100ms\" }
behaviour = [{ compute = \"22ms\" }, { suspend = \"15ms\" }, { compute = \"1s\" }]
",
    );
    let mut scheduler = by_default();
    if let Some(denies) = rule {
        scheduler.settings.denies = denies;
    }
    let outcome = simulate(&set, &scheduler, &Options::until(ms(99)), &mut NoTrace).unwrap();
    // Nothing else runs, and the kernel's work is free.
    ms(99).saturating_sub(outcome.idle[0])
}

#[test]
fn what_a_tick_cannot_cut_is_granted_or_denied() {
    // The task is woken at the tick of 40 ms, and the next one is at 50 ms.
    assert_eq!(in_first_period(None), ms(32));
    assert_eq!(in_first_period(Some(ms(10))), ms(22));
}
