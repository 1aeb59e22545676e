//! What queues carry.

/// A message. While a thread waits at a queue the kernel keeps its *hand*: where it has the message that it sends, or
/// where it wants the one that it receives. That is the message itself, or names a place in the thread's own memory, so that
/// a message goes from one thread's memory into the other's by one copy.
pub trait Message: Copy + Default {
    /// The hand of a thread.
    type Hand: Copy + Default;

    /// The hand of a thread that sends this message, which stays in place until its wait has ended.
    fn in_hand(&self) -> Self::Hand;

    /// The message in the hand of a thread that waits to send it.
    fn from_hand(hand: &Self::Hand) -> Self;

    /// Puts the message into the hand of a thread that waits to receive it, or calls to take it out at once.
    fn hand_over(&self, hand: &mut Self::Hand);
}

/// Small ones, which are their own hands.
macro_rules! values {
    ($($value:ty),*) => {$(
        impl Message for $value {
            type Hand = $value;

            #[inline]
            fn in_hand(&self) -> $value {
                *self
            }

            #[inline]
            fn from_hand(hand: &$value) -> $value {
                *hand
            }

            #[inline]
            fn hand_over(&self, hand: &mut $value) {
                *hand = *self;
            }
        }
    )*};
}

values!((), u32);
