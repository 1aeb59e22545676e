//! Names of events, each written once.

use std::collections::HashMap;

/// Names and their numbers, which begin with 1.
#[derive(Default)]
pub(super) struct Names {
    numbers: HashMap<String, u64>,
    names: Vec<String>,
}

impl Names {
    /// The number of a name.
    pub(super) fn number(&mut self, name: &str) -> u64 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.names.push(name.to_owned());
        let number = self.names.len() as u64;
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// All numbers with their names.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &str)> {
        (1..).zip(self.names.iter().map(String::as_str))
    }
}
