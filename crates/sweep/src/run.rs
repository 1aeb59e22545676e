//! Does a study: what is missing in a folder, or all of it in memory.

use crate::error::SweepError;
use crate::results::Results;
use crate::store::Store;
use crate::unit::{Row, Tools, Unit, units};
use flyball_model::Study;
use flyball_study::Registry;
use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// How a study is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// How many threads; `None`: one a core.
    pub threads: Option<usize>,
    /// Which part of it; `None`: all.
    pub shard: Option<Shard>,
}

/// One of several parts of a study, each of which can be done on another machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which one, from 0 on and below [`Shard::of`].
    pub number: u32,
    /// Of how many, not zero.
    pub of: u32,
}

/// How far a sweep has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Sets that were finished before.
    pub before: u64,
    /// Sets that are judged by now, those of unfinished units included, and those from before.
    pub judged: u64,
    /// Sets that there are to judge, those from before included.
    pub of: u64,
    /// Units that are finished, those from before included.
    pub finished: usize,
    /// Units that there are to finish, those from before included.
    pub units: usize,
}

/// What a sweep did.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Units that were finished before.
    pub before: usize,
    /// Units that were finished now.
    pub finished: usize,
    /// Units of this shard that are not finished: the sweep was interrupted.
    pub left: usize,
    /// Files that were damaged, which are computed again.
    pub damaged: Vec<SweepError>,
}

/// What a sweep asks its caller, and tells it of its progress: whether to go on. Asked after each
/// set, and from time to time while one is simulated, by all threads.
pub type Watch<'w> = &'w (dyn Fn(Progress) -> bool + Sync);

/// What is no [`Shard`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoShard;

impl fmt::Display for NoShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a part and of how many, from 1/N to N/N, such as 1/4")
    }
}

impl std::error::Error for NoShard {}

/// As it is said: from 1/N to N/N.
impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Shard, NoShard> {
        let (number, of) = text.split_once('/').ok_or(NoShard)?;
        let (number, of): (u32, u32) = number
            .parse()
            .and_then(|number| Ok((number, of.parse()?)))
            .map_err(|_| NoShard)?;
        let number = (1..=of).contains(&number).then(|| number - 1);
        let number = number.ok_or(NoShard)?;
        Ok(Shard { number, of })
    }
}

impl Shard {
    fn has(self, place: usize) -> bool {
        place as u64 % u64::from(self.of.max(1)) == u64::from(self.number)
    }
}

/// Finishes the study in `folder`, or the shard of it. What is there is kept; what is not gets
/// there unit by unit. If `watch` says no, the units that are under way are given up, and all
/// others are kept. Policies are those of `registry`.
///
/// # Errors
/// [`SweepError`]; all units that were finished before it are kept.
pub fn sweep(
    registry: &Registry,
    study: &Study,
    folder: &Path,
    options: &Options,
    watch: Watch<'_>,
) -> Result<Outcome, SweepError> {
    // A study that cannot be done leaves no folder.
    let tools = Tools::new(registry, study)?;
    sweep_into(&Store::open(study, folder)?, &tools, options, watch)
}

pub(crate) fn sweep_into(
    store: &Store,
    tools: &Tools<'_>,
    options: &Options,
    watch: Watch<'_>,
) -> Result<Outcome, SweepError> {
    let study = tools.study;
    let files = store.files()?;
    let (mut outcome, mut missing, mut before) = (Outcome::default(), Vec::new(), Done::default());
    for (place, unit) in units(study).into_iter().enumerate() {
        if !options.shard.is_none_or(|shard| shard.has(place)) {
            continue;
        }
        match files.has(study, unit) {
            Ok(true) => {
                before.units += 1;
                before.sets += unit.sets(study).len() as u64;
            }
            Ok(false) => missing.push(unit),
            Err(damaged @ SweepError::Damaged { .. }) => {
                files.discard(study, unit)?;
                outcome.damaged.push(damaged);
                missing.push(unit);
            }
            Err(other) => return Err(other),
        }
    }
    outcome.before = before.units;
    outcome.finished = work(tools, &missing, options, before, watch, |unit, rows| {
        store.put(study, unit, rows)
    })?;
    outcome.left = missing.len() - outcome.finished;
    Ok(outcome)
}

/// Does the whole study in memory; `None` if `watch` said no. Policies are those of `registry`.
///
/// # Errors
/// Those of [`Unit::work`], and of [`Tools::new`].
pub fn compute(
    registry: &Registry,
    study: &Study,
    options: &Options,
    watch: Watch<'_>,
) -> Result<Option<Results>, SweepError> {
    let units = units(study);
    let found = Mutex::new(Vec::with_capacity(units.len()));
    work(
        &Tools::new(registry, study)?,
        &units,
        options,
        Done::default(),
        watch,
        |unit, rows| {
            let mut found = found
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            found.push((unit, rows.to_vec()));
            Ok(())
        },
    )?;
    let mut found = found
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if found.len() < units.len() {
        return Ok(None);
    }
    // Units come in any order, and sums of floating-point numbers depend on it.
    found.sort_unstable_by_key(|(unit, _)| *unit);
    let mut results = Results::new(study.clone());
    for (unit, rows) in found {
        results.add(unit, &rows);
    }
    Ok(Some(results))
}

/// What is done.
#[derive(Clone, Copy, Default)]
struct Done {
    units: usize,
    sets: u64,
}

/// Does units on all threads, and hands the rows of each to `keep`. Returns how many were kept.
fn work(
    tools: &Tools<'_>,
    missing: &[Unit],
    options: &Options,
    before: Done,
    watch: Watch<'_>,
    keep: impl Fn(Unit, &[Row]) -> Result<(), SweepError> + Sync,
) -> Result<usize, SweepError> {
    let study = tools.study;
    let sets: u64 = missing
        .iter()
        .map(|unit| unit.sets(study).len() as u64)
        .sum();
    let (judged, stopped) = (AtomicU64::new(before.sets), AtomicBool::new(false));
    let kept = AtomicUsize::new(0);
    let go_on = |more: u64| {
        let judged = judged.fetch_add(more, Ordering::Relaxed) + more;
        if !watch(Progress {
            before: before.sets,
            judged,
            of: before.sets + sets,
            finished: before.units + kept.load(Ordering::Relaxed),
            units: before.units + missing.len(),
        }) {
            stopped.store(true, Ordering::Relaxed);
        }
        !stopped.load(Ordering::Relaxed)
    };
    let one = |unit: &Unit| {
        if stopped.load(Ordering::Relaxed) {
            return Ok(());
        }
        let done = unit.work(tools, go_on).and_then(|rows| match rows {
            Some(rows) => {
                keep(*unit, &rows)?;
                kept.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            None => Ok(()),
        });
        // The others finish the sets that they are at, but no more units.
        if done.is_err() {
            stopped.store(true, Ordering::Relaxed);
        }
        done
    };
    let pool = ThreadPoolBuilder::new()
        .num_threads(options.threads.unwrap_or(0))
        .build();
    let pool = pool.map_err(|error| SweepError::Threads(error.to_string()))?;
    let all: Result<(), _> = pool.install(|| missing.par_iter().map(one).collect());
    all.map(|()| kept.into_inner())
}

#[cfg(test)]
mod tests;
