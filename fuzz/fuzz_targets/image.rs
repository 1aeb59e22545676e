//! No bytes make the reader of task-set images panic, and whatever it takes for an image can be looked
//! at and interpreted: each step comes to an end.
#![no_main]

use flyball_script::{Call, Image, Length, Op, Place};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let image = match Image::new(bytes) {
        Ok(image) => image,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(image.len() <= bytes.len() && !image.is_empty());
    let _ = image.common();
    (0..image.mutexes()).for_each(|mutex| _ = image.inherits(mutex));
    (0..image.semaphores()).for_each(|semaphore| _ = image.initial(semaphore));
    (0..image.queues()).for_each(|queue| _ = image.capacity(queue));
    for number in 0..image.tasks() {
        let task = image.task(number).expect("it is below the number of tasks");
        let op = |at| image.operation(&task, at).unwrap_or(Op::End);
        let mut place = Place::new([0; 8]);
        let mut drawn = 0;
        for _ in 0..1_000 {
            let is_done = place.is_done(op);
            let call = place.step(op);
            assert!(!is_done || call == Call::End);
            if let Call::Compute(Length::Drawn(_)) | Call::Suspend(Length::Drawn(_)) = call {
                let _ = image.length(&task, drawn);
                drawn += 1;
            }
        }
    }
});
