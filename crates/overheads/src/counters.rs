//! The processor's own counters, by `perf_event`, where there are any and the system permits it.

/// Counts misses of the last-level cache.
pub(crate) struct Misses {
    #[cfg(target_os = "linux")]
    counter: perf_event::Counter,
}

impl Misses {
    /// The counter of the calling thread, on whatever CPU it is.
    ///
    /// # Errors
    /// Why there is none, for people.
    #[cfg(target_os = "linux")]
    pub(crate) fn new() -> Result<Misses, String> {
        use perf_event::Builder;
        use perf_event::events::Hardware;
        let said = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => "this (virtual) processor has no such counter".into(),
            _ => format!("not permitted: {error}"),
        };
        let mut counter = Builder::new(Hardware::CACHE_MISSES).build().map_err(said)?;
        counter.enable().map_err(said)?;
        Ok(Misses { counter })
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn new() -> Result<Misses, String> {
        Err("this is not Linux".into())
    }

    /// How many misses there have been.
    #[cfg(target_os = "linux")]
    pub(crate) fn count(&mut self) -> Option<u64> {
        self.counter.read().ok()
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn count(&mut self) -> Option<u64> {
        None
    }
}

/// What a processor has counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counted {
    /// Cycles.
    pub cycles: u64,
    /// Instructions.
    pub instructions: u64,
    /// Requests to memory: misses of the last cache.
    pub requests: u64,
}

/// Runs a program and returns what the processor has counted meanwhile, in this thread outside of the operating
/// system.
///
/// # Errors
/// Why there are no counters, for people.
#[cfg(target_os = "linux")]
pub fn count(run: impl FnOnce()) -> Result<Counted, String> {
    use perf_event::Builder;
    use perf_event::events::Hardware;
    let said = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "this processor shows no counters".to_owned(),
        _ => format!("this processor shows no counters to this program: {error}"),
    };
    let events = [
        Hardware::CPU_CYCLES,
        Hardware::INSTRUCTIONS,
        Hardware::CACHE_MISSES,
    ];
    let mut counters = Vec::new();
    for event in events {
        counters.push(Builder::new(event).build().map_err(said)?);
    }
    for counter in &mut counters {
        counter.enable().map_err(said)?;
    }
    run();
    let mut counted = [0; 3];
    for (counter, counted) in counters.iter_mut().zip(&mut counted) {
        counter.disable().map_err(said)?;
        *counted = counter.read().map_err(said)?;
    }
    let [cycles, instructions, requests] = counted;
    if cycles == 0 || instructions == 0 {
        return Err("this processor's counters stand still".into());
    }
    Ok(Counted {
        cycles,
        instructions,
        requests,
    })
}

/// As on Linux, where there are counters.
///
/// # Errors
/// There are none.
#[cfg(not(target_os = "linux"))]
pub fn count(_: impl FnOnce()) -> Result<Counted, String> {
    Err("this processor's counters are read on Linux only".into())
}
