//! No bytes make the readers of what a program in C says panic: of its threads in its image, and of what happened.
#![no_main]

use flyball_board::program::functions::Functions;
use flyball_board::program::threads::About;
use flyball_board::program::{declared, threads};
use flyball_trace::file::Trace;
use libfuzzer_sys::fuzz_target;

// The section of the image, how many CPUs there are, and the trace.
fuzz_target!(|input: (Vec<u8>, u8, Vec<u8>)| {
    let (section, cpus, trace) = input;
    match declared::read(&section).and_then(|said| declared::task_set("it.elf", &said)) {
        Ok(set) => assert_eq!(set.tasks.len() * 80, section.len()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let functions = Functions::default();
    let about = About {
        name: "it.elf",
        policy: "edf",
        cpus,
        functions: &functions,
    };
    match threads::read(&trace, &about) {
        // What the header does not name would be refused.
        Ok(trace) => match Trace::from_bytes(&trace.to_bytes()) {
            Ok(read) => assert_eq!(read, trace),
            Err(error) => assert!(trace.events.iter().any(|it| it.kind.server().is_some()), "{error}"),
        },
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    assert!(functions.places(&String::from_utf8_lossy(&trace)).is_empty());
});
