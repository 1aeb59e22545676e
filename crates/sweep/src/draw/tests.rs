use super::*;
use proptest::prelude::*;

fn scenario(periods: &str, utilisations: &str, slack: u32) -> Scenario {
    Scenario {
        periods: Periods::named(periods).unwrap(),
        utilisations: Utilisations::named(utilisations).unwrap(),
        slack: Cap(slack),
    }
}

fn address(seed: u64, cap: u32, index: u32) -> Address {
    Address {
        seed,
        cap: Cap(cap),
        index,
    }
}

fn utilisation(tasks: &[Drawn]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    tasks
        .iter()
        .map(|task| task.wcet as f64 / task.period as f64)
        .sum()
}

/// Fixed for good: a set that is drawn again years later is the same one.
#[test]
fn a_set_is_the_same_for_ever() {
    let drawn = draw(
        &scenario("short", "bimodal-heavy", 100),
        address(1, 2_000, 0),
    )
    .unwrap();
    let tasks: Vec<_> = drawn.iter().map(|task| (task.wcet, task.period)).collect();
    assert_eq!(tasks, [(16_770, 27_256), (3_410, 4_361), (4_379, 8_477)]);
}

#[test]
fn every_part_of_the_address_counts() {
    let light = scenario("short", "uniform-light", 70);
    let drawn = |scenario: &Scenario, address| draw(scenario, address).unwrap();
    let first = drawn(&light, address(1, 2_000, 0));
    assert_eq!(first, drawn(&light, address(1, 2_000, 0)));
    assert_ne!(first, drawn(&light, address(2, 2_000, 0)));
    assert_ne!(first, drawn(&light, address(1, 2_000, 1)));
    assert_ne!(first[0], drawn(&light, address(1, 2_100, 0))[0]);
    assert_ne!(
        first[0],
        drawn(&scenario("long", "uniform-light", 70), address(1, 2_000, 0))[0]
    );
    // What a distribution is called does not matter.
    let mut other = light.clone();
    other.utilisations.name = "mine".into();
    assert_eq!(first, drawn(&other, address(1, 2_000, 0)));
}

/// Means and shares of 20,000 tasks or so, against those of the distributions: within five standard
/// errors.
#[test]
fn the_distributions_are_those_that_were_asked_for() {
    let all = |name: &str| {
        let scenario = scenario("moderate", name, 1_000);
        let sets = (0..).map(|index| draw(&scenario, address(5, 50_000, index)).unwrap());
        let mut tasks = Vec::new();
        for set in sets {
            tasks.extend(set);
            if tasks.len() > 20_000 {
                return tasks;
            }
        }
        unreachable!()
    };
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let mean = |tasks: &[Drawn], of: fn(&Drawn) -> f64| {
        tasks.iter().map(of).sum::<f64>() / tasks.len() as f64
    };
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let used = |task: &Drawn| task.wcet as f64 / task.period as f64;
    let light = all("uniform-light");
    // Uniform: (0.1 − 0.001) / √12 / √20,000 = 0.0002; periods 90 ms / √12 / √20,000 = 0.18 ms.
    assert!((mean(&light, used) - 0.0505).abs() < 0.001);
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let period = mean(&light, |task| task.period as f64);
    assert!((period - 55_000.0).abs() < 920.0, "{period}");
    assert!(
        light
            .iter()
            .all(|task| (10_000..=100_000).contains(&task.period))
    );
    let bimodal = all("bimodal-medium");
    let heavy = mean(&bimodal, |task| {
        f64::from(u8::from(2 * task.wcet >= task.period))
    });
    assert!((heavy - 1.0 / 3.0).abs() < 0.017, "{heavy}");
    assert!(
        bimodal
            .iter()
            .all(|task| used(task) <= 0.1 || used(task) >= 0.4999)
    );
    // With mean 0.1 hardly anything is above 1; the mean is that without it, to 0.0005.
    let exponential = all("exponential-light");
    assert!((mean(&exponential, used) - 0.1).abs() < 0.004);
}

#[test]
fn what_cannot_be_drawn_is_given_up() {
    let mut odd = scenario("short", "uniform-heavy", 1);
    // 0.2 + k · 0.3 is 1.1, 1.4 …: never 1.0, which two shapes do not let the reader see.
    let shape = |millionths| {
        let share = flyball_model::Share::from_millionths(millionths);
        Mode {
            weight: 1,
            shape: Shape::Uniform(share, share),
        }
    };
    odd.utilisations.modes = vec![shape(300_000), shape(600_000)];
    assert_eq!(draw(&odd, address(1, 1_000, 0)), Err(DrawError::Missed));
    odd.utilisations.modes = vec![shape(1)];
    assert_eq!(draw(&odd, address(1, 100_000, 0)), Err(DrawError::TooMany));
}

proptest! {
    /// In the slack, and as whole numbers that a task may have.
    #[test]
    fn sets_come_up_to_their_caps(
        seed in any::<u64>(),
        cap in 20_u32..=80,
        index in 0_u32..1_000,
        periods in prop::sample::select(Periods::names()),
        name in prop::sample::select(Utilisations::names()),
    ) {
        let cap = cap * 100;
        let set = draw(&scenario(periods, name, 100), address(seed, cap, index)).unwrap();
        let used = utilisation(&set);
        let cap = f64::from(cap) / 1e3;
        prop_assert!(used <= cap + 1e-9 && used >= cap - 0.1 - 1e-9, "{} of {}", used, cap);
        prop_assert!(set.iter().all(|task| task.wcet >= 1 && task.wcet <= task.period));
    }
}
