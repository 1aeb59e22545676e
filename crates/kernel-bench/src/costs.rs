//! What calls, decisions, releases and ticks cost, under each policy.

use crate::error::BenchError;
use crate::image;
use flyball_board::image::SHIFT;
use serde::Serialize;
use std::collections::BTreeMap;

/// The policies, as their images are called.
pub(crate) const POLICIES: [&str; 17] = [
    "fp", "fp-256", "fp-rr", "dss-2", "dss", "dss-walk", "dss-tour", "cruise", "rm-16", "rm",
    "edf", "llf", "rr", "fifo", "ipi", "cbs", "pp",
];
/// The image that has room for so many threads only; the others have for all numbers here.
const SMALL: (&str, u32) = ("rm-16", 16);
/// Those without figures of releases and ticks: they know no urgency, so that no thread is released and runs at once, or the
/// thread that counts would use up its budget by that.
const WITHOUT_RELEASES: [&str; 4] = ["rr", "fifo", "ipi", "pp"];
/// Threads that are ready at lower urgency.
pub(crate) const READY: [u32; 7] = [5, 15, 25, 50, 75, 100, 125];
/// Threads that are released at one instant.
pub(crate) const RELEASED: [u32; 4] = [1, 10, 50, 100];
/// Threads that sleep while there is a tick.
pub(crate) const ASLEEP: [u32; 3] = [0, 10, 100];
/// What is chosen when a kernel is compiled; all are off otherwise.
pub(crate) const CHOICES: [&str; 5] = ["checks", "accounting", "traced", "guarded", "jobs"];

/// What is measured under each policy: the features that are chosen, and what they are called together.
pub(crate) const ALL_CHOICES: [(&str, &[&str]); 3] = [
    ("accounting", &["accounting"]),
    ("traced", &["traced"]),
    ("both", &["accounting", "traced"]),
];

/// Queues of deadlines, by themselves.
pub(crate) const QUEUES: [&str; 4] = ["ring", "heap", "list", "calendar"];
/// Tasks in such a queue.
pub(crate) const QUEUED: [u32; 7] = [1, 5, 10, 25, 50, 75, 125];
/// Servers of which kind use up their budgets.
pub(crate) const BUDGETS: [&str; 2] = ["hard", "soft"];
/// Controllers of reservations, where there is enough CPU time for all, and where there is not.
pub(crate) const CONTROLLERS: [&str; 2] = ["calm", "busy"];

/// Instructions of one of many.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Figure {
    /// On average.
    pub(crate) mean: f64,
    /// At most.
    pub(crate) worst: u32,
}

/// What is measured under a policy.
#[derive(Default, Serialize)]
pub(crate) struct Policy {
    /// Calls and decisions by name, and then by the number of ready threads.
    pub(crate) calls: BTreeMap<String, BTreeMap<u32, Figure>>,
    /// From the timer's interrupt to the first thread, by the number of threads that are released.
    pub(crate) first: BTreeMap<u32, Figure>,
    /// Until all of them have run and sleep again.
    pub(crate) all: BTreeMap<u32, Figure>,
    /// A tick with nothing to do, by the number of threads that sleep, where there is a tick.
    pub(crate) tick: BTreeMap<u32, Figure>,
}

/// All of it.
#[derive(Serialize)]
pub(crate) struct Costs {
    /// By policy, with all choices off.
    pub(crate) policies: BTreeMap<&'static str, Policy>,
    /// Fixed priorities, by what is chosen.
    pub(crate) choices: BTreeMap<&'static str, Policy>,
    /// Calls under each policy, by what is chosen: with [`some_ready`] threads.
    pub(crate) chosen: BTreeMap<&'static str, BTreeMap<&'static str, Policy>>,
    /// Of each queue, by name and then by the number of tasks: to take out the first task, and to put
    /// it in again with a later deadline.
    pub(crate) queues: ByName,
    /// Of constant bandwidth servers of each kind, by name and then by their number: a budget is
    /// used up, and there is a new one.
    pub(crate) budgets: ByName,
    /// Of controllers of reservations by where they run, by name and then by the number of tasks: one run of
    /// them for all tasks, and what a message costs them.
    pub(crate) controllers: ByName,
}

/// Figures by word, name and number.
pub(crate) type ByName = BTreeMap<&'static str, BTreeMap<String, BTreeMap<u32, Figure>>>;

impl Costs {
    /// Builds and runs all images.
    pub(crate) fn measure() -> Result<Costs, BenchError> {
        image::build("flyball-costs", "release", &[])?;
        let mut policies = BTreeMap::new();
        for policy in POLICIES {
            eprintln!("measuring {policy}");
            policies.insert(policy, measure(policy, &READY, &RELEASED)?);
        }
        let queues = by_name("queues", &QUEUES, &QUEUED)?;
        let budgets = by_name("budgets", &BUDGETS, &READY)?;
        let controllers = by_name("controllers", &CONTROLLERS, &READY)?;
        let mut choices = BTreeMap::new();
        let mut chosen = BTreeMap::new();
        for choice in CHOICES {
            image::build("flyball-costs", "release", &[choice])?;
            choices.insert(choice, measure("fp", &READY[2..3], &RELEASED)?);
            // The images of all policies are there now.
            if ALL_CHOICES.iter().any(|&(_, built)| built == [choice]) {
                chosen.insert(choice, calls_of_each()?);
            }
        }
        for (name, choices) in ALL_CHOICES {
            if !chosen.contains_key(name) {
                image::build("flyball-costs", "release", choices)?;
                chosen.insert(name, calls_of_each()?);
            }
        }
        image::build("flyball-costs", "release", &["tick"])?;
        for (name, policy) in &mut policies {
            if !WITHOUT_RELEASES.contains(name) {
                policy.tick = each(name, "tick", &ASLEEP)?;
            }
        }
        Ok(Costs {
            policies,
            choices,
            chosen,
            queues,
            budgets,
            controllers,
        })
    }
}

/// What an image without a kernel around what it measures says, with each word and each number.
fn by_name(image: &str, words: &[&'static str], numbers: &[u32]) -> Result<ByName, BenchError> {
    let mut all = ByName::new();
    for &word in words {
        let measured = all.entry(word).or_default();
        for &n in numbers {
            for (name, figure) in run(image, word, n)? {
                measured.entry(name).or_default().insert(n, figure);
            }
        }
    }
    Ok(all)
}

/// Whether there is room for so many threads beside those that measure.
fn has_room(policy: &str, n: u32) -> bool {
    let (small, room) = SMALL;
    policy != small || n + 3 <= room
}

/// How many threads are ready where the number is not told apart: 25, or fewer if there is no room.
pub(crate) fn some_ready(policy: &str) -> u32 {
    READY[if has_room(policy, READY[2]) { 2 } else { 0 }]
}

/// What calls cost under each policy, in the images that were built last.
fn calls_of_each() -> Result<BTreeMap<&'static str, Policy>, BenchError> {
    let calls = |policy| {
        let ready = some_ready(policy);
        let mut measured = Policy::default();
        for (name, figure) in run(policy, "calls", ready)? {
            measured
                .calls
                .entry(name)
                .or_default()
                .insert(ready, figure);
        }
        Ok((policy, measured))
    };
    POLICIES.into_iter().map(calls).collect()
}

fn measure(policy: &str, ready: &[u32], released: &[u32]) -> Result<Policy, BenchError> {
    let mut measured = Policy::default();
    for &n in ready.iter().filter(|&&n| has_room(policy, n)) {
        for what in ["calls", "decision", "adjust"] {
            for (name, figure) in run(policy, what, n)? {
                measured.calls.entry(name).or_default().insert(n, figure);
            }
        }
    }
    if !WITHOUT_RELEASES.contains(&policy) {
        measured.first = each(policy, "first", released)?;
        measured.all = each(policy, "release", released)?;
    }
    Ok(measured)
}

/// The one figure of each run.
fn each(policy: &str, what: &str, numbers: &[u32]) -> Result<BTreeMap<u32, Figure>, BenchError> {
    let one = |&n| {
        let figures = run(policy, what, n)?;
        let figure = figures.into_values().next();
        let figure = figure.ok_or_else(|| BenchError::Figure(String::new()))?;
        Ok((n, figure))
    };
    let numbers = numbers.iter().filter(|&&n| has_room(policy, n));
    numbers.map(one).collect()
}

fn run(policy: &str, what: &str, n: u32) -> Result<BTreeMap<String, Figure>, BenchError> {
    let name = format!("costs-{policy}");
    let printed = image::run(&name, SHIFT, &[what, &n.to_string()])?;
    let figure = |line: &str| parse(line).ok_or_else(|| BenchError::Figure(line.to_owned()));
    printed.lines().map(figure).collect()
}

/// `name sum count worst`.
pub(crate) fn parse(line: &str) -> Option<(String, Figure)> {
    let mut words = line.split_whitespace();
    let name = words.next()?.to_owned();
    let mut number = || words.next()?.parse::<u32>().ok();
    let (sum, count, worst) = (number()?, number()?, number()?);
    let mean = f64::from(sum) / f64::from(count);
    (count > 0 && words.next().is_none()).then_some((name, Figure { mean, worst }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of a server: a row of 64, two of links and membership of 4, and two of queues of 10.
    const SERVER: u32 = 64 + 2 * 4 + 2 * 10;
    /// Bytes of a thread in the background.
    const BACKGROUND: u32 = 5;
    /// Instructions of calls with 25 less urgent threads ready, or 5 where there is no room for
    /// more, by image.
    const ROWS: [(&str, &[(&str, u32)]); 10] = [
        (
            "fp",
            &[
                ("yield", 48),
                ("signal_wakes", 91),
                ("wait_blocks", 89),
                ("interrupt_wakes", 98),
                ("send_wakes", 112),
                ("receive_blocks", 107),
                ("signal", 12),
                ("take", 12),
                ("lock", 12),
                ("unlock", 10),
                ("send", 36),
                ("receive", 41),
            ],
        ),
        (
            "fp-256",
            &[
                ("yield", 46),
                ("signal_wakes", 94),
                ("wait_blocks", 97),
                ("interrupt_wakes", 101),
                ("send_wakes", 115),
                ("receive_blocks", 117),
            ],
        ),
        (
            "rm",
            &[
                ("yield", 45),
                ("signal_wakes", 93),
                ("wait_blocks", 96),
                ("interrupt_wakes", 100),
                ("send_wakes", 114),
                ("receive_blocks", 116),
            ],
        ),
        (
            "rm-16",
            &[
                ("yield", 48),
                ("signal_wakes", 92),
                ("wait_blocks", 91),
                ("interrupt_wakes", 99),
                ("send_wakes", 113),
                ("receive_blocks", 108),
            ],
        ),
        (
            "edf",
            &[
                ("yield", 89),
                ("signal_wakes", 133),
                ("wait_blocks", 88),
                ("interrupt_wakes", 139),
                ("send_wakes", 154),
                ("receive_blocks", 106),
            ],
        ),
        ("rr", &[("yield", 78)]),
        ("fifo", &[("yield", 43)]),
        ("ipi", &[("yield", 156)]),
        (
            "cbs",
            &[
                ("yield", 148),
                ("signal_wakes", 325),
                ("wait_blocks", 232),
                ("interrupt_wakes", 333),
                ("send_wakes", 350),
                ("receive_blocks", 259),
            ],
        ),
        (
            "pp",
            &[
                ("signal_wakes", 611),
                ("wait_blocks", 423),
                ("send_wakes", 824),
                ("receive_blocks", 454),
                ("send", 123),
                ("receive", 129),
            ],
        ),
    ];
    /// The same with a trace of the last events.
    const TRACED: [(&str, &[(&str, u32)]); 1] = [(
        "fp",
        &[
            ("yield", 129),
            ("signal_wakes", 174),
            ("wait_blocks", 170),
            ("interrupt_wakes", 182),
        ],
    )];
    /// The same with CPU time counted.
    const WITH_ACCOUNTING: [(&str, &[(&str, u32)]); 1] = [(
        "fp",
        &[
            ("yield", 73),
            ("signal_wakes", 109),
            ("wait_blocks", 106),
            ("interrupt_wakes", 116),
        ],
    )];

    fn are_no_longer(choices: &[&str], rows: &[(&str, &[(&str, u32)])]) {
        image::build("flyball-costs", "release", choices).unwrap();
        let mut longer = Vec::new();
        for (policy, rows) in rows {
            let measure = || run(policy, "calls", some_ready(policy)).unwrap();
            let found = measure();
            for (call, most) in *rows {
                let found = found[*call].worst;
                // A row that is longer is so each time.
                if found > *most && measure()[*call].worst > *most {
                    longer.push(format!("{policy}, {call}: {found}, not {most}"));
                }
            }
        }
        assert!(longer.is_empty(), "{choices:?}: {longer:#?}");
    }

    /// Who makes a row shorter lowers its number.
    #[test]
    fn no_row_gets_longer() {
        if !image::can_be_run() {
            assert!(std::env::var_os("FLYBALL_REQUIRE_QEMU").is_none());
            eprintln!("skipped: there is no emulator of a Cortex-M3, or no target for it");
            return;
        }
        are_no_longer(&["accounting"], &WITH_ACCOUNTING);
        are_no_longer(&["traced"], &TRACED);
        are_no_longer(&[], &ROWS);
        slots_are_no_longer();
        sorted_decisions_are_no_longer();
        servers_are_no_larger();
        controllers_are_no_longer();
    }

    /// Instructions for each task: of the controllers once in an interval, and of a message. And bytes.
    fn controllers_are_no_longer() {
        for (where_they_run, few, many) in [("calm", 875, 875), ("busy", 1_175, 1_331)] {
            for (tasks, most) in [(25, few), (125, many)] {
                let found = run("controllers", where_they_run, tasks).unwrap();
                let each = found["control"].mean / f64::from(tasks);
                assert!(
                    each > 200.0 && each <= f64::from(most),
                    "{where_they_run}, {tasks}: {each}, not {most}"
                );
                assert!(found["message"].worst <= 61, "{}", found["message"].worst);
            }
        }
        let threads = 64;
        let bytes = run("controllers", "bytes", threads).unwrap()["all"].worst;
        assert!(
            bytes > threads * SERVER && bytes <= threads * 353,
            "{bytes}"
        );
    }

    /// Fixed priorities with time slices, and the same double-sorted: however many threads are ready,
    /// to block and to become ready take together not more than this.
    fn sorted_decisions_are_no_longer() {
        let most = [
            ("fp-rr", 47),
            ("dss-2", 110),
            ("dss", 139),
            ("dss-walk", 71),
            ("dss-tour", 241),
            // With the first reading, which moves the task from the fastest point to its own.
            ("cruise", 430),
        ];
        for (policy, most) in most {
            let decisions = |ready| {
                let found = run(policy, "decision", ready).unwrap();
                found["decision_blocks"].worst + found["decision_ready"].worst
            };
            let (few, many) = (decisions(5), decisions(125));
            assert_eq!(few, many, "{policy}");
            assert!(few > 20 && few <= most, "{policy}: {few}, not {most}");
        }
    }

    /// Bytes of constant bandwidth servers for each thread that there is room for: of a server, a place in its list,
    /// and rows of two queues. The background, of threads without a server, has its own.
    fn servers_are_no_larger() {
        let threads = 64;
        let bytes = run("budgets", "bytes", threads).unwrap();
        let [all, background] = ["all", "background"].map(|name| bytes[name].worst);
        assert!(all - background <= threads * SERVER, "{all} {background}");
        assert!(background <= threads * BACKGROUND, "{background}");
        // Nothing is left out: budget, period, deadline, and what of the budget has been used have 8 bytes each.
        assert!(
            all - background > threads * 32 && background > 0,
            "{all} {background}"
        );
    }

    /// A slot of SOOS with 15 tasks, whose periods are 15 to 100 slots, and with one.
    fn slots_are_no_longer() {
        let few = "1500 5 1000";
        let many = "3000 20 1000 30 500 40 2000 15 600 25 800 50 900 60 2000 70 3000 80 1000 90 2500 \
                    100 4000 35 600 45 1000 55 900 65 400";
        for (words, first, mean, most) in [(few, 1_550, 541.0, 1_503), (many, 8_700, 880.0, 8_800)]
        {
            let words: Vec<_> = words.split_whitespace().collect();
            let printed = image::run("costs-soos", SHIFT, &words).unwrap();
            let figures: BTreeMap<_, _> = printed.lines().filter_map(parse).collect();
            let (least, slot) = (figures["least"].worst, figures["slot"]);
            assert!(least <= 300 && figures["first"].worst <= first, "{printed}");
            assert!(slot.mean <= mean && slot.worst <= most, "{printed}");
            // Each slot has an entry of the timer, and the most is no mean.
            assert!(least > 50 && f64::from(least) < slot.mean, "{printed}");
        }
    }

    #[test]
    fn a_line_is_a_figure() {
        let (name, figure) = parse("yield 150 100 2").unwrap();
        assert_eq!((name.as_str(), figure.worst), ("yield", 2));
        assert!((figure.mean - 1.5).abs() < 1e-9);
        for bad in [
            "",
            "yield",
            "yield 1 0 1",
            "yield 1 1 1 1",
            "error: a call has failed",
        ] {
            assert!(parse(bad).is_none(), "{bad}");
        }
    }
}
