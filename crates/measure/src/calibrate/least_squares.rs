//! Least squares for six unknown lengths of time, none of which is negative.
//!
//! The normal equations are solved by elimination. An unknown that comes out negative is taken for
//! zero, and the others are solved for again. What no equation tells apart is kept small by a trace
//! of regularisation.

use flyball_trace::Duration;
use std::array;
use std::collections::BTreeMap;

/// How many unknowns there are.
const N: usize = 6;

/// How often each unknown is in what was measured.
pub(super) type Equation = [i64; N];

/// What the unknowns are, from what was measured for each equation.
pub(super) fn solve(measured: &BTreeMap<Equation, Vec<Duration>>) -> [Duration; N] {
    // Small against an equation that was seen once.
    const REGULARISATION: f64 = 1e-3;
    let mut matrix = [[0.0; N]; N];
    let mut right = [0.0; N];
    for (equation, lengths) in measured {
        let factors = equation.map(float);
        let weight = float(i64::try_from(lengths.len()).unwrap_or(i64::MAX));
        let length = median(lengths).as_nanos();
        let length = float(i64::try_from(length).unwrap_or(i64::MAX));
        for row in 0..N {
            for column in 0..N {
                matrix[row][column] += weight * factors[row] * factors[column];
            }
            right[row] += weight * factors[row] * length;
        }
    }
    for (row, line) in matrix.iter_mut().enumerate() {
        line[row] += REGULARISATION;
    }
    let mut zero = [false; N];
    loop {
        let solution = eliminate(matrix, right, zero);
        let least = (0..N).min_by(|&a, &b| solution[a].total_cmp(&solution[b]));
        match least {
            Some(least) if solution[least] < 0.0 => zero[least] = true,
            _ => return solution.map(nanoseconds),
        }
    }
}

/// Solves a positive definite system, but for the unknowns that are zero.
fn eliminate(mut matrix: [[f64; N]; N], mut right: [f64; N], zero: [bool; N]) -> [f64; N] {
    for at in (0..N).filter(|&at| zero[at]) {
        for line in &mut matrix {
            line[at] = 0.0;
        }
        matrix[at] = array::from_fn(|column| f64::from(u8::from(column == at)));
        right[at] = 0.0;
    }
    for pivot in 0..N {
        for row in pivot + 1..N {
            let above = matrix[pivot];
            let factor = matrix[row][pivot] / above[pivot];
            for (number, above) in matrix[row].iter_mut().zip(above) {
                *number -= factor * above;
            }
            right[row] -= factor * right[pivot];
        }
    }
    let mut solution = [0.0; N];
    for row in (0..N).rev() {
        let known: f64 = (row + 1..N)
            .map(|column| matrix[row][column] * solution[column])
            .sum();
        solution[row] = (right[row] - known) / matrix[row][row];
    }
    solution
}

fn median(lengths: &[Duration]) -> Duration {
    let mut lengths = lengths.to_vec();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or_default()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts and costs are far below 2^53"
)]
fn float(number: i64) -> f64 {
    number as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is not negative, and saturates"
)]
fn nanoseconds(length: f64) -> Duration {
    Duration::from_nanos(length.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(rows: &[(Equation, u64)]) -> BTreeMap<Equation, Vec<Duration>> {
        let row = |&(equation, ns)| (equation, vec![Duration::from_nanos(ns); 3]);
        rows.iter().map(row).collect()
    }

    fn ns(solution: [Duration; N]) -> [u64; N] {
        solution.map(Duration::as_nanos)
    }

    #[test]
    fn what_was_put_in_comes_out() {
        let unknown = [200, 650, 800, 360, 120, 400];
        let equations = [
            [-1, 1, 0, 1, 0, -1],
            [-1, 1, 0, 1, 1, -1],
            [-1, 0, 1, 1, 0, 0],
            [-1, 0, 2, 1, 1, 0],
            [1, 0, 0, 0, 0, 1],
            [4, 0, 0, 0, 0, 1],
            [2, 3, 1, 0, 0, 2],
        ];
        let length = |equation: &Equation| {
            let sum: i64 = equation
                .iter()
                .zip(unknown)
                .map(|(&n, length)| n * length)
                .sum();
            sum.unsigned_abs()
        };
        let rows: Vec<_> = equations
            .iter()
            .map(|equation| (*equation, length(equation)))
            .collect();
        let found = ns(solve(&measured(&rows)));
        for (found, expected) in found.into_iter().zip(unknown) {
            assert!(
                found.abs_diff(expected.unsigned_abs()) <= 1,
                "{found}, not {expected}"
            );
        }
    }

    #[test]
    fn nothing_is_negative_and_nothing_seen_is_nothing() {
        assert_eq!(ns(solve(&BTreeMap::new())), [0; N]);
        // A call would have to be -100 ns.
        let rows = [([1, 0, 0, 0, 0, 0], 500), ([1, 1, 0, 0, 0, 0], 400)];
        let found = ns(solve(&measured(&rows)));
        assert_eq!(found[1], 0);
        assert!((440..=460).contains(&found[0]), "{found:?}");
    }
}
