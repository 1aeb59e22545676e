//! No text makes the reader of studies panic, every fault can be shown, and every study that is
//! read is the same after it was written and read again.
#![no_main]

use flyball_model::study::{Known, KnownPolicy};
use flyball_model::{OverheadFile, Study};
use libfuzzer_sys::fuzz_target;

/// The names that studies may use.
fn known() -> Known<'static> {
    let policy = |names: &[&'static str], source| KnownPolicy {
        names: names.to_vec(),
        source,
    };
    Known {
        tests: vec!["GFB", "RTA", "G-EDF", "P-EDF"],
        policies: Some(vec![
            policy(&["rm"], None),
            policy(&["g-edf"], Some("mine")),
            policy(&["c=d", "edf-cd"], None),
        ]),
    }
}

fuzz_target!(|text: &str| {
    // Files of overheads have a reader of their own.
    let none = |_: &str| Ok(OverheadFile::default());
    match Study::read(text, "x.toml", &known(), none) {
        Ok(study) => {
            let (text, _) = study.to_toml();
            assert_eq!(Study::read(&text, "x.toml", &known(), none), Ok(study));
        }
        Err(error) => assert!(!error.to_string().is_empty() && !error.coloured().is_empty()),
    }
});
