//! No bytes make the reader of a board's recording panic, and what it reads is about the task set, and
//! over by the end.
#![no_main]

use flyball_script::image::Common;
use flyball_target::Recording;
use flyball_trace::Time;
use libfuzzer_sys::fuzz_target;

// In front of the recording: start and end of the set, and how many tasks it has.
fuzz_target!(|input: (u64, u64, u8, &[u8])| {
    let (start, end, tasks, bytes) = input;
    let common = Common {
        start: Time::from_nanos(start),
        end: Time::from_nanos(end),
        ..Common::default()
    };
    match Recording::read(bytes, &common, usize::from(tasks)) {
        Ok(recording) => {
            assert!(recording.length() <= common.end.since(common.start));
            for event in &recording.events {
                assert!(event.time <= Time::ZERO + common.end.since(common.start));
                let task = event.kind.task();
                assert!(task.is_none_or(|task| task.index() < usize::from(tasks)));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
