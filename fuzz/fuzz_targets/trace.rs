//! No bytes make the reader of traces panic. What is read is the same after it was written and read
//! again, and everything that presents a trace can present it, however little sense it makes.
#![no_main]

use flyball_report::gantt::{ChartStyle, chart};
use flyball_report::html::html;
use flyball_report::perfetto::{from_perfetto, to_perfetto};
use flyball_study::results::{PolicyReport, Study};
use flyball_trace::Time;
use flyball_trace::file::Trace;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match Trace::from_bytes(bytes) {
        Ok(trace) => {
            assert_eq!(
                Trace::from_bytes(&trace.to_bytes()).as_ref().ok(),
                Some(&trace)
            );
            assert_eq!(
                from_perfetto(&to_perfetto(&trace)).as_ref().ok(),
                Some(&trace)
            );
            let _ = chart(&trace, Time::ZERO..trace.end(), &ChartStyle::default());
            let _ = html(&Study {
                policies: vec![PolicyReport {
                    trace,
                    ..PolicyReport::default()
                }],
                ..Study::default()
            });
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
