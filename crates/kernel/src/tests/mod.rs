//! Tests of the whole core: a small machine that drives it ([`world`]), what must always hold
//! ([`audit`]), random sequences of events ([`random`]), several CPUs whose interrupts are delayed
//! ([`adversary`]), a counter that wraps ([`stamps`]), budgets of servers ([`budgets`]), reservations ([`reserve`]), operating points ([`speeds`]), queues whose capacity changes ([`resizing`]), gauges ([`gauges`]), ticks at which nothing is due (`quiet`), ceilings that are applied lazily ([`lazy_ceilings`]), objects in memory ([`words`]), and cases worked out by hand
//! ([`calls`], [`mutexes`], [`ceilings`], [`clock`], [`alarms`]); and ids of what is not there ([`ids`]).

#[cfg(not(miri))]
mod adversary;
mod alarms;
mod audit;
mod budgets;
mod calls;
mod ceilings;
mod clock;
mod contract;
mod counts;
mod gauges;
mod ids;
mod informed;
mod lazy_ceilings;
mod migrate;
mod mutexes;
mod plant;
#[cfg(not(miri))]
mod quiet;
mod random;
mod reserve;
mod resizing;
mod speeds;
mod stamps;
mod timeouts;
mod triggers;
mod words;
mod world;
