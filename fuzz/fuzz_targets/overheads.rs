//! No text makes the reader of overhead files panic, every fault can be shown, and what was read
//! can be asked for.
#![no_main]

use flyball_model::{OverheadFile, Statistic};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match OverheadFile::read(text, "o.toml") {
        Ok(file) => {
            for policy in file.policies() {
                let known = Statistic::ALL
                    .iter()
                    .any(|&of| file.overheads(policy, of).is_some());
                assert!(known);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty() && !error.coloured().is_empty()),
    }
});
