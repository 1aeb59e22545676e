"""Every function takes odd values with an exception, whose message says what was expected, and never with a panic."""

import datetime
import decimal
import inspect
import math
import pathlib
import random

import pytest

import flyball

SET = flyball.TaskSet([{"name": "one", "period": "5ms", "wcet": "1ms"}])
STUDY = flyball.study(SET, ["edf", "rm"], until="20ms")
RUN = STUDY["edf"]
ANALYSIS = flyball.analyse(SET)

ODD = [
    None,
    True,
    -1,
    0,
    2**31,
    -(2**63),
    2**64,
    2**70,
    0.5,
    math.nan,
    -math.inf,
    1j,
    "",
    "\0",
    "edf\n",
    "5 parsecs",
    "-5ms",
    "ð" * 300,
    "\udc80",
    b"edf",
    [],
    [None],
    [SET],
    {},
    {"name": "x"},
    {1: 2},
    set(),
    (),
    object(),
    type,
    lambda *arguments: None,
    SET,
    STUDY,
    range(3),
    decimal.Decimal("0.1"),
    datetime.timedelta(seconds=1),
    pathlib.Path("/nowhere/at/all"),
    iter([]),
]
# What a user has to expect; a panic is none of them.
EXPECTED = (TypeError, ValueError, KeyError, IndexError, OSError, OverflowError, AttributeError, flyball.PolicyError, UnicodeError)



@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Files with odd names stay out of the source."""
    monkeypatch.chdir(tmp_path)


# Arguments that make a call work, so that each odd value meets the rest in order.
CALLS = {
    flyball.study: {"set": SET, "policies": "edf", "until": "20ms"},
    flyball.simulate: {"set": SET, "policy": "edf", "until": "20ms"},
    flyball.analyse: {"set": SET},
    flyball.compare: {"set": SET, "machine": "none"},
    flyball.generate: {"tasks": 3, "utilisation": 0.5},
    flyball.sweep: {"study": "schema = 1\nnothing", "out": "/nowhere/at/all"},
    flyball.reproduce: {"work": "none"},
    flyball.TaskSet: {"tasks": [{"name": "one", "period": "5ms", "wcet": "1ms"}]},
    flyball.TaskSet.parse: {"text": "schema = 1"},
    flyball.TaskSet.load: {"path": "nowhere"},
    flyball.Overheads.parse: {"text": "schema = 1"},
    flyball.Overheads.load: {"path": "nowhere"},
    flyball.by_key: {"key": lambda task, release, deadline: 0},
    RUN.chart: {},
    RUN.svg: {},
    RUN.save_trace: {"path": "/nowhere/at/all.fbtrace"},
    STUDY.save_html: {"path": "/nowhere/at/all.html"},
    STUDY.__getitem__: {"policy": "edf"},
    RUN.jobs.to_pandas: {},
    RUN.jobs.to_polars: {},
    RUN.jobs.__getitem__: {"name": "task"},
}


def call(function, arguments):
    parameters = inspect.signature(function).parameters
    positional = [name for name, it in parameters.items() if it.kind is it.POSITIONAL_ONLY]
    first = [arguments[name] for name in positional if name in arguments]
    rest = {name: value for name, value in arguments.items() if name not in positional}
    try:
        function(*first, **rest)
    except EXPECTED as error:
        assert "panicked" not in str(error) and "fault in Flyball" not in str(error), (function, arguments)
    except ImportError:
        pass  # pandas or polars is not there


def names(function):
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [name for name, it in inspect.signature(function).parameters.items() if it.kind not in kinds and name != "progress"]


@pytest.mark.parametrize("function", CALLS, ids=lambda it: getattr(it, "__qualname__", repr(it)))
def test_each_argument_may_be_odd(function):
    for name in names(function):
        for odd in ODD:
            if name in ("until", "keep", "width", "columns", "tasks", "steps") and isinstance(odd, int) and odd > 2**20:
                continue  # that is large, and not odd
            call(function, {**CALLS[function], name: odd})


@pytest.mark.parametrize("function", CALLS, ids=lambda it: getattr(it, "__qualname__", repr(it)))
def test_many_arguments_may_be_odd(function):
    rng = random.Random(5)
    short = [odd for odd in ODD if not (isinstance(odd, int) and odd > 2**20)]
    for _ in range(150):
        chosen = {name: rng.choice(short) for name in names(function) if rng.random() < 0.4}
        call(function, {**CALLS[function], **chosen})


def test_tasks_may_be_odd():
    rng = random.Random(6)
    keys = ["name", "period", "wcet", "deadline", "phase", "cpu", "cpus", "priority", "behaviour", "policies", "odd", "server", ""]
    for _ in range(2000):
        task = {rng.choice(keys): rng.choice(ODD) for _ in range(rng.randint(0, 5))}
        whole = {**({"name": "one", "period": "5ms", "wcet": "1ms"} if rng.random() < 0.7 else {}), **task}
        call(flyball.TaskSet, {"tasks": [whole]})


def test_results_of_policies_in_python_may_be_odd():
    for odd in ODD:
        for method in ("ready", "stopped", "pick", "next_alarm", "decide"):

            class Odd(flyball.Policy):
                def ready(self, task, release, now):
                    self.task = task

                def stopped(self, task, why, used, now):
                    if why == "completed":
                        self.task = None

                def pick(self, cpu, now):
                    return getattr(self, "task", None)

            setattr(Odd, method, lambda *arguments, odd=odd: odd)
            call(flyball.simulate, {"set": SET, "policy": Odd, "until": "20ms"})
        call(flyball.simulate, {"set": SET, "policy": flyball.by_key(lambda *_, odd=odd: odd, name="odd"), "until": "20ms"})
