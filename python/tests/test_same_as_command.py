"""What Python is told is what the command prints, byte by byte: verdicts, events and JSON of each example under each policy."""

import pathlib
import subprocess
import sys

import pytest

import flyball

EXAMPLES = sorted((pathlib.Path(__file__).parents[2] / "examples").glob("*.toml"))
LENGTH = "50ms"


def command(*arguments):
    done = subprocess.run([sys.executable, "-m", "flyball", *map(str, arguments)], capture_output=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout


def refusal(*arguments):
    done = subprocess.run([sys.executable, "-m", "flyball", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 2
    return done.stderr.removeprefix("error: ").strip()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_study_same_as_command(example):
    study = flyball.study(flyball.TaskSet.load(example), until=LENGTH)
    printed = command("study", example, "--json", "--no-report", "--until", LENGTH, "--quiet")
    assert study.json().encode() == printed
    assert study.policies


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_events_same_as_command(example, tmp_path):
    tasks = flyball.TaskSet.load(example)
    fit = flyball.study(tasks, until="1ms").policies
    for policy in flyball.policies():
        trace = tmp_path / f"{policy}.fbtrace"
        arguments = ["simulate", example, "--policy", policy, "--until", LENGTH, "--quiet"]
        try:
            result = flyball.simulate(tasks, policy, until=LENGTH)
        except flyball.InputError as error:
            assert policy not in fit
            assert refusal(*arguments) == str(error)
            continue
        printed = command(*arguments, "--json", "--trace", trace)
        assert result.json().encode() == printed
        assert result.records() == trace.read_bytes()
        events = result.events
        assert len(events) > 0
        assert events["event"].count("complete") == result.jobs_completed
        assert events["event"].count("preempt") == result.preemptions
