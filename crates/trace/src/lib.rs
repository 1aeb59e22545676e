//! One vocabulary of scheduling events.
//!
//! The kernel on a board, the kernel on the host and the simulator all say what they do in the
//! words of this crate; metrics, reports, exports and the comparison of two schedules all read
//! them. So a schedule that was predicted and one that was measured can be laid side by side.
//!
//! | module | what |
//! |---|---|
//! | [`time`] | [`Time`] and [`Duration`], 64-bit nanoseconds |
//! | [`id`] | [`TaskId`], [`ServerId`], [`CpuId`], [`Object`] |
//! | [`event`] | [`Event`]: what can happen |
//! | [`record`] | [`Record`]: an event in 24 bytes |
//! | [`sink`] | where events go: nowhere, into a [`Ring`], into a list, into metrics |
//! | [`metrics`] | response times, tardiness, misses, … computed from events (feature `std`) |
//! | [`file`](mod@file) | a whole trace on disk, with its task names (feature `std`) |
//!
//! Without the feature `std` the crate needs neither a heap nor an operating system.
#![cfg_attr(not(any(test, feature = "std")), no_std)]

pub mod event;
#[cfg(feature = "std")]
pub mod file;
mod gauge;
pub mod id;
#[cfg(feature = "std")]
pub mod metrics;
pub mod record;
pub mod sink;
pub mod time;

pub use event::{Cause, Event, Kind};
pub use gauge::GaugeKind;
pub use id::{CpuId, Object, ServerId, Slot, Speed, TaskId};
pub use record::Record;
pub use sink::{NoTrace, Ring, Sink};
pub use time::{Duration, Time};
