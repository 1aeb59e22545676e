//! What is asked for, and what is found out.

use core::str::Utf8Error;
use flyball_app::{println, shut_down};
use semihosting::experimental::env;

/// What is measured; see the crate's description.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Calls,
    Decision,
    Adjust,
    Release,
    First,
    Tick,
}

impl What {
    /// Of this name.
    pub(crate) fn find(name: &str) -> Option<What> {
        Some(match name {
            "calls" => What::Calls,
            "decision" => What::Decision,
            "adjust" => What::Adjust,
            "release" => What::Release,
            "first" => What::First,
            "tick" => What::Tick,
            _ => return None,
        })
    }
}

/// What the command line says, and with how many threads.
pub(crate) fn asked<T>(find: impl Fn(&str) -> Option<T>) -> (T, usize) {
    let Ok(arguments) = env::args::<64>() else {
        fail("there is no command line");
    };
    let mut words = &arguments;
    let mut word = || {
        words
            .next()
            .and_then(|word: Result<&str, Utf8Error>| word.ok())
    };
    let (_program, what, n) = (word(), word(), word().and_then(|n| n.parse().ok()));
    let Some(what) = what.and_then(find) else {
        fail("it is not said what to measure");
    };
    let n = n.filter(|&n| n <= crate::MOST);
    (
        what,
        n.unwrap_or_else(|| fail("it is not said with how many threads")),
    )
}

/// The numbers of the command line, as many as there are; the others are zero. It has at most
/// `BYTES`.
pub(crate) fn numbers<const MOST: usize, const BYTES: usize>() -> [u32; MOST] {
    described::<(), MOST, BYTES>(|_, ()| None).1
}

/// What the first words of the command line say, and the numbers after them. `see` is told each
/// word with what has been understood of those before it, and returns `None` for the first number.
pub(crate) fn described<T: Default + Copy, const MOST: usize, const BYTES: usize>(
    see: impl Fn(&str, T) -> Option<T>,
) -> (T, [u32; MOST]) {
    let Ok(arguments) = env::args::<BYTES>() else {
        fail("there is no command line");
    };
    let (mut said, mut numbers, mut count) = (T::default(), [0; MOST], 0);
    // The first word is the program's name.
    for word in (&arguments).skip(1) {
        let word: Result<&str, Utf8Error> = word;
        let word = word.unwrap_or_default();
        if count == 0
            && let Some(more) = see(word, said)
        {
            said = more;
            continue;
        }
        let (Ok(number), true) = (word.parse(), count < MOST) else {
            fail("the command line has something that is not understood");
        };
        numbers[count] = number;
        count += 1;
    }
    (said, numbers)
}

/// Ends: something is not as it has to be.
pub(crate) fn fail(why: &str) -> ! {
    println!("error: {why}");
    shut_down(1)
}

/// Instructions, as often as they were counted.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    sum: u32,
    count: u32,
    worst: u32,
}

impl Tally {
    /// Nothing yet.
    pub(crate) const NONE: Tally = Tally {
        sum: 0,
        count: 0,
        worst: 0,
    };

    #[inline(never)]
    pub(crate) fn add(&mut self, instructions: u32) {
        self.sum += instructions;
        self.count += 1;
        self.worst = self.worst.max(instructions);
    }

    /// How often something has been added.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    pub(crate) fn print(self, name: &str) {
        let Tally { sum, count, worst } = self;
        println!("{name} {sum} {count} {worst}");
    }
}
