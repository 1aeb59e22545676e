"""What Python is told is what the command prints, byte by byte: verdicts, events and JSON of each example under each policy, and the results of
the other commands."""

import json
import pathlib
import shutil
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


OVERHEADS = """
schema = 1
[provenance]
processor = "a test's"
[[measured]]
policy = "g-edf"
queue = "heap"
statistic = "worst"
[measured.overheads]
scheduling = "50us"
context_switch = "20us"
[[measured]]
policy = "p-edf"
queue = "heap"
statistic = "worst"
[measured.overheads]
scheduling = { 5 = "10us", 20 = "20us" }
[[cache]]
after = "preemption"
statistic = "worst"
by_working_set = { 4096 = "2us", 131072 = "8us" }
"""

STUDY = """
schema = 1
name = "a test's"
cpus = 4
caps = { from = 2.0, to = 4.0, step = 0.5 }
sets = 20
batch = 5
tests = ["GFB", "RTA", "P-EDF"]
[[scenario]]
periods = ["short"]
utilisations = ["uniform-light", "bimodal-light"]
slack = 0.07
"""


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


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_analyse_same_as_command(example):
    found = flyball.analyse(flyball.TaskSet.load(example), latency="20ms")
    assert found.json().encode() == command("analyse", example, "--json", "--latency", "20ms", "--quiet")
    assert str(found).encode() == command("analyse", example, "--latency", "20ms", "--quiet")
    document = json.loads(found.json())
    if found.not_covered is not None:
        assert document["not_covered"] == found.not_covered and found.holding == [] and len(found.verdicts) == 0
        return
    policies = document["policies"]
    assert found.verdicts["verdict"] == [it["verdict"] for it in policies]
    assert found.holding == [it["policy"] for it in policies if it["holds"]]
    assert found.tests["why_not"] == [test["why_not"] for it in policies for test in it["tests"]]
    bounds = [task["response_bound_ns"] for it in policies for task in it["tasks"]]
    assert found.response_times["response_bound_ns"] == bounds
    by_cpu = document["partition"] and [task for cpu in document["partition"]["cpus"] for task in cpu["tasks"]]
    assert (found.partition and found.partition["task"]) == by_cpu
    assert len(found.operating_points) == sum(1 + len(it["tasks"]) for it in document.get("operating_points", []))


def test_overheads_same_as_command(tmp_path):
    example, file = EXAMPLES[[it.stem for it in EXAMPLES].index("scaling")], tmp_path / "o.toml"
    file.write_text(OVERHEADS)
    tasks, overheads = flyball.TaskSet.load(example), flyball.Overheads.load(file)
    assert overheads.policies == ["g-edf", "p-edf"] and overheads.processor == "a test's"
    assert overheads.costs["cost_ns"] == [50_000, 20_000, 10_000, 20_000]
    assert overheads.delays.to_dict() == {
        "after": ["preemption"] * 2,
        "statistic": ["worst"] * 2,
        "working_set": [4096, 131072],
        "delay_ns": [2_000, 8_000],
    }
    assert flyball.Overheads.parse(overheads.to_toml()).to_toml() == overheads.to_toml()
    arguments = ["--overheads", file, "--working-set", "100K", "--json", "--quiet"]
    found = flyball.analyse(tasks, cpus=3, overheads=overheads, working_set=102_400, accounting="per-job")
    printed = command("analyse", example, "--cpus", 3, "--accounting", "per-job", *arguments)
    assert found.json().encode() == printed
    assert len(found.overheads) == sum(len(it["factors"]) for it in json.loads(printed)["overheads"]) > 0
    assert found.json() != flyball.analyse(tasks, cpus=3).json()
    arguments = ["--policy", "g-edf", "--until", LENGTH, *arguments]
    for function, name, rest in [(flyball.study, "study", ["--no-report"]), (flyball.simulate, "simulate", [])]:
        result = function(tasks, "g-edf", overheads=overheads, charge="worst", working_set=102_400, until=LENGTH)
        assert result.json().encode() == command(name, example, *rest, "--charge", "worst", *arguments)
    with pytest.raises(flyball.InputError) as caught:
        flyball.analyse(tasks, overheads=overheads, working_set=1 << 20)
    assert str(caught.value) == refusal("analyse", example, "--overheads", file, "--working-set", "1M")
    with pytest.raises(flyball.InputError) as caught:
        flyball.simulate(tasks, "rm", overheads=overheads)
    assert str(caught.value) == refusal("simulate", example, "--policy", "rm", "--overheads", file, "--quiet")


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({}, []),
        ({"tasks": 1, "utilisation": 0.25, "seed": 0}, ["-n", 1, "-u", 0.25, "--seed", 0]),
        (
            {"tasks": 30, "utilisation": 3.5, "cpus": 4, "constrained": 0.5, "phases": True, "seed": 2**64 - 1},
            ["-n", 30, "-u", 3.5, "--cpus", 4, "--constrained", 0.5, "--phases", "--seed", 2**64 - 1],
        ),
        (
            {"periods": ("1ms", 20_000_000), "granularity": "100us"},
            ["--periods", "1ms..20ms", "--granularity", "100us"],
        ),
    ],
)
def test_generate_same_as_command(arguments, options):
    assert flyball.generate(**arguments).to_toml().encode() == command("generate", *options, "--quiet")


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({"tasks": 0}, ["-n", 0]),
        ({"utilisation": float("nan")}, ["-u", "nan"]),
        ({"tasks": 3, "utilisation": 3.5}, ["-n", 3, "-u", 3.5]),
        ({"constrained": 1.5}, ["--constrained", 1.5]),
        ({"periods": ("2s", "1s")}, ["--periods", "2s..1s"]),
        ({"granularity": "0ns"}, ["--granularity", "0ns"]),
    ],
)
def test_generate_refuses_same_as_command(arguments, options):
    with pytest.raises(flyball.InputError) as caught:
        flyball.generate(**arguments)
    assert str(caught.value) == refusal("generate", *options)


def files(folder):
    return {it.relative_to(folder): it.read_bytes() for it in folder.rglob("*") if it.is_file() and "lock" not in it.name}


def test_sweep_same_as_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("s.toml").write_text(STUDY)
    swept = flyball.sweep("s.toml", out="out", threads=2)
    ours = files(tmp_path / "out")
    shutil.move("out", "python")
    printed = command("sweep", "s.toml", "--out", "out", "--json", "--quiet")
    assert swept.json().encode() == printed
    assert ours == files(tmp_path / "out") and len(ours) > 20
    again = flyball.sweep(STUDY, out="out")
    assert (again.finished_before, again.finished_now) == (swept.finished_now, 0)
    assert str(again).encode() == command("sweep", "s.toml", "--out", "out", "--quiet")
    results = again.results
    assert results.finished == results.units == again.finished_before
    assert results.weighted["weighted"] == [it["weighted"] for it in json.loads(printed)["weighted"]]
    for shard in ("1/2", "2/2"):
        flyball.sweep("s.toml", out=f"part{shard[0]}", shard=shard)
    plotted = flyball.plot("part1", "part2")
    assert plotted.html() == results.html() and plotted.ratios.to_dict() == results.ratios.to_dict()
    paths = plotted.save("figures")
    command("plot", "out", "--out", "plots", "--quiet")
    assert files(tmp_path / "figures") == files(tmp_path / "plots") and len(paths) == len(files(tmp_path / "plots"))
    figure = plotted.figures[0]
    assert figure.svg().encode() == (tmp_path / "plots" / f"{figure.name}.svg").read_bytes()
    assert sorted(set(figure.points["role"])) and plotted.figure(figure.name).title == figure.title


def test_sweep_refuses_same_as_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("s.toml").write_text(STUDY)
    pathlib.Path("wrong.toml").write_text(STUDY.replace("GFB", "GBF"))
    pathlib.Path("file").write_text("")
    flyball.sweep("s.toml", out="out")
    pathlib.Path("other.toml").write_text(STUDY.replace("sets = 20", "sets = 10"))
    for study, out in [("wrong.toml", "out"), ("missing.toml", "out"), ("s.toml", "file"), ("other.toml", "out")]:
        with pytest.raises(flyball.InputError) as caught:
            flyball.sweep(study, out=out)
        assert str(caught.value) == refusal("sweep", study, "--out", out)
    for folder in ("nothing", "file"):
        with pytest.raises(flyball.InputError) as caught:
            flyball.plot(folder)
        assert str(caught.value) == refusal("plot", folder)


def test_reproduce_same_as_command(tmp_path):
    done = flyball.reproduce("miosix", only="set-point", out=tmp_path / "ours")
    printed = command("reproduce", "miosix", "--only", "set-point", "--out", tmp_path / "its", "--json", "--quiet")
    assert done.json().encode() == printed
    assert files(tmp_path / "ours") == files(tmp_path / "its")
    text = command("reproduce", "miosix", "--only", "set-point", "--no-report", "--quiet")
    assert str(done).encode() == text
    claims = json.loads(printed)["experiments"][0]["claims"]
    assert done.claims["ours"] == [it["ours"] for it in claims] and done.holds == sum(it["verdict"] == "holds" for it in claims)
    known = json.loads(command("reproduce", "--json"))["works"]
    assert flyball.reproductions()["experiment"] == [name for work in known for name in work["experiments"]]
    for name, only, options in [("mioxis", None, []), ("miosix", "sharks", ["--only", "sharks"])]:
        with pytest.raises(flyball.InputError) as caught:
            flyball.reproduce(name, only=only)
        assert str(caught.value) == refusal("reproduce", name, *options)


@pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="there is no emulator")
def test_compare_same_as_command():
    example = EXAMPLES[[it.stem for it in EXAMPLES].index("gap")]
    tasks = flyball.TaskSet.load(example)
    options = ["compare", example, "--policy", "edf,rm", "--until", LENGTH, "--quiet"]
    done = subprocess.run([sys.executable, "-m", "flyball", *map(str, options), "--json"], capture_output=True, timeout=600)
    if done.returncode == 2:
        with pytest.raises(flyball.InputError) as caught:
            flyball.compare(tasks, ["edf", "rm"], until=LENGTH)
        assert str(caught.value) == done.stderr.decode().removeprefix("error: ").strip()
        return
    compared = flyball.compare(tasks, ["edf", "rm"], until=LENGTH)
    assert compared.json().encode() == done.stdout
    assert str(compared).encode() == command(*options)
    assert compared.policies["policy"] == ["rm", "edf"] and compared.agrees == (done.returncode == 0)
    assert set(compared.tasks["task"]) == set(tasks.task_names)
    with pytest.raises(flyball.InputError) as caught:
        flyball.compare(tasks, "no-such-policy")
    assert str(caught.value) == refusal("compare", example, "--policy", "no-such-policy")
