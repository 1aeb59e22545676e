//! How large a share a stage of a pipeline needs: the controller of proportions.
//!
//! *Pressure* is how far the queues of a stage are from half full, each as a part of its capacity, with the
//! sign that says whether the stage has too little of the CPU: + for a full input, − for a full output
//! (Q = Σ R·F in the paper). A message that the stage moves relieves the pressure by 1 ÷ capacity. So
//! what the others have made of it in an interval is what it has grown by, and what the stage has relieved
//! besides. Where *D* is that, with its fast changes filtered out, and *c* is the CPU time that
//! the stage needs to relieve the pressure of one queue,
//!
//! ```text
//!            c                    interval
//!   share = ────────  ( D  +  Q · ────────  )
//!           interval              2 period
//! ```
//!
//! keeps up with the others by *D*, and works off in two periods what there is of pressure by *Q*. No gain depends on what
//! a stage is like: c is measured. The paper's own controller is a PID whose gains it does not say.

use super::scale::Scale;

/// How much of the memory of [`Proportion::relieved`] a message leaves: 13/16.
const FADES: u64 = 13;
/// After so many messages nothing is left of what was measured before.
const MEMORY: usize = 24;

/// What so many messages leave, in 2⁻³².
const FADED: [u32; MEMORY + 1] = {
    let mut faded = [u32::MAX; MEMORY + 1];
    let mut messages = 1;
    while messages < MEMORY {
        // Less than before.
        #[expect(clippy::cast_possible_truncation)]
        let less = (faded[messages - 1] as u64 * FADES / 16) as u32;
        faded[messages] = less;
        messages += 1;
    }
    faded[MEMORY] = 0;
    faded
};

/// What so many messages leave of what has been measured.
#[inline]
fn fade(sum: u32, messages: u16) -> u32 {
    let faded = FADED[usize::from(messages).min(MEMORY)];
    let product = u64::from(sum) * u64::from(faded);
    (product >> 32) as u32
}

/// What has been measured of a stage in an interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// The pressure now, in 2⁻¹⁶ queues.
    pub pressure: i32,
    /// What the stage has relieved of it, in 2⁻¹⁶ queues.
    pub relieved: u32,
    /// How many messages it has moved at the end where it moved most.
    pub moved: u16,
    /// How much CPU time it has used, in nanoseconds.
    pub used: u32,
}

/// The state of the controller of one stage. Pressure is in 2⁻¹⁶ queues.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Proportion {
    /// The pressure at the last reading.
    pressure: i32,
    /// The pressure that others make in an interval, in 2⁻²⁴ queues: *D*.
    demand: i32,
    /// How much the stage has relieved of late, and in how much CPU time, in nanoseconds: *c* is their quotient.
    relieved: u32,
    used: u32,
    /// What moving a message has relieved last.
    unit: u32,
    /// The CPU time since the stage moved a message.
    pending: u32,
}

/// How long an interval is, and a period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Times {
    /// From one reading to the next, in nanoseconds, not zero.
    pub interval: u32,
    /// The stage's period, in nanoseconds, not zero.
    pub period: u32,
}

impl Proportion {
    /// Reads once, and returns the share that the stage needs, in 2⁻²⁸ of a CPU: it may be more than a CPU.
    /// `None`: the stage has not moved a message yet, so it is not known.
    pub fn step(&mut self, reading: &Reading, times: Times) -> Option<u32> {
        let grown = i64::from(reading.pressure) - i64::from(self.pressure);
        self.pressure = reading.pressure;
        self.measure(reading);
        let made = (grown + i64::from(reading.relieved)) << 8;
        let ratio = times.ratio();
        let demand = i64::from(self.demand);
        self.demand = saturate(demand + (((made - demand) * ratio) >> 16));
        let owed = (i64::from(self.pressure) * ratio) >> 9;
        let wanted = i64::from(self.demand) + owed;
        if self.relieved == 0 {
            return None;
        }
        Some(self.takes(u64::try_from(wanted).unwrap_or(0), times.interval))
    }

    /// What it costs to relieve pressure.
    fn measure(&mut self, reading: &Reading) {
        self.pending = self.pending.saturating_add(reading.used);
        if reading.moved == 0 || reading.relieved == 0 {
            return;
        }
        let [relieved, used] = [self.relieved, self.used].map(|sum| fade(sum, reading.moved));
        self.relieved = relieved.saturating_add(reading.relieved);
        self.used = used.saturating_add(self.pending);
        self.unit = reading.relieved / u32::from(reading.moved);
        self.pending = 0;
    }

    /// The share that relieves so much pressure (in 2⁻²⁴ queues) in an interval.
    fn takes(&self, wanted: u64, interval: u32) -> u32 {
        let (mut used, mut relieved) = (self.used, self.relieved);
        // A message that has taken longer than others already, and is not moved yet, costs as much as that.
        let (pending, unit) = (self.pending, self.unit);
        if unit > 0 && times(pending, relieved) > times(used, unit) {
            (used, relieved) = (pending, unit);
        }
        if wanted == 0 || used == 0 {
            return 0;
        }
        let [used, relieved, interval] = [used, relieved, interval].map(Scale::of_32);
        let wanted = Scale::of(wanted);
        // What is more than sixteen CPUs is more than there is, whatever it is.
        let time = wanted.times(used).over(relieved);
        time.over(interval).shifted(20)
    }
}

impl Times {
    /// The part of a period that an interval is, at most all of it, in 2⁻¹⁶.
    #[inline]
    fn ratio(self) -> i64 {
        let Times { interval, period } = self;
        if interval >= period {
            return 1 << 16;
        }
        let ratio = Scale::of_32(interval).over(Scale::of_32(period));
        ratio.shifted(16).into()
    }
}

fn times(a: u32, b: u32) -> u64 {
    u64::from(a) * u64::from(b)
}

fn saturate(value: i64) -> i32 {
    i32::try_from(value).unwrap_or(if value < 0 { i32::MIN } else { i32::MAX })
}
