//! What a queue of the kernel carries: up to 16 bytes of anything.
#![expect(unsafe_code, reason = "bytes become a value again")]

use core::mem::MaybeUninit;

/// The most that a message may take, in bytes.
pub const MOST: usize = size_of::<Message>();

/// A message as the kernel sees it: bytes, some of which may be nothing (a value's padding).
#[derive(Clone, Copy)]
pub struct Message(MaybeUninit<[u32; 4]>);

impl Default for Message {
    #[inline]
    fn default() -> Message {
        Message(MaybeUninit::uninit())
    }
}

impl Message {
    /// A value as a message.
    #[inline]
    pub(crate) fn new<T: Copy>(value: T) -> Message {
        const { assert!(size_of::<T>() <= MOST, "a message has at most 16 bytes") };
        let mut message = Message::default();
        // SAFETY: there is room, and it does not matter how it is aligned.
        unsafe { message.0.as_mut_ptr().cast::<T>().write_unaligned(value) };
        message
    }

    /// The value that a message was made from.
    ///
    /// # Safety
    /// It was made from a `T`.
    #[inline]
    pub(crate) unsafe fn value<T: Copy>(self) -> T {
        // SAFETY: as the caller promises.
        unsafe { self.0.as_ptr().cast::<T>().read_unaligned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back<T: Copy + PartialEq + core::fmt::Debug>(value: T) {
        // SAFETY: it was made from this.
        assert_eq!(unsafe { Message::new(value).value::<T>() }, value);
    }

    #[test]
    fn values_survive() {
        there_and_back(());
        there_and_back(3_u8);
        there_and_back((1_u8, 2_u32));
        there_and_back([u64::MAX, 7]);
        there_and_back("a slice");
        there_and_back(Some(1.5_f64));
    }
}
