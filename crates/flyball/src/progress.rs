//! Progress on the terminal, and the way to stop.

use flyball_study::Progress;
use flyball_sweep as sweep;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static ENDING: Mutex<Ending> = Mutex::new(Ending {
    disposable: 0,
    kept: None,
});

/// How an interrupted program ends.
struct Ending {
    /// How many [`Disposable`] there are. None begins or ends while this is locked.
    disposable: usize,
    /// What is kept; `None`: nothing.
    kept: Option<String>,
}

/// How long work has to stop by itself after Ctrl-C.
const GRACE: Duration = Duration::from_millis(80);

/// From now on the first Ctrl-C asks long work to stop, and ends the program where that can be done
/// without harm; the second one ends it anyway.
pub(crate) fn catch_interrupts() {
    // Without a handler Ctrl-C just ends the program, which leaves nothing behind either.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        thread::spawn(|| {
            thread::sleep(GRACE);
            // Locked from the look at the number to the end, so that nothing is written meanwhile.
            let ending = loop {
                let ending = ending();
                if ending.disposable > 0 {
                    break ending;
                }
                drop(ending);
                thread::sleep(Duration::from_millis(5));
            };
            // Over what may be left of a bar.
            let line = if std::io::stderr().is_terminal() {
                "\r\x1b[2K"
            } else {
                ""
            };
            // The other end of a pipe may be gone by now.
            let _ = writeln!(std::io::stderr(), "{line}{}", ending.word());
            std::process::exit(130);
        });
    });
}

fn ending() -> MutexGuard<'static, Ending> {
    // Both fields are whole even if a thread panicked while it had them.
    ENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ending {
    fn word(&self) -> String {
        let kept = self.kept.as_deref().unwrap_or("nothing was written");
        format!("interrupted; {kept}")
    }
}

/// What is said if the program is interrupted now.
pub(crate) fn last_word() -> String {
    ending().word()
}

/// From now on an interruption leaves something, and this is said of it.
pub(crate) fn keeps(what: String) {
    ending().kept = Some(what);
}

/// Work that may end at any moment: it writes nothing, or only files that are whole or not there,
/// and has no other program at work.
pub(crate) struct Disposable(());

impl Disposable {
    /// It begins.
    pub(crate) fn begin() -> Disposable {
        ending().disposable += 1;
        Disposable(())
    }
}

impl Drop for Disposable {
    fn drop(&mut self) {
        ending().disposable -= 1;
    }
}

/// Whether the user has asked to stop.
pub(crate) fn interrupted() -> ControlFlow<()> {
    if INTERRUPTED.load(Ordering::Relaxed) {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// For how long nothing is shown: work that is done by then needs no progress.
const PATIENCE: Duration = Duration::from_millis(300);

/// A bar that shows how far a study has come, if it takes long enough for a user to ask.
pub(crate) struct Bar {
    shown: Option<ProgressBar>,
    started: Instant,
    quiet: bool,
}

impl Bar {
    /// Nothing is shown yet; nothing will be if `quiet`, or if standard error is no terminal.
    pub(crate) fn new(quiet: bool) -> Bar {
        Bar {
            shown: None,
            started: Instant::now(),
            quiet,
        }
    }

    /// Shows how far the study has come. Breaks if the user has asked to stop.
    pub(crate) fn show(&mut self, progress: Progress<'_>) -> ControlFlow<()> {
        /// Whole steps of the bar for one policy.
        const STEPS: u64 = 1_000;
        interrupted()?;
        if self.quiet || self.started.elapsed() < PATIENCE {
            return ControlFlow::Continue(());
        }
        let length = progress.of as u64 * STEPS;
        let bar = self.shown.get_or_insert_with(|| {
            let style = ProgressStyle::with_template(
                "{spinner} {msg:8} {wide_bar:.cyan/dim} {percent:>3}% {eta:>4} left",
            );
            let bar = ProgressBar::new(length);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let until = progress.until.as_nanos().max(1);
        let part = u128::from(progress.now.as_nanos()) * u128::from(STEPS) / u128::from(until);
        let part = u64::try_from(part).unwrap_or(STEPS).min(STEPS);
        bar.set_message(progress.policy.to_owned());
        bar.set_position(progress.number as u64 * STEPS + part);
        ControlFlow::Continue(())
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

/// Something that turns while work is done of which it is not known how far it has come.
pub(crate) struct Spinner {
    shown: Option<ProgressBar>,
    started: Instant,
    quiet: bool,
}

impl Spinner {
    /// Nothing is shown yet; nothing will be if `quiet`, or if standard error is no terminal.
    pub(crate) fn new(quiet: bool) -> Spinner {
        Spinner {
            shown: None,
            started: Instant::now(),
            quiet,
        }
    }

    /// Turns on, and shows what is done. Breaks if the user has asked to stop.
    pub(crate) fn show(&mut self, what: impl FnOnce() -> String) -> ControlFlow<()> {
        interrupted()?;
        if self.quiet || self.started.elapsed() < PATIENCE {
            return ControlFlow::Continue(());
        }
        let spinner = self.shown.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{spinner} {msg} {elapsed:.dim}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
            ProgressBar::new_spinner().with_style(style)
        });
        spinner.set_message(what());
        spinner.tick();
        ControlFlow::Continue(())
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(spinner) = &self.shown {
            spinner.finish_and_clear();
        }
    }
}

/// A bar that shows how many sets of a study have been judged, for all threads.
pub(crate) struct SweepBar {
    shown: ProgressBar,
    begun: std::sync::Once,
    finished: AtomicUsize,
}

impl SweepBar {
    /// Nothing is shown yet; nothing will be if `quiet`, or if standard error is no terminal.
    pub(crate) fn new(quiet: bool) -> SweepBar {
        let style = ProgressStyle::with_template(
            "{spinner} {wide_bar:.cyan/dim} {human_pos} of {human_len} sets {percent:>3}% {eta:>4} left",
        );
        let shown = if quiet {
            ProgressBar::hidden()
        } else {
            ProgressBar::no_length()
        };
        SweepBar {
            shown: shown.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())),
            begun: std::sync::Once::new(),
            finished: AtomicUsize::new(usize::MAX),
        }
    }

    /// Shows how far a sweep has come.
    pub(crate) fn show(&self, progress: sweep::Progress) {
        self.begun.call_once(|| {
            self.shown.set_length(progress.of);
            self.shown.set_position(progress.before);
            // What was finished before took no time now.
            self.shown.reset_eta();
        });
        self.shown.set_position(progress.judged);
        if self.finished.swap(progress.finished, Ordering::Relaxed) != progress.finished {
            let (finished, of) = (progress.finished, progress.units);
            keeps(format!(
                "{finished} of {of} units are finished, and the same command goes on"
            ));
        }
    }
}

impl Drop for SweepBar {
    fn drop(&mut self) {
        self.shown.finish_and_clear();
    }
}
