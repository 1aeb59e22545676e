//! Linear blocks and circuits beside `scipy.signal` (SciPy 1.17.1) and the package `control`
//! (0.10.2). `reference.py` has written their step and frequency responses, and the documented
//! bounds.

use crate::support::{SLACK, UNIT, real};
use flyball_control::{
    Block, FirstDifference, Fixed, Integral, Limit, LowPass, Pid, PidGains, Proportional,
};
use std::f64::consts::TAU;

/// A period of the lowest frequency, in steps.
const WINDOW: u32 = 64;
/// By then less than 10⁻¹¹ of a circuit's initial state is left.
const SETTLED: u32 = 512;

struct Line<'a> {
    name: &'a str,
    parameters: Vec<Fixed>,
    /// For the step response and for the frequency response, in units.
    bounds: [f64; 2],
    steps: Vec<f64>,
    /// (periods in a window, real part, imaginary part).
    frequencies: Vec<(u32, f64, f64)>,
}

fn numbers(words: &str) -> Vec<f64> {
    words
        .split_whitespace()
        .map(|word| word.parse().unwrap())
        .collect()
}

fn parse(line: &str) -> Line<'_> {
    let [head, bounds, steps, frequencies] = line.split('|').collect::<Vec<_>>()[..] else {
        panic!("four parts in {line:?}");
    };
    let mut head = head.split_whitespace();
    let frequency = |word: &str| {
        let mut parts = word.split(':');
        let periods = parts.next().unwrap().parse().unwrap();
        let mut part = || parts.next().unwrap().parse().unwrap();
        (periods, part(), part())
    };
    Line {
        name: head.next().unwrap(),
        parameters: head
            .map(|word| Fixed::from_bits(word.parse().unwrap()))
            .collect(),
        bounds: numbers(bounds).try_into().unwrap(),
        steps: numbers(steps),
        frequencies: frequencies.split_whitespace().map(frequency).collect(),
    }
}

fn pid(proportional: Fixed, integral: Fixed, derivative: Fixed) -> Pid {
    let gains = PidGains {
        proportional,
        integral,
        derivative,
    };
    Pid::new(gains, Limit::NONE)
}

fn make(name: &str, parameters: &[Fixed]) -> Box<dyn Block> {
    let filter = |smoothing| LowPass::new(smoothing).unwrap();
    let integral = |gain| Integral::new(gain, Limit::NONE);
    match (name, parameters) {
        ("proportional", &[k]) => Box::new(Proportional(k)),
        ("first-difference", []) => Box::new(FirstDifference::new()),
        ("integral", &[k]) => Box::new(integral(k)),
        ("low-pass", &[a]) => Box::new(filter(a)),
        ("pid", &[p, i, d]) => Box::new(pid(p, i, d)),
        ("low-pass-then-pid", &[a, p, i, d]) => Box::new(filter(a).then(pid(p, i, d))),
        ("low-pass-plus-low-pass", &[a, b]) => Box::new(filter(a).plus(filter(b))),
        ("low-pass-minus-low-pass", &[a, b]) => Box::new(filter(a).minus(filter(b))),
        ("low-pass-feedback-proportional", &[a, k]) => {
            Box::new(filter(a).feedback(Proportional(k)))
        }
        ("integral-feedback-low-pass", &[k, a]) => Box::new(integral(k).feedback(filter(a))),
        _ => panic!("no block {name} of {} parameters", parameters.len()),
    }
}

fn lines() -> Vec<Line<'static>> {
    let lines: Vec<Line<'_>> = include_str!("reference.txt").lines().map(parse).collect();
    assert_eq!(lines.len(), 17);
    lines
}

#[test]
fn step_responses_are_those_of_scipy() {
    for line in lines() {
        // Not a multiple of 2^-16 of a number of few bits, so that products are rounded.
        for input in [21_845, -1_000_003].map(Fixed::from_bits) {
            let mut block = make(line.name, &line.parameters);
            for (step, &exact) in line.steps.iter().enumerate() {
                let output = real(block.step(input));
                let error = (output - exact * real(input)).abs();
                let bound = line.bounds[0] * UNIT + SLACK;
                assert!(error <= bound, "{} at {step}: {error} > {bound}", line.name);
            }
        }
    }
}

/// The response to a sine of whole periods in a window has, once the circuit has settled, the
/// frequency response times the input's component of that frequency. A constant that an integral
/// keeps of its beginning has no such component.
#[test]
fn frequency_responses_are_those_of_scipy() {
    let amplitude = 64.0;
    for line in lines() {
        for &(periods, real_part, imaginary_part) in &line.frequencies {
            let angle = |step: u32| TAU * f64::from(step * periods % WINDOW) / f64::from(WINDOW);
            let mut block = make(line.name, &line.parameters);
            let [mut x, mut y] = [[0.0; 2]; 2];
            for step in 0..SETTLED + WINDOW {
                #[expect(clippy::cast_possible_truncation, reason = "it is in ±2²²")]
                let input = Fixed::from_bits((amplitude / UNIT * angle(step).sin()).round() as i32);
                let output = block.step(input);
                if step >= SETTLED {
                    let (sin, cos) = angle(step).sin_cos();
                    for (sum, value) in [(&mut x, real(input)), (&mut y, real(output))] {
                        sum[0] += value * cos;
                        sum[1] -= value * sin;
                    }
                }
            }
            // y / x
            let norm = x[0] * x[0] + x[1] * x[1];
            let found = [
                (y[0] * x[0] + y[1] * x[1]) / norm,
                (y[1] * x[0] - y[0] * x[1]) / norm,
            ];
            let error = (found[0] - real_part).hypot(found[1] - imaginary_part);
            // The sum over a window of errors of at most the bound, by the input's component.
            let bound = line.bounds[1] * UNIT * f64::from(WINDOW) / norm.sqrt() + SLACK;
            let at = format!("{} at {periods}/{WINDOW}", line.name);
            assert!(error <= bound, "{at}: {error} > {bound}");
        }
    }
}
