//! Random task sets whose jobs wait for each other.

use flyball_model::random::Random;
use flyball_trace::Duration;
use std::fmt::Write;

/// Random numbers for one set.
struct Numbers(Random);

impl Numbers {
    /// A whole number from `least` to `most`.
    fn number(&mut self, least: u64, most: u64) -> u64 {
        let length = Duration::from_nanos;
        self.0.uniform(length(least), length(most)).as_nanos()
    }

    /// True once in `n` times.
    fn once_in(&mut self, n: u64) -> bool {
        self.number(1, n) == 1
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        let last = choices.len() as u64 - 1;
        choices[usize::try_from(self.number(0, last)).expect("it is an index")]
    }
}

/// Where a task runs.
enum Home {
    Anywhere,
    Cpu(usize),
    /// Any of these.
    Cpus(Vec<usize>),
}

/// Six to nine tasks on four CPUs, some of which share mutexes. Little happens at the same instant.
pub(crate) fn four_cpus(seed: u64) -> String {
    spread(seed, |_| Home::Anywhere)
}

/// The same, each task assigned to a CPU, where it shares nothing with other CPUs.
pub(crate) fn four_times_one_cpu(seed: u64) -> String {
    spread(seed, |number| Home::Cpu(number % 4))
}

/// The same, where most tasks may run on some CPUs only, from one of them to three.
pub(crate) fn four_cpus_with_affinities(seed: u64) -> String {
    let mut numbers = Numbers(Random::new(seed, 3));
    spread(seed, |_| match numbers.number(0, 15) {
        0 | 15 => Home::Anywhere,
        mask => Home::Cpus((0..4).filter(|cpu| mask >> cpu & 1 == 1).collect()),
    })
}

/// Five tasks that ask for more than half a CPU each, of which there are four, and two small ones. So one
/// has to be split. Jobs are done a little before their worst case.
pub(crate) fn five_halves(seed: u64) -> String {
    let mut numbers = Numbers(Random::new(seed, 2));
    let mut text = String::from("schema = 1\n[platform]\ncpus = 4\n");
    for number in 0..7 {
        let period = numbers.of(&[8, 10, 16, 20, 40]);
        let phase = numbers.number(0, 7_000_000);
        let per_mille = match number {
            0..5 => numbers.number(510, 560),
            _ => numbers.number(30, 120),
        };
        let wcet = period * 1_000 * per_mille;
        let length = wcet - numbers.number(150_000, 250_000);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "[[task]]\nname = \"t{number}\"\nperiod = \"{period}ms\"\nphase = \"{phase}ns\"\n\
             wcet = \"{wcet}ns\"\nbehaviour = [{{ compute = \"{length}ns\" }}]\n"
        );
    }
    text
}

/// At 5 ms task `a` comes, which may run on CPU 2 only. So `b` has to leave it for CPU 1, which looks before
/// CPU 2 has, and has to wait for it.
pub(crate) fn handed_over(_: u64) -> String {
    let mut text = String::from("schema = 1\n[platform]\ncpus = 3\n");
    for (name, phase, wcet, deadline, cpus) in [
        ("d", 0, 3, 40, "1"),
        ("b", 1, 9, 20, "1, 2"),
        ("c", 4, 4, 35, "1"),
        ("a", 5, 3, 10, "2"),
    ] {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "[[task]]\nname = \"{name}\"\nperiod = \"40ms\"\nphase = \"{phase}ms\"\n\
             deadline = \"{deadline}ms\"\nwcet = \"{wcet}ms\"\ncpus = [{cpus}]\n"
        );
    }
    text
}

fn spread(seed: u64, mut home: impl FnMut(usize) -> Home) -> String {
    let mut numbers = Numbers(Random::new(seed, 1));
    let tasks = usize::try_from(numbers.number(6, 9)).expect("it is small");
    let load = numbers.of(&[2_800, 3_400, 4_000, 5_400]);
    let mut text = String::from("schema = 1\n[platform]\ncpus = 4\n[[mutex]]\nname = \"m\"\n");
    for number in 0..tasks {
        let period = numbers.of(&[8, 10, 20, 25, 40]);
        let phase = numbers.number(0, 7_000_000);
        let most = (period * 1_000 * load / tasks as u64).min(period * 990_000);
        let length = numbers.number(most / 2, most);
        let (before, held) = (length / 3, numbers.number(20_000, 300_000));
        let priority = numbers.number(1, 8);
        let on_miss = numbers.of(&["continue", "skip", "abort"]);
        // The mutex belongs to everyone, or to the first CPU.
        let home = home(number);
        let shares = numbers.once_in(2) && !matches!(home, Home::Cpu(1..));
        let steps = if shares {
            format!(
                "{{ compute = \"{before}ns\" }}, {{ lock = \"m\" }}, {{ compute = \"{held}ns\" }}, \
                 {{ unlock = \"m\" }}, {{ compute = \"{}ns\" }}",
                length - before
            )
        } else {
            format!("{{ compute = \"{length}ns\" }}")
        };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "[[task]]\nname = \"t{number}\"\npriority = {priority}\nperiod = \"{period}ms\"\n\
             phase = \"{phase}ns\"\non_miss = \"{on_miss}\"\nbehaviour = [{steps}]\n"
        );
        let _ = match home {
            Home::Anywhere => Ok(()),
            Home::Cpu(cpu) => writeln!(text, "cpu = {cpu}"),
            Home::Cpus(cpus) => writeln!(text, "cpus = {cpus:?}"),
        };
    }
    text
}

/// What a set is being made of.
struct Set {
    numbers: Numbers,
    resources: String,
    tasks: Vec<String>,
    /// How much of the CPU each task may take, in thousandths.
    share: u64,
}

/// The task set of that number, as a file: three to six tasks that share mutexes, semaphores and
/// queues. Some wait for what comes later, so that they block.
pub(crate) fn random_set(seed: u64) -> String {
    let mut numbers = Numbers(Random::new(seed, 0));
    // What is asked for is more than what comes out: few tasks take all of their share.
    let load = numbers.of(&[800, 1_100, 1_400, 1_800, 3_000]);
    let mut set = Set {
        numbers,
        resources: String::new(),
        tasks: Vec::new(),
        share: load / 5,
    };
    // At least one of them, and up to three in all.
    let parts = [Set::sharers, Set::sharers, Set::queue, Set::semaphore];
    let first = set.numbers.of(&parts);
    first(&mut set);
    if set.numbers.once_in(2) {
        let second = set.numbers.of(&parts);
        second(&mut set);
    }
    if set.tasks.len() < 4 {
        set.loner();
    }
    let quantum = set.numbers.number(300_000, 2_000_000);
    format!(
        "schema = 1\n[policies.rr]\nquantum = \"{quantum}ns\"\n{}{}",
        set.resources,
        set.tasks.concat()
    )
}

impl Set {
    /// Two or three tasks that need the same mutex, some of them another one inside.
    fn sharers(&mut self) {
        let name = self.resource("mutex", |numbers| {
            let protocol = numbers.of(&["inherit", "inherit", "none"]);
            format!("protocol = \"{protocol}\"\n")
        });
        let inner = self
            .numbers
            .once_in(3)
            .then(|| self.resource("mutex", |_| String::new()));
        for _ in 0..self.numbers.number(2, 3) {
            let period = self.period();
            let [before, held, nested, after] = self.parts(period);
            let mut steps = format!("{before}, {{ lock = \"{name}\" }}, {held}, ");
            match &inner {
                Some(inner) if self.numbers.once_in(2) => {
                    // Writing to a string cannot fail.
                    let _ = write!(
                        steps,
                        "{{ lock = \"{inner}\" }}, {nested}, {{ unlock = \"{inner}\" }}, "
                    );
                }
                _ => {
                    let _ = write!(steps, "{nested}, ");
                }
            }
            let _ = write!(steps, "{{ unlock = \"{name}\" }}, {after}");
            self.periodic(period, &steps);
        }
    }

    /// A task that sends messages, and one that takes them.
    fn queue(&mut self) {
        let name = self.resource("queue", |numbers| {
            format!("capacity = {}\n", numbers.number(1, 3))
        });
        self.pair(
            &format!("{{ send = \"{name}\" }}"),
            &format!("{{ receive = \"{name}\" }}"),
        );
    }

    /// A task that signals a semaphore, and one that waits for it.
    fn semaphore(&mut self) {
        let name = self.resource("semaphore", |numbers| {
            format!("initial = {}\n", numbers.number(0, 1))
        });
        self.pair(
            &format!("{{ signal = \"{name}\" }}"),
            &format!("{{ wait = \"{name}\" }}"),
        );
    }

    /// Two tasks: one gives as often as the other takes. The one that takes is periodic, too, or goes
    /// on for ever.
    fn pair(&mut self, give: &str, take: &str) {
        let period = self.period();
        let times = self.numbers.number(1, 3);
        let [before, between, after, round] = self.parts(period);
        let gives = if times > 1 {
            format!("{{ repeat = {times}, do = [{give}, {between}] }}")
        } else {
            format!("{between}, {give}")
        };
        self.periodic(period, &format!("{before}, {gives}, {after}"));
        if self.numbers.once_in(2) {
            self.task(&format!(
                "behaviour = [{{ repeat = \"forever\", do = [{take}, {round}] }}]\n"
            ));
        } else {
            let takes = format!("{{ repeat = {times}, do = [{take}, {round}] }}");
            self.periodic(period, &takes);
        }
    }

    /// A task that has nothing to do with the others; it may sleep.
    fn loner(&mut self) {
        let period = self.period();
        let [before, after, ..] = self.parts(period);
        let sleep = self.numbers.number(50_000, 900_000);
        let steps = if self.numbers.once_in(2) {
            format!("{before}, {{ suspend = \"{sleep}ns\" }}, {after}")
        } else {
            format!("{before}, \"yield\", {after}")
        };
        self.periodic(period, &steps);
    }

    fn resource(&mut self, kind: &str, more: impl FnOnce(&mut Numbers) -> String) -> String {
        let name = format!("{}{}", &kind[..1], self.resources.len());
        let more = more(&mut self.numbers);
        // Writing to a string cannot fail.
        let _ = write!(self.resources, "[[{kind}]]\nname = \"{name}\"\n{more}");
        name
    }

    /// In milliseconds.
    fn period(&mut self) -> u64 {
        self.numbers.of(&[4, 5, 8, 10, 20])
    }

    /// Four computations that take a task's share of the CPU between them, or less; some of them at
    /// random. Their lengths are odd, so that little happens at the same instant by chance.
    fn parts(&mut self, period: u64) -> [String; 4] {
        let most = period * 1_000 * self.share / 4;
        [(); 4].map(|()| {
            let length = self.numbers.number(most / 5, most).max(20_000);
            if self.numbers.once_in(5) {
                format!(
                    "{{ compute = {{ uniform = [\"{}ns\", \"{length}ns\"] }} }}",
                    length / 2
                )
            } else {
                format!("{{ compute = \"{length}ns\" }}")
            }
        })
    }

    fn periodic(&mut self, period: u64, steps: &str) {
        let phase = self.numbers.number(0, 3_000_000);
        let on_miss = self.numbers.of(&["continue", "continue", "skip", "abort"]);
        self.task(&format!(
            "period = \"{period}ms\"\nphase = \"{phase}ns\"\non_miss = \"{on_miss}\"\n\
             behaviour = [{steps}]\n"
        ));
    }

    fn task(&mut self, rest: &str) {
        let number = self.tasks.len();
        // Some are equal.
        let priority = self.numbers.number(1, 8);
        self.tasks.push(format!(
            "[[task]]\nname = \"t{number}\"\npriority = {priority}\n{rest}"
        ));
    }
}
