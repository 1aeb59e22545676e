//! Calls that take long: other threads of Python go on, Ctrl-C ends them, and they tell how far they have come.

use crate::error::{InputError, type_name};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ops::ControlFlow;
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often signals are looked for.
const LOOK: Duration = Duration::from_millis(20);

/// How long work has to stop by itself after Ctrl-C.
const GRACE: Duration = Duration::from_millis(60);

/// For how long no progress is told: work that is done by then needs none.
const PATIENCE: Duration = Duration::from_millis(500);

/// What work and the caller that waits for it share.
#[derive(Default)]
pub(crate) struct Call {
    is_over: AtomicBool,
    /// How much of it is done, in thousandths.
    done: AtomicU64,
}

impl Call {
    /// So much is done, in thousandths. Breaks if the work is not wanted any more.
    pub(crate) fn tell(&self, done: u64) -> ControlFlow<()> {
        self.done.store(done, Ordering::Relaxed);
        if self.is_over.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Does `work` in a thread of its own, without the interpreter's lock. `progress`, if there is one, is called with thousandths
/// every now and then; True is a bar.
///
/// # Errors
/// What a handler of signals raises, Ctrl-C for example, or `progress`: then the work is told to stop, and it is not waited
/// for longer than [`GRACE`].
pub(crate) fn call<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Call) -> T + Send + 'static,
) -> PyResult<T> {
    match progress {
        Some(wish) if wish.is_instance_of::<PyBool>() => {
            if !wish.is_truthy()? {
                return wait(py, None, work);
            }
            let bar = py.import("flyball._progress")?.getattr("Bar")?.call0()?;
            let result = wait(py, Some(&bar), work);
            bar.call_method0("close")?;
            result
        }
        Some(wish) if !wish.is_callable() => {
            let what = type_name(wish);
            Err(InputError::new_err(format!(
                "progress: expected a function, True or False, found {what}"
            )))
        }
        progress => wait(py, progress, work),
    }
}

fn wait<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Call) -> T + Send + 'static,
) -> PyResult<T> {
    let shared = Arc::new(Call::default());
    let (sender, mut result) = mpsc::channel();
    let call = Arc::clone(&shared);
    let pool = pool()?;
    let thread = thread::Builder::new().spawn(move || {
        let done = match pool {
            Some(pool) => pool.install(|| work(&call)),
            None => work(&call),
        };
        // The caller may have gone.
        let _ = sender.send(done);
    })?;
    let began = Instant::now();
    loop {
        // What only this thread has can be used without the interpreter.
        let waiting = &mut result;
        match py.detach(move || waiting.recv_timeout(LOOK)) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => return Err(fault(thread)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let told = match progress {
            Some(progress) if began.elapsed() > PATIENCE => progress
                .call1((shared.done.load(Ordering::Relaxed),))
                .map(drop),
            _ => Ok(()),
        };
        if let Err(error) = py.check_signals().and(told) {
            shared.is_over.store(true, Ordering::Relaxed);
            let _ = py.detach(move || result.recv_timeout(GRACE));
            return Err(error);
        }
    }
}

/// Threads for parallel work, where those that all work shares are not there: a process that was forked has none of its parent's.
///
/// # Errors
/// There can be no more threads.
fn pool() -> PyResult<Option<Arc<ThreadPool>>> {
    static FIRST: OnceLock<u32> = OnceLock::new();
    static OWN: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let process = process::id();
    if *FIRST.get_or_init(|| process) == process {
        return Ok(None);
    }
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    match &*own {
        Some((of, pool)) if *of == process => Ok(Some(Arc::clone(pool))),
        _ => {
            let pool = ThreadPoolBuilder::new().build();
            let pool = Arc::new(pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?);
            // That of a parent, which has no threads any more, is not to be ended.
            std::mem::forget(own.replace((process, Arc::clone(&pool))));
            Ok(Some(pool))
        }
    }
}

/// The work has panicked.
fn fault(thread: thread::JoinHandle<()>) -> PyErr {
    let what = thread.join().err().and_then(|what| {
        let text = what.downcast_ref::<String>().cloned();
        text.or_else(|| what.downcast_ref::<&str>().map(|text| (*text).to_owned()))
    });
    PyRuntimeError::new_err(format!(
        "this is a fault in Flyball; please report it: {}",
        what.unwrap_or_default()
    ))
}
