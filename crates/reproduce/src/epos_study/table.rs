//! Table 2, and what section 6 says of all distributions.

use super::curves::Curves;
use super::{BIMODAL, PERIODS, UNIFORM, ordering, share};
use flyball_report::reproduction::Claim;

/// The difference of weighted schedulabilities that is none.
const SAME: f64 = 0.01;
/// What is close.
const CLOSE: f64 = 0.05;

const PLACE: &str = "table 2";
const WEIGHTED: &str = "by weighted schedulability";

const P: &str = "P-EDF";
const G: &str = "G-EDF";
const LIGHT: &str = "uniform-light";
const MEDIUM: [&str; 2] = ["uniform-medium", "bimodal-medium"];

pub(super) fn claims(found: &Curves) -> Vec<Claim> {
    let table = Table(found);
    [
        table.everywhere(),
        table.light(),
        table.medium(),
        table.heavy(),
    ]
    .concat()
}

/// Weighted schedulabilities by periods, utilisations and label.
struct Table<'f>(&'f Curves);

impl Table<'_> {
    fn at(&self, periods: &str, name: &str, label: &str) -> f64 {
        self.0.weighted(&format!("{periods}-{name}"), label)
    }

    /// What partitioned EDF has more than global.
    fn gap(&self, periods: &str, name: &str) -> f64 {
        self.at(periods, name, P) - self.at(periods, name, G)
    }

    /// What a policy loses with the overheads of a system.
    fn lost(&self, (policy, system): (&str, &str), periods: &str, name: &str) -> f64 {
        self.at(periods, name, policy) - self.at(periods, name, &format!("{policy} + {system}"))
    }

    /// The largest loss for all periods and some distributions.
    fn most_lost(&self, what: (&str, &str), names: &[&str]) -> f64 {
        most(of_all(names, |periods, name| {
            self.lost(what, periods, name)
        }))
    }

    fn everywhere(&self) -> Vec<Claim> {
        let gaps = of_all(&all_but("uniform-heavy"), |periods, name| {
            self.gap(periods, name)
        });
        let least_gap = least(gaps);
        let spreads = all_but("").into_iter().flat_map(|name| {
            [P, G].map(|policy| {
                let values = PERIODS.map(|periods| self.at(periods, name, policy));
                most(values) - least(values)
            })
        });
        let spread = most(spreads);
        vec![
            ordering(
                (
                    "P-EDF is better than G-EDF for all distributions but uniform heavy",
                    "5.4 and 6",
                    WEIGHTED,
                ),
                "better",
                format!("{} at least", share(least_gap)),
                least_gap > 0.0,
                "It is not for all.",
            ),
            ordering(
                (
                    "Periods do not matter without overheads",
                    "6",
                    "weighted schedulability within 0.03",
                ),
                "no influence",
                format!("{} apart at most", share(spread)),
                spread <= 0.03,
                "Other periods are drawn for each, so they differ by chance, too.",
            ),
        ]
    }

    fn light(&self) -> Vec<Claim> {
        let best = self
            .at("short", LIGHT, "P-EDF + EPOS")
            .min(self.at("short", LIGHT, P));
        let others = most(of_all(&all_but(LIGHT), |periods, name| {
            self.at(periods, name, P)
        }));
        let [epos, litmus] =
            ["G-EDF + EPOS", "P-EDF + LITMUS"].map(|label| self.at("short", LIGHT, label));
        let bimodal = "bimodal-light";
        let ahead = least(
            [P, "P-EDF + EPOS", "P-EDF + LITMUS"]
                .into_iter()
                .flat_map(|label| {
                    PERIODS.map(|periods| {
                        self.at(periods, bimodal, label) - self.at(periods, bimodal, G)
                    })
                }),
        );
        let widest = |name: &str| most(PERIODS.map(|periods| self.gap(periods, name)));
        let first = all_but("")
            .into_iter()
            .max_by(|a, b| widest(a).total_cmp(&widest(b)));
        let first = first.unwrap_or_default();
        vec![
            ordering(
                (
                    "Uniform light: P-EDF, and P-EDF with EPOS, are the best of all",
                    PLACE,
                    WEIGHTED,
                ),
                "the best",
                format!(
                    "{} at least; the best of others {}",
                    share(best),
                    share(others)
                ),
                best >= others,
                "With short periods EPOS's work costs many small tasks more than what few heavy ones leave \
                 unused.",
            ),
            ordering(
                (
                    "Uniform light, short: G-EDF with EPOS is better than P-EDF with LITMUS^RT",
                    PLACE,
                    WEIGHTED,
                ),
                "better",
                format!("{} and {}", share(epos), share(litmus)),
                epos > litmus,
                "It is not, with the overheads that were inferred.",
            ),
            ordering(
                (
                    "Bimodal light: P-EDF is better than G-EDF, with all overheads",
                    PLACE,
                    WEIGHTED,
                ),
                "better",
                format!("{} at least", share(ahead)),
                ahead > 0.0,
                "It is not.",
            ),
            ordering(
                (
                    "Bimodal light has the biggest difference between G-EDF and P-EDF",
                    PLACE,
                    WEIGHTED,
                ),
                "bimodal light",
                first.replace('-', " "),
                first == bimodal,
                "Another one has.",
            ),
        ]
    }

    fn medium(&self) -> Vec<Claim> {
        let lost = self.most_lost((P, "LITMUS"), &MEDIUM);
        let light = self.lost((P, "LITMUS"), "short", LIGHT);
        let most_of = |policy, names: &[&str]| {
            most(["EPOS", "LITMUS"].map(|system| self.most_lost((policy, system), names)))
        };
        let (global, partitioned) = (most_of(G, &MEDIUM), most_of(P, &MEDIUM[1..]));
        vec![
            ordering(
                (
                    "Medium: overheads matter less than for light utilisations",
                    PLACE,
                    "what P-EDF loses with LITMUS^RT",
                ),
                "less",
                format!("{} at most, uniform light {}", share(lost), share(light)),
                lost < light,
                "They do not.",
            ),
            ordering(
                (
                    "Medium: G-EDF with overheads is equal or close to G-EDF",
                    PLACE,
                    "0.05 of weighted schedulability",
                ),
                "equal or close",
                format!("{} less at most", share(global)),
                global <= CLOSE,
                "It is not.",
            ),
            ordering(
                (
                    "Bimodal medium: P-EDF with overheads is close to P-EDF",
                    PLACE,
                    "0.05 of weighted schedulability",
                ),
                "close",
                format!("{} less at most", share(partitioned)),
                partitioned <= CLOSE,
                "It is not.",
            ),
        ]
    }

    fn heavy(&self) -> Vec<Claim> {
        let apart = most(PERIODS.map(|periods| self.gap(periods, "uniform-heavy").abs()));
        let bimodal = "bimodal-heavy";
        let [short, moderate, long] =
            PERIODS.map(|periods| self.lost((P, "LITMUS"), periods, bimodal));
        let others = moderate.max(long);
        let global = self.most_lost((G, "LITMUS"), &[bimodal]);
        vec![
            ordering(
                (
                    "Uniform heavy: G-EDF and P-EDF have the same performance",
                    PLACE,
                    "0.01 of weighted schedulability",
                ),
                "the same",
                format!("{} apart at most", share(apart)),
                apart <= SAME,
                "They have not.",
            ),
            ordering(
                (
                    "Bimodal heavy: overheads change P-EDF for short periods only",
                    PLACE,
                    "with LITMUS^RT, by more than 0.01; with other periods by less",
                ),
                "short only",
                format!("{} short, {} others", share(short), share(others)),
                short > SAME && others <= SAME,
                "Such sets have fewer than 75 tasks, for which nothing is charged of LITMUS^RT but what the \
                 text states; that is not enough.",
            ),
            ordering(
                (
                    "Bimodal heavy: overheads do not change G-EDF",
                    PLACE,
                    "0.01 of weighted schedulability",
                ),
                "no change",
                format!("{} less at most", share(global)),
                global <= SAME,
                "The context switches and the IPI that the text states, 129 µs, are 4 % of the shortest \
                 period, and the tests of global EDF depend on the largest utilisation.",
            ),
        ]
    }
}

fn most(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

fn least(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}

/// All distributions but one.
fn all_but(other: &str) -> Vec<&'static str> {
    let all = UNIFORM.into_iter().chain(BIMODAL);
    all.filter(|name| *name != other).collect()
}

/// A number for all periods and some distributions.
fn of_all(names: &[&str], of: impl Fn(&str, &str) -> f64) -> Vec<f64> {
    let mut all = Vec::new();
    for name in names {
        all.extend(PERIODS.map(|periods| of(periods, name)));
    }
    all
}
