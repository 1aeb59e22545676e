//! What keeps the tasks that wait is a setting, and decides nothing.

use flyball_model::generate::{Options as Random, generate};
use flyball_model::{Setting, Value};
use flyball_sim::Options;
use flyball_study::{Recorder, Registry};
use flyball_trace::Duration;
use std::ops::ControlFlow;

#[test]
fn all_queues_give_one_schedule() {
    let registry = Registry::standard();
    for seed in 0..20 {
        // Every now and then too much, so that many wait.
        let random = Random {
            tasks: 24,
            utilisation: if seed % 4 == 0 { 5.0 } else { 3.8 },
            cpus: 4,
            seed,
            ..Random::default()
        };
        let set = generate(&random).expect("the options are possible");
        for policy in ["g-edf", "g-rm", "g-dm"] {
            let outcomes = ["heap", "list", "calendar"].map(|queue| {
                let mut set = set.clone();
                let settings = set.policies.entry(policy.to_owned()).or_default();
                let value = Value::Text(queue.to_owned());
                settings
                    .values
                    .insert("queue".to_owned(), Setting { value, place: None });
                let entry = registry.find(policy).expect("it is there");
                let values = entry.values("test", &set).expect("it has this setting");
                let mut recorder = Recorder::new(&set, 4, policy, 1 << 20);
                let until = Options::until(Duration::from_secs(2));
                let go_on = &mut |_| ControlFlow::Continue(());
                let outcome = entry.simulate(&values, &set, &until, &mut recorder, go_on);
                let outcome = outcome.expect("it can be simulated");
                let (_, trace) = recorder.finish(outcome.ended);
                (outcome, trace.events)
            });
            let [heap, list, calendar] = outcomes;
            assert!(heap.0.preemptions > 0);
            assert!(heap == list, "{policy}, seed {seed}");
            assert!(heap == calendar, "{policy}, seed {seed}");
        }
    }
}
