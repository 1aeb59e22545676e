//! What a sweep counts in simulations is what a study says of the same set, and what its events
//! say, added up anew.

use flyball_model::study::Measure;
use flyball_model::{OverheadFile, Study, TaskSet};
use flyball_report::reproduction::{svg, table};
use flyball_study::results::PolicyReport;
use flyball_study::{Registry, StudyError, StudyOptions, study};
use flyball_sweep::simulate::{Count, counts};
use flyball_sweep::unit::{Tools, units};
use flyball_sweep::{Options, Results, SweepError, compute, figure, known};
use flyball_trace::{Duration, Kind};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

const STUDY: &str = r#"
    schema = 1
    name = "s"
    seed = 3
    cpus = 2
    caps = [1.2, 1.9]
    sets = 6
    batch = 3
    [[scenario]]
    periods = ["short"]
    utilisations = ["uniform-medium", "bimodal-medium"]
    slack = 0.1
    [simulate]
    policies = ["g-edf", "p-edf", "g-rm", "rr", "fp"]
    horizon = "80ms"
    phases = "random"
    execution = [0.9, 1.0]
    seeds = 2
    speeds = { frequencies = ["50MHz", "100MHz"], power = ["200mW", "900mW"], idle = "50mW" }
    [policies.rr]
    quantum = "700us"
"#;

fn read(registry: &Registry, text: &str) -> Study {
    let none = |_: &str| Ok(OverheadFile::default());
    Study::read(text, "s.toml", &known(registry), none).unwrap()
}

/// What a study says of one policy, with all events.
fn asked(
    registry: &Registry,
    set: &TaskSet,
    policy: &str,
    until: Duration,
    seed: u64,
) -> Result<PolicyReport, StudyError> {
    let options = StudyOptions {
        policies: vec![policy.to_owned()],
        until: Some(until),
        seed,
        keep: usize::MAX,
        tests: None,
        ..StudyOptions::default()
    };
    let go_on = &mut |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    let mut found = study(registry, "s.toml", set.clone(), &options, go_on)?;
    Ok(found.policies.remove(0))
}

/// Sums of what events say.
#[derive(Default)]
struct Told {
    released: u64,
    completed: u64,
    misses: u64,
    preemptions: u64,
    switches: u64,
    migrations: u64,
    tardiness: Vec<u64>,
    /// Response times and deadlines, by task.
    responses: BTreeMap<usize, Vec<u128>>,
    share_error: u128,
    energy: u128,
}

impl Told {
    fn hear(&mut self, set: &TaskSet, report: &PolicyReport, until: Duration) {
        let mut open = BTreeMap::new();
        let mut last_cpu = BTreeMap::new();
        let mut on_cpu: BTreeMap<u8, (usize, u64)> = BTreeMap::new();
        let mut ran = vec![0_u64; set.tasks.len()];
        let mut last_task: BTreeMap<u8, usize> = BTreeMap::new();
        let mut stop = |on_cpu: &mut BTreeMap<u8, (usize, u64)>, cpu: u8, now: u64| {
            if let Some((task, since)) = on_cpu.remove(&cpu) {
                ran[task] += now - since;
            }
        };
        assert_eq!(report.trace.header.dropped, 0);
        for event in &report.trace.events {
            let (now, cpu) = (event.time.as_nanos(), event.cpu.0);
            match event.kind {
                Kind::Release {
                    task,
                    job,
                    deadline,
                } => {
                    self.released += 1;
                    open.insert((task.index(), job), (now, deadline.as_nanos()));
                }
                Kind::Complete { task, job } => {
                    stop(&mut on_cpu, cpu, now);
                    self.completed += 1;
                    let (released, deadline) = open.remove(&(task.index(), job)).unwrap();
                    self.tardiness.push(now.saturating_sub(deadline));
                    let responses = self.responses.entry(task.index()).or_default();
                    responses.push(u128::from(now - released));
                }
                Kind::Miss { .. } => self.misses += 1,
                Kind::Preempt { .. } => {
                    stop(&mut on_cpu, cpu, now);
                    self.preemptions += 1;
                }
                Kind::Idle => stop(&mut on_cpu, cpu, now),
                Kind::Dispatch { task, job } => {
                    stop(&mut on_cpu, cpu, now);
                    on_cpu.insert(cpu, (task.index(), now));
                    let before = last_cpu.insert((task.index(), job), cpu);
                    self.migrations += u64::from(before.is_some_and(|before| before != cpu));
                    let before = last_task.insert(cpu, task.index());
                    self.switches += u64::from(before != Some(task.index()));
                }
                _ => {}
            }
        }
        let end = until.as_nanos();
        for cpu in 0..set.platform.cpus {
            stop(&mut on_cpu, cpu, end);
        }
        let part = |of: u64, all: u64| u128::from(of) * 1_000_000 / u128::from(all);
        for (task, ran) in set.tasks.iter().zip(ran) {
            let period = task.arrival.period().unwrap().as_nanos();
            let error = part(ran, end).abs_diff(part(task.wcet.as_nanos(), period));
            self.share_error = self.share_error.max(error);
        }
        let (_, all) = report.speeds.as_ref().unwrap().energy().unwrap();
        self.energy += all.microjoules();
        assert_eq!(report.simulated.until, until);
    }

    fn number(&self, set: &TaskSet, count: Count) -> u128 {
        let deadline = |task: &usize| u128::from(set.tasks[*task].deadline.unwrap().as_nanos());
        let Count::Measure(measure) = count else {
            return match count {
                Count::Released => self.released.into(),
                _ => self.completed.into(),
            };
        };
        let jobs = u128::from(self.completed.max(1));
        let relative = self.responses.iter();
        let relative = relative.flat_map(|(task, all)| {
            let deadline = deadline(task);
            all.iter().map(move |it| it * 1_000_000 / deadline)
        });
        match measure {
            Measure::Misses => self.misses.into(),
            Measure::MaxTardiness => self.tardiness.iter().copied().max().unwrap_or(0).into(),
            Measure::MeanTardiness => {
                self.tardiness
                    .iter()
                    .map(|&it| u128::from(it))
                    .sum::<u128>()
                    / jobs
            }
            Measure::MaxResponse => relative.max().unwrap_or(0),
            Measure::MeanResponse => relative.sum::<u128>() / jobs,
            Measure::Preemptions => self.preemptions.into(),
            Measure::Migrations => self.migrations.into(),
            Measure::Switches => self.switches.into(),
            Measure::Energy => self.energy,
            Measure::ShareError => self.share_error,
        }
    }
}

#[test]
fn counts_are_those_of_a_study_and_of_its_events() {
    let registry = Registry::standard();
    let study = read(&registry, STUDY);
    let simulations = study.simulate.as_ref().unwrap();
    let tools = Tools::new(&registry, &study).unwrap();
    let (mut taken, mut refused, mut not_zero) = (0, BTreeMap::new(), BTreeMap::new());
    for unit in units(&study) {
        for row in unit.work(&tools, |_| true).unwrap().unwrap() {
            for (policy, found) in simulations.policies.iter().zip(&row.simulated) {
                let mut told = Told::default();
                let mut why = None;
                let mut sets = Vec::new();
                for number in 0..simulations.seeds {
                    let (set, seed) = unit.task_set(&tools, row.set, number).unwrap().unwrap();
                    match asked(&registry, &set, policy, simulations.horizon, seed) {
                        Ok(report) => told.hear(&set, &report, simulations.horizon),
                        Err(error) => why = Some(error.to_string()),
                    }
                    sets.push(set);
                }
                let found = match (found, why) {
                    (Ok(found), None) => found,
                    (Err(found), Some(why)) => {
                        // A study looks for a CPU first.
                        let fp = "task \"t1\" has no `priority`";
                        assert_eq!(*found, if policy == "fp" { fp.to_owned() } else { why });
                        *refused.entry(policy.as_str()).or_insert(0) += 1;
                        continue;
                    }
                    (found, why) => panic!("{policy}: {found:?}, and the study: {why:?}"),
                };
                taken += 1;
                for (count, &found) in counts(simulations).into_iter().zip(found) {
                    let expected = told.number(&sets[0], count);
                    // Parts of deadlines are rounded for each task here, and for each job there.
                    let most = match count {
                        Count::Measure(Measure::MeanResponse) => expected + 1,
                        _ => expected,
                    };
                    let found = u128::from(found);
                    let name = format!("{policy} {} of {}", count.name(), sets[0].name);
                    assert!(
                        (expected..=most).contains(&found),
                        "{name}: {found} {expected}"
                    );
                    *not_zero.entry(count.name()).or_insert(0) += u32::from(found > 0);
                }
            }
        }
    }
    assert_eq!(refused.get("fp"), Some(&24), "no task has a priority");
    assert!(refused.get("p-edf").is_none_or(|&sets| sets < 24));
    assert!(taken > 60, "{taken}");
    // All of it is there to be counted.
    let all = counts(simulations);
    assert!(
        all.iter().all(|count| not_zero[count.name()] > 5),
        "{not_zero:?}"
    );
}

/// Every seed has other phases and execution times, and a set has the same ones whatever else is in
/// the study.
#[test]
fn what_is_simulated_depends_on_the_address_alone() {
    let registry = Registry::standard();
    let one = read(&registry, STUDY);
    let two = read(
        &registry,
        &STUDY
            .replace("caps = [1.2, 1.9]", "caps = [1.9]")
            .replace("sets = 6", "sets = 60")
            .replace("seeds = 2", "seeds = 9")
            .replace("\"g-edf\", ", ""),
    );
    let sets = |study: &Study, place: usize, number| {
        let tools = Tools::new(&registry, study).unwrap();
        let unit = units(study)[place];
        unit.task_set(&tools, 1, number).unwrap().unwrap()
    };
    // The first unit of the cap 1.9 is the third one of the first study.
    let (first, second) = (sets(&one, 2, 0), sets(&one, 2, 1));
    assert_eq!(first, sets(&two, 0, 0));
    assert_eq!(second, sets(&two, 0, 1));
    let phases = |set: &TaskSet| set.tasks.iter().map(|task| task.phase).collect::<Vec<_>>();
    assert_ne!(phases(&first.0), phases(&second.0));
    assert_ne!(first.1, second.1);
}

/// What is wrong with a policy is found before anything is done.
#[test]
fn wrong_policies_and_settings_are_refused() {
    let registry = Registry::standard();
    let wrong = read(&registry, &STUDY.replace("quantum = ", "quantm = "));
    let Err(SweepError::Model(error)) = Tools::new(&registry, &wrong) else {
        panic!("a setting that there is not was taken");
    };
    assert_eq!(
        error.headline(),
        "s:21:5: policies.rr: quantm: the policy has no such setting"
    );
    let mut unknown = read(&registry, STUDY);
    unknown.simulate.as_mut().unwrap().policies[1] = "mine".into();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let go_on = |_: flyball_sweep::Progress| true;
    let error = flyball_sweep::sweep(&registry, &unknown, &out, &Options::default(), &go_on);
    let error = error.unwrap_err();
    assert!(error.to_string().contains("no policy \"mine\""), "{error}");
    assert!(!out.exists());
}

/// A sweep ends in the midst of a simulation, too.
#[test]
fn a_long_simulation_is_interrupted() {
    let registry = Registry::standard();
    let long = STUDY
        .replace("80ms", "1000s")
        .replace("sets = 6", "sets = 1");
    let study = read(&registry, &long);
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let begun = std::time::Instant::now();
    let watch = |progress: flyball_sweep::Progress| {
        assert_eq!(progress.judged, 0);
        asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 3
    };
    let found = compute(&registry, &study, &Options::default(), &watch).unwrap();
    assert!(found.is_none());
    assert!(begun.elapsed() < std::time::Duration::from_secs(20));
}

fn results(text: &str) -> Results {
    let registry = Registry::standard();
    let study = read(&registry, text);
    let go_on = |_: flyball_sweep::Progress| true;
    let found = compute(&registry, &study, &Options::default(), &go_on);
    found.unwrap().unwrap()
}

/// Two policies, one of which refuses some sets.
const SMALL: &str = r#"
    schema = 1
    name = "Misses and preemptions"
    seed = 3
    cpus = 2
    caps = { from = 1.0, to = 2.0, step = 0.2 }
    sets = 12
    [[scenario]]
    periods = ["short"]
    utilisations = ["uniform-medium"]
    slack = 0.1
    [simulate]
    policies = ["g-edf", "p-edf", "g-rm"]
    measures = ["misses", "preemptions"]
    horizon = "200ms"
"#;

#[test]
fn figures_and_tables() {
    let results = results(SMALL);
    let figures = figure::all(&results);
    let names: Vec<_> = figures.iter().map(|figure| figure.name.as_str()).collect();
    assert_eq!(names, ["misses-short-uniform", "preemptions-short-uniform"]);
    insta::assert_snapshot!("simulated_figure", svg::file(&figures[0]));
    insta::assert_snapshot!("simulated_points", table::figure(&figures[1]));
    insta::assert_snapshot!("simulated_table", figure::simulated::table(&results));
    let gallery = figure::gallery(&results);
    let overview: Vec<String> = gallery.table.iter().map(|row| row.join(" | ")).collect();
    let about = [overview.join("\n"), gallery.about, gallery.notes.join("\n")];
    insta::assert_snapshot!("simulated_page", about.join("\n\n"));
}

/// Refused sets are counted, and in no other number.
#[test]
fn sets_that_a_policy_refuses_are_counted() {
    let text = SMALL.replace("\"g-rm\"", "\"fp\"");
    let results = results(&text);
    for cap in 0..results.study().caps.len() {
        let refused = results.refused(0, cap, 2).unwrap();
        assert_eq!(refused.sets, 12);
        let why = refused.why.as_deref().unwrap();
        assert!(why.contains("priority"), "{why}");
        assert_eq!(results.totals(0, cap, 2, 0).unwrap().sets, 0);
        let p_edf = results.refused(0, cap, 1).unwrap().sets;
        assert_eq!(results.totals(0, cap, 1, 0).unwrap().sets + p_edf, 12);
    }
    let table = figure::simulated::table(&results);
    let row = table
        .lines()
        .find(|row| row.contains(",1.0,fp,misses,"))
        .unwrap();
    assert_eq!(row, "short-uniform-medium,1.0,fp,misses,1,0,12,0,,,,,,0,");
    let notes = figure::simulated::notes(&results).join(" ");
    assert!(notes.contains("fp refuses 72 of 72 sets"), "{notes}");
}
