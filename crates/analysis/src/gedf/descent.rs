//! From long intervals to short ones: is there one in which too much is demanded?
//!
//! LOAD, FF-DBF and BAR ask whether a demand h(t), which never falls as t grows, stays below a
//! rising line at all *steps* t = D_i + j T_i up to some horizon. If it does at t, then it does
//! down to where the line is as high as h(t), so nothing in between has to be looked at (quick
//! processor demand analysis; Zhang and Burns, "Schedulability analysis for real-time systems with
//! EDF scheduling", IEEE Transactions on Computers 58(9), 2009). There need not be a step there,
//! and none is looked for: h is no smaller than at the last step before. But if it does not fit
//! there, or if the next t were after that step, that step is next.

use crate::Stop;

/// What is known about a length.
pub(super) struct DemandAt {
    /// Demand fits there and in all lengths down to this one; `None` if it does not fit.
    pub(super) down_to: Option<u128>,
    /// The last step that is at most this length; `None` if there is none.
    pub(super) last_step: Option<u128>,
}

/// Whether demand fits at all steps from `lowest` up to `horizon`. `look` looks at one length.
pub(super) fn fits(
    lowest: u128,
    horizon: u128,
    mut look: impl FnMut(u128) -> Result<DemandAt, Stop>,
) -> Result<bool, Stop> {
    let mut length = horizon;
    while length >= lowest {
        let DemandAt { down_to, last_step } = look(length)?;
        let Some(step) = last_step else { break };
        length = match down_to {
            Some(fits) if fits <= lowest => break,
            // `lowest` is not negative, so this is not zero.
            Some(fits) => step.min(fits - 1),
            None if step == length => return Ok(false),
            None => step,
        };
    }
    Ok(true)
}
