//! What can happen, and how likely it is.

use super::patience::Patience;
#[cfg(not(miri))]
use super::patience::patience;
#[cfg(not(miri))]
use proptest::prelude::*;

/// One thing that happens. Numbers are taken modulo what there is.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Pass(u64),
    Spawn {
        release: u8,
        gap: u64,
        deadline: u64,
        on_miss: u8,
        alert: u8,
        params: u8,
    },
    Adjust(u8, u8),
    WaitNext,
    Exit,
    Yield,
    Sleep(u64),
    Join(u8, Patience),
    Lock(u8, Patience),
    Unlock(u8),
    Wait(u8, Patience),
    Signal(u8),
    WaitCondition(u8, u8, Patience),
    SignalCondition(u8),
    Broadcast(u8),
    Send(u8, Patience),
    Receive(u8, Patience),
    Post(u8),
    Resize(u8, u8),
    Release(u8),
    Park(Patience),
    Unpark(u8),
    Rouse(u8),
    /// The kernel itself takes time.
    Overhead(u64),
}

impl Step {
    /// Whether only a thread can make this call.
    pub(super) fn needs_thread(&self) -> bool {
        matches!(
            self,
            Step::WaitNext
                | Step::Exit
                | Step::Yield
                | Step::Sleep(_)
                | Step::Join(..)
                | Step::Lock(..)
                | Step::Unlock(_)
                | Step::Wait(..)
                | Step::WaitCondition(..)
                | Step::Send(..)
                | Step::Receive(..)
                | Step::Park(_)
        )
    }
}

#[cfg(not(miri))]
pub(super) fn step() -> impl Strategy<Value = Step> {
    let n = any::<u8>;
    prop_oneof![
        8 => (0u64..20).prop_map(Step::Pass),
        3 => (n(), 1u64..60, 1u64..90, n(), n(), n()).prop_map(
            |(release, gap, deadline, on_miss, alert, params)|
            Step::Spawn { release, gap, deadline, on_miss, alert, params }),
        1 => (n(), n()).prop_map(|(thread, params)| Step::Adjust(thread, params)),
        4 => Just(Step::WaitNext),
        1 => Just(Step::Exit),
        1 => Just(Step::Yield),
        1 => (0u64..40).prop_map(Step::Sleep),
        1 => (n(), patience()).prop_map(|(n, p)| Step::Join(n, p)),
        5 => (n(), patience()).prop_map(|(n, p)| Step::Lock(n, p)),
        4 => n().prop_map(Step::Unlock),
        3 => (n(), patience()).prop_map(|(n, p)| Step::Wait(n, p)),
        3 => n().prop_map(Step::Signal),
        3 => (n(), n(), patience()).prop_map(|(c, m, p)| Step::WaitCondition(c, m, p)),
        2 => n().prop_map(Step::SignalCondition),
        1 => n().prop_map(Step::Broadcast),
        3 => (n(), patience()).prop_map(|(n, p)| Step::Send(n, p)),
        3 => (n(), patience()).prop_map(|(n, p)| Step::Receive(n, p)),
        1 => n().prop_map(Step::Post),
        1 => (n(), n()).prop_map(|(queue, capacity)| Step::Resize(queue, capacity)),
        2 => n().prop_map(Step::Release),
        2 => patience().prop_map(Step::Park),
        2 => n().prop_map(Step::Unpark),
        1 => n().prop_map(Step::Rouse),
        1 => (0u64..5).prop_map(Step::Overhead),
    ]
}

/// One of the steps that [`step`] makes.
pub(super) fn any_step(below: &mut impl FnMut(u64) -> u64) -> Step {
    let mut small = |n| u8::try_from(below(n)).unwrap_or(0);
    let kind = small(56);
    let (a, b) = (small(256), small(256));
    let patience = match small(5) {
        0 => Patience::None,
        1 => Patience::Some(1 + below(59)),
        _ => Patience::Endless,
    };
    match kind {
        0..9 => Step::Pass(below(20)),
        9..12 => Step::Spawn {
            release: a,
            gap: 1 + below(59),
            deadline: 1 + below(89),
            on_miss: b,
            alert: a.wrapping_add(b),
            params: a ^ b,
        },
        12 => Step::Adjust(a, b),
        13..17 => Step::WaitNext,
        17 => Step::Exit,
        18 => Step::Yield,
        19 => Step::Sleep(below(40)),
        20 => Step::Join(a, patience),
        21..26 => Step::Lock(a, patience),
        26..30 => Step::Unlock(a),
        30..33 => Step::Wait(a, patience),
        33..36 => Step::Signal(a),
        36..39 => Step::WaitCondition(a, b, patience),
        39 => Step::SignalCondition(a),
        40 => Step::Broadcast(a),
        41..43 => Step::Send(a, patience),
        43..45 => Step::Receive(a, patience),
        45 => Step::Post(a),
        46..49 => Step::Release(a),
        49..51 => Step::Park(patience),
        51..53 => Step::Unpark(a),
        53 => Step::Resize(a, b),
        54 => Step::Rouse(a),
        _ => Step::Overhead(below(5)),
    }
}
