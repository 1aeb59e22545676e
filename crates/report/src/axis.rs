//! Round numbers for time axes.

use flyball_trace::Duration;

/// The shortest distance of the form 1, 2 or 5 times a power of ten nanoseconds that divides
/// `span` into at most `most` parts. At least a nanosecond.
pub(crate) fn round_step(span: Duration, most: u64) -> Duration {
    let least = span.as_nanos().div_ceil(most.max(1));
    let mut power = 1_u64;
    loop {
        for digit in [1, 2, 5] {
            match power.checked_mul(digit) {
                Some(step) if step < least => {}
                Some(step) => return Duration::from_nanos(step),
                // Only a span of centuries in very few parts comes here.
                None => return span,
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_few_enough() {
        let step = |span, most| round_step(Duration::from_nanos(span), most).as_nanos();
        assert_eq!(step(0, 5), 1);
        assert_eq!(step(10, 5), 2);
        assert_eq!(step(11, 5), 5);
        assert_eq!(step(1_000_000, 8), 200_000);
        assert_eq!(step(5_000_000_001, 10), 1_000_000_000);
        assert_eq!(step(u64::MAX, 1), u64::MAX);
        assert_eq!(step(7, 0), 10);
    }
}
