//! What a queue of the kernel carries: up to 16 bytes of anything.
#![expect(
    unsafe_code,
    reason = "bytes become a value again, and go where a thread that waits wants them"
)]

use core::mem::MaybeUninit;
use core::ptr;

/// The most that a message may take, in bytes.
pub const MOST: usize = size_of::<Message>();

/// A message as the kernel sees it: bytes, some of which may be nothing (a value's padding).
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Message(MaybeUninit<[u32; 4]>);

/// Where the message of a thread is that waits at a queue: a variable of its call, which lasts until the wait has ended.
#[derive(Clone, Copy)]
pub struct Hand(*mut Message);

// SAFETY: the kernel uses it as long as the thread waits whose variable it names, so no other code does.
unsafe impl Send for Hand {}

impl Default for Hand {
    #[inline]
    fn default() -> Hand {
        Hand(ptr::null_mut())
    }
}

impl flyball_kernel::Message for Message {
    type Hand = Hand;

    #[inline]
    fn in_hand(&self) -> Hand {
        Hand(ptr::from_ref(self).cast_mut())
    }

    #[inline]
    fn from_hand(hand: &Hand) -> Message {
        // SAFETY: a thread that waits to send has named its message, which is in place until its wait has ended.
        unsafe { hand.0.read() }
    }

    #[inline]
    fn hand_over(&self, hand: &mut Hand) {
        // SAFETY: a thread that waits to receive, or that calls, has named a variable, which is in place until its
        // wait has ended.
        unsafe { hand.0.write(*self) }
    }
}

impl Default for Message {
    #[inline]
    fn default() -> Message {
        Message(MaybeUninit::uninit())
    }
}

impl Message {
    /// Calls `f` with a value as a message, which is a copy of it: the caller sees to it that only one of them is used, unless it can
    /// be copied. One that has the size of a message is not copied for that.
    #[inline]
    pub(crate) fn with<T, R>(value: &T, f: impl FnOnce(&Message) -> R) -> R {
        const { assert!(size_of::<T>() <= MOST, "a message has at most 16 bytes") };
        if Message::is_of::<T>() {
            // SAFETY: it has the size of a message, and what that says of alignment; and a message may be any bytes.
            return f(unsafe { &*ptr::from_ref(value).cast() });
        }
        let mut message = Message::default();
        // SAFETY: there is room, and it does not matter how it is aligned.
        unsafe {
            let to = message.0.as_mut_ptr().cast::<MaybeUninit<T>>();
            to.write_unaligned(ptr::from_ref(value).cast::<MaybeUninit<T>>().read());
        }
        f(&message)
    }

    /// Has `f` receive a message of type `T` in `place`, which stays as it was if `f` fails. One that has the size of a
    /// message is received there.
    ///
    /// # Safety
    /// The message that `f` receives, if it does not fail, was made from a `T`. If it fails it leaves its message alone.
    #[inline]
    pub(crate) unsafe fn receive<T, E>(
        place: &mut MaybeUninit<T>,
        f: impl FnOnce(&mut Message) -> Result<(), E>,
    ) -> Result<(), E> {
        if Message::is_of::<T>() {
            // SAFETY: it has the size of a message, and what that says of alignment.
            return f(unsafe { &mut *place.as_mut_ptr().cast() });
        }
        let mut message = Message::default();
        f(&mut message)?;
        // SAFETY: the caller promises that a `T` is there.
        place.write(unsafe { message.0.as_ptr().cast::<T>().read_unaligned() });
        Ok(())
    }

    /// Whether a `T` is as large as a message, and at least as well aligned.
    const fn is_of<T>() -> bool {
        size_of::<T>() == MOST && align_of::<T>() >= align_of::<Message>()
    }

    /// The hand of a thread that receives a message here.
    #[inline]
    pub fn hand(&mut self) -> Hand {
        Hand(ptr::from_mut(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back<T: Copy + PartialEq + core::fmt::Debug>(value: T) {
        let mut back = MaybeUninit::<T>::uninit();
        let message = Message::with(&value, |message| *message);
        let received = |place: &mut Message| -> Result<(), ()> {
            *place = message;
            Ok(())
        };
        // SAFETY: it was made from this.
        unsafe { Message::receive(&mut back, received) }.unwrap();
        // SAFETY: it has been received.
        assert_eq!(unsafe { back.assume_init() }, value);
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
