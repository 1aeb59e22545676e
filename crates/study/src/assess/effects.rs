//! What the parts of the kernel's work cost.

use super::case::Case;
use super::{Effect, ForPolicy, SEARCH};
use crate::reason::ChargedWork;
use flyball_analysis::Answer;
use flyball_analysis::overheads::Costs;
use flyball_trace::Duration;

/// A part of the kernel's work, by its place among the costs.
type Part = fn(&mut Costs) -> &mut Duration;

/// The parts of the kernel's work.
const PARTS: [(&str, Part); 6] = [
    ("tick", |costs| &mut costs.tick),
    ("release", |costs| &mut costs.release),
    ("scheduling", |costs| &mut costs.scheduling),
    ("context switch", |costs| &mut costs.context_switch),
    ("IPI", |costs| &mut costs.ipi),
    ("cache", |costs| &mut costs.cache),
];

impl Case<'_> {
    /// How much all may grow without overheads, with all, and without each.
    pub(super) fn effects(&self, policies: &[ForPolicy]) -> Vec<Effect> {
        let Some((accounting, prices)) = self.charge else {
            return Vec::new();
        };
        let with = |charge| Case {
            charge,
            ..self.clone()
        };
        let effect = |charged: ChargedWork, case: Case<'_>| {
            let scaling = policies.iter().map(|it| {
                // What holds with all of the work holds with less: no job computes longer.
                let known = if it.holds() {
                    Answer::Accepts
                } else {
                    case.answer(it.policy, case.tasks, SEARCH)
                };
                case.scaling(it.policy, known)
            });
            let scaling = scaling.collect();
            Effect { charged, scaling }
        };
        let all = Effect {
            charged: ChargedWork::All,
            scaling: policies.iter().map(|it| it.scaling.clone()).collect(),
        };
        let mut effects = vec![effect(ChargedWork::Nothing, with(None)), all];
        for (name, part) in PARTS {
            let mut fewer = prices;
            let mut is_charged = false;
            for costs in fewer.iter_mut().flatten() {
                let part = part(costs);
                is_charged |= !part.is_zero();
                *part = Duration::ZERO;
            }
            if is_charged {
                let case = with(Some((accounting, fewer)));
                effects.push(effect(ChargedWork::AllBut(name), case));
            }
        }
        effects
    }
}
