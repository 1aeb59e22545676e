//! Hartstone, each iteration of the PH series as a task set of its own (4.3).

use super::field::{NEAR, all, firsts};
use super::hartstone::WHERE;
use super::sets::seconds;
use crate::hartstone::sweep::{Conditions, Parts, Score};
use crate::hartstone::workload::task_set;
use crate::hartstone::{Contender, Setup as Rules, Test};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{Bench, BenchError, Simulator, Trial};
use flyball_measure::costs::Kernel;
use flyball_model::Setting;
use flyball_report::reproduction::{Claim, Experiment, Verdict};
use flyball_study::Progress;
use flyball_study::registry::Registry;
use flyball_trace::Duration;
use std::ops::ControlFlow;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "hartstone-kernel",
    title: "Hartstone, PH series: the first iteration that misses, on the kernel (4.3)",
    on_machine: &["rr", "edf", "ipi"],
    run,
};

/// Where no miss is found, it is looked for in so many iterations after the one that was predicted.
const MARGIN: u32 = 4;

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let burst = Duration::from_micros(300);
    let contenders = [
        ("RR, 1 ms", Contender::rr()),
        ("EDF", Contender::edf()),
        ("I+PI, 0.3 ms", Contender::ipi(burst)),
    ];
    let conditions = Conditions {
        kernel: setup.bench.kernel(),
        ..Conditions::default()
    };
    let on_machine = setup.bench.machine().is_some();
    let (mut claims, mut simulated) = (Vec::new(), Vec::new());
    for (name, contender) in &contenders {
        setup.bench.go_on()?;
        let predicted = Score::in_parts(contender, &conditions, Parts::Series)?;
        let expected = predicted
            .first_miss
            .map(|first| first.map(|first| first.iteration));
        let found = look(setup.bench, contender, expected, conditions.kernel)?;
        let mut why = "the start together is worse than that".to_owned();
        if on_machine {
            let registry = Registry::standard();
            let mut go_on = |_: Progress<'_>| ControlFlow::Continue(());
            let mut simulator = Simulator::new(&registry, &mut go_on);
            let alone = look(&mut simulator, contender, expected, conditions.kernel)?;
            simulated.push(format!("{name}: {}", firsts(alone)));
            if all(alone, expected, is_near) {
                why = format!(
                    "simulation, where the same sets miss first in {}, does not say why: the schedules \
                     part after some turns, as the kernel's work is not the same in each",
                    firsts(alone)
                );
            }
        }
        claims.push(Claim {
            text: format!("{name}: the kernel misses first where it was predicted"),
            place: WHERE.into(),
            criterion: format!("within {NEAR} iterations: tasks start together here"),
            published: "no numbers".into(),
            ours: format!("{}; predicted {}", firsts(found), firsts(expected)),
            verdict: Verdict::of(all(found, expected, is_near), || why),
        });
    }
    let kernel = if on_machine {
        format!(
            "The kernel's work costs what it costs on the machine, and in the prediction as much as is known \
             of that. The same sets of tasks that start together, simulated with these costs: {}.",
            simulated.join("; ")
        )
    } else {
        "The kernel's work costs what it was measured to cost on the emulated Cortex-M3, here and in the \
         prediction."
            .into()
    };
    Ok(Experiment {
        about: "Each iteration as a task set of its own, all of whose tasks start together: the first that \
                misses a deadline within a second, looked for around the iteration in which simulation \
                predicts the first miss if one follows upon the other."
            .into(),
        assumptions: vec![kernel],
        claims,
        ..Experiment::default()
    })
}

fn is_near(found: Option<u32>, expected: Option<u32>) -> bool {
    let pair = found.zip(expected);
    pair.is_some_and(|(found, expected)| found.abs_diff(expected) <= NEAR)
}

/// The first iterations that miss, by test, near those that are expected.
fn look(
    bench: &mut dyn Bench,
    contender: &Contender,
    expected: [Option<u32>; 4],
    kernel: Kernel,
) -> Result<[Option<u32>; 4], BenchError> {
    let mut found = [None; 4];
    for (n, test) in Test::ALL.into_iter().enumerate() {
        let mut misses = |i| misses(bench, contender, test, i, kernel);
        found[n] = match expected[n] {
            Some(expected) => first(expected, &mut misses)?,
            None => None,
        };
    }
    Ok(found)
}

/// The first iteration that misses, near `guess`.
fn first(
    guess: u32,
    misses: &mut dyn FnMut(u32) -> Result<bool, BenchError>,
) -> Result<Option<u32>, BenchError> {
    if misses(guess)? {
        let mut at = guess;
        while at > 0 && misses(at - 1)? {
            at -= 1;
        }
        return Ok(Some(at));
    }
    for at in guess + 1..=guess + MARGIN {
        if misses(at)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

fn misses(
    bench: &mut dyn Bench,
    contender: &Contender,
    test: Test,
    iteration: u32,
    kernel: Kernel,
) -> Result<bool, BenchError> {
    let mut set = task_set(test, iteration, Rules::default());
    let settings = set.policies.entry(contender.policy.to_owned()).or_default();
    for (name, value) in &contender.settings {
        let setting = Setting::from(value.clone());
        settings.values.insert((*name).to_owned(), setting);
    }
    // A machine has its own.
    set.platform.overheads = kernel.overheads(contender.policy);
    let mut trial = Trial::new(set, contender.policy, seconds(1).min(bench.longest()));
    trial.stop_at_miss = true;
    Ok(bench.run(&trial)?.first_miss.is_some())
}
