//! No bytes make the reader of a board's recording panic, and what it reads is about the task set,
//! and over by the end.
#![no_main]

use flyball_board::Recording;
use flyball_script::image::{Common, Contents, TaskContents};
use flyball_trace::Time;
use libfuzzer_sys::fuzz_target;

// In front of the recordings of two clusters: start and end of the set, how many tasks it has, and
// how many CPUs.
fuzz_target!(|input: (u64, u64, u8, u8, Vec<u8>, Vec<u8>)| {
    let (start, end, tasks, cpus, first, second) = input;
    let common = Common {
        start: Time::from_nanos(start),
        end: Time::from_nanos(end),
        cpus,
        cluster: cpus.div_ceil(2),
        ..Common::default()
    };
    let contents = Contents {
        common,
        tasks: vec![TaskContents::default(); tasks.into()],
        ..Contents::default()
    };
    match Recording::read(&[first, second], &contents) {
        Ok(recording) => {
            assert!(recording.length() <= common.end.since(common.start));
            for event in &recording.events {
                assert!(event.time <= Time::ZERO + common.end.since(common.start));
                assert!(event.cpu.0 < cpus);
                let task = event.kind.task();
                assert!(task.is_none_or(|task| task.index() < usize::from(tasks)));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
