use super::*;

/// A study of so many caps, the first of which is 2 CPUs, with so many sets each; `accepted` of
/// them at each cap.
fn found(accepted: &[u32], sets: u32) -> Results {
    let caps: Vec<String> = (0..accepted.len())
        .map(|place| format!("{}.{}", 2 + place / 4, place % 4 * 25))
        .collect();
    let text = format!(
        "schema = 1\ncpus = 16\ncaps = [{}]\nsets = {sets}\ntests = [\"GFB\"]\n[[scenario]]\n\
         periods = [\"short\"]\nutilisations = [\"uniform-light\"]\nslack = 0.1",
        caps.join(", ")
    );
    let registry = flyball_study::Registry::standard();
    let known = crate::known(&registry);
    let study = Study::read(&text, "s.toml", &known, |_| unreachable!()).unwrap();
    let mut results = Results::new(study);
    for (cap, &accepted) in accepted.iter().enumerate() {
        let rows = (0..sets).map(|set| Row {
            set,
            tasks: 1,
            utilisation: 1.0,
            verdicts: vec![Some(set < accepted)],
            simulated: Vec::new(),
        });
        let unit = Unit {
            scenario: 0,
            cap,
            batch: 0,
        };
        results.add(unit, &rows.collect::<Vec<_>>());
    }
    results
}

#[test]
fn of_one_cap_the_weighted_interval_is_the_ratios() {
    for accepted in [0, 1, 20, 39, 40] {
        let results = found(&[accepted], 40);
        let weighted = results.weighted(0, 0).unwrap();
        let ratio = results.ratio(0, 0, 0).unwrap();
        assert!((weighted.value - ratio.share()).abs() < 1e-12);
        for (ours, bound) in weighted.interval.into_iter().zip(ratio.interval()) {
            assert!((ours - bound).abs() < 1e-12, "{accepted}: {ours} {bound}");
        }
    }
}

/// Where all sets are accepted, or none, there is no certainty either. By hand, of 40 sets
/// each: Wilson's bound of none is 0.087622, so of the caps 2, 2.25 and 2.5 with 40, 40 and 0
/// sets it is √(2² + 2.25²) · 0.087622 / 6.75 below 4.25/6.75, and 2.5 · 0.087622 / 6.75 above
/// it.
#[test]
fn a_weighted_interval_is_never_without_width() {
    let weighted = found(&[40, 40, 0], 40).weighted(0, 0).unwrap();
    let [low, high] = weighted.interval;
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-5, "{found}, not {expected}");
    };
    near(weighted.value, 0.629_630);
    near(low, 0.629_630 - 0.039_078);
    near(high, 0.629_630 + 0.032_453);
    let all = found(&[40; 5], 40).weighted(0, 0).unwrap();
    assert!(all.interval[0] < 0.98 && all.interval[1] >= 1.0 - 1e-12);
}

/// Of 400 studies with 25 caps and 40 sets each at least 95 in a hundred have the truth in
/// their interval, whether ratios fall slowly or at once.
#[test]
fn weighted_intervals_have_the_truth_in_them() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = || {
        // xorshift64: any numbers will do.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f64::from(u32::try_from(state >> 32).unwrap()) / f64::from(u32::MAX)
    };
    for steepness in [1.0, 4.0, 20.0] {
        let caps: Vec<f64> = (0..25).map(|place| 2.0 + f64::from(place) / 4.0).collect();
        let share = |cap: f64| 1.0 / (1.0 + libm::exp(steepness * (cap - 5.0)));
        let weights: f64 = caps.iter().sum();
        let truth: f64 = caps.iter().map(|&cap| cap * share(cap)).sum::<f64>() / weights;
        let mut inside = 0;
        for _ in 0..400 {
            let accepted: Vec<u32> = caps
                .iter()
                .map(|&cap| (0..40).map(|_| u32::from(random() < share(cap))).sum())
                .collect();
            let [low, high] = found(&accepted, 40).weighted(0, 0).unwrap().interval;
            inside += u32::from(low <= truth && truth <= high);
        }
        assert!(inside >= 380, "{steepness}: {inside} of 400");
    }
}

/// A sum over the caps that happen to be finished is no weighted schedulability.
#[test]
fn without_all_caps_there_is_no_weighted_number() {
    let whole = found(&[3, 2, 1], 3);
    let mut part = Results::new(whole.study.clone());
    assert_eq!((part.caps(0), part.weighted(0, 0)), ((0, 3), None));
    part.points = whole.points.clone();
    part.points.remove(&(0, 1));
    assert_eq!((part.caps(0), part.weighted(0, 0)), ((2, 3), None));
    assert_eq!(whole.caps(0), (3, 3));
    assert!(whole.weighted(0, 0).is_some());
}

/// Against tables: 0 of 10 is below 27.75 %, 5 of 10 between 23.66 and 76.34 %.
#[test]
fn intervals_are_wilsons() {
    let of = |accepted, sets| {
        Ratio {
            accepted,
            sets,
            unknown: 0,
        }
        .interval()
    };
    let near = |[low, high]: [f64; 2], expected: [f64; 2]| {
        assert!(
            (low - expected[0]).abs() < 5e-5 && (high - expected[1]).abs() < 5e-5,
            "{low} {high}"
        );
    };
    near(of(0, 10), [0.0, 0.277_5]);
    near(of(5, 10), [0.236_6, 0.763_4]);
    near(of(10, 10), [0.722_5, 1.0]);
    near(of(0, 0), [0.0, 1.0]);
    // Five of ten of which it is not known: from that of none to that of five.
    let open = Ratio {
        accepted: 0,
        sets: 10,
        unknown: 5,
    };
    near(open.interval(), [0.0, 0.763_4]);
}
