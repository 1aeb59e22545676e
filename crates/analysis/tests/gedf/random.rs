//! Random task sets, small enough for the formulas word for word.

use crate::gedf::plain;
use flyball_analysis::WorkLimit;
use flyball_analysis::gedf::{Answer, Set, Task, Test, accepted_by, test};

/// `SplitMix64` (Steele, Lea and Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number between `from` and `to`, both included.
    pub(crate) fn between(&mut self, from: u64, to: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        from + (z ^ (z >> 31)) % (to - from + 1)
    }

    /// Tasks with periods of up to `longest`, and a number of CPUs. Light and heavy ones, with
    /// implicit and constrained deadlines, of which most are near the edge of some test.
    pub(crate) fn set(&mut self, longest: u64) -> (Vec<Task>, u32) {
        let cpus = self.between(1, 5);
        let tasks = self.between(1, 4 * cpus);
        let heaviest = self.between(10, 100);
        let tightest = self.between(0, 100).max(self.between(0, 200)).min(100);
        let task = |_| {
            let period = self.between(1, longest);
            let wcet = self.between(1, (period * heaviest).div_ceil(100));
            let rest = period - wcet;
            let deadline = period - self.between(0, rest - rest * tightest / 100);
            Task {
                wcet,
                period,
                deadline,
            }
        };
        let tasks = (0..tasks).map(task).collect();
        (tasks, u32::try_from(cpus).unwrap())
    }
}

pub(crate) fn accepts(which: Test, tasks: &[Task], cpus: u32) -> bool {
    let set = Set::new(tasks.to_vec()).unwrap();
    let answer = test(which, &set, cpus, WorkLimit::steps(u64::MAX));
    assert!(
        !matches!(answer, Answer::Stopped(_)),
        "{which}: {answer:?}: {tasks:?}"
    );
    answer.accepts()
}

/// So many sets, or as many times more as the variable `SOAK` says.
pub(crate) fn sets(count: u64) -> u64 {
    let soak = std::env::var("SOAK")
        .ok()
        .and_then(|soak| soak.parse().ok());
    count * soak.unwrap_or(1)
}

#[test]
fn the_quick_way_is_the_plain_way() {
    let mut accepted = [0_u64; Test::CLASSIC.len()];
    let count = sets(3000);
    for seed in 0..count {
        let (tasks, cpus) = Random(seed).set(10);
        for (which, accepted) in Test::CLASSIC.into_iter().zip(&mut accepted) {
            let plain = plain::accepts(which, &tasks, cpus);
            let quick = accepts(which, &tasks, cpus);
            assert_eq!(quick, plain, "{which} of {tasks:?} on {cpus}");
            *accepted += u64::from(plain);
        }
    }
    // Sets of either kind, for each.
    let both = count / 30..count - count / 30;
    assert!(
        accepted.iter().all(|accepted| both.contains(accepted)),
        "{accepted:?}"
    );
}

/// All windows, all response times and all offsets are many, so there are fewer sets, and of these
/// only those that matter: no set of few tasks, and none that is far from the edge.
#[test]
fn limited_carry_in_is_what_every_window_says() {
    let mut counts = [0_u64; 2];
    for seed in 0..sets(1000) {
        let (tasks, cpus) = Random(seed).set(9);
        let many = tasks.len() > cpus as usize;
        if many && !accepts(Test::Bcl, &tasks, cpus) && !accepts(Test::Gfb, &tasks, cpus) {
            let plain = plain::accepts(Test::Rtalc, &tasks, cpus);
            let quick = accepts(Test::Rtalc, &tasks, cpus);
            assert_eq!(quick, plain, "{tasks:?} on {cpus}");
            counts[usize::from(plain)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
}

/// Times too long for 64 bits: the same sets in a unit that is that much smaller have the same
/// answers from all tests that do not add one of them, and those that do come nearer to what they
/// would say in continuous time.
#[test]
fn a_smaller_unit_changes_nothing() {
    let shorter = |task: &Task, unit: u64| Task {
        wcet: task.wcet * unit,
        period: task.period * unit,
        deadline: task.deadline * unit,
    };
    for seed in 0..sets(3000) {
        let (tasks, cpus) = Random(seed).set(20);
        let [few, many] = [1 << 5, (1 << 57) - 1].map(|unit| {
            tasks
                .iter()
                .map(|task| shorter(task, unit))
                .collect::<Vec<_>>()
        });
        for which in [
            Test::Gfb,
            Test::Bak,
            Test::Bak05,
            Test::Bcl,
            Test::Load,
            Test::FfDbf,
        ] {
            let plain = accepts(which, &tasks, cpus);
            assert_eq!(
                accepts(which, &few, cpus),
                plain,
                "{which} of {tasks:?} on {cpus}"
            );
            assert_eq!(
                accepts(which, &many, cpus),
                plain,
                "{which} of {tasks:?} on {cpus}"
            );
        }
    }
}

/// The 128-bit version of the tests with loops, on sets that the 64-bit version can do as well: one
/// task with a very long period and next to no utilisation makes the difference.
#[test]
fn wide_numbers_are_as_good() {
    for seed in 0..sets(300) {
        let (mut tasks, cpus) = Random(seed).set(30);
        tasks.push(Task::implicit(1, 1 << 30));
        let short: Vec<bool> = Test::ALL.map(|which| accepts(which, &tasks, cpus)).to_vec();
        let last = tasks.last_mut().unwrap();
        *last = Task::implicit(1, 1 << 33);
        let long: Vec<bool> = Test::ALL.map(|which| accepts(which, &tasks, cpus)).to_vec();
        assert_eq!(short, long, "{tasks:?} on {cpus}");
    }
}

/// What the literature or an argument in the code says of two tests.
#[test]
fn what_one_accepts_another_accepts() {
    let beyond = [
        (Test::Bcl, Test::Bcli),
        (Test::Bcli, Test::Rta),
        (Test::Rta, Test::Rtalc),
        // Not proved: BAR looks at fewer lengths.
        (Test::Bar, Test::Rtalc),
    ];
    let beyond_if_implicit = [
        (Test::Bak, Test::Gfb),
        (Test::Load, Test::Gfb),
        (Test::FfDbf, Test::Gfb),
    ];
    for seed in 0..sets(10_000) {
        let (tasks, cpus) = Random(seed).set(40);
        let implicit = tasks.iter().all(|task| task.deadline == task.period);
        let more = if implicit {
            &beyond_if_implicit[..]
        } else {
            &[]
        };
        for &(narrow, broad) in beyond.iter().chain(more) {
            if accepts(narrow, &tasks, cpus) {
                assert!(
                    accepts(broad, &tasks, cpus),
                    "{narrow}, {broad}: {tasks:?} on {cpus}"
                );
            }
        }
    }
}

#[test]
fn any_is_any() {
    for seed in 0..sets(5000) {
        let mut random = Random(seed);
        let (tasks, cpus) = random.set(20);
        let chosen = random.between(1, (1 << Test::ALL.len()) - 1);
        let has = |position: usize| chosen >> position & 1 == 1;
        let tests: Vec<Test> = (0..Test::ALL.len())
            .filter(|&i| has(i))
            .map(|i| Test::ALL[i])
            .collect();
        let set = Set::new(tasks.clone()).unwrap();
        let any = accepted_by(&tests, &set, cpus, WorkLimit::default()).unwrap();
        let expected = tests.iter().any(|&which| accepts(which, &tasks, cpus));
        assert_eq!(any.is_some(), expected, "{tests:?} of {tasks:?} on {cpus}");
        assert!(any.is_none_or(|which| tests.contains(&which) && accepts(which, &tasks, cpus)));
    }
}
