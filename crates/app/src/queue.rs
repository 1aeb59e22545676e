//! Bounded queues of messages.
#![expect(unsafe_code, reason = "messages become values again")]

use crate::message::Message;
use crate::seam::{self, Object};
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::sync::atomic::AtomicI16;
use flyball_kernel::{Error, QueueId};
use flyball_trace::Time;

/// A bounded queue of `T`s, of up to 16 bytes each: first in, first out.
///
/// While it is full, senders wait with their message in hand; while it is empty, receivers wait.
/// The kernel's queue is made when this one is used for the first time.
///
/// A message that can be copied is [sent](Queue::send); any other is [given](Queue::give), and is the receiver's from
/// then on. So what is large is passed on by a box from a pool, such as `heapless::pool::boxed::Box`, or by reference:
/// `Queue<&'static T>`. What is in the queue when the program ends, or in the hand of a thread whose job is given up, is
/// not dropped.
///
/// What is larger does not compile:
///
/// ```compile_fail,E0080
/// static LARGE: flyball_app::Queue<[u64; 3]> = flyball_app::Queue::new(1);
/// ```
pub struct Queue<T> {
    place: AtomicI16,
    capacity: u16,
    /// It takes and gives `T`s, from whatever thread.
    carries: PhantomData<fn(T) -> T>,
}

impl<T: Send + 'static> Queue<T> {
    /// A queue that holds up to `capacity` messages, at least 1.
    pub const fn new(capacity: u16) -> Queue<T> {
        const {
            assert!(
                size_of::<T>() <= crate::message::MOST,
                "a message has at most 16 bytes"
            );
        }
        Queue {
            place: seam::nothing_made(),
            capacity,
            carries: PhantomData,
        }
    }

    /// Puts a message in, or waits for room. It is the receiver's then.
    ///
    /// # Errors
    /// As [`Queue::send`], and the message comes back.
    #[inline]
    pub fn give(&self, message: T) -> Result<(), (Error, T)> {
        self.part_with(message, seam::_flyball_send)
    }

    /// As [`Queue::give`], but waits until `until` at the latest.
    ///
    /// # Errors
    /// As [`Queue::send_until`], and the message comes back.
    #[inline]
    pub fn give_until(&self, message: T, until: Time) -> Result<(), (Error, T)> {
        self.part_with(message, |id, message| {
            seam::_flyball_send_until(id, message, until)
        })
    }

    /// Puts a message in if there is room. Also from interrupts.
    ///
    /// # Errors
    /// As [`Queue::try_send`], and the message comes back.
    #[inline]
    pub fn try_give(&self, message: T) -> Result<(), (Error, T)> {
        self.part_with(message, seam::_flyball_post)
    }

    #[inline]
    fn part_with(
        &self,
        message: T,
        send: impl FnOnce(QueueId, &Message) -> Result<(), Error>,
    ) -> Result<(), (Error, T)> {
        let message = MaybeUninit::new(message);
        let sent = self
            .id()
            .and_then(|id| Message::with(&message, |message| send(id, message)));
        match sent {
            // The value is in the queue now, or the receiver's.
            Ok(()) => Ok(()),
            // SAFETY: it was put there above, and has not been sent, so this is the only copy in use.
            Err(error) => Err((error, unsafe { message.assume_init() })),
        }
    }

    /// Takes the oldest message out, or waits for one.
    ///
    /// # Errors
    /// As [`Queue::send`].
    #[inline]
    pub fn receive(&self) -> Result<T, Error> {
        let id = self.id()?;
        Self::taken(|message| seam::_flyball_receive(id, message))
    }

    /// As [`Queue::receive`], but waits until `until` at the latest.
    ///
    /// # Errors
    /// As [`Queue::receive`]; [`Error::TimedOut`].
    #[inline]
    pub fn receive_until(&self, until: Time) -> Result<T, Error> {
        let id = self.id()?;
        Self::taken(|message| seam::_flyball_receive_until(id, message, until))
    }

    /// Takes the oldest message out if there is one. Also from interrupts. O(1), and O(waiting senders) if the
    /// queue is full.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if there is none; [`Error::Full`] and [`Error::Invalid`] as [`Queue::send`].
    #[inline]
    pub fn try_receive(&self) -> Result<T, Error> {
        let id = self.id()?;
        Self::taken(|message| seam::_flyball_take(id, message))
    }

    /// What `take` takes out of a queue of `T`s.
    #[inline]
    fn taken(take: impl FnOnce(&mut Message) -> Result<(), Error>) -> Result<T, Error> {
        let mut value = MaybeUninit::uninit();
        Self::take_into(&mut value, take)?;
        // SAFETY: it has been received.
        Ok(unsafe { value.assume_init() })
    }

    #[inline]
    fn take_into(
        place: &mut MaybeUninit<T>,
        take: impl FnOnce(&mut Message) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // SAFETY: only `T`s are put into this queue, and no other `Queue` has the same id; the kernel leaves the
        // message alone if it says that there is none.
        unsafe { Message::receive(place, take) }
    }

    /// From now on it takes up to `capacity` messages: from 1 up to as many as it was made for. Also from
    /// interrupts.
    ///
    /// Messages stay, in their order. If there are more than the new capacity, none is put in until
    /// fewer are left. If senders wait and there is room now, they put theirs in, the most urgent
    /// first. O(1), and O(waiting senders) for each that does.
    ///
    /// # Errors
    /// [`Error::Invalid`] if `capacity` is zero; [`Error::Full`] if it was made for fewer messages, and as
    /// [`Queue::send`].
    pub fn resize(&self, capacity: u16) -> Result<(), Error> {
        seam::_flyball_resize(self.id()?, capacity)
    }

    #[inline]
    fn id(&self) -> Result<QueueId, Error> {
        match seam::made(&self.place) {
            Some(number) => Ok(QueueId::from_number(number)),
            None => self.make(),
        }
    }

    /// The kernel's is made.
    #[cold]
    #[inline(never)]
    fn make(&self) -> Result<QueueId, Error> {
        seam::_flyball_make(&self.place, Object::Queue(self.capacity)).map(QueueId::from_number)
    }
}

impl<T: Copy + Send + 'static> Queue<T> {
    /// Puts a message in, or waits for room.
    ///
    /// # Errors
    /// [`Error::NoThread`] where no thread calls; [`Error::Full`] if the kernel has no room for
    /// another queue of this capacity, [`Error::Invalid`] if that is zero.
    #[inline]
    pub fn send(&self, message: T) -> Result<(), Error> {
        self.send_from(&message)
    }

    /// The same from where the message is: one of 16 bytes is copied once, into the queue, or, if a thread waits for it, to
    /// where that thread wants it.
    ///
    /// # Errors
    /// As [`Queue::send`].
    #[inline]
    pub fn send_from(&self, message: &T) -> Result<(), Error> {
        let id = self.id()?;
        Message::with(message, |message| seam::_flyball_send(id, message))
    }

    /// As [`Queue::send`], but waits until `until` at the latest.
    ///
    /// # Errors
    /// As [`Queue::send`]; [`Error::TimedOut`].
    #[inline]
    pub fn send_until(&self, message: T, until: Time) -> Result<(), Error> {
        let id = self.id()?;
        Message::with(&message, |message| {
            seam::_flyball_send_until(id, message, until)
        })
    }

    /// Puts a message in if there is room. Also from interrupts.
    ///
    /// # Errors
    /// [`Error::Full`] if there is none; otherwise as [`Queue::send`].
    #[inline]
    pub fn try_send(&self, message: T) -> Result<(), Error> {
        let id = self.id()?;
        Message::with(&message, |message| seam::_flyball_post(id, message))
    }

    /// The same to where the message is to be: one of 16 bytes is copied once, out of the queue, or, if there is none, from where the
    /// thread has it that sends one. On an error `place` is as it was.
    ///
    /// # Errors
    /// As [`Queue::send`].
    #[inline]
    pub fn receive_into(&self, place: &mut T) -> Result<(), Error> {
        let id = self.id()?;
        // SAFETY: a `T` may be put where a `T` is.
        let place = unsafe { &mut *core::ptr::from_mut(place).cast() };
        Self::take_into(place, |message| seam::_flyball_receive(id, message))
    }
}
