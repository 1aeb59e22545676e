//! The rules of servers, and the blackout of each.

use super::{NotCovered, Supply};
use crate::SporadicTask;
use flyball_trace::Duration;

/// When a server has a budget.
///
/// A server is a [`SporadicTask`]: its WCET is the budget Q, its period P, and its deadline D is
/// the time after a budget's release by which the budget has been given, if its tasks have work.
/// Servers that are scheduled by deadlines bring D along, and all of them together hold. Under fixed
/// priorities D is the worst-case response time of the budget among the servers
/// ([`server_responses`](super::server_responses)), or anything longer. Q ≤ D ≤ P.
///
/// Tasks do not yield: a server of Linux whose task does loses the rest of its budget.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// A budget is released at the start of every period, at fixed instants, and may be given at any
    /// time up to the deadline, whether there is work or not: the *periodic resource*. (Shin and Lee
    /// 2003; D < P: Easwaran, Anand and Lee 2007.)
    Periodic,
    /// The same, but a server without work at a release, or later, loses the rest of its budget.
    /// (Lehoczky, Sha and Strosnider, RTSS 1987.)
    Polling,
    /// The same, but a server without work keeps its budget to the end of the period. (The same.)
    Deferrable,
    /// What has been used is replenished a period after the server began to use it. (Sprunt, Sha and
    /// Lehoczky, Real-Time Systems 1(1), 1989. What POSIX has of it differs: Stanovic, Baker, Wang
    /// and Harbour, *Defects of the POSIX sporadic server and how to correct them*, RTAS 2010.)
    Sporadic,
    /// A budget that is used up is replenished at once, with a deadline that is a period later. (Abeni
    /// and Buttazzo, RTSS 1998.)
    SoftConstantBandwidth,
    /// A budget that is used up is replenished at its deadline, with one that is a period later.
    HardConstantBandwidth,
    /// Linux's `SCHED_DEADLINE`: a budget that is used up is replenished at the end of its period.
    SchedDeadline,
}

impl Rule {
    /// The supply of a server in *every* interval in which its tasks have work throughout, in whatever
    /// order it serves them.
    ///
    /// In the worst case a budget was used up just before the interval, as early as it can be, and all
    /// later ones come as late as they can:
    ///
    /// ```text
    /// periodic, deferrable,   used in [0, Q]; the next one in [P + D − Q, P + D]
    /// sporadic, Linux's         L = P + D − 2 Q
    /// polling                 the work comes just after the release at 0, and finds no budget;
    ///                         the next one in [P + D − Q, P + D]         L = P + D − Q
    /// hard constant bandwidth the next one is released at the deadline before, and may be given up
    ///                         to a period later, however short D is      L = 2 (P − Q)
    /// soft constant bandwidth budgets may have been used arbitrarily early: no bound
    /// ```
    ///
    /// * *Deferrable and sporadic* servers may get their work in the middle of a period. What is said
    ///   of them rests on fixed priorities: no interval of length D has less than Q that more urgent
    ///   servers leave, which is so if D is at least the worst-case response time. A deferrable
    ///   server whose work comes x before the end of a period has Q − (P − x) of its budget at
    ///   least, so with x ≤ P − Q it may have nothing. A sporadic server has used the parts of its
    ///   budget one after the other, so all of it but z is back P − z after.
    /// * *Constant bandwidth and Linux's* servers may get their work while a part c of the budget is left
    ///   up to a deadline d. The rest, Q − c, has been used since the release of this budget, so d is
    ///   no further away than in the pattern above. Linux's rule cuts c down, but to no less than what
    ///   Q / D gives up to d, and that suffices.
    ///
    /// Source: Davis and Burns, *Hierarchical fixed priority pre-emptive scheduling*, RTSS 2005; of the
    /// last three, derived here. `tests/supply` tries all behaviours of small servers.
    ///
    /// # Errors
    /// If the times do not fit, or [`NotCovered::Early`].
    pub fn supply(self, server: &SporadicTask) -> Result<Supply, NotCovered> {
        check(server)?;
        let [q, p, d] = [server.c(), server.t(), server.d()];
        // Q ≤ D ≤ P, as has been checked.
        let blackout = match self {
            Rule::Periodic | Rule::Deferrable | Rule::Sporadic | Rule::SchedDeadline => {
                (p - q).saturating_add(d - q)
            }
            Rule::HardConstantBandwidth => (p - q).saturating_add(p - q),
            Rule::Polling => p.saturating_add(d - q),
            Rule::SoftConstantBandwidth => return Err(NotCovered::Early),
        };
        Supply::after(Duration::from_nanos(blackout), server)
    }

    /// The supply of a server that serves its tasks first come, first served.
    ///
    /// A constant bandwidth server *renews* its budget for work that comes when it is idle, if what
    /// is left of it is more than Q / D gives up to its deadline, or the deadline is over. Let s be the
    /// last instant at which it did. The deadlines since then are s + D, s + D + P, and so on,
    /// whether it was idle between or not. At any t with work, all budgets with earlier deadlines have
    /// been used up, and what is left of the present one fits in before its deadline. So it has given
    /// sbf(t − s) at least, with L = D − Q; and all that comes before a job has come since s, in
    /// the order of service. That also holds of a soft server, which may have given more before.
    ///
    /// The analyses rest on L ≥ P − Q, so the blackout here is P − Q. With D = P it is the same.
    ///
    /// This is no promise to work that comes after s: the server may have used its budget just before.
    /// It is one to the work that has come since s, all together. Under EDF or priorities it would be of
    /// no use, as less urgent work may have had all of it.
    ///
    /// For other servers, and Linux's with D < P (which cuts budgets down), this is
    /// [`supply`](Rule::supply).
    ///
    /// Source: derived here, in the manner of Abeni and Buttazzo, *Resource reservation in dynamic
    /// real-time systems*, Real-Time Systems 27(2), 2004.
    ///
    /// # Errors
    /// If the times do not fit.
    pub fn supply_in_order(self, server: &SporadicTask) -> Result<Supply, NotCovered> {
        let renews = match self {
            Rule::SoftConstantBandwidth | Rule::HardConstantBandwidth => true,
            Rule::SchedDeadline => server.d() == server.t(),
            Rule::Periodic | Rule::Polling | Rule::Deferrable | Rule::Sporadic => false,
        };
        if !renews {
            return self.supply(server);
        }
        check(server)?;
        Supply::after(Duration::ZERO, server)
    }
}

/// Checks that Q ≤ D ≤ P.
fn check(server: &SporadicTask) -> Result<(), NotCovered> {
    if server.c() > server.d() {
        Err(NotCovered::Budget)
    } else if server.d() > server.t() {
        Err(NotCovered::Deadline)
    } else {
        Ok(())
    }
}
