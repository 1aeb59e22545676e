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
