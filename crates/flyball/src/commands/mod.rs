//! The commands, one file each.

pub(crate) mod analyse;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod generate;
pub(crate) mod images;
pub(crate) mod inspect;
pub(crate) mod man;
pub(crate) mod new;
pub(crate) mod overheads;
pub(crate) mod plot;
pub(crate) mod policies;
pub(crate) mod reproduce;
pub(crate) mod run;
pub(crate) mod shake;
pub(crate) mod simulate;
pub(crate) mod study;
pub(crate) mod sweep;
