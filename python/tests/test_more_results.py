"""What `analyse`, `generate`, `sweep` and `reproduce` refuse, tell of their progress, and leave when they are ended."""

import signal
import subprocess
import sys
import time

import pytest

import flyball
from flyball import InputError, TaskSet

GAP = TaskSet([{"name": "slow", "period": "7ms", "wcet": "4ms"}, {"name": "fast", "period": "5ms", "wcet": "2ms"}])

STUDY = """
schema = 1
name = "long"
cpus = 8
caps = { from = 5.0, to = 7.5, step = 0.5 }
sets = 2000
batch = 10
tests = ["GFB", "RTA", "P-EDF"]
[[scenario]]
periods = ["short", "long"]
utilisations = ["uniform-light", "bimodal-light"]
slack = 0.07
"""


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: flyball.analyse(GAP, cpus=0), "cpus: expected a number from 1 to 128, found 0"),
        (lambda: flyball.analyse(GAP, latency=0), "latency: expected a time above zero"),
        (lambda: flyball.analyse(GAP, latency=0.5), "found float"),
        (lambda: flyball.analyse(GAP, accounting="per-jop"), 'did you mean "per-job"'),
        (lambda: flyball.analyse(GAP, charge="worst"), "charge: it says what of overheads is charged"),
        (lambda: flyball.study(GAP, working_set=4096), "working_set: it says what of overheads is charged"),
        (lambda: flyball.compare(GAP, machine="z80"), "machine: there is no \"z80\"; there are: cortex-m3"),
        (lambda: flyball.compare(GAP, []), "at least one name"),
        (lambda: flyball.generate(cpus=129), "cpus: expected a number from 1 to 128, found 129"),
        (lambda: flyball.generate(periods=("10", "1s")), "no unit"),
        (lambda: flyball.sweep(STUDY, threads=0), "threads: expected a number from 1 to 4096, found 0"),
        (lambda: flyball.sweep(STUDY, shard="0/4"), "shard: expected a part and of how many"),
        (lambda: flyball.sweep(7), "study: expected a path, or a text of several lines, found int"),
        (lambda: flyball.sweep(STUDY.replace("caps", "cups")), "study:5:1"),
        (lambda: flyball.plot(), "at least one folder"),
        (lambda: flyball.reproduce("miosix", data="no-such-folder"), "no-such-folder: is not a folder"),
        (lambda: flyball.Overheads.load("no-such-file.toml"), "there is no such file"),
        (lambda: flyball.Overheads.parse("schema = 1\n[[measured]]\n", name="o.toml"), "o.toml"),
    ],
)
def test_wrong_arguments_are_refused(call, message):
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: flyball.analyse("gap.toml"),
        lambda: flyball.analyse(GAP, overheads="o.toml"),
        lambda: flyball.generate("ten"),
        lambda: flyball.generate(seed=-1),
        lambda: flyball.generate(periods="10ms..1s"),
        lambda: flyball.sweep(STUDY, out=3),
        lambda: flyball.reproduce(None),
    ],
)
def test_wrong_types_are_refused(call):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        call()


def test_an_analysis_shows_itself():
    found = flyball.analyse(GAP)
    assert repr(found) == "<Analysis of \"task set\": holds under " + ", ".join(found.holding) + ">"
    assert "p-edf" in found.holding and found.infeasible is None
    assert "<td>holds</td>" in found._repr_html_()
    overloaded = flyball.analyse(TaskSet([{"name": "a", "period": "1ms", "wcet": "1ms"}] + [{"name": "b", "period": "9ms", "wcet": "1ms"}]))
    assert overloaded.holding == [] and "not known to hold" in repr(overloaded) and overloaded.infeasible


def test_a_sweep_tells_how_far_it_is_and_goes_on(tmp_path):
    class Enough(Exception):
        pass

    seen = []

    def progress(done):
        seen.append(done)
        raise Enough

    with pytest.raises(Enough):
        flyball.sweep(STUDY, out=tmp_path / "out", threads=2, progress=progress)
    assert 0 <= seen[0] < 1000
    for _ in range(100):
        try:
            results = flyball.plot(tmp_path / "out")
            break
        except InputError as error:
            assert "nothing is finished" in str(error)
            time.sleep(0.1)
    assert 0 < results.finished < results.units


@pytest.mark.parametrize(
    "call",
    [
        f"flyball.sweep({STUDY!r}, out='out')",
        "flyball.analyse(flyball.generate(300, 60.0, cpus=64, granularity='1ns'), steps=10**12)",
        "flyball.reproduce('epos-study', full=True)",
    ],
    ids=["sweep", "analyse", "reproduce"],
)
def test_ctrl_c_ends_a_call(call, tmp_path):
    program = f"import flyball\nprint('begins', flush=True)\n{call}\n"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as child:
        assert child.stdout.readline() == "begins\n"
        time.sleep(0.7)
        child.send_signal(signal.SIGINT)
        began = time.monotonic()
        _, error = child.communicate(timeout=60)
    assert error.strip().endswith("KeyboardInterrupt") and child.returncode != 0
    assert time.monotonic() - began < 5


def test_no_thread_goes_on_with_an_analysis_that_was_ended():
    # What a thread is at it ends, and no more.
    program = """
import _thread, threading, time
import flyball

tasks = flyball.generate(300, 60.0, cpus=64, granularity="1ns")
began, used = time.monotonic(), time.process_time()
flyball.analyse(tasks)
whole, used = time.monotonic() - began, time.process_time() - used
threading.Timer(whole / 10, _thread.interrupt_main).start()
try:
    flyball.analyse(tasks)
except KeyboardInterrupt:
    before = time.process_time()
    time.sleep(2 * whole)
    print((time.process_time() - before) / used)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stderr == "" and float(done.stdout) < 0.5
