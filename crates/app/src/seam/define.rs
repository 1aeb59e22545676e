//! How functions of the seam are defined.

/// Defines functions of the seam, and has the compiler check that they have the types that are
/// declared above. With the feature `few-calls` those that are marked as the rest are left out.
///
/// The linker drops a function that no code calls; but the compiler has to take each one for called,
/// as it has a name for the linker, and so neither inlines what two of them share nor sees which
/// arguments are always the same.
#[doc(hidden)]
#[macro_export]
macro_rules! __define {
    ($($(#[$rest:ident])? fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block)*) => {$(
        $crate::__define_one! {
            $($rest)? fn $name($($argument: $type),*) $(-> $result)? $body
        }
    )*};
}

/// One of them.
#[doc(hidden)]
#[macro_export]
macro_rules! __define_one {
    (rest $($function:tt)*) => {
        $crate::__define_rest! { $($function)* }
    };
    (fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block) => {
        #[inline]
        #[unsafe(no_mangle)]
        fn $name($($argument: $type),*) $(-> $result)? $body

        const _: fn($($type),*) $(-> $result)? = $crate::seam::$name;
    };
}

/// One of the rest.
#[cfg(not(feature = "few-calls"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __define_rest {
    ($($function:tt)*) => {
        $crate::__define_one! { $($function)* }
    };
}

/// One of the rest, which is left out.
#[cfg(feature = "few-calls")]
#[doc(hidden)]
#[macro_export]
macro_rules! __define_rest {
    ($($function:tt)*) => {};
}
