//! What goes wrong in a policy that is written in Python.

use super::task::Tasks;
use flyball::trace::Time;
use pyo3::create_exception;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

create_exception!(
    flyball,
    PolicyError,
    PyRuntimeError,
    "A policy written in Python raised an exception, which is the `__cause__`, or broke the contract. It says in which method, and at what instant of the simulation."
);

/// The first thing that went wrong in the policies of a call.
#[derive(Default)]
pub(crate) struct Fault {
    is_set: AtomicBool,
    first: Mutex<Option<(String, Option<PyErr>)>>,
}

impl Fault {
    /// Whether something went wrong. Nothing in Python is called after that.
    pub(crate) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }

    /// `what` went wrong in a policy's method.
    pub(crate) fn set(&self, policy: &str, method: &str, now: Option<Time>, what: Wrong) {
        let at = now.map_or_else(String::new, |now| format!(" at {}", now.since(Time::ZERO)));
        let (what, cause) = match what {
            Wrong::Raised(error) => {
                let name = Python::attach(|py| {
                    let name = error.get_type(py).name();
                    name.map_or_else(|_| "an exception".to_owned(), |name| name.to_string())
                });
                (format!("raised {name}"), Some(error))
            }
            Wrong::Broken(what) => (what, None),
        };
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            *first = Some((format!("policy \"{policy}\": {method} {what}{at}"), cause));
        }
        self.is_set.store(true, Ordering::Relaxed);
    }

    /// The exception that says so, if something went wrong.
    pub(crate) fn exception(&self, py: Python<'_>) -> Option<PyErr> {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let (message, cause) = first.take()?;
        let error = PolicyError::new_err(message);
        error.set_cause(py, cause);
        Some(error)
    }
}

/// Runs a simulation whose policies are written in Python, with the interpreter's lock: calls of them are fast then. Other threads
/// of Python go on where Python code gives way to them, and at each [`pause`].
pub(crate) fn attached<R>(simulation: impl FnOnce() -> R) -> R {
    Python::attach(|_| simulation())
}

/// Gives way to other threads of Python.
pub(crate) fn pause() {
    Python::attach(|py| py.detach(|| ()));
}

/// After so many calls of a thread it gives way, whatever it calls: some milliseconds.
const MOST_CALLS: u32 = 1 << 10;

thread_local! {
    /// How many calls this thread has made.
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// Whose policy it is, of which tasks, and where it says what went wrong.
#[derive(Clone)]
pub(crate) struct Told {
    pub(crate) name: &'static str,
    pub(crate) tasks: Tasks,
    pub(crate) fault: Arc<Fault>,
}

impl Told {
    /// Calls Python with `call`, which returns what `method` says; `None`: it, or something before it, went wrong.
    #[inline]
    pub(crate) fn call<T>(
        &self,
        method: &str,
        now: Option<Time>,
        call: impl FnOnce(Python<'_>) -> Result<T, Wrong>,
    ) -> Option<T> {
        if self.fault.is_set() {
            return None;
        }
        let found = Python::attach(|py| {
            let found = call(py);
            let calls = CALLS.get().wrapping_add(1);
            CALLS.set(calls);
            if calls.is_multiple_of(MOST_CALLS) {
                // What is not written in Python does not give way by itself.
                py.detach(|| ());
            }
            found
        });
        match found {
            Ok(found) => Some(found),
            Err(wrong) => {
                self.fault.set(self.name, method, now, wrong);
                None
            }
        }
    }
}

/// In which way.
pub(crate) enum Wrong {
    /// It raised this.
    Raised(PyErr),
    /// It broke the contract, in words that go on after the method's name.
    Broken(String),
}

impl From<PyErr> for Wrong {
    fn from(error: PyErr) -> Wrong {
        Wrong::Raised(error)
    }
}
