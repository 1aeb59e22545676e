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

/// The numbers of the command line, as many as there are; the others are zero.
pub(crate) fn numbers<const MOST: usize>() -> [u32; MOST] {
    let Ok(arguments) = env::args::<512>() else {
        fail("there is no command line");
    };
    let mut numbers = [0; MOST];
    // The first word is the program's name.
    for (number, word) in numbers.iter_mut().zip((&arguments).skip(1)) {
        let word: Result<&str, Utf8Error> = word;
        *number = match word.map(str::parse) {
            Ok(Ok(number)) => number,
            _ => fail("the command line has something else than numbers"),
        };
    }
    numbers
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
