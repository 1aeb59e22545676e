//! The tests for several CPUs by their names: each is the analysis that it says it is.

use flyball_analysis::criterion::Cluster;
use flyball_analysis::gedf::{self, Set, Task};
use flyball_analysis::{
    Criterion, Fit, SporadicTask, WorkLimit, edf_demand, fixed_priority, priority,
};
use flyball_trace::Duration;
use std::collections::BTreeSet;

/// `SplitMix64` (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn between(&mut self, from: u64, to: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        from + (z ^ (z >> 31)) % (to - from + 1)
    }

    fn tasks(&mut self, most: u64) -> Vec<Task> {
        let heaviest = self.between(10, 100);
        let task = |_| {
            let period = self.between(2, 30);
            let wcet = self.between(1, (period * heaviest).div_ceil(100));
            let deadline = period - self.between(0, period - wcet) / 2;
            Task {
                wcet,
                period,
                deadline,
            }
        };
        (0..most).map(task).collect()
    }
}

fn accepts(criterion: Criterion, tasks: &[Task], cpus: u32) -> bool {
    let set = Set::new(tasks.to_vec()).unwrap();
    criterion.ask(&set, cpus, WorkLimit::default()).accepts()
}

fn sporadic(tasks: &[Task]) -> Vec<SporadicTask> {
    let of = |task: &Task| {
        let [c, t, d] = [task.wcet, task.period, task.deadline].map(Duration::from_nanos);
        SporadicTask::new(c, t, d).unwrap()
    };
    tasks.iter().map(of).collect()
}

#[test]
fn each_has_a_name_of_its_own() {
    let names: BTreeSet<&str> = Criterion::all().map(Criterion::name).collect();
    assert_eq!(names.len(), Criterion::all().count());
    for criterion in Criterion::all() {
        assert_eq!(
            Criterion::find(&criterion.name().to_lowercase()),
            Some(criterion)
        );
    }
    assert_eq!(Criterion::find("C-EDF/3"), None);
    let usual: Vec<&str> = Criterion::usual().map(Criterion::name).collect();
    let expected = "GFB BAK BAK05 BCL BCLI LOAD RTA FFDBF BAR FFD BFD WFD";
    assert_eq!(usual.join(" "), expected);
}

/// On one CPU all EDF is the same, and a partition is the set.
#[test]
fn on_one_cpu_they_are_exact() {
    let mut accepted = [0; 2];
    for seed in 0..1500 {
        let mut random = Random(seed);
        let count = random.between(1, 5);
        let tasks = random.tasks(count);
        let one = sporadic(&tasks);
        let limit = WorkLimit::default();
        let edf = edf_demand::test(&one, limit).holds();
        let levels = priority::distinct(&priority::deadline_monotonic(&one));
        let fixed = fixed_priority::test(&one, &levels, limit).unwrap().holds();
        for fit in [Fit::First, Fit::Best, Fit::Worst] {
            assert_eq!(accepts(Criterion::Partitioned(fit), &tasks, 1), edf);
            assert_eq!(accepts(Criterion::PartitionedFixed(fit), &tasks, 1), fixed);
        }
        for split in [Criterion::EdfWm, Criterion::CEqualsD] {
            assert_eq!(accepts(split, &tasks, 1), edf, "{split}: {tasks:?}");
        }
        // On one CPU no task carries in.
        for test in flyball_analysis::gfp::Test::ALL {
            assert!(fixed || !accepts(Criterion::GlobalFixed(test), &tasks, 1));
        }
        accepted[0] += u32::from(edf);
        accepted[1] += u32::from(fixed);
    }
    assert!(
        accepted[1] > 100 && accepted[0] > accepted[1] + 50,
        "{accepted:?}"
    );
}

/// One cluster is global EDF, and clusters that are accepted are a partition.
#[test]
fn a_cluster_of_all_is_global() {
    let (mut global, mut clustered) = (0, 0);
    for seed in 0..600 {
        let mut random = Random(seed ^ 0xc1);
        let count = random.between(3, 12);
        let tasks = random.tasks(count);
        let any = |cpus| {
            gedf::Test::CLASSIC
                .into_iter()
                .any(|test| accepts(Criterion::Global(test), &tasks, cpus))
        };
        // A cluster is filled task by task, so that all of these are asked about parts of the set,
        // too.
        for size in [Cluster::Four, Cluster::Eight, Cluster::Sixteen] {
            let accepts = accepts(Criterion::Clustered(size), &tasks, 4);
            assert!(any(4) || !accepts, "{tasks:?}");
            global += u32::from(accepts);
        }
        clustered += u32::from(accepts(Criterion::Clustered(Cluster::Two), &tasks, 4));
    }
    assert!(global > 50 && clustered > 50, "{global} {clustered}");
}

#[test]
fn tasks_that_need_two_clusters() {
    // Three of 0.6 do not hold on two CPUs of their own, and four have room in two clusters of two.
    let tasks = [Task::implicit(6, 10); 4];
    let two = Criterion::Clustered(Cluster::Two);
    assert!(accepts(two, &tasks, 4));
    assert!(!accepts(two, &[Task::implicit(6, 10); 5], 4));
    // The last cluster has one CPU.
    assert!(accepts(two, &tasks[..3], 3));
    assert!(!accepts(two, &tasks, 3));
}

#[test]
fn fair_slots_are_a_thousand_units() {
    // U = 2, in whole slots, and what no partition has room for.
    let tasks = [Task::implicit(2000, 3000); 3];
    assert!(accepts(Criterion::Fair, &tasks, 2));
    assert!(!accepts(Criterion::Partitioned(Fit::First), &tasks, 2));
    assert!(accepts(Criterion::CEqualsD, &tasks, 2));
    // Not in whole slots.
    assert!(!accepts(
        Criterion::Fair,
        &[Task::implicit(1500, 3000); 4],
        2
    ));
    // With 999 units until the next slot, two whole slots are left of 3.7, and four of 5.7. Whole
    // periods begin with a slot.
    let waiting = |period| accepts(Criterion::Fair, &[Task::implicit(3000, period)], 1);
    assert!(!waiting(3700) && waiting(5700) && waiting(3000));
}

/// So many sets, or as many times more as the variable `SOAK` says.
fn sets(count: u64) -> u64 {
    let soak = std::env::var("SOAK").ok();
    let times: Option<u64> = soak.and_then(|soak| soak.parse().ok());
    count * times.unwrap_or(1)
}

/// What is known to hold under no policy no test of any policy accepts, be the policy as good as it
/// may.
#[test]
fn what_no_policy_holds_no_test_accepts() {
    let mut random = Random(77);
    let (mut none, mut early) = (0, 0);
    for _ in 0..sets(1_000) {
        let (count, cpus) = (random.between(2, 8), random.between(1, 3));
        let cpus = u32::try_from(cpus).unwrap();
        let mut tasks = random.tasks(count);
        for task in &mut tasks {
            // Slots of PD² are of 1000 units.
            task.wcet *= 1000;
            task.period *= 1000;
            task.deadline = random.between(task.wcet / 1000, task.period / 1000) * 1000;
        }
        let set = Set::new(tasks.clone()).unwrap();
        if gedf::is_infeasible(&set, cpus, WorkLimit::default()) {
            none += 1;
            early += u32::from(!set.demands_more_than(cpus));
            for criterion in Criterion::all() {
                assert!(!accepts(criterion, &tasks, cpus), "{criterion}: {tasks:?}");
            }
        }
    }
    // By their utilisation, and by deadlines before periods.
    assert!(none > 200 && early > 50, "{none} {early}");
}
