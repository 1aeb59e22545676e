//! Records and events are the same thing.

use super::*;
use proptest::prelude::*;

fn kind() -> impl Strategy<Value = Kind> {
    let task = || any::<u16>().prop_map(TaskId);
    let object = prop_oneof![
        any::<u16>().prop_map(Object::Mutex),
        any::<u16>().prop_map(Object::Semaphore),
        any::<u16>().prop_map(Object::Condition),
        any::<u16>().prop_map(Object::Queue),
        any::<u16>().prop_map(Object::Task),
        Just(Object::Clock),
        Just(Object::Token),
    ];
    prop_oneof![
        (task(), any::<u32>(), any::<u64>()).prop_map(|(task, job, d)| Kind::Release {
            task,
            job,
            deadline: Time::from_nanos(d)
        }),
        (task(), any::<u32>(), object).prop_map(|(task, job, on)| Kind::Block { task, job, on }),
        (task(), any::<u32>()).prop_map(|(task, job)| Kind::Skip { task, job }),
        (task(), any::<u32>()).prop_map(|(task, job)| Kind::Dispatch { task, job }),
        (task(), any::<u32>()).prop_map(|(task, job)| Kind::Preempt { task, job }),
        (task(), any::<u32>()).prop_map(|(task, job)| Kind::BurstEnd { task, job }),
        (task(), any::<u32>()).prop_map(|(task, job)| Kind::Yield { task, job }),
        (task(), any::<u32>()).prop_map(|(task, job)| Kind::Wake { task, job }),
        (task(), any::<u32>()).prop_map(|(task, job)| Kind::Complete { task, job }),
        (task(), any::<u32>()).prop_map(|(task, job)| Kind::Miss { task, job }),
        (task(), any::<u32>()).prop_map(|(task, job)| Kind::Abort { task, job }),
        (task(), any::<u16>()).prop_map(|(task, mutex)| Kind::Lock { task, mutex }),
        (task(), any::<u16>()).prop_map(|(task, mutex)| Kind::Unlock { task, mutex }),
        (task(), proptest::option::of(task())).prop_map(|(to, from)| Kind::Inherit { to, from }),
        (task(), any::<u32>(), proptest::option::of(task()))
            .prop_map(|(task, job, by)| Kind::Arrive { task, job, by }),
        task().prop_map(|task| Kind::Start { task }),
        task().prop_map(|task| Kind::Exit { task }),
        (task(), any::<u32>(), any::<u64>()).prop_map(|(task, share, period)| Kind::Reserve {
            task,
            share,
            period: Duration::from_nanos(period),
        }),
        task().prop_map(|task| Kind::Quality { task }),
        any::<u16>().prop_map(|server| Kind::Exhaust {
            server: ServerId(server)
        }),
        (any::<u16>(), any::<u64>(), 0..3).prop_map(|(server, length, which)| {
            let (server, at) = (ServerId(server), Duration::from_nanos(length));
            match which {
                0 => Kind::Replenish {
                    server,
                    deadline: Time::ZERO + at,
                },
                1 => Kind::Budget { server, left: at },
                _ => Kind::Reclaim { server, length: at },
            }
        }),
        (any::<u16>(), any::<u16>(), 0..3).prop_map(|(queue, number, which)| match which {
            0 => Kind::Fill {
                queue,
                level: number,
            },
            1 => Kind::Overrun {
                queue,
                lost: number,
            },
            _ => Kind::Underrun {
                queue,
                missing: number,
            },
        }),
        Just(Kind::Idle),
        Just(Kind::Tick),
        any::<u8>().prop_map(|speed| Kind::Speed {
            speed: Speed(speed)
        }),
        (proptest::sample::select(&Cause::ALL[..]), any::<u64>()).prop_map(|(cause, ns)| {
            Kind::Overhead {
                cause,
                length: Duration::from_nanos(ns),
            }
        }),
    ]
}

proptest! {
    #[test]
    fn a_record_gives_back_its_event(time in any::<u64>(), cpu in any::<u8>(), kind in kind()) {
        let event = Event { time: Time::from_nanos(time), cpu: CpuId(cpu), kind };
        prop_assert_eq!(Record::from(event).decode(), Some(event));
    }

    #[test]
    fn bytes_that_decode_are_the_record_of_what_they_decode_to(bytes in any::<[u8; 24]>(), code in 0u8..32) {
        let mut bytes = bytes;
        bytes[22] = code;
        if let Some(event) = Record(bytes).decode() {
            prop_assert_eq!(Record::from(event).0, bytes);
        }
    }
}
