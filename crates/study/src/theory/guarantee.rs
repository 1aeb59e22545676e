//! What servers of a policy give to their tasks, whatever all others do.
//!
//! Where a server gives no less than one that [`flyball_analysis::supply`] knows, the tests take that one. What else
//! holds is derived here, for a server with the budget Q, the period P and the deadline D. "Sure of its budgets" is a server if all
//! of its CPU ask for no more than that, by Q ÷ D; or under fixed priorities if each budget's response time D is within P.
//!
//! * **GRUB as published.** A budget is charged with no more than the time that the server executes, so it lasts for Q or
//!   longer; and all are used up by their deadlines if servers are sure of them (Lipari and Baruah 2000).
//!   A server that was inactive has a new budget. So served in order it gives what one of constant bandwidth gives. Of
//!   Linux's variant, which charges other shares of the CPU, nothing is known.
//! * **IRIS.** All that it adds to hard constant bandwidth is that budgets come earlier, with earlier deadlines, and only
//!   at instants at which the CPU would idle. No budget is left then that a task asks for, so from there on all
//!   ask for no more than Q ÷ D.
//! * **BIDS, hard and without results above 0.** When a job ends the server comes no earlier than P after
//!   the release of its budget, which is deadline − D, and it may have had that budget since P − D before. So
//!   work that comes right after waits for 2 P − D at most, has a budget D later, and then one in each P at least:
//!   the blackout is 2 P − Q. A soft one counts from a release to come if it has used budgets early, and
//!   then no bound is known. Nor is any known where a job has a result above 0.
//! * **Sporadic.** What is used comes back P after it could be used. At the begin of an interval with work all of the budget is
//!   to come back within P, in up to four pieces. Where there would be more, the last two come at the later
//!   instant. That happens once at most in the interval, when a part of the first piece is used: no piece of a server that
//!   goes on with work comes before another one has gone. So the whole budget could be used by 2 P, is given
//!   D later, and then again in each P: the blackout is 2 P + D − Q.
//! * **Total bandwidth.** Budgets are not enforced: nothing.

use crate::about_tasks::has_results;
use crate::reason::{Obstacle, Uncovered};
use flyball_analysis::SporadicTask;
use flyball_analysis::supply::{Inside, Rule, Supply};
use flyball_model::{Server, ServerMode, Settings, TaskSet, Value};
use flyball_trace::Duration;

/// What is known of the servers of a policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Guarantee {
    /// Nothing.
    #[default]
    Nothing,
    /// They follow a rule of the analyses.
    Of(Rule),
    /// They follow GRUB.
    Grub,
    /// They follow IRIS.
    Iris,
    /// They follow BIDS.
    Bids,
    /// They are sporadic servers in a bounded number of pieces.
    Sporadic,
}

/// The word that a set has for a setting of a policy.
fn word<'s>(set: &'s TaskSet, policy: &str, setting: &str) -> Option<&'s str> {
    let settings: &Settings = set.policies.get(policy)?;
    match &settings.values.get(setting)?.value {
        Value::Text(word) => Some(word),
        _ => None,
    }
}

impl Guarantee {
    /// By which rule servers are tested among each other.
    pub(crate) fn among(self) -> Option<Rule> {
        match self {
            Guarantee::Nothing => None,
            Guarantee::Of(rule) => Some(rule),
            Guarantee::Grub => Some(Rule::SoftConstantBandwidth),
            Guarantee::Iris | Guarantee::Bids => Some(Rule::HardConstantBandwidth),
            Guarantee::Sporadic => Some(Rule::Sporadic),
        }
    }

    /// Makes sure that what is known is about this set.
    ///
    /// # Errors
    /// [`Obstacle`] if it is not.
    pub(crate) fn check(self, set: &TaskSet) -> Result<(), Obstacle> {
        match self {
            Guarantee::Nothing => Err(Obstacle::NoTest),
            Guarantee::Grub if word(set, "grub", "variant") == Some("linux") => {
                Err(Obstacle::NoTest)
            }
            Guarantee::Bids => match set.tasks.iter().find(|task| has_results(task)) {
                Some(task) => Err(Obstacle::Does(task.name.clone(), Uncovered::Results)),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// What a server gives that serves its tasks first come, first served, in any interval with work that begins when it
    /// had none. `granted` has the time by which it is sure of a budget as deadline.
    pub(crate) fn in_order(
        self,
        set: &TaskSet,
        server: &Server,
        granted: &SporadicTask,
    ) -> Option<Supply> {
        let by = |rule| Inside::InOrder.supply(rule, granted).ok();
        match self {
            Guarantee::Nothing => None,
            Guarantee::Of(rule) => by(rule),
            Guarantee::Grub => by(Rule::SoftConstantBandwidth),
            Guarantee::Iris => by(Rule::HardConstantBandwidth),
            Guarantee::Bids => {
                let is_soft = match server.mode {
                    Some(mode) => mode == ServerMode::Soft,
                    None => word(set, "bids", "mode") == Some("soft"),
                };
                let blackout = (granted.period() * 2).saturating_sub(granted.wcet());
                after(blackout, granted).filter(|_| !is_soft)
            }
            Guarantee::Sporadic => after(of_pieces(granted), granted),
        }
    }

    /// What a server gives in any interval with work, whenever that begins; `hard`: whether it never uses a
    /// budget early where the rule lets it choose.
    pub(crate) fn always(self, hard: bool, granted: &SporadicTask) -> Option<Supply> {
        let rule = match self {
            Guarantee::Of(Rule::SoftConstantBandwidth) if hard => Rule::HardConstantBandwidth,
            Guarantee::Of(rule) => rule,
            Guarantee::Iris => Rule::HardConstantBandwidth,
            Guarantee::Sporadic => return after(of_pieces(granted), granted),
            Guarantee::Nothing | Guarantee::Grub | Guarantee::Bids => return None,
        };
        rule.supply(granted).ok()
    }
}

fn after(blackout: Duration, server: &SporadicTask) -> Option<Supply> {
    Supply::after(blackout, server).ok()
}

/// The blackout of a sporadic server in pieces.
fn of_pieces(server: &SporadicTask) -> Duration {
    (server.period() * 2 + server.deadline()).saturating_sub(server.wcet())
}
