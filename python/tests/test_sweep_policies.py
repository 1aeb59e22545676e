"""Policies that are written in Python, in sweeps: what is kept is their source's."""

import io
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import flyball
from flyball import InputError, PolicyError
from flyball._source import checksum

STUDY = """
schema = 1
name = "mine"
cpus = 2
caps = [1.0, 2.0]
sets = 6
batch = 2
[[scenario]]
periods = ["moderate"]
utilisations = ["uniform-medium"]
slack = 0.1
[simulate]
policies = ["g-edf", "mine"]
measures = ["misses", "preemptions", "migrations", "mean-response"]
horizon = "500ms"
phases = "random"
"""


@flyball.by_key(name="mine")
def mine(task, release, deadline):
    return deadline


class Mine(flyball.Policy):
    """Global EDF, as a class."""

    name = "mine"
    placement = "global"

    def __init__(self, cpus, settings):
        super().__init__(cpus, settings)
        self.jobs = {}
        self.running = [None] * cpus

    def ready(self, task, release, now):
        self.jobs[task] = (release + task.deadline, release, task.number)

    def stopped(self, task, why, used, now):
        if why in ("completed", "blocked"):
            del self.jobs[task]

    def pick(self, cpu, now):
        first = sorted(self.jobs, key=self.jobs.get)[: self.cpus]
        if self.running[cpu] not in first:
            free = [task for task in first if task not in self.running]
            self.running[cpu] = free[0] if free else None
        return self.running[cpu]


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.suffix in (".parquet", ".toml")}


def by_policy(results):
    """All numbers of each policy."""
    table = results.simulated.to_dict()
    rows = [dict(zip(table, row)) for row in zip(*table.values())]
    return {name: [{**row, "policy": None} for row in rows if row["policy"] == name] for name in dict.fromkeys(table["policy"])}


def test_it_counts_what_the_catalogues_policy_counts(tmp_path):
    swept = flyball.sweep(STUDY, out=tmp_path / "out", policies=mine)
    assert swept.finished_now == 6
    found = by_policy(swept.results)
    assert found["mine"] == found["g-edf"] and len(found["mine"]) > 10


def test_a_class_and_its_contract(tmp_path):
    swept = flyball.sweep(STUDY, out=tmp_path / "out", policies=[Mine])
    found = by_policy(swept.results)
    # Where two jobs are as urgent the class may choose another CPU, so only these have to be alike.
    alike = {name: [row for row in rows if row["measure"] in ("released", "completed", "misses")] for name, rows in found.items()}
    assert alike["mine"] == alike["g-edf"]
    assert sum(row["sum"] for row in alike["mine"] if row["measure"] == "completed") > 500


def test_threads_shards_and_going_on_give_the_same_bytes(tmp_path):
    flyball.sweep(STUDY, out=tmp_path / "one", threads=1, policies=mine)
    for shard in ("1/2", "2/2", "1/2"):
        part = flyball.sweep(STUDY, out=tmp_path / "two", threads=2, shard=shard, policies=mine)
    assert (part.finished_now, part.finished_before) == (0, 3)
    assert files(tmp_path / "one") == files(tmp_path / "two")
    # Results are read without the policy, by the command, too.
    plotted = flyball.plot(tmp_path / "one")
    assert plotted.finished == 6
    plotted = subprocess.run([sys.executable, "-m", "flyball", "plot", tmp_path / "one", "--out", tmp_path / "plots"], capture_output=True, text=True)
    assert plotted.returncode == 0, plotted.stderr
    # The study that was written down is one for the same policy.
    again = flyball.sweep(tmp_path / "one" / "study.toml", out=tmp_path / "one", policies=mine)
    assert again.finished_before == 6


def test_results_are_one_sources(tmp_path):
    flyball.sweep(STUDY, out=tmp_path / "out", policies=mine)
    before = files(tmp_path / "out")

    @flyball.by_key(name="mine")
    def other(task, release, deadline):
        return deadline + 1

    with pytest.raises(InputError, match="has the results of another study"):
        flyball.sweep(STUDY, out=tmp_path / "out", policies=other)
    with pytest.raises(InputError, match="the policies are others than those that this was written for"):
        flyball.sweep(tmp_path / "out" / "study.toml", out=tmp_path / "out", policies=other)
    assert files(tmp_path / "out") == before


def test_the_first_fault_ends_it_and_what_was_finished_is_kept(tmp_path):
    calls = []

    class Tired(Mine):
        version = "1"

        def ready(self, task, release, now):
            calls.append(now)
            if len(calls) > 400:
                raise KeyError("tired")
            super().ready(task, release, now)

    with pytest.raises(PolicyError, match='policy "mine": ready raised KeyError at ') as caught:
        flyball.sweep(STUDY, out=tmp_path / "out", threads=1, policies=Tired)
    assert isinstance(caught.value.__cause__, KeyError)
    kept = [path for path in files(tmp_path / "out") if path.suffix == ".parquet"]
    assert 0 < len(kept) < 6
    calls.clear()

    class Rested(Mine):
        version = "1"

    # The same version goes on, and all is as if nothing had been.
    flyball.sweep(STUDY, out=tmp_path / "out", policies=Rested)
    flyball.sweep(STUDY, out=tmp_path / "whole", policies=Rested)
    assert files(tmp_path / "out") == files(tmp_path / "whole")


@pytest.mark.parametrize(
    ("policies", "message"),
    [
        ("mine", "expected those that are written in Python; the study names the others"),
        (["g-edf"], "expected those that are written in Python"),
        ([], "expected at least one"),
        (7, "found int"),
        ([mine, flyball.by_key(lambda task, release, deadline: 0, name="other")], 'does not name "other"'),
        (flyball.by_key(lambda task, release, deadline: 0, name="edf"), 'there is a policy "edf" already'),
    ],
)
def test_what_it_refuses(policies, message, tmp_path):
    with pytest.raises(InputError, match=message):
        flyball.sweep(STUDY, out=tmp_path / "out", policies=policies)
    assert not (tmp_path / "out").exists()


def test_without_the_policy_it_is_not_known(tmp_path):
    with pytest.raises(InputError, match='there is no policy "mine"'):
        flyball.sweep(STUDY, out=tmp_path / "out")


SCALE = 3


def scaled(deadline):
    return deadline * SCALE


def key_of(factor, helper=scaled):
    @flyball.by_key(name="k")
    def key(task, release, deadline):
        return helper(deadline) * factor

    return key


def test_a_checksum_is_of_all_that_is_used(monkeypatch):
    plain = checksum(key_of(1))
    assert plain == checksum(key_of(1)) != checksum(key_of(2))
    assert checksum(key_of(1, lambda deadline: -deadline)) != plain
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 4)
    assert checksum(key_of(1)) != plain

    class Longer(Mine):
        most = 3

    assert checksum(Longer) != checksum(Mine)
    longer = checksum(Longer)
    Longer.most = 4
    assert checksum(Longer) != longer
    Longer.version = "2"
    versioned = checksum(Longer)
    Longer.most = 5
    assert checksum(Longer) == versioned


def test_a_checksum_is_the_same_in_another_process(tmp_path):
    (tmp_path / "it.py").write_text(
        textwrap.dedent("""
            import dataclasses, enum, heapq
            import flyball
            from flyball._source import checksum

            WEIGHTS = {"a": 1.5, "b": (2, frozenset({3, 4}))}

            class Kind(enum.Enum):
                LONG = 1
                SHORT = 2

            @dataclasses.dataclass
            class Job:
                task: object
                kind: Kind = Kind.SHORT

            class It(flyball.Policy):
                def ready(self, task, release, now):
                    heapq.heappush(self.jobs, (WEIGHTS.get(task.name), Job(task)))
                def stopped(self, task, why, used, now): ...
                @staticmethod
                def helper(x): return lambda: x
                @property
                def most(self): return 3
                def pick(self, cpu, now): return self.helper(None)()

            print(checksum(It))
        """)
    )
    runs = {
        subprocess.run([sys.executable, "it.py"], cwd=tmp_path, env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(flyball.__file__).parents[1])}, capture_output=True, text=True, check=True).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1 and len(runs.pop().strip()) == 16


STREAM = io.StringIO()


def test_a_value_that_cannot_be_told_is_refused():
    @flyball.by_key(name="k")
    def key(task, release, deadline):
        return STREAM.tell()

    with pytest.raises(InputError, match='policy "k" uses STREAM, a value of StringIO, .*; give the policy a `version`'):
        checksum(key)


@pytest.mark.parametrize("lacking", ["ready", "stopped", "pick"])
def test_a_class_without_a_method_is_refused_before_anything_runs(lacking):
    methods = {name: lambda self, *_: None for name in ("ready", "stopped", "pick") if name != lacking}
    for base in (flyball.Policy, object):
        with pytest.raises(InputError, match=f"Lacking: a policy needs a method `{lacking}`"):
            flyball.study(flyball.TaskSet([{"name": "a", "period": "5ms", "wcet": "1ms"}]), type("Lacking", (base,), methods))
