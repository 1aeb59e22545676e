//! How far up there is no response time to be found.
//!
//! The work in a window that grows by x grows by at least Σ min(x, g_i), where g_i is how much of
//! one task's work surely comes at the rate of one. So if there is too much work by `above`, then
//! there still is as long as `above` + Σ min(x, g_i) ≥ m x. The left side of that is concave in x,
//! so it holds up to one x and no further, which Newton's method finds from above: the tangents of
//! a concave function lie above it.

use super::word::Word;

/// The last x with `above` + Σ min(x, g_i) ≥ m x. `cpus` is m, and what it takes to divide by it.
pub(crate) fn last_above<W: Word>(above: W, growth: &[W], cpus: (W, W::Divisor)) -> W {
    let (cpus, by_cpus) = cpus;
    let all = growth.iter().fold(above, |sum, &surely| sum + surely);
    let mut x = all.over(by_cpus);
    loop {
        let (mut flat, mut rising) = (above, W::ZERO);
        for &surely in growth {
            let rises = surely >= x;
            flat += if rises { W::ZERO } else { surely };
            rising += if rises { W::ONE } else { W::ZERO };
        }
        // The tangent at x is flat + rising · x.
        if flat + rising * x >= cpus * x {
            return x;
        }
        // It is below m x there, and `flat` is not negative: so it rises by less than m.
        x = flat.divide(cpus - rising);
    }
}
