//! Work on several items at once, where there are threads.

/// What `of` makes of each item, in their order: on all cores with the feature `threads`, else one
/// after the other.
pub(crate) fn each<T: Send, R: Send>(items: Vec<T>, of: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
    #[cfg(feature = "threads")]
    {
        use rayon::prelude::*;
        items.into_par_iter().map(of).collect()
    }
    #[cfg(not(feature = "threads"))]
    {
        items.into_iter().map(of).collect()
    }
}
