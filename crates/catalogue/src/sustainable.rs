//! What a schedule without a miss says about jobs that ask for less.

/// Whether all deadlines are still met when jobs ask for less: *sustainability* (Baruah and Burns,
/// "Sustainable scheduling analysis", RTSS 2006; Burns and Baruah, "Sustainability in real-time
/// scheduling", JCSE 2(1), 2008).
///
/// A policy promises it for jobs that compute and do nothing else, on a kernel whose work takes no
/// time, and where each job is due by the release of the next one of its task. Nothing of it
/// remains for other sets:
///
/// * A job that suspends itself earlier also comes back earlier, and may then be in the way of a
///   job that it was not in the way of before. The same is true of one that gets a mutex, a
///   semaphore or a message earlier (Buttazzo, "Hard real-time computing systems", section 2.4;
///   Graham 1969).
/// * A job that ends earlier may save the kernel a preemption, or cost it one.
/// * A job that waits for the one before it of its task is queued when that ends, and so may come
///   before or behind its equals.
///
/// A periodic tick takes nothing away: it delays each release by a time that depends on the release
/// alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sustainable {
    /// In execution times: what meets all deadlines does so with the same releases where jobs
    /// compute for less.
    pub execution: bool,
    /// In arrivals: sporadic tasks that meet all deadlines when they begin all at once and come as
    /// often as they may do so when they come later.
    pub arrivals: bool,
}

impl Sustainable {
    /// Nothing is known.
    pub const NO: Sustainable = Sustainable {
        execution: false,
        arrivals: false,
    };

    /// In execution times only.
    pub const EXECUTION: Sustainable = Sustainable {
        execution: true,
        arrivals: false,
    };
}
