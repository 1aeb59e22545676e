//! Random task sets whose jobs wait for each other.

use crate::differential::read;
use flyball_model::Task;
use flyball_model::random::Random;
use flyball_trace::Duration;
use std::fmt::Write;

/// Random numbers for one set.
pub(crate) struct Numbers(Random);

impl Numbers {
    pub(crate) fn new(seed: u64, stream: u64) -> Numbers {
        Numbers(Random::new(seed, stream))
    }

    /// A whole number from `least` to `most`.
    pub(crate) fn number(&mut self, least: u64, most: u64) -> u64 {
        let length = Duration::from_nanos;
        self.0.uniform(length(least), length(most)).as_nanos()
    }

    /// True once in `n` times.
    pub(crate) fn once_in(&mut self, n: u64) -> bool {
        self.number(1, n) == 1
    }

    pub(crate) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
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
    spread(seed, |_| (Home::Anywhere, true))
}

/// The same, each task assigned to a CPU, where it shares nothing with other CPUs.
pub(crate) fn four_times_one_cpu(seed: u64) -> String {
    spread(seed, |number| (Home::Cpu(number % 4), number % 4 == 0))
}

/// The same, each task assigned to a cluster of two CPUs, where it shares nothing with the other
/// one.
pub(crate) fn two_clusters(seed: u64) -> String {
    spread(seed, |number| (Home::Cpu(number % 4), number % 4 < 2))
}

/// Four to eight tasks for two to four CPUs, in whole quanta of 1 ms, of which each job leaves a
/// little. In every other set they begin together, and in the others at any instant; some have
/// earlier deadlines. So much is asked for as proportionate fairness can give.
pub(crate) fn fair(seed: u64) -> String {
    let mut numbers = Numbers::new(seed, 5);
    let cpus = numbers.number(2, 4);
    let mut text = format!("schema = 1\n[platform]\ncpus = {cpus}\n");
    let has_phases = seed % 2 == 1;
    // In thousandths of a CPU, as a job that comes within a slot waits for the next one.
    let mut room = cpus * 1_000;
    for number in 0..numbers.number(4, 8) {
        let period = numbers.of(&[3, 4, 5, 6, 8, 10, 12]);
        let is_early = has_phases && period > 4 && numbers.once_in(3);
        let deadline = period - u64::from(is_early);
        // The wait for the first slot of a job comes off its time.
        let slots = deadline - u64::from(has_phases);
        let quanta = numbers.number(1, slots).min(room * slots / 1_000);
        if quanta == 0 {
            continue;
        }
        room -= (quanta * 1_000).div_ceil(slots);
        let left = numbers.number(50_000, 300_000);
        let phase = if has_phases {
            numbers.number(0, 3_000_000)
        } else {
            0
        };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "[[task]]\nname = \"t{number}\"\nperiod = \"{period}ms\"\ndeadline = \"{deadline}ms\"\n\
             phase = \"{phase}ns\"\nwcet = \"{quanta}ms\"\nbehaviour = [{{ compute = \"{}ns\" }}]\n",
            quanta * 1_000_000 - left
        );
    }
    text
}

/// The same, where most tasks may run on some CPUs only, from one of them to three.
pub(crate) fn four_cpus_with_affinities(seed: u64) -> String {
    let mut numbers = Numbers::new(seed, 3);
    spread(seed, |_| match numbers.number(0, 15) {
        0 | 15 => (Home::Anywhere, true),
        mask => (
            Home::Cpus((0..4).filter(|cpu| mask >> cpu & 1 == 1).collect()),
            true,
        ),
    })
}

/// Five tasks that ask for more than half a CPU each, of which there are four, and two small ones.
/// So one has to be split. Jobs are done a little before their worst case.
pub(crate) fn five_halves(seed: u64) -> String {
    let mut numbers = Numbers::new(seed, 2);
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

/// At 5 ms task `a` comes, which may run on CPU 2 only. So `b` has to leave it for CPU 1, which
/// looks before CPU 2 has, and has to wait for it.
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

/// The settings of a policy whose time slices can be of any length. It admits all sets, as some are overloaded.
pub(crate) fn quantum(policy: &str, seed: u64) -> String {
    let mut numbers = Numbers::new(seed, 6);
    let quantum = numbers.number(300_000, 2_000_000);
    let limit = if policy.ends_with("sched-deadline") {
        "limit = 0\n"
    } else {
        ""
    };
    let variant = if policy == "dss" {
        variant("variant", &mut numbers)
    } else {
        String::new()
    };
    format!("[policies.{policy:?}]\nquantum = \"{quantum}ns\"\n{limit}{variant}")
}

/// One of the variants of double-sorted scheduling for sets with [`groups`], as a setting of this name, in
/// half of them with a table of costs.
fn variant(setting: &str, numbers: &mut Numbers) -> String {
    let variants = &[
        "strict-lists",
        "loose-lists",
        "strict-walk",
        "loose-walk",
        "tour-lists",
    ];
    let variant = numbers.of(variants);
    let costs = costs(numbers);
    format!("{setting} = \"{variant}\"\n{costs}")
}

/// The settings of a policy with windows of deadlines, for sets with [`groups`].
pub(crate) fn window(policy: &str, seed: u64) -> String {
    let mut numbers = Numbers::new(seed, 9);
    let window = numbers.number(1_000_000, 20_000_000);
    let costs = costs(&mut numbers);
    format!("[policies.{policy:?}]\nwindow = \"{window}ns\"\n{costs}")
}

/// In half of the sets a table of costs.
fn costs(numbers: &mut Numbers) -> &'static str {
    if numbers.once_in(2) {
        "costs = [[0, 9, 2, 4], [3, 0, 7, 1], [1, 6, 0, 8], [5, 2, 9, 0]]\n"
    } else {
        ""
    }
}

/// The same set, with its tasks in up to four groups on three levels, so that most have equals. In half
/// of the sets a group is what runs at the same of four operating points.
pub(crate) fn groups(seed: u64, text: &str) -> String {
    let mut numbers = Numbers::new(seed, 8);
    let by_speed = seed.is_multiple_of(2);
    let line = |line: &str| match line.strip_prefix("priority = ") {
        Some(_) => {
            let (priority, group) = (numbers.number(1, 3), numbers.number(0, 3));
            let key = if by_speed {
                let stalls = numbers.number(0, 100);
                format!("stalls = {}.{:02}\nspeed", stalls / 100, stalls % 100)
            } else {
                "group".to_owned()
            };
            format!("priority = {priority}\n{key} = {group}\n")
        }
        None => format!("{line}\n"),
    };
    let text: String = text.lines().map(line).collect();
    if !by_speed {
        return text;
    }
    let mut transition = || numbers.number(20_000, 400_000);
    let rows = (0..4).map(|row| {
        let row = (0..4).map(|column| if row == column { 0 } else { transition() });
        let row: Vec<String> = row.map(|nanos| format!("\"{nanos}ns\"")).collect();
        format!("[{}]", row.join(", "))
    });
    let rows: Vec<String> = rows.collect();
    let speeds = format!(
        "schema = 1\n[platform.speeds]\nfrequencies = [\"333MHz\", \"400MHz\", \"600MHz\", \"733MHz\"]\n\
         transition = [{}]\n",
        rows.join(", ")
    );
    let text = text.replacen("schema = 1\n", &speeds, 1);
    let first = if text.contains("\nwindow = ") {
        "\nwindow = "
    } else {
        "\nquantum = "
    };
    text.replacen(first, &format!("\nby = \"speed\"{first}"), 1)
}

/// A set in which a third of the tasks say how long their time slices are, and a sixth that they
/// have none.
pub(crate) fn time_slices(policy: &str, seed: u64, text: &str) -> String {
    let mut numbers = Numbers::new(seed, 7);
    let mut tasks = text.split("[[task]]\n");
    let mut said = tasks.next().unwrap_or_default().to_owned();
    for task in tasks {
        said += "[[task]]\n";
        let quantum = match numbers.number(0, 5) {
            0 => 0,
            1 | 2 => numbers.number(200_000, 3_000_000),
            _ => {
                said += task;
                continue;
            }
        };
        // Writing to a string cannot fail.
        let _ = write!(
            said,
            "policies.{policy:?}.quantum = \"{quantum}ns\"\n{task}"
        );
    }
    said
}

/// Twelve to twenty tasks on eight CPUs whose jobs lock one of up to three mutexes, one to three
/// times, and hold it for long: on most CPUs jobs wait most of the time.
pub(crate) fn eight_cpus(seed: u64) -> String {
    let mut numbers = Numbers::new(seed, 4);
    let mut text = String::from("schema = 1\n[platform]\ncpus = 8\n");
    let mutexes = &MUTEXES[..usize::try_from(numbers.number(1, 3)).expect("it is small")];
    // Writing to a string cannot fail.
    for name in mutexes {
        let _ = write!(text, "[[mutex]]\nname = \"{name}\"\n");
    }
    for number in 0..numbers.number(12, 20) {
        let period = numbers.of(&[5, 8, 10, 16, 20]);
        let phase = numbers.number(0, 3_000_000);
        let priority = numbers.number(1, 8);
        let sections = numbers.number(1, 3);
        let between = period * 1_000 * numbers.number(100, 700) / sections / 2;
        let mut steps = String::new();
        for _ in 0..sections {
            let (mutex, held) = (numbers.of(mutexes), numbers.number(50_000, 500_000));
            let _ = write!(
                steps,
                "{{ compute = \"{between}ns\" }}, {{ lock = \"{mutex}\" }}, \
                 {{ compute = \"{held}ns\" }}, {{ unlock = \"{mutex}\" }}, "
            );
        }
        let _ = write!(
            text,
            "[[task]]\nname = \"t{number}\"\npriority = {priority}\nperiod = \"{period}ms\"\n\
             phase = \"{phase}ns\"\nbehaviour = [{steps}{{ compute = \"{between}ns\" }}]\n"
        );
    }
    text
}

/// The mutexes of [`eight_cpus`].
const MUTEXES: [&str; 3] = ["k", "l", "m"];

impl Numbers {
    /// Adds a task that computes for at most `most` nanoseconds, and may hold a mutex on the way.
    fn task(
        &mut self,
        text: &mut String,
        number: usize,
        period: u64,
        most: u64,
        mutex: Option<&str>,
    ) {
        let phase = self.number(0, 7_000_000);
        let most = most.min(period * 990_000);
        let length = self.number(most / 2, most);
        let (before, held) = (length / 3, self.number(20_000, 300_000));
        let priority = self.number(1, 8);
        let on_miss = self.of(&["continue", "skip", "abort"]);
        let steps = match mutex {
            Some(mutex) => format!(
                "{{ compute = \"{before}ns\" }}, {{ lock = \"{mutex}\" }}, {{ compute = \"{held}ns\" }}, \
                 {{ unlock = \"{mutex}\" }}, {{ compute = \"{}ns\" }}",
                length - before
            ),
            None => format!("{{ compute = \"{length}ns\" }}"),
        };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "[[task]]\nname = \"t{number}\"\npriority = {priority}\nperiod = \"{period}ms\"\n\
             phase = \"{phase}ns\"\non_miss = \"{on_miss}\"\nbehaviour = [{steps}]\n"
        );
    }
}

/// A set for four CPUs. Tasks share a mutex if `home` says that they may.
fn spread(seed: u64, mut home: impl FnMut(usize) -> (Home, bool)) -> String {
    let mut numbers = Numbers::new(seed, 1);
    let tasks = usize::try_from(numbers.number(6, 9)).expect("it is small");
    let load = numbers.of(&[2_800, 3_400, 4_000, 5_400]);
    let mut text = String::from("schema = 1\n[platform]\ncpus = 4\n[[mutex]]\nname = \"m\"\n");
    for number in 0..tasks {
        let period = numbers.of(&[8, 10, 20, 25, 40]);
        let (home, may_share) = home(number);
        let mutex = (numbers.once_in(2) && may_share).then_some("m");
        let most = period * 1_000 * load / tasks as u64;
        numbers.task(&mut text, number, period, most, mutex);
        // Writing to a string cannot fail.
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
    let mut numbers = Numbers::new(seed, 0);
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
    format!("schema = 1\n{}{}", set.resources, set.tasks.concat())
}

/// The same without sorting, for an image with little memory.
pub(crate) fn unsorted_nice_set(seed: u64) -> String {
    let text = nice_set(seed);
    let stays = |line: &&str| !["sort", "costs"].iter().any(|key| line.starts_with(key));
    let lines: Vec<&str> = text.lines().filter(stays).collect();
    lines.join("\n") + "\n"
}

/// The same tasks for Linux's scheduler, with short ticks: most have a nice value instead of a priority. In two
/// of three sets equals are sorted by group.
pub(crate) fn nice_set(seed: u64) -> String {
    let version = ["2.6.8", "2.6.11"][usize::from(seed.is_multiple_of(2))];
    let mut numbers = Numbers::new(seed, 9);
    let sort = if numbers.once_in(3) {
        String::new()
    } else {
        variant("sort", &mut numbers)
    };
    let settings = format!("[policies.linux-o1]\nhz = 1000\nversion = \"{version}\"\n{sort}");
    let text = random_set(seed);
    let line = |line: &str| match line.strip_prefix("priority = ").map(str::parse::<i8>) {
        Some(Ok(number @ 1..8)) => {
            let group = numbers.number(0, 3);
            format!("nice = {}\ngroup = {group}\n", (number - 4) * 5)
        }
        _ => format!("{line}\n"),
    };
    let lines: String = text.lines().map(line).collect();
    lines.replacen("schema = 1", &format!("schema = 1\n{settings}"), 1)
}

/// Of some random sets the first one whose tasks leave room for what is reserved beside their execution times,
/// where all of the CPU may be reserved.
pub(crate) fn reserved_set(seed: u64) -> String {
    let mut sets = (seed * 100..).map(random_set);
    let set = sets.find(|set| thousandths(set).iter().sum::<u64>() <= 800);
    let settings = "schema = 1\n[policies.pp]\nlimit = 1\nspare = 0";
    set.unwrap_or_default().replacen("schema = 1", settings, 1)
}

/// What each task of a set needs of a CPU.
fn thousandths(text: &str) -> Vec<u64> {
    let part = |task: &Task| {
        let period = task.arrival.period()?.as_nanos();
        Some((task.wcet.as_nanos() * 1_000).div_ceil(period))
    };
    read(text).tasks.iter().filter_map(part).collect()
}

/// The same on four CPUs, by the bound of reservations there: all together and three times the largest are at most four.
pub(crate) fn reserved_four_cpus(seed: u64) -> String {
    let asked = |set: &String| {
        let parts = thousandths(set);
        parts.iter().sum::<u64>() + 3 * parts.iter().max().unwrap_or(&0)
    };
    let mut sets = (seed * 100..(seed + 1) * 100).map(four_cpus);
    let set = sets.find(|set| asked(set) <= 3_200);
    let settings = "schema = 1\n[policies.g-pp]\nlimit = 1\nspare = 0";
    set.unwrap_or_default().replacen("schema = 1", settings, 1)
}

/// The same tasks for Linux 2.0's scheduler, with short ticks and slices.
pub(crate) fn credit_set(seed: u64) -> String {
    let slice = Numbers::new(seed, 10).of(&["1ms", "4ms", "20ms"]);
    let settings = format!("[policies.\"linux-2.0\"]\ntick = \"1ms\"\nslice = \"{slice}\"");
    unsorted_nice_set(seed).replacen("schema = 1", &format!("schema = 1\n{settings}"), 1)
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

    /// Two tasks: one gives as often as the other takes. The one that takes is periodic, too, or
    /// goes on for ever.
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
        // What a job says of itself is a random number among the others.
        let result = ["", "{ result = { one_of = [0, 3] } }, "][self.tasks.len() % 2];
        self.task(&format!(
            "period = \"{period}ms\"\nphase = \"{phase}ns\"\non_miss = \"{on_miss}\"\n\
             behaviour = [{result}{steps}]\n"
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
