//! Hartstone's contenders under the same conditions.

use crate::bench::{Bench, BenchError};
use crate::hartstone::Contender;
use crate::hartstone::experiment::MOST_ITERATIONS;
use crate::hartstone::sweep::{Conditions, NOMINAL, Parts, Score, bursts, scores};
use flyball_trace::Duration;

/// The nominal bursts that are tried on a machine, in microseconds: among the short ones it is decided
/// which claims hold, and a machine takes its time.
const ON_MACHINE: [u64; 3] = [100, 300, 1_000];

/// On a machine a series goes on for so many iterations more than where a deadline is missed in
/// simulation.
const MARGIN: u32 = 8;

/// So many tasks come in test 4 at most: with those of the baseline they are as many as a machine holds.
const MOST_TASKS: u32 = 26;

/// I+PI's iterations come this close to EDF's in tests 2 to 4.
pub(super) const NEAR: u32 = 2;
/// And in test 1 to this many times RR's.
pub(super) const FAR_ABOVE: u32 = 2;

/// All contenders under the same conditions.
pub(super) struct Field {
    pub(super) on_machine: bool,
    pub(super) rr: Score,
    pub(super) edf: Score,
    /// By nominal burst.
    pub(super) ipi: Vec<(Duration, Score)>,
}

impl Field {
    /// In simulation.
    pub(super) fn new(conditions: &Conditions, parts: Parts) -> Result<Field, BenchError> {
        let ipi = scores(&bursts(), conditions, parts)?;
        let nominal = NOMINAL.into_iter().map(Duration::from_micros);
        Ok(Field {
            on_machine: false,
            rr: Score::in_parts(&Contender::rr(), conditions, parts)?,
            edf: Score::in_parts(&Contender::edf(), conditions, parts)?,
            ipi: nominal.zip(ipi).collect(),
        })
    }

    /// On the bench if that is a machine, and otherwise in simulation with a kernel that costs nothing.
    pub(super) fn of(bench: &mut dyn Bench, parts: Parts) -> Result<Field, BenchError> {
        let conditions = Conditions::default();
        if bench.machine().is_none() {
            return Field::new(&conditions, parts);
        }
        let mut score = |contender: &Contender| {
            let mut most = [
                MOST_ITERATIONS,
                MOST_ITERATIONS,
                MOST_ITERATIONS,
                MOST_TASKS,
            ];
            if parts != Parts::Overloads {
                let guess = Score::in_parts(contender, &conditions, Parts::Series)?;
                for (most, guess) in most.iter_mut().zip(guess.iterations()) {
                    *most = guess.saturating_add(MARGIN).min(*most);
                }
            }
            Score::on(bench, contender, &conditions, parts, most)
        };
        let (rr, edf) = (score(&Contender::rr())?, score(&Contender::edf())?);
        let nominal = ON_MACHINE.map(Duration::from_micros).into_iter();
        let ipi = nominal.map(|burst| Ok((burst, score(&Contender::ipi(burst))?)));
        Ok(Field {
            on_machine: true,
            rr,
            edf,
            ipi: ipi.collect::<Result<_, BenchError>>()?,
        })
    }

    /// What the kernel's work costs.
    pub(super) fn kernel(&self) -> &'static str {
        if self.on_machine {
            "costs what it costs on the machine"
        } else {
            "costs nothing"
        }
    }

    /// The nominal bursts that were tried.
    pub(super) fn nominal(&self) -> String {
        let bursts = self.ipi.iter().map(|(burst, _)| burst.to_string());
        bursts.collect::<Vec<_>>().join(", ")
    }

    /// What is different on a machine.
    pub(super) fn note(&self) -> String {
        format!(
            "On the machine: RR, EDF, and I+PI with nominal bursts of {} only. Other conditions are \
             tried in simulation, which is what comes without a machine.",
            self.nominal()
        )
    }

    /// Why something is not so; on a machine there is one more reason.
    pub(super) fn why(&self, reason: &str) -> String {
        if self.on_machine {
            format!(
                "{reason}; and on a machine the kernel's work takes a part of each burst, the more the shorter \
                 it is: compare the simulation with overheads"
            )
        } else {
            reason.into()
        }
    }

    /// I+PI with a nominal burst of about so many microseconds, and its name.
    pub(super) fn ipi_at(&self, us: u64) -> (String, &Score) {
        let n = (self.ipi).partition_point(|(burst, _)| *burst < Duration::from_micros(us));
        let (burst, score) = &self.ipi[n.min(self.ipi.len() - 1)];
        (format!("I+PI, {burst}"), score)
    }

    /// Who is in a picture: I+PI with these nominal bursts, in microseconds.
    pub(super) fn shown(&self, bursts: [u64; 2]) -> Vec<(String, &Score)> {
        let mut who = vec![
            ("EDF".to_owned(), &self.edf),
            ("RR, 1 ms".to_owned(), &self.rr),
        ];
        who.extend(bursts.map(|us| self.ipi_at(us)));
        who
    }

    /// The nominal bursts for which something is so, in words, and whether there are any.
    pub(super) fn bursts(&self, is_so: impl Fn(&Score) -> bool) -> (String, bool) {
        let found = self.ipi.iter().filter(|(_, score)| is_so(score));
        let found: Vec<_> = found.map(|(burst, _)| burst.to_string()).collect();
        match &found[..] {
            [] => ("for no nominal burst".into(), false),
            all if all.len() == self.ipi.len() => ("for all nominal bursts".into(), true),
            some => (format!("for nominal bursts of {}", some.join(", ")), true),
        }
    }

    pub(super) fn is_above_rr(&self, ipi: &Score) -> bool {
        all(ipi.iterations(), self.rr.iterations(), |ipi, rr| ipi > rr)
    }

    pub(super) fn switches_less(&self, ipi: &Score) -> bool {
        let edf = all(self.edf.switches(), self.rr.switches(), |edf, rr| edf < rr);
        edf && all(ipi.switches(), self.rr.switches(), |ipi, rr| ipi < rr)
    }

    pub(super) fn is_near_edf(&self, ipi: &Score) -> bool {
        let pairs = ipi.iterations().into_iter().zip(self.edf.iterations());
        pairs.skip(1).all(|(ipi, edf)| ipi + NEAR >= edf)
    }

    pub(super) fn is_between(&self, ipi: &Score) -> bool {
        let [ipi, rr, edf] = [ipi, &self.rr, &self.edf].map(|score| score.iterations()[0]);
        ipi < edf && ipi >= FAR_ABOVE * rr
    }
}

pub(super) fn all<T>(a: [T; 4], b: [T; 4], holds: impl Fn(T, T) -> bool) -> bool {
    a.into_iter().zip(b).all(|(a, b)| holds(a, b))
}

/// Four numbers, by test.
pub(super) fn list<T: std::fmt::Display>(numbers: [T; 4]) -> String {
    numbers.map(|number| format!("{number:.0}")).join(", ")
}
