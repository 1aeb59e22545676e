//! No bytes make the reader of task-set images panic, and whatever it takes for an image can be
//! looked at and interpreted: each step comes to an end, and changes are about tasks that have
//! begun.
#![no_main]

use flyball_catalogue::{Boot, Multiprocessor, Shape};
use flyball_script::image::{Change, ChangeKind};
use flyball_script::{Call, Image, Length, Op, Outcome, Place};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let image = match Image::new(bytes) {
        Ok(image) => image,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(image.len() <= bytes.len() && !image.is_empty());
    let shape = Shape::from_byte(image.common().shape);
    let scheduler = shape
        .and_then(|shape| Multiprocessor::find(image.scheduler(), shape, &mut image.settings()));
    (0..image.mutexes()).for_each(|mutex| _ = image.inherits(mutex));
    (0..image.semaphores()).for_each(|semaphore| _ = image.initial(semaphore));
    (0..image.queues()).for_each(|queue| _ = image.capacity(queue));
    let (mut last, mut begun) = (image.common().start, image.first());
    for change in (0..).map_while(|number| image.change(number)) {
        let Change { at, task, kind } = change;
        assert!(image.common().start + at >= last && task < image.tasks());
        last = image.common().start + at;
        match kind {
            ChangeKind::Start => begun += 1,
            ChangeKind::NewMode(row) => assert!(task < begun && image.task(row).is_some()),
            ChangeKind::Stop => assert!(task < begun),
        }
    }
    assert_eq!(begun, image.tasks());
    for number in 0..image.rows() {
        let task = image.task(number).expect("it is below the number of rows");
        if let Some(scheduler) = &scheduler {
            let _ = scheduler.decode(&mut image.params(&task));
            for subtask in 0..task.subtasks() {
                let params = image.params_of_subtask(&task, subtask);
                let _ = scheduler.decode(&mut params.expect("it is below the number of subtasks"));
            }
        }
        let op = |at| image.operation(&task, at).unwrap_or(Op::End);
        let mut place = Place::new([0; 8]);
        let mut drawn = 0;
        for _ in 0..1_000 {
            let is_done = place.is_done(op);
            let call = place.step(op, || image.common().tick);
            assert!(!is_done || matches!(call, Call::Result(_) | Call::End));
            if let Call::Compute(Length::Drawn(_)) | Call::Suspend(Length::Drawn(_)) = call {
                let _ = image.length(&task, drawn);
                drawn += 1;
            }
            if let Call::Result(Outcome::Drawn(_)) = call {
                let _ = image.result(&task, drawn);
                drawn += 1;
            }
        }
    }
});
