//! What a policy can be told: as a whole, and by each task.

use crate::facts::Facts;
use flyball_policy::{Costs, Duration};

/// One setting that a policy has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Its name in a file.
    pub name: &'static str,
    /// What it means, in a few words.
    pub about: &'static str,
    /// What it may be, and what it is where a file says nothing.
    pub kind: Kind,
}

/// What a setting may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A length of time.
    Duration {
        /// Where a file says nothing.
        default: Duration,
        /// Whether it may be zero.
        may_be_zero: bool,
    },
    /// A number with a fraction, and its default as a user writes it.
    Decimal(&'static str),
    /// Yes or no, and the default.
    Switch(bool),
    /// One of some words, of which the first is the default.
    Choice(&'static [&'static str]),
    /// A whole number.
    Integer {
        /// Where a file says nothing.
        default: u32,
        /// No number is smaller.
        least: u32,
    },
    /// A length of time or none, and in words what holds where a file says nothing.
    OptionalDuration(&'static str),
    /// What it costs to go from group to group or none, and in words what holds where a file says
    /// nothing.
    Costs(&'static str),
}

impl Setting {
    /// A length of time, not zero.
    pub const fn duration(name: &'static str, about: &'static str, default: Duration) -> Setting {
        let kind = Kind::Duration {
            default,
            may_be_zero: false,
        };
        Setting { name, about, kind }
    }

    /// A length of time, which may be zero.
    pub const fn duration_or_zero(
        name: &'static str,
        about: &'static str,
        default: Duration,
    ) -> Setting {
        let kind = Kind::Duration {
            default,
            may_be_zero: true,
        };
        Setting { name, about, kind }
    }

    /// A length of time, which may be zero and need not be there. `otherwise` tells the reader what
    /// holds where a file says nothing: for a task, usually what the policy's own setting says.
    pub const fn optional_duration(
        name: &'static str,
        about: &'static str,
        otherwise: &'static str,
    ) -> Setting {
        let kind = Kind::OptionalDuration(otherwise);
        Setting { name, about, kind }
    }

    /// What it costs to go from group to group: a table of whole numbers, which need not be there.
    /// `otherwise` tells the reader what holds where a file says nothing.
    pub const fn costs(
        name: &'static str,
        about: &'static str,
        otherwise: &'static str,
    ) -> Setting {
        let kind = Kind::Costs(otherwise);
        Setting { name, about, kind }
    }

    /// A number with a fraction, written as `default` is.
    pub const fn decimal(
        name: &'static str,
        about: &'static str,
        default: &'static str,
    ) -> Setting {
        let kind = Kind::Decimal(default);
        Setting { name, about, kind }
    }

    /// Yes or no.
    pub const fn switch(name: &'static str, about: &'static str, default: bool) -> Setting {
        let kind = Kind::Switch(default);
        Setting { name, about, kind }
    }

    /// One of some words, of which the first is the default.
    pub const fn choice(
        name: &'static str,
        about: &'static str,
        choices: &'static [&'static str],
    ) -> Setting {
        let kind = Kind::Choice(choices);
        Setting { name, about, kind }
    }

    /// A whole number, not negative.
    pub const fn integer(name: &'static str, about: &'static str, default: u32) -> Setting {
        let kind = Kind::Integer { default, least: 0 };
        Setting { name, about, kind }
    }

    /// A whole number, at least 1.
    pub const fn count(name: &'static str, about: &'static str, default: u32) -> Setting {
        let kind = Kind::Integer { default, least: 1 };
        Setting { name, about, kind }
    }
}

/// The values of settings, by name and kind. A setting of another name or kind is zero, no, none or
/// empty: to ask for one is a fault of the policy.
pub trait Values {
    /// A length of time.
    fn duration(&self, name: &str) -> Duration;
    /// A length of time, if the file says one.
    fn optional_duration(&self, name: &str) -> Option<Duration>;
    /// A whole number.
    fn integer(&self, name: &str) -> u32;
    /// A number with a fraction, rounded to millionths.
    fn millionths(&self, name: &str) -> u32;
    /// Yes or no.
    fn switch(&self, name: &str) -> bool;
    /// A word.
    fn text(&self, name: &str) -> &str;
    /// What it costs to go from group to group, if the file says so.
    fn costs(&self, name: &str) -> Option<Costs>;
    /// The name of the task that says this; empty where it is no task. It is no setting.
    #[expect(
        clippy::unnecessary_literal_bound,
        reason = "others have names of their own"
    )]
    fn task(&self) -> &str {
        ""
    }
    /// How long it takes to go from operating point to operating point, in nanoseconds, if the platform
    /// has some. It is no setting.
    fn transitions(&self) -> Option<Costs> {
        None
    }
    /// The length of the platform's tick, if it has one. It is no setting.
    fn tick(&self) -> Option<Duration> {
        None
    }
    /// The frequencies of the operating points in hertz, the lowest first; none if the platform has no
    /// operating points. It is no setting.
    fn frequencies(&self) -> &[u64] {
        &[]
    }
}

/// All settings at their defaults.
#[derive(Clone, Copy, Debug)]
pub struct Defaults(pub &'static [Setting]);

impl Defaults {
    fn of(&self, name: &str) -> Option<Kind> {
        let setting = self.0.iter().find(|setting| setting.name == name);
        setting.map(|setting| setting.kind)
    }
}

impl Values for Defaults {
    fn duration(&self, name: &str) -> Duration {
        match self.of(name) {
            Some(Kind::Duration { default, .. }) => default,
            _ => Duration::ZERO,
        }
    }

    fn optional_duration(&self, _: &str) -> Option<Duration> {
        None
    }

    fn integer(&self, name: &str) -> u32 {
        match self.of(name) {
            Some(Kind::Integer { default, .. }) => default,
            _ => 0,
        }
    }

    fn millionths(&self, name: &str) -> u32 {
        let Some(Kind::Decimal(text)) = self.of(name) else {
            return 0;
        };
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = whole
            .bytes()
            .chain(fraction.bytes().chain([b'0'; 6]).take(6));
        digits
            .filter(u8::is_ascii_digit)
            .fold(0, |number: u32, digit| {
                number
                    .saturating_mul(10)
                    .saturating_add(u32::from(digit - b'0'))
            })
    }

    fn switch(&self, name: &str) -> bool {
        matches!(self.of(name), Some(Kind::Switch(true)))
    }

    fn text(&self, name: &str) -> &str {
        match self.of(name) {
            Some(Kind::Choice(choices)) => choices.first().copied().unwrap_or(""),
            _ => "",
        }
    }

    fn costs(&self, _: &str) -> Option<Costs> {
        None
    }
}

/// How a policy is configured, and how an image carries that.
pub trait Configured: Sized {
    /// What it can be told as a whole.
    const SETTINGS: &'static [Setting] = &[];

    /// What each task can tell it, beside its [`Facts`]. A setting `quantum` says how long the
    /// task's time slices are, and zero that it has none: simulations take that for how often the
    /// task is interrupted.
    const TASK_SETTINGS: &'static [Setting] = &[];

    /// Makes the configuration for a whole task set from the values of its settings.
    ///
    /// # Errors
    /// Says why the values do not go together.
    fn new(values: &dyn Values, tasks: &[Facts]) -> Result<Self, &'static str>;

    /// Writes the configuration as [`Encode::emit`](flyball_policy::Encode::emit) does. A
    /// configuration without settings has no bytes.
    fn emit(&self, _put: &mut dyn FnMut(&[u8])) {}

    /// Reads what [`Configured::emit`] has written from the front of `bytes`. `None`: that is no
    /// configuration.
    fn parse(bytes: &mut &[u8]) -> Option<Self>;
}

/// Configurations without settings.
macro_rules! without_settings {
    ($($type:ident),*) => {$(
        impl $crate::Configured for $type {
            fn new(_: &dyn $crate::Values, _: &[$crate::Facts]) -> Result<$type, &'static str> {
                Ok($type)
            }

            fn parse(_: &mut &[u8]) -> Option<$type> {
                Some($type)
            }
        }
    )*};
}

/// Configurations that have a quantum and no other setting; some have settings of tasks.
macro_rules! with_quantum {
    ($($type:ident: $about:literal, $milliseconds:literal $(, $tasks:ident)?;)*) => {$(
        impl $crate::Configured for $type {
            const SETTINGS: &'static [$crate::Setting] = &[$crate::Setting::duration(
                "quantum",
                $about,
                flyball_policy::Duration::from_millis($milliseconds),
            )];
            $(const TASK_SETTINGS: &'static [$crate::Setting] = $tasks;)?

            fn new(
                values: &dyn $crate::Values,
                _: &[$crate::Facts],
            ) -> Result<$type, &'static str> {
                Ok($type { quantum: values.duration("quantum") })
            }

            fn emit(&self, put: &mut dyn FnMut(&[u8])) {
                flyball_policy::Encode::emit(&self.quantum, put);
            }

            fn parse(bytes: &mut &[u8]) -> Option<$type> {
                let quantum: flyball_policy::Duration = flyball_policy::Encode::parse(bytes)?;
                (!quantum.is_zero()).then_some($type { quantum })
            }
        }
    )*};
}

pub(crate) use {with_quantum, without_settings};
