//! Tables 4.1 and 4.2 with real programs in C, on the kernel on the emulated board: each alone, and six at
//! once as threads of one program. `sdk/programs` has them.

mod alone;
mod scripts;
mod together;

pub use alone::PLAN as ALONE;
pub use together::PLAN as TOGETHER;
