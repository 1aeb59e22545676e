"""Results: numbers, columns, charts and files."""

import json
import signal
import subprocess
import sys
import threading
import time
import types

import pytest

import flyball
from flyball import InputError, TaskSet

GAP = TaskSet([{"name": "slow", "period": "7ms", "wcet": "4ms"}, {"name": "fast", "period": "5ms", "wcet": "2ms"}])


def test_a_study_says_which_policies_hold():
    study = flyball.study(GAP, ["rm", "edf"])
    assert study.policies == ["rm", "edf"] and study.holding == ["edf"]
    assert study["EDF"].holds is True and study["edf"].verdict == "holds"
    assert study[0].holds is False and study[-1].policy == "edf"
    assert [result.policy for result in study] == ["rm", "edf"]
    assert json.loads(study.json())["policies"][1]["holds"] is True
    assert study.tasks["verdict"] == ["does-not-hold"] * 2 + ["holds"] * 2
    assert "<html" in study.html()
    assert study.verdicts["holds"] == [False, True] and study.verdicts["reason"][1] == study["edf"].reason
    assert "<td>does-not-hold</td>" in study._repr_html_()
    with pytest.raises(KeyError, match="edf"):
        study["eddf"]
    with pytest.raises(IndexError):
        study[2]


def test_jobs_and_segments_say_what_happened():
    result = flyball.simulate(GAP, "edf", until="35ms")
    jobs = result.jobs.to_dict()
    first = {name: values[0] for name, values in jobs.items()}
    assert first == {
        "task": "slow",
        "job": 1,
        "release_ns": 0,
        "deadline_ns": 7_000_000,
        "start_ns": 2_000_000,
        "end_ns": 6_000_000,
        "response_ns": 6_000_000,
        "outcome": "completed",
        "missed": False,
        "preemptions": 0,
    }
    assert jobs["outcome"].count("completed") == result.jobs_completed == 12
    segments = result.segments
    ran = sum(end - start for start, end in zip(segments["start_ns"], segments["end_ns"]))
    assert ran == 7 * 2_000_000 + 5 * 4_000_000
    responses = [it for it, task in zip(jobs["response_ns"], jobs["task"]) if task == "slow"]
    row = flyball.study(GAP, "edf", until="35ms").tasks
    assert row["response_max_ns"][row["task"].index("slow")] == max(responses)


def test_missed_deadlines_are_seen_in_all_places():
    result = flyball.simulate(GAP, "rm", until="35ms")
    assert result.misses == sum(result.jobs["missed"]) == result.events["event"].count("miss") > 0
    assert result.holds is False and "slow" in result.reason


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow", "duckdb"])
def test_other_libraries_take_columns(library):
    module = pytest.importorskip(library)
    events = flyball.simulate(GAP, "edf", until="35ms").events
    if library == "polars":
        frame = module.DataFrame(events)
        assert frame["time_ns"].to_list() == events["time_ns"]
        assert frame["task"].cast(str).to_list() == events["task"]
        assert events.to_polars("ms")["time_ms"].max() == 34.0
    elif library == "pandas":
        frame = events.to_pandas()
        assert frame["time_ns"].tolist() == events["time_ns"]
        assert frame["task"].astype(object).where(frame["task"].notna(), None).tolist() == events["task"]
        assert events.to_pandas("ms")["time_ms"].max() == 34.0
    elif library == "pyarrow":
        assert module.table(events).to_pydict() == events.to_dict()
    else:
        rows = module.sql("select count(*) from events where event = 'complete'").fetchall()
        assert rows == [(12,)]
    with pytest.raises(InputError, match="there are: s, ms, us, ns"):
        events.to_pandas("hours")


def test_the_wrong_column_is_refused():
    with pytest.raises(KeyError, match="there are: time_ns, cpu, event"):
        flyball.simulate(GAP, "edf", until="5ms").events["time"]


def test_a_chart_and_traces(tmp_path):
    result = flyball.simulate(GAP, "edf", until="35ms")
    assert "slow" in result.chart(to="35ms") and len(result.perfetto()) > 100
    result.save_trace(tmp_path / "a.fbtrace")
    assert (tmp_path / "a.fbtrace").read_bytes() == result.records()
    with pytest.raises(InputError, match="pftrace"):
        result.save_trace(tmp_path / "a.txt")
    with pytest.raises(OSError):
        result.save_trace(tmp_path / "missing" / "a.pftrace")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"policy": "eddf"}, 'did you mean "edf"'),
        ({"policy": "edf", "until": 0.5}, "found float"),
        ({"policy": "edf", "until": "5"}, "no unit"),
        ({"policy": "edf", "partition": "frist-fit"}, 'did you mean "first-fit"'),
        ({"policy": "edf", "jitter": "bad"}, "there are: random, worst"),
        ({"policy": "edf", "until": -1}, "from 0 to"),
        ({"policy": "fp"}, "priority"),
        ({"policy": "edf", "until": 0}, "until: expected a time above zero"),
        ({"policy": "edf", "cpus": 0}, "cpus: expected a number from 1 to 128, found 0"),
        ({"policy": "edf", "cpus": 129}, "cpus: expected a number from 1 to 128, found 129"),
        ({"policy": "edf", "cpus": 300}, "cpus: expected a number from 1 to 128, found 300"),
        ({"policy": "edf", "cluster": -1}, "cluster: expected a number from 1 to 128, found -1"),
    ],
)
def test_wrong_options_are_refused(arguments, message):
    with pytest.raises(InputError) as caught:
        flyball.simulate(GAP, **arguments)
    assert message in str(caught.value)


def test_nothing_is_no_question():
    with pytest.raises(InputError, match="at least one name"):
        flyball.study(GAP, [])
    with pytest.raises(InputError, match="the chart ends at 10ms, which is not after its beginning at 20ms"):
        flyball.simulate(GAP, "edf", until="35ms").chart("20ms", "10ms")
    with pytest.raises(InputError, match="from 1 to 128"):
        TaskSet([{"period": "10ms", "wcet": "1ms"}], cpus=300)


def test_other_threads_run_meanwhile_and_progress_is_told():
    seen, ticks, ended = [], [], threading.Event()

    def tick():
        while not ended.wait(0.01):
            ticks.append(time.monotonic())

    other = threading.Thread(target=tick)
    other.start()
    try:
        flyball.simulate(GAP, "edf", until="10000s", keep=0, tests=False, progress=seen.append)
    finally:
        ended.set()
        other.join()
    assert len(ticks) > 10
    assert seen == sorted(seen) and len(seen) > 1 and seen[-1] <= 1000


def test_a_bar_is_shown_and_closed(monkeypatch):
    seen = []

    class Bar:
        def __init__(self, total, **_):
            self.n, self.total = 0, total

        def update(self, more):
            self.n += more
            seen.append(self.n)

        def close(self):
            seen.append("closed")

    module = types.ModuleType("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    flyball.simulate(GAP, "edf", until="10000s", keep=0, tests=False, progress=True)
    assert seen[-1] == "closed" and len(seen) > 2 and seen[:-1] == sorted(seen[:-1]) and seen[-2] <= 1000
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert flyball.simulate(GAP, "edf", until="1000s", keep=0, tests=False, progress=True).misses == 0
    assert flyball.simulate(GAP, "edf", until="5ms", progress=False).holds
    with pytest.raises(InputError, match="progress: expected a function, True or False, found int"):
        flyball.simulate(GAP, "edf", until="5ms", progress=7)


def test_columns_become_parquet_files(tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    jobs = flyball.simulate(GAP, "edf", until="35ms").jobs
    expected = jobs.to_dict()
    jobs.to_parquet(tmp_path / "a.parquet")
    monkeypatch.setitem(sys.modules, "polars", None)
    jobs.to_parquet(tmp_path / "b.parquet")
    for name in ("a.parquet", "b.parquet"):
        assert parquet.read_table(tmp_path / name).to_pydict() == expected
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="polars or pyarrow"):
        jobs.to_parquet(tmp_path / "c.parquet")


def test_what_progress_raises_ends_the_call():
    class Stop(Exception):
        pass

    def stop(_):
        raise Stop

    began = time.monotonic()
    with pytest.raises(Stop):
        flyball.simulate(GAP, "edf", until="1000000s", keep=0, tests=False, progress=stop)
    assert time.monotonic() - began < 30


def test_ctrl_c_ends_a_call():
    program = """
import flyball
tasks = flyball.TaskSet([{"name": "a", "period": "1ms", "wcet": "1us"}])
print("begins", flush=True)
flyball.simulate(tasks, "edf", until="100000000s", keep=0, tests=False)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "begins\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        _, error = child.communicate(timeout=60)
    assert error.strip().endswith("KeyboardInterrupt") and child.returncode != 0
