//! The cost array against its example, and against trying everything.

use crate::double_sorted::table_3_1;
use flyball_policy::costs::{Path, Round, Visits};
use flyball_policy::{BadCosts, Costs, Group, History, Kept, MOST_GROUPS, Weight};
use proptest::prelude::*;

const MHZ: [u32; 5] = [104, 208, 416, 520, 620];

fn groups(mhz: &[u32]) -> Vec<Group> {
    let place = |wanted: &u32| MHZ.iter().position(|mhz| mhz == wanted).unwrap();
    mhz.iter().map(|mhz| Group::of(place(mhz))).collect()
}

fn in_mhz(path: &Path) -> Vec<u32> {
    path.groups()
        .iter()
        .map(|group| MHZ[group.index()])
        .collect()
}

/// The numbers that follow from Table 3.1 of the source.
#[test]
fn the_example_of_the_source() {
    let costs = table_3_1();
    let round = costs.round(Kept::ALL);
    assert_eq!(in_mhz(&round), [104, 208, 416, 620, 520]);
    assert_eq!(round.cost, 8_000);
    let ascending = groups(&[104, 208, 416, 520, 620, 104]);
    assert_eq!(costs.along(&ascending), 9_000);
    let descending = groups(&[620, 520, 416, 208, 104, 620]);
    assert_eq!(costs.along(&descending), 8_100);

    let from = groups(&[208])[0];
    let nearest = costs.nearest_first(from);
    assert_eq!(in_mhz(&nearest), [208, 104, 416, 520, 620]);
    assert_eq!(nearest.cost, 7_300);
    let path = costs.path(from, Kept::ALL);
    assert_eq!(in_mhz(&path), [208, 416, 620, 520, 104]);
    assert_eq!(path.cost, 7_000);

    let [low, high] = groups(&[104, 416])[..] else {
        unreachable!()
    };
    assert_eq!(costs.of(low, high), 2_500);
    assert_eq!(costs.with_detours().of(low, high), 2_000);
    assert_eq!(costs.along(&groups(&[104, 208, 416])), 2_000);
    assert_eq!(costs.smallest(), Some(800));
}

#[test]
fn sorting_has_to_pay() {
    let costs = table_3_1();
    assert!(costs.pays(800) && !costs.pays(801));
    assert!(
        !Costs::even(1, 0).pays(0),
        "with one group nothing is saved"
    );
}

/// The cheapest ways in and out: 104 MHz 1,800, 208 MHz 1,600, 416 MHz 1,800, 520 MHz 2,500.
#[test]
fn costly_groups_are_left_out_to_save_time() {
    let costs = table_3_1();
    let kept = |limit, weight| {
        let kept = costs.kept(limit, weight);
        let kept = costs.groups().filter(|&group| kept.contains(group));
        kept.map(|group| MHZ[group.index()]).collect::<Vec<_>>()
    };
    assert_eq!(kept(2_500, Weight::TIME), MHZ);
    assert_eq!(kept(2_499, Weight::TIME), [104, 208, 416, 620]);
    assert_eq!(kept(1_799, Weight::TIME), [208, 620]);
    assert_eq!(kept(0, Weight::TIME), [620]);
    assert_eq!(kept(0, Weight::thousandths(501).unwrap()), [620]);
    assert_eq!(kept(0, Weight::thousandths(500).unwrap()), MHZ);
    assert_eq!(kept(0, Weight::ENERGY), MHZ);
    assert_eq!(Weight::thousandths(1_001), None);

    let kept = costs.kept(1_799, Weight::TIME);
    let served = costs.groups().map(|group| kept.serves(group).index());
    assert_eq!(served.collect::<Vec<_>>(), [1, 1, 4, 4, 4]);
    assert_eq!(in_mhz(&costs.round(kept)), [208, 620]);
    assert_eq!(costs.round(kept).cost, 3_500 + 2_500);
    let path = costs.path(groups(&[104])[0], kept);
    assert_eq!(in_mhz(&path), [104, 208, 620], "it may begin outside");
}

#[test]
fn time_and_energy_are_mixed() {
    let time = Costs::new(&[[0, 10], [20, 0]]).unwrap();
    let energy = Costs::new(&[[0, 1_000], [3, 0]]).unwrap();
    let mixed = |weight| {
        let costs = Costs::weighed(&time, &energy, weight).unwrap();
        [(0, 1), (1, 0)].map(|(from, to)| costs.of(Group(from), Group(to)))
    };
    assert_eq!(mixed(Weight::TIME), [10, 20]);
    assert_eq!(mixed(Weight::ENERGY), [1_000, 3]);
    assert_eq!(mixed(Weight::thousandths(750).unwrap()), [258, 16]);
    let other = Costs::even(3, 1);
    assert_eq!(
        Costs::weighed(&time, &other, Weight::TIME),
        Err(BadCosts::Sizes)
    );
}

#[test]
fn bad_tables_are_refused() {
    let bad = |rows: &[Vec<u32>]| Costs::new(rows).unwrap_err();
    assert_eq!(bad(&[]), BadCosts::Count(0));
    assert_eq!(bad(&vec![vec![0; 9]; 9]), BadCosts::Count(9));
    let ragged = bad(&[vec![0, 1], vec![1]]);
    assert_eq!(ragged, BadCosts::NotSquare { row: 1, columns: 1 });
    assert_eq!(bad(&[vec![0, 1], vec![1, 2]]), BadCosts::Diagonal(Group(1)));
    assert_eq!(
        bad(&[vec![0, 1], vec![1, 2]]).to_string(),
        "in row 2, column 2 is not 0: to stay is free"
    );
}

/// The rule of thumb: an adjustment of 800 at each fourth switch is worth 200 a switch.
#[test]
fn the_rule_of_thumb_is_counted() {
    let mut history = History::default();
    assert!(history.pays(u32::MAX), "nothing is known yet");
    for switch in 1..=2_000 {
        history.note(if switch % 4 == 0 { 800 } else { 0 });
    }
    assert!(history.pays(195) && !history.pays(205));
    // What was long ago does not count.
    for _ in 0..2_000 {
        history.note(0);
    }
    assert!(!history.pays(1));
    for _ in 0..2_000 {
        history.note(u32::MAX);
    }
    assert!(history.pays(u32::MAX / 1_000 * 999));
}

/// All orders of these groups.
fn orders(groups: &[Group]) -> Vec<Vec<Group>> {
    let [] = groups else {
        let with_first = |at: usize| {
            let mut rest = groups.to_vec();
            let first = rest.remove(at);
            let rest = orders(&rest);
            rest.into_iter()
                .map(move |rest| [vec![first], rest].concat())
        };
        return (0..groups.len()).flat_map(with_first).collect();
    };
    vec![vec![]]
}

fn any_costs(most: usize) -> impl Strategy<Value = Costs> {
    let table =
        |count| proptest::collection::vec(proptest::collection::vec(0..50_u32, count), count);
    (1..=most).prop_flat_map(table).prop_map(|mut rows| {
        for (place, row) in rows.iter_mut().enumerate() {
            row[place] = 0;
        }
        Costs::new(&rows).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 300 }))]

    #[test]
    fn no_order_is_cheaper(costs in any_costs(6), out in proptest::option::of(0..6_usize)) {
        let kept = out.map_or(Kept::ALL, |out| Kept::ALL.without(Group::of(out)));
        let of = |groups: &[Group]| groups.iter().copied().filter(|&group| kept.contains(group)).collect::<Vec<_>>();
        let all = of(&costs.groups().collect::<Vec<_>>());
        for start in costs.groups() {
            let rest: Vec<_> = all.iter().copied().filter(|&group| group != start).collect();
            let cost = |order: Vec<Group>| costs.along(&[vec![start], order].concat());
            let least = orders(&rest).into_iter().map(cost).min().unwrap();
            let path = costs.path(start, kept);
            prop_assert_eq!(path.cost, least);
            prop_assert_eq!(costs.along(path.groups()), least);
            prop_assert!(costs.nearest_first(start).cost >= costs.path(start, Kept::ALL).cost);
        }
        let cost = |order: Vec<Group>| costs.along(&order) + order.last().map_or(0, |&last| u64::from(costs.of(last, order[0])));
        let least = orders(&all).into_iter().map(cost).min().unwrap();
        let round = costs.round(kept);
        prop_assert_eq!(round.cost, if all.is_empty() { 0 } else { least });
    }

    /// Each order that queues look up has every group once.
    #[test]
    fn nothing_is_left_out(costs in any_costs(6), out in 0..MOST_GROUPS) {
        let kept = Kept::ALL.without(Group::of(out));
        let (visits, round) = (Visits::cheapest(&costs, kept), Round::cheapest(&costs, kept));
        for start in (0..MOST_GROUPS).map(Group::of) {
            let orders = [visits.from(start).collect::<Vec<_>>(), round.from(start).collect()];
            for mut order in orders {
                prop_assert_eq!(order[0], start);
                order.sort_unstable();
                prop_assert_eq!(order, (0..MOST_GROUPS).map(Group::of).collect::<Vec<_>>());
            }
        }
    }

    /// With the cheapest ways, a group that is left out never makes a way longer.
    #[test]
    fn detours_are_never_cheaper(costs in any_costs(MOST_GROUPS)) {
        let best = costs.with_detours();
        for from in costs.groups() {
            for by in costs.groups() {
                for to in costs.groups() {
                    prop_assert!(best.of(from, to) <= best.of(from, by) + best.of(by, to));
                    prop_assert!(best.of(from, to) <= costs.of(from, to));
                }
            }
        }
    }
}
