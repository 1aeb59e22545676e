//! Settings of policies, kept as the user wrote them until code that knows the policy reads them.

use flyball_trace::Duration;
use std::collections::BTreeMap;

/// A policy's settings as the user wrote them. Two are equal if they say the same, wherever they
/// stand.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The values, by key.
    pub values: BTreeMap<String, Setting>,
    /// Where the table begins.
    pub place: Option<Place>,
}

/// One setting of a policy. Two are equal if they say the same, wherever they stand.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Its value.
    pub value: Value,
    /// Where its key stands.
    pub place: Option<Place>,
}

/// The value of a policy's setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A length of time.
    Duration(Duration),
    /// A whole number.
    Integer(i64),
    /// A number with a decimal point or an exponent, as it was written, so that nothing is rounded
    /// here: a sign or none, digits, perhaps a point and digits, perhaps `e`, a sign and digits.
    Decimal(String),
    /// Yes or no.
    Bool(bool),
    /// Any other text.
    Text(String),
    /// A table of whole numbers, row by row. Rows may differ in length.
    Table(Vec<Vec<u32>>),
}

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// Where something begins in its file; nothing, if it stands in none. Two are always equal, as what says the same is
/// the same wherever it stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Location(pub Option<Place>);

impl PartialEq for Location {
    fn eq(&self, _: &Location) -> bool {
        true
    }
}

impl Eq for Location {}

impl PartialEq for Settings {
    fn eq(&self, other: &Settings) -> bool {
        self.values == other.values
    }
}

impl Eq for Settings {}

impl PartialEq for Setting {
    fn eq(&self, other: &Setting) -> bool {
        self.value == other.value
    }
}

impl Eq for Setting {}

impl From<Value> for Setting {
    /// A setting that stands in no file.
    fn from(value: Value) -> Setting {
        Setting { value, place: None }
    }
}
