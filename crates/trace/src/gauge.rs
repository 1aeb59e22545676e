//! Gauges: progress that is no queue of the kernel.

/// What a gauge says of the threads that change it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GaugeKind {
    /// What waits for a thread. A thread that lowers it has consumed as much; by what it rises is no thread's work.
    Backlog,
    /// What a thread has made in advance. A thread that raises it has produced as much; by what it falls is no thread's
    /// work.
    Stock,
}
