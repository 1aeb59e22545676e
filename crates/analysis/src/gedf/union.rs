//! Does any of them accept?
//!
//! The cheap tests come first, and what cannot make a difference is left out. All of this is
//! proved:
//!
//! * RTA accepts what BCLI accepts, and BCLI what BCL accepts. BCLI's bound for a response time is
//!   RTA's right side at R = D_k or more, since it has one term less in the minimum; so by
//!   induction over the rounds RTA has no smaller slacks. And the first round of BCLI is BCL: with
//!   p tasks of E_i > D_k − C_k there, of which there are fewer than m if BCL accepts (m of them
//!   make the sum m (D_k − C_k), and if there is one more E_i > 0 it is larger), Σ min(E_i, D_k −
//!   C_k + 1) is at most m (D_k − C_k) + p < m (D_k − C_k + 1). (Bertogna and Cirinei 2007 say so,
//!   too.)
//! * If D = T, GFB accepts what BAK, LOAD and FFDBF accept. BAK: for the k with the largest u no
//!   other has u_i > λ, so the sum is U, and the bound is GFB's. FFDBF: its least σ is max u, so U
//!   ≤ m − (m − 1)(max u + 1/10). LOAD: the load is U, and neither part of the bound exceeds μ; for
//!   ⌈μ⌉ = 1 the second is δ ≤ 1 = μ.
//! * With n ≤ m tasks RTA accepts: R = C solves its equation.

use super::{Answer, Set, Test, test};
use crate::{Stop, WorkLimit};

/// The tests by what they cost, roughly.
const CHEAPEST_FIRST: [Test; 10] = [
    Test::Gfb,
    Test::Bak,
    Test::Bak05,
    Test::Load,
    Test::FfDbf,
    Test::Bcl,
    Test::Bcli,
    Test::Bar,
    Test::Rta,
    Test::Rtalc,
];

/// The first one of `tests` that accepts `set` on so many CPUs, in the order of what they cost;
/// `None` if none does. Each takes at most `limit` steps.
///
/// # Errors
/// If none accepts, and one of them had to stop.
pub fn accepted_by(
    tests: &[Test],
    set: &Set,
    cpus: u32,
    limit: WorkLimit,
) -> Result<Option<Test>, Stop> {
    if !set.is_eligible(cpus) {
        return Ok(None);
    }
    let has = |test| tests.contains(&test);
    if set.tasks().len() <= cpus as usize && has(Test::Rta) {
        return Ok(Some(Test::Rta));
    }
    let covered = |test| match test {
        Test::Bcl => has(Test::Bcli) || has(Test::Rta),
        Test::Bcli => has(Test::Rta),
        Test::Bak | Test::Load | Test::FfDbf => set.is_implicit() && has(Test::Gfb),
        Test::Gfb | Test::Bak05 | Test::Rta | Test::Bar | Test::Rtalc => false,
    };
    let mut stopped = Ok(None);
    for which in CHEAPEST_FIRST {
        if !has(which) || covered(which) {
            continue;
        }
        match test(which, set, cpus, limit) {
            Answer::Accepts => return Ok(Some(which)),
            Answer::Rejects => {}
            Answer::Stopped(stop) => stopped = Err(stop),
        }
    }
    stopped
}
