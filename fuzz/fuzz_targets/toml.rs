//! No text makes the TOML reader panic, every fault can be shown, and every task set that is read
//! is the same after it was written and read again.
#![no_main]

use flyball_model::{Format, read_str, to_toml};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match read_str(text, Format::Toml, "x.toml") {
        Ok(set) => assert_eq!(read_str(&to_toml(&set), Format::Toml, "x.toml"), Ok(set)),
        Err(error) => assert!(!error.to_string().is_empty() && !error.coloured().is_empty()),
    }
});
