//! What a block is, and how blocks make a block.

use crate::Fixed;

/// A component of a controller: a function from a sequence of inputs to a sequence of outputs.
pub trait Block {
    /// Takes the input of a step and returns the output of the same step.
    fn step(&mut self, input: Fixed) -> Fixed;

    /// Forgets all inputs: the block is as new.
    fn reset(&mut self);

    /// Composes in series: `next` gets what this block returns.
    fn then<B: Block>(self, next: B) -> Then<Self, B>
    where
        Self: Sized,
    {
        Then(self, next)
    }

    /// Composes in parallel: the sum of both blocks' outputs for the same input.
    fn plus<B: Block>(self, other: B) -> Plus<Self, B>
    where
        Self: Sized,
    {
        Plus(self, other)
    }

    /// Composes in parallel: this block's output less that of `other` for the same input.
    fn minus<B: Block>(self, other: B) -> Minus<Self, B>
    where
        Self: Sized,
    {
        Minus(self, other)
    }

    /// Closes a loop: this block's input is less by what `back` makes of the last output.
    fn feedback<B: Block>(self, back: B) -> Feedback<Self, B>
    where
        Self: Sized,
    {
        Feedback {
            forward: self,
            back,
            returned: Fixed::ZERO,
        }
    }
}

/// A block behind another one: the transfer function is A·B.
///
/// Error: at most `e(B) + |B|·e(A)` units (see the crate's documentation), since B maps the errors
/// of A as it maps any input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Then<A, B>(A, B);

impl<A: Block, B: Block> Block for Then<A, B> {
    #[inline]
    fn step(&mut self, input: Fixed) -> Fixed {
        let between = self.0.step(input);
        self.1.step(between)
    }

    fn reset(&mut self) {
        self.0.reset();
        self.1.reset();
    }
}

/// The sum of two blocks: the transfer function is A + B.
///
/// Error: at most `e(A) + e(B)` units, as the sum itself is exact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plus<A, B>(A, B);

impl<A: Block, B: Block> Block for Plus<A, B> {
    #[inline]
    fn step(&mut self, input: Fixed) -> Fixed {
        self.0.step(input) + self.1.step(input)
    }

    fn reset(&mut self) {
        self.0.reset();
        self.1.reset();
    }
}

/// The difference of two blocks: the transfer function is A − B.
///
/// Error: at most `e(A) + e(B)` units, as the difference itself is exact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Minus<A, B>(A, B);

impl<A: Block, B: Block> Block for Minus<A, B> {
    #[inline]
    fn step(&mut self, input: Fixed) -> Fixed {
        self.0.step(input) - self.1.step(input)
    }

    fn reset(&mut self) {
        self.0.reset();
        self.1.reset();
    }
}

/// A loop of two blocks, A forward and B back: the transfer function is A / (1 + z⁻¹·A·B).
///
/// The step y = A(x − w) is followed by w = B(y), which the next step uses. The delay of a step
/// makes every loop computable. w is 0 at first. The block does not check that the loop is stable.
/// The output of an unstable loop saturates.
///
/// Error: at most `|S|·e(A) + |S·A|·e(B)` units, where S = 1 / (1 + z⁻¹·A·B). With the errors a and
/// b of the two blocks y = A·(x − z⁻¹·(B·y + b)) + a, so y = S·A·x + S·a − z⁻¹·S·A·b.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Feedback<A, B> {
    forward: A,
    back: B,
    /// What the backward block made of the last output.
    returned: Fixed,
}

impl<A: Block, B: Block> Block for Feedback<A, B> {
    #[inline]
    fn step(&mut self, input: Fixed) -> Fixed {
        let output = self.forward.step(input - self.returned);
        self.returned = self.back.step(output);
        output
    }

    fn reset(&mut self) {
        self.forward.reset();
        self.back.reset();
        self.returned = Fixed::ZERO;
    }
}
