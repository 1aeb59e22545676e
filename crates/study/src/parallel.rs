//! Work on several things at once, where there are threads.

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

/// What both return: at the same time with the feature `threads`, else one after the other.
pub(crate) fn both<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "threads")]
    {
        rayon::join(one, other)
    }
    #[cfg(not(feature = "threads"))]
    {
        (one(), other())
    }
}
