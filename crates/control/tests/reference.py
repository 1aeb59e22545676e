"""Writes reference.txt: what scipy.signal and the package control say of linear blocks and circuits.

It needs Python 3.11, SciPy 1.17.1 and control 0.10.2 (`pip install scipy==1.17.1 control==0.10.2`):

    python3.11 reference.py > reference.txt

Single blocks are SciPy's (`dlsim`, `dfreqresp`), and control has to agree. Circuits are control's (`series`, `parallel`,
`feedback`). Parameters are the multiples of 2^-16 that the blocks in fixed point have.

A line is a block: its name and its parameters; behind the first '|' the bounds on the error of its output in units of
2^-16, for the first STEPS and for the first LONG steps, made of the blocks' bounds as the documentation of the circuits says;
behind the second its response to a unit step; behind the third its frequency response at 2 pi m / WINDOW for each m as m:real:imaginary.
"""

import control
import numpy
import scipy.signal

STEPS = 40
WINDOW = 64
LONG = 512 + WINDOW
FREQUENCIES = [1, 2, 3, 5, 8, 13, 21, 31]

z = control.tf([1, 0], [1], True)
DELAY = 1 / z
ONE = 1 << 16


def proportional(k):
    return [k], [1]


def first_difference():
    return [1, -1], [1, 0]


def integral(k):
    return [k, 0], [1, -1]


def low_pass(alpha):
    return [alpha, 0], [1, alpha - 1]


def pid(p, i, d):
    return [p + i + d, -p - 2 * d, d], [1, -1, 0]


# The blocks, and the bound of each.
BLOCKS = {
    "proportional": (proportional, 0.5),
    "first-difference": (first_difference, 0),
    "integral": (integral, 0.5),
    "low-pass": (low_pass, 1),
    "pid": (pid, 0.5),
}

SINGLE = [
    ("proportional", [98304]),
    ("proportional", [-7]),
    ("first-difference", []),
    ("integral", [1311]),
    ("integral", [-30000]),
    ("low-pass", [3277]),
    ("low-pass", [6554]),
    ("low-pass", [40000]),
    ("low-pass", [65536]),
    ("pid", [65536, 6554, 0]),
    ("pid", [20001, 333, 150000]),
    ("pid", [-65536, -655, -32768]),
]


def block(name, parameters):
    """The transfer function, and the bound of the block."""
    make, bound = BLOCKS[name]
    return make(*(each / ONE for each in parameters)), bound


def magnitude(system, steps):
    """The sum of the magnitudes of the first numbers of the impulse response."""
    pulse = numpy.zeros(steps)
    pulse[0] = 1
    return numpy.abs(control.forced_response(system, range(steps), pulse).outputs).sum()


def of_control(system):
    steps = control.forced_response(system, range(STEPS), numpy.ones(STEPS)).outputs
    at = numpy.array([2 * numpy.pi * m / WINDOW for m in FREQUENCIES])
    return steps, control.frequency_response(system, at).complex


def of_scipy(numerator, denominator):
    if len(denominator) == 1:
        # SciPy simulates no system without a state: here its state is what nothing depends on.
        numerator, denominator = [*numerator, 0], [1, 0]
    system = scipy.signal.TransferFunction(numerator, denominator, dt=1)
    steps = scipy.signal.dlsim(system, numpy.ones(STEPS))[1][:, 0]
    at = [2 * numpy.pi * m / WINDOW for m in FREQUENCIES]
    return steps, scipy.signal.dfreqresp(system, at)[1]


def line(name, parameters, bounds, steps, frequencies):
    words = [name, *parameters, "|", *(f"{bound:.6g}" for bound in bounds), "|"]
    words += [f"{each:.12g}" for each in steps]
    words += ["|", *(f"{m}:{h.real:.12g}:{h.imag:.12g}" for m, h in zip(FREQUENCIES, frequencies))]
    print(*words)


def tf(name, parameters):
    (numerator, denominator), bound = block(name, parameters)
    return control.tf(numerator, denominator, True), bound


def circuits():
    """Each circuit's name, parameters, transfer function, and its bound as a function of the number of steps."""
    smooth, of_smooth = tf("low-pass", [13107])
    pi_d, of_pi_d = tf("pid", [60000, 4000, 20000])
    fast, of_fast = tf("low-pass", [30000])
    gain, of_gain = tf("proportional", [26214])
    integrator, of_integrator = tf("integral", [6000])
    yield (
        "low-pass-then-pid",
        [13107, 60000, 4000, 20000],
        control.series(smooth, pi_d),
        lambda steps: of_pi_d + magnitude(pi_d, steps) * of_smooth,
    )
    yield (
        "low-pass-plus-low-pass",
        [13107, 30000],
        control.parallel(smooth, fast),
        lambda _: of_smooth + of_fast,
    )
    yield (
        "low-pass-minus-low-pass",
        [13107, 30000],
        control.parallel(smooth, -fast),
        lambda _: of_smooth + of_fast,
    )
    for name, parameters, forward, of_forward, back, of_back in [
        ("low-pass-feedback-proportional", [30000, 26214], fast, of_fast, gain, of_gain),
        ("integral-feedback-low-pass", [6000, 30000], integrator, of_integrator, fast, of_fast),
    ]:
        returned = control.series(back, DELAY)
        sensitivity = control.feedback(control.tf([1], [1], True), control.series(forward, returned))
        closed = control.feedback(forward, returned)
        yield (
            name,
            parameters,
            closed,
            lambda steps, s=sensitivity, c=closed, f=of_forward, b=of_back: magnitude(s, steps) * f + magnitude(c, steps) * b,
        )


def main():
    for name, parameters in SINGLE:
        (numerator, denominator), bound = block(name, parameters)
        found = of_scipy(numerator, denominator)
        other = of_control(control.tf(numerator, denominator, True))
        for one, two in zip(found, other):
            assert numpy.allclose(one, two, rtol=1e-9, atol=1e-9), name
        line(name, parameters, [bound, bound], *found)
    for name, parameters, system, bound in circuits():
        line(name, parameters, [bound(STEPS), bound(LONG)], *of_control(system))


main()
