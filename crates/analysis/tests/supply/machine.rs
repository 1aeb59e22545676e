//! Servers as textbooks have them, from one unit of time to the next. Whatever else there is in the
//! system is an adversary: it gives the CPU when it likes, as long as the server gets what it has to.

use flyball_analysis::SporadicTask;
use flyball_analysis::supply::Rule;

/// A server of budget `q`, deadline `d` and period `p`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    pub(crate) rule: Rule,
    pub(crate) q: i64,
    pub(crate) d: i64,
    pub(crate) p: i64,
}

/// What there is to know of a server between two units. Each rule uses a part of it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct State {
    /// Whether it had work in the last unit.
    pub(crate) busy: bool,
    /// Where in the period it is.
    phase: i64,
    /// What is left of the budget.
    budget: i64,
    /// How long it is up to the deadline, if there has been a budget.
    until: Option<i64>,
    /// Parts of the budget: for how long each has been there (negative: when it comes), how much.
    parts: Vec<(i64, i64)>,
    /// Whether more urgent servers left the CPU in the last units, the latest first.
    left: Vec<bool>,
    /// Whether the last work to come to it when it was idle was given a new budget and deadline.
    pub(crate) renewed: bool,
}

impl Machine {
    pub(crate) fn new(rule: Rule, server: &SporadicTask) -> Machine {
        let [q, d, p] = [server.wcet(), server.deadline(), server.period()];
        let [q, d, p] = [q, d, p].map(|it| it.as_nanos().try_into().unwrap());
        Machine { rule, q, d, p }
    }

    pub(crate) fn first(&self) -> State {
        State {
            parts: vec![(0, self.q)],
            left: vec![true; usize::try_from(self.d).unwrap()],
            ..State::default()
        }
    }

    /// A unit with or without work, in which the others leave it the CPU or not; and whether work is
    /// done. `None`: it has to be left.
    pub(crate) fn unit(&self, before: &State, work: bool, left: bool) -> Option<(State, bool)> {
        let mut state = self.begin(before, work);
        let served = self.end(&mut state, work, left)?;
        state.busy = work;
        Some((state, served))
    }

    /// Both ways in which a unit can go: those that are allowed.
    pub(crate) fn units(&self, before: &State, work: bool) -> Vec<(State, bool)> {
        let unit = |left| self.unit(before, work, left);
        [false, true].into_iter().filter_map(unit).collect()
    }

    /// What happens at the instant: releases, then work that comes.
    pub(crate) fn begin(&self, before: &State, work: bool) -> State {
        let mut state = before.clone();
        let arrives = work && !before.busy;
        match self.rule {
            Rule::Periodic | Rule::Polling | Rule::Deferrable => {
                if state.phase == self.p {
                    state.phase = 0;
                }
                if state.phase == 0 {
                    state.budget = self.q;
                }
                // The release finds no work, even if some comes at the same instant.
                if self.rule == Rule::Polling && (arrives || !work) {
                    state.budget = 0;
                }
            }
            Rule::Sporadic if arrives || !work => {
                // What is there begins to be used now at the earliest.
                let there = state.parts.iter().filter(|it| it.0 >= 0);
                let there: i64 = there.map(|it| it.1).sum();
                state.parts.retain(|it| it.0 < 0);
                if there > 0 {
                    state.parts.insert(0, (0, there));
                }
            }
            Rule::Sporadic => {}
            _ if arrives => self.arrives(&mut state),
            _ if work && state.budget == 0 => self.exhausted(&mut state),
            _ => {}
        }
        state
    }

    fn renew(&self, state: &mut State) {
        (state.budget, state.until, state.renewed) = (self.q, Some(self.d), true);
    }

    fn arrives(&self, state: &mut State) {
        state.renewed = false;
        let Some(until) = state.until else {
            return self.renew(state);
        };
        let is_dense = state.budget * self.d > until * self.q;
        if self.rule == Rule::SchedDeadline && self.d < self.p {
            if until < 0 && -until < self.p - self.d {
                state.budget = 0;
            } else if until < 0 {
                return self.renew(state);
            } else {
                state.budget = state.budget.min(self.q * until / self.d);
            }
        } else if until < 0 || is_dense || (until == 0 && self.rule != Rule::SchedDeadline) {
            return self.renew(state);
        }
        if state.budget == 0 {
            self.exhausted(state);
        }
    }

    fn exhausted(&self, state: &mut State) {
        let until = state.until.unwrap();
        let next = match self.rule {
            Rule::SoftConstantBandwidth => 0,
            Rule::HardConstantBandwidth => until,
            _ => until + self.p - self.d,
        };
        if next > 0 {
            return;
        }
        if until + self.p > 0 {
            (state.budget, state.until) = (self.q, Some(until + self.p));
        } else {
            self.renew(state);
        }
    }

    /// The unit itself; `None` if that must not be.
    fn end(&self, state: &mut State, work: bool, given: bool) -> Option<bool> {
        match self.rule {
            Rule::Periodic => {
                let left = state.budget - i64::from(given);
                state.phase += 1;
                state.budget = left;
                let is_late = left > (self.d - state.phase).max(0);
                (left >= 0 && !is_late).then_some(given && work)
            }
            Rule::Polling | Rule::Deferrable => {
                self.leave(state, given)?;
                let served = given && work && state.budget > 0;
                state.phase += 1;
                state.budget -= i64::from(served);
                Some(served)
            }
            Rule::Sporadic => {
                self.leave(state, given)?;
                let served = given && work && state.parts.first().is_some_and(|it| it.0 >= 0);
                if served {
                    let (age, amount) = state.parts[0];
                    state.parts.push((age - self.p, 1));
                    if amount == 1 {
                        state.parts.remove(0);
                    } else {
                        state.parts[0].1 -= 1;
                    }
                }
                for part in &mut state.parts {
                    part.0 += 1;
                }
                Some(served)
            }
            _ => {
                let has_budget = work && state.budget > 0;
                if given && !has_budget {
                    return None; // As if it were not given.
                }
                state.budget -= i64::from(given);
                // Beyond that, nothing changes any more.
                state.until = state.until.map(|until| (until - 1).max(-self.p));
                let is_late = has_budget && Some(state.budget) > state.until;
                (!is_late).then_some(given)
            }
        }
    }

    /// Under fixed priorities, in every `d` units more urgent servers leave `q` at least.
    fn leave(&self, state: &mut State, left: bool) -> Option<()> {
        state.left.pop();
        state.left.insert(0, left);
        let count = state.left.iter().filter(|&&it| it).count();
        (i64::try_from(count).unwrap() >= self.q).then_some(())
    }
}
