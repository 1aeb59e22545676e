//! BCLI in columns.
//!
//! The rounds are those of [`rounds`](super::super::rounds), with one difference: tasks are taken
//! by ascending deadlines, always in the same order. So what E_i needs of ⌊D_k/T_i⌋ and D_k mod T_i
//! follows from what it was for the deadline before, and nothing is divided.

use super::{Block, Columns, LANES, Lanes};
use crate::Stop;
use crate::gedf::rounds::Slacks;
use crate::work::Meter;
use core::array::from_fn;
use fearless_simd::{Select, Simd, SimdBase, dispatch, i32x16};

/// Brings the slacks of `columns` as far as they go, and returns whether no task is late with them.
pub(in super::super) fn decide(
    columns: &mut Columns,
    cpus: u32,
    meter: &mut Meter,
) -> Result<bool, Stop> {
    // More CPUs than any sum has units leave nothing to wait for, just as so many do.
    let cpus = i32::try_from(cpus).unwrap_or(i32::MAX);
    dispatch!(columns.level, simd => rounds(simd, columns, cpus, meter))
}

/// For the task τ_k of which it is asked, ⌊D_k/T_i⌋ C_i and D_k mod T_i; and the slacks that one
/// may hope for.
#[derive(Clone)]
#[repr(C, align(64))]
struct Window {
    whole: Lanes,
    rest: Lanes,
    hoped: Lanes,
}

#[inline(always)]
fn rounds<S: Simd>(
    simd: S,
    columns: &mut Columns,
    cpus: i32,
    meter: &mut Meter,
) -> Result<bool, Stop> {
    let mut windows: Vec<Window> = columns.blocks.iter().map(Window::new).collect();
    let mut first = true;
    loop {
        let (mut late, mut better) = (false, false);
        let mut before = 0;
        for window in &mut windows {
            (window.whole, window.rest) = ([0; LANES], [0; LANES]);
        }
        for k in 0..columns.tasks {
            meter.spend(columns.tasks)?;
            let (block, lane) = (k / LANES, k % LANES);
            let deadline = columns.deadline(k);
            let room = deadline - columns.wcet(k);
            // What is left of it by others, of whose work this is the sum, and its own.
            let left = |all: i32, own: i32| {
                let others = (all - own) / cpus;
                (others <= room).then(|| room - others)
            };
            let all = advance(
                simd,
                &columns.blocks,
                &mut windows,
                deadline - before,
                room + 1,
            );
            before = deadline;
            let own = windows[block].work(simd, &columns.blocks[block], false, room + 1)[lane];
            if let Some(slack) = left(all, own) {
                better |= slack > columns.slack(k);
                columns.set_slack(k, slack);
                // The first round is enough for most sets that are accepted, and they need no hope.
                if first {
                    continue;
                }
            }
            late |= left(all, own).is_none();
            let mut all = i32x16::splat(simd, 0);
            for (block, window) in columns.blocks.iter().zip(&windows) {
                all += window.work(simd, block, true, room + 1);
            }
            let own = windows[block].work(simd, &columns.blocks[block], true, room + 1)[lane];
            match left(all.reduce_sum(), own) {
                Some(slack) => windows[block].hoped[lane] = slack,
                None => return Ok(false),
            }
        }
        if !late || !better {
            return Ok(!late);
        }
        first = false;
    }
}

/// Goes on to a deadline that is later by `step`. Returns Σ min(E_i, most) there, with the slacks
/// that are sure.
#[inline(always)]
fn advance<S: Simd>(
    simd: S,
    blocks: &[Block],
    windows: &mut [Window],
    mut step: i32,
    most: i32,
) -> i32 {
    loop {
        let mut sum = i32x16::splat(simd, 0);
        let mut over = i32x16::splat(simd, i32::MIN);
        for (block, window) in blocks.iter().zip(&mut *windows) {
            over = over.max(window.advance(simd, block, step));
            sum += window.work(simd, block, false, most);
        }
        if over.reduce_max() < 0 {
            return sum.reduce_sum();
        }
        // Where a period is shorter than the step: once more.
        step = 0;
    }
}

impl Window {
    fn new(block: &Block) -> Window {
        Window {
            whole: [0; LANES],
            rest: [0; LANES],
            hoped: from_fn(|lane| block.d[lane] - block.c[lane]),
        }
    }

    /// Adds `step` to all rests, and takes a period out of those that have one, for a job's work.
    /// Returns by how much they are longer than a period then.
    #[inline(always)]
    fn advance<S: Simd>(&mut self, simd: S, block: &Block, step: i32) -> i32x16<S> {
        let load = |lanes: &Lanes| i32x16::load_array_ref(simd, lanes);
        let (none, t) = (i32x16::splat(simd, 0), load(&block.t));
        let rest = load(&self.rest) + step;
        let over = rest.simd_ge(t);
        let rest = rest - over.select(t, none);
        rest.store_array(&mut self.rest);
        let whole = load(&self.whole) + over.select(load(&block.c), none);
        whole.store_array(&mut self.whole);
        rest - t
    }

    /// min(E_i, most)
    #[inline(always)]
    fn work<S: Simd>(&self, simd: S, block: &Block, hoped: bool, most: i32) -> i32x16<S> {
        let load = |lanes: &Lanes| i32x16::load_array_ref(simd, lanes);
        let slack = load(if hoped { &self.hoped } else { &block.slack });
        let last = (load(&self.rest) - slack).max(0).min(load(&block.c));
        (load(&self.whole) + last).min(most)
    }
}
