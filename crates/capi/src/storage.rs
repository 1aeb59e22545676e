//! How long files take. They are the host's, whose calls take no time; so a program may say how long a device
//! of its own would, which moves one block at a time.

use crate::latch::Locked;
use flyball_app::seam::{_flyball_now, _flyball_sleep_until};
use flyball_trace::Duration;

/// `FLYBALL_STORAGE` in `sdk/flyball.h`, in nanoseconds.
#[repr(C)]
struct Storage {
    call: u64,
    byte: u64,
}

unsafe extern "C" {
    safe static __flyball_storage: Storage;
}

static DEVICE: Locked<()> = Locked::new(());

/// The calling thread waits as long as the device takes for so many bytes.
pub(crate) fn wait(bytes: usize) {
    let Storage { call, byte } = __flyball_storage;
    // A `usize` is no longer than 64 bits.
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    let length = call.saturating_add(byte.saturating_mul(bytes));
    if length > 0 {
        DEVICE.with(|()| {
            let until = _flyball_now() + Duration::from_nanos(length);
            // A signal, or cancellation, ends a sleep early, but not what the device does.
            while _flyball_now() < until {
                _flyball_sleep_until(until);
            }
        });
    }
}
