//! No text makes the reader of durations panic, and every duration that is read is the same after
//! it was shown and read again.
#![no_main]

use flyball_model::parse_duration;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match parse_duration(text) {
        Ok(length) => assert_eq!(parse_duration(&length.to_string()), Ok(length)),
        Err(error) => assert!(!error.to_string().is_empty() && !error.remedy().is_empty()),
    }
});
