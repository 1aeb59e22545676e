//! No text makes the reader of studies panic, every fault can be shown, and every study that is
//! read is the same after it was written and read again.
#![no_main]

use flyball_model::{OverheadFile, Study};
use libfuzzer_sys::fuzz_target;

const TESTS: &[&str] = &["GFB", "RTA", "G-EDF", "P-EDF"];

fuzz_target!(|text: &str| {
    // Files of overheads have a reader of their own.
    let none = |_: &str| Ok(OverheadFile::default());
    match Study::read(text, "x.toml", TESTS, none) {
        Ok(study) => {
            let (text, _) = study.to_toml();
            assert_eq!(Study::read(&text, "x.toml", TESTS, none), Ok(study));
        }
        Err(error) => assert!(!error.to_string().is_empty() && !error.coloured().is_empty()),
    }
});
