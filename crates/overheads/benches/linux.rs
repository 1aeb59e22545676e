//! What Linux's `SCHED_DEADLINE` does with random sets of threads, beside what a simulation under
//! `sched-deadline` says: `./x bench --linux`.
//!
//! Each set computes for a second and a half. Three things are compared: which threads are admitted,
//! which part of a CPU each of them gets, and which part of its jobs is late. Linux stops a thread that has used up
//! its budget at its next tick only, so instants are not compared. One set in five is a thread alone
//! that reclaims; its simulation is under `grub` with `variant = "linux"`.
//!
//! It takes a minute, and CPU time from all else that is at work. Where `SCHED_DEADLINE` is not
//! permitted it says so.

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("this is not Linux");
}

#[cfg(target_os = "linux")]
fn main() {
    // All benches are run together by `./x bench`, and this one is not asked for then.
    if std::env::args().any(|arg| arg == "--linux") {
        linux::main();
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use flyball_catalogue::{Allowance, Linux, OwnServers, Reclaim, Scheduler};
    use flyball_model::random::Random;
    use flyball_model::taskset::{Length, Step};
    use flyball_model::{Platform, Task, TaskSet};
    use flyball_overheads::linux::deadline::{self, Ran, Refusal, Thread};
    use flyball_sim::{Options, simulate};
    use flyball_trace::Duration;
    use flyball_trace::metrics::{Metrics, TaskInfo};
    use std::thread::available_parallelism;

    const SETS: u64 = 30;
    const TIME: Duration = Duration::from_millis(1_500);
    /// How far shares may be from each other, in parts of a CPU.
    const SHARE: f64 = 0.01;
    /// How far the parts of jobs that are late may be from each other.
    const LATE: f64 = 0.1;
    /// What servers use together on a CPU, in millionths: Linux's `sched_rt_runtime_us`.
    const RECLAIMED: u32 = 950_000;
    /// All of a CPU.
    const ALL: u64 = 1_000_000;
    /// Sums that are so near to the limit are not drawn, as it is not known better.
    const NEAR: u64 = 5_000;

    /// A random set.
    struct Set {
        threads: Vec<Thread>,
        /// The CPU of each thread in the simulation; `None`: it should be refused.
        cpus: Vec<Option<u8>>,
    }

    /// What a set was like beside its simulation.
    struct Compared {
        /// How many threads were refused, here and by Linux.
        refused: [u64; 2],
        agree: bool,
        /// The largest difference between shares.
        share: f64,
        /// How many jobs were late, here and in Linux.
        late: [u64; 2],
        /// The largest difference between the parts of jobs that were late.
        late_off: f64,
    }

    pub(crate) fn main() {
        let limit = match deadline::limit() {
            Ok(limit) => limit,
            Err(refusal) => {
                println!("nothing is compared with Linux: {refusal}");
                return;
            }
        };
        let cpus = available_parallelism().map_or(1, usize::from);
        let cpus = u8::try_from(cpus).unwrap_or(u8::MAX);
        println!(
            "{cpus} CPUs; Linux admits threads for {:.3} of a CPU together",
            in_parts(limit)
        );
        println!(
            "{:>3} {:>7} {:>8} {:>15} {:>13} {:>12}",
            "SET", "THREADS", "ASK FOR", "REFUSED (LINUX)", "SHARES OFF BY", "LATE (LINUX)"
        );
        let mut counts = [0; 3];
        for number in 0..SETS {
            let set = Set::draw(&mut Random::new(2014, number), number % 5 == 4, limit, cpus);
            let compared = set.compare(cpus);
            let verdicts = [
                compared.agree,
                compared.share <= SHARE,
                compared.late_off <= LATE,
            ];
            for (count, holds) in counts.iter_mut().zip(verdicts) {
                *count += usize::from(holds);
            }
            let sum = set.threads.iter().map(millionths).sum();
            let beside = |[ours, linux]: [u64; 2]| format!("{ours} ({linux})");
            println!(
                "{:>3} {:>7} {:>8.3} {:>15} {:>13.4} {:>12}  {}",
                number + 1,
                set.threads.len(),
                in_parts(sum),
                beside(compared.refused),
                compared.share,
                beside(compared.late),
                if verdicts == [true; 3] { "✓" } else { "✗" }
            );
        }
        let [refusals, shares, late] = counts;
        println!(
            "of {SETS} sets: refusals agree in {refusals}; shares are within {SHARE} of a CPU in \
             {shares}; the parts of late jobs within {LATE} in {late}"
        );
    }

    #[expect(clippy::cast_precision_loss, reason = "what is printed has few digits")]
    fn in_parts(millionths: u64) -> f64 {
        millionths as f64 / ALL as f64
    }

    fn millionths(thread: &Thread) -> u64 {
        thread.budget.as_nanos() * ALL / thread.period.as_nanos()
    }

    /// A length between two percentages of another one.
    fn between(random: &mut Random, of: Duration, [least, most]: [u64; 2]) -> Duration {
        let percent = |percent: u64| Duration::from_nanos(of.as_nanos() * percent / 100);
        random.uniform(percent(least), percent(most))
    }

    /// A thread with a tenth to six tenths of a CPU. One in four has jobs that are longer than its
    /// budget; one that reclaims computes all the time.
    fn thread(random: &mut Random, reclaims: bool) -> Thread {
        let period = between(random, Duration::from_millis(10), [100, 500]);
        let budget = between(random, period, [10, 60]);
        let length = match random.unit() {
            _ if reclaims => TIME,
            unit if unit < 0.25 => between(random, budget, [120, 200]),
            _ => between(random, budget, [30, 80]),
        };
        Thread {
            budget,
            deadline: period,
            period,
            length,
            reclaims,
        }
    }

    impl Set {
        /// Draws a set until its threads, without those that are refused, lie on CPUs.
        fn draw(random: &mut Random, reclaims: bool, limit: u64, cpus: u8) -> Set {
            loop {
                let count = if reclaims {
                    1
                } else {
                    random.log_uniform(2, 4 * u64::from(cpus))
                };
                let threads = (0..count).map(|_| thread(random, reclaims)).collect();
                if let Some(set) = Set::placed(threads, limit, cpus) {
                    return set;
                }
            }
        }

        /// Each thread on the CPU that has the most room; `None`: it has too little, or it is
        /// doubtful whether a thread is refused.
        fn placed(threads: Vec<Thread>, limit: u64, cpus: u8) -> Option<Set> {
            let mut loads = vec![0; usize::from(cpus)];
            let mut places = Vec::new();
            for thread in &threads {
                let sum = loads.iter().sum::<u64>() + millionths(thread);
                if sum.abs_diff(limit) < NEAR {
                    return None;
                }
                if sum > limit {
                    places.push(None);
                    continue;
                }
                let (cpu, load) = (0..cpus).zip(&mut loads).min_by_key(|(_, load)| **load)?;
                *load += millionths(thread);
                if *load > ALL {
                    return None;
                }
                places.push(Some(cpu));
            }
            Some(Set {
                threads,
                cpus: places,
            })
        }

        /// Lets the set run, and simulates it.
        fn compare(&self, cpus: u8) -> Compared {
            let linux = deadline::run(&self.threads, TIME);
            let ours = if self.threads.iter().any(|it| it.reclaims) {
                self.simulated(cpus, &by(Reclaim::Linux(RECLAIMED)))
            } else {
                self.simulated(cpus, &by(Linux::UNLIMITED))
            };
            let refused = [
                ours.iter().map(|it| u64::from(it.is_none())).sum(),
                linux.iter().map(|it| u64::from(it.is_err())).sum(),
            ];
            let is_alike = |(ours, linux): (&Option<_>, &Result<_, _>)| match linux {
                Ok(_) => ours.is_some(),
                Err(refusal) => ours.is_none() && *refusal == Refusal::Busy,
            };
            let both = || ours.iter().flatten().zip(linux.iter().flatten());
            let most = |part: fn(&Ran) -> f64| {
                let differences = both().map(|(ours, linux)| (part(ours) - part(linux)).abs());
                differences.fold(0.0, f64::max)
            };
            Compared {
                refused,
                agree: ours.iter().zip(&linux).all(is_alike),
                share: most(|ran| ratio(ran.cpu_time.as_nanos(), TIME.as_nanos())),
                late: [
                    ours.iter().flatten().map(|it| it.late).sum(),
                    linux.iter().flatten().map(|it| it.late).sum(),
                ],
                late_off: most(|ran| ratio(ran.late, ran.jobs)),
            }
        }

        /// What a simulation says of each thread that is not refused.
        fn simulated<S: Scheduler>(&self, cpus: u8, scheduler: &S) -> Vec<Option<Ran>> {
            let pairs = self.threads.iter().zip(&self.cpus);
            let tasks = pairs.enumerate().filter_map(|(number, (thread, &cpu))| {
                let name = format!("thread {number}");
                let mut task = Task::periodic(name, thread.period, thread.budget);
                task.cpu = Some(cpu?);
                task.behaviour = vec![Step::Overrun {
                    declared: Length::Fixed(thread.budget),
                    actual: Length::Fixed(thread.length),
                }];
                Some(task)
            });
            let platform = Platform {
                cpus,
                ..Platform::default()
            };
            let set = TaskSet {
                tasks: tasks.collect(),
                platform,
                ..TaskSet::default()
            };
            let infos = set.tasks.iter().map(|task| TaskInfo {
                deadline: task.deadline,
                ..TaskInfo::default()
            });
            let mut metrics = Metrics::new(&infos.collect::<Vec<_>>(), usize::from(cpus));
            let outcome = simulate(&set, scheduler, &Options::until(TIME), &mut metrics)
                .expect("each thread asks for less than a CPU, and all on one CPU together");
            let summary = metrics.finish(outcome.ended);
            let mut tasks = summary.tasks.iter().zip(&set.tasks);
            let ran = |cpu: &Option<u8>| {
                (*cpu)?;
                let (task, of) = tasks.next()?;
                Some(Ran {
                    cpu_time: task.cpu_time,
                    jobs: TIME / of.arrival.period()?,
                    late: task.misses,
                })
            };
            self.cpus.iter().map(ran).collect()
        }
    }

    /// A server for each task, as large as it asks for.
    fn by<R>(rule: R) -> OwnServers<R> {
        OwnServers {
            rule,
            allowance: Allowance::default(),
            quantum: Duration::from_millis(10),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "what is printed has few digits")]
    fn ratio(part: u64, of: u64) -> f64 {
        part as f64 / of.max(1) as f64
    }
}
