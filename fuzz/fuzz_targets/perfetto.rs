//! No bytes make the reader of Perfetto traces panic, and what is read is the same after it was
//! written and read again.
#![no_main]

use flyball_report::perfetto::{from_perfetto, to_perfetto};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match from_perfetto(bytes) {
        Ok(trace) => {
            let again = from_perfetto(&to_perfetto(&trace));
            assert_eq!(again.ok(), Some(trace));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
