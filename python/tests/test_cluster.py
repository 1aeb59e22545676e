"""A study on a cluster gives the files of a plain sweep, whatever is killed meanwhile, and computes nothing twice that was kept.

Workers are processes of this machine, also those of Slurm: stub_slurm has commands that stand for Slurm's.
"""

import collections
import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("distributed", reason="needs the extra flyball[cluster]")
pytest.importorskip("dask_jobqueue", reason="needs the extra flyball[cluster]")
psutil = pytest.importorskip("psutil")

import flyball  # noqa: E402
from flyball.cluster import shard  # noqa: E402

STUB = pathlib.Path(__file__).parent / "stub_slurm"
STUDY = """\
schema = 1
name = "for a cluster"
seed = 3
cpus = 8
caps = {{ from = 4.0, to = 8.0, step = 0.25 }}
sets = {sets}
batch = {batch}
tests = ["GFB", "RTA", "BAR", "P-EDF", "RTALC"]
[[scenario]]
periods = ["short"]
utilisations = ["uniform-light", "uniform-medium"]
slack = 0.07
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study of 102 units, and the folder of a plain sweep of it."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "study.toml").write_text(STUDY.format(sets=90, batch=30))
    assert command("sweep", folder / "study.toml", "--out", folder / "results", "--quiet").returncode == 0
    return folder


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """Slurm's commands, and a folder of its jobs."""
    (tmp_path / "jobs").mkdir()
    monkeypatch.setenv("STUB_SLURM", str(tmp_path / "jobs"))
    monkeypatch.setenv("PATH", f"{STUB}:{os.environ['PATH']}")
    yield tmp_path / "jobs"
    with contextlib.suppress(ProcessLookupError):
        for group in (tmp_path / "jobs").glob("*/group"):
            os.killpg(int(group.read_text()), signal.SIGKILL)


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.setenv("FLYBALL_CLUSTER_LOG", str(tmp_path / "log"))
    return tmp_path / "log"


def command(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "flyball", *map(str, arguments)], capture_output=True, text=True, timeout=600, **options)


def cluster(study, out, *arguments):
    return command("cluster", study / "study.toml", "--out", out, *arguments)


def begin(study, out, *arguments):
    """A driver in the background."""
    return begin_with(study / "study.toml", "--out", out, *arguments)


def begin_with(*arguments):
    words = [sys.executable, "-m", "flyball", "cluster", *map(str, arguments)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def content(folder):
    """All files of a folder of results, and their bytes."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def finished(out):
    return len(list(out.glob("*/*.parquet")))


def wait(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def descendants(process):
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(process.pid).children(recursive=True)
    return []


def is_worker(process):
    """A worker or a shard; neither the driver nor what starts workers and looks after them."""
    with contextlib.suppress(psutil.Error):
        words = process.cmdline()
        return "flyball.cluster.shard" in words or any("spawn_main" in it for it in words)
    return False


def nothing_twice(log):
    """No unit is begun after it was kept, and the command computes what it is meant to and no more. Returns how many were begun in vain."""
    kept, begun, meant = set(), collections.Counter(), {}
    for line in log.read_text().splitlines():
        what, first, *rest = line.split()
        if what == "begin":
            assert not kept.intersection(rest), f"computed again: {line}"
            begun.update(rest)
            meant[first] = len(rest)
        elif what == "computed":
            assert meant[first] == int(rest[0])
        else:
            assert what == "stored" and first not in kept
            kept.add(first)
    return sum(begun.values()) - len(kept)


def test_units_are_those_of_the_command(study):
    from flyball.cluster.plan import units

    results = study / "results"
    files = {it.relative_to(results).as_posix()[: -len(".0123456789abcdef.parquet")] for it in results.glob("*/*.parquet")}
    named = units((results / "study.toml").read_text())
    assert len(named) == 102 and set(named) == files


@pytest.mark.parametrize("seed", range(40))
def test_a_plan_gives_each_unit_once_in_shards_that_last_long_enough(seed):
    """Against a model of workers, with units of a millisecond or of minutes."""
    from flyball.cluster.plan import LONGEST, SHORTEST, Plan

    chance = random.Random(seed)
    total, workers = chance.randint(1, 5000), chance.randint(1, 40)
    typical = 10 ** chance.uniform(-3, 2.5)
    cost = [typical * chance.uniform(0.3, 2) for _ in range(total)]
    before = set(chance.sample(range(total), chance.choice([0, total // 2, total - 1])))
    plan, now, running, computed, lasting = Plan(total, before, workers), 0.0, [], [], []
    while plan.missing:
        while len(running) < workers and (shard := plan.next()):
            units = plan.under_way[shard]
            assert units == plan.missing.intersection(shard.places(total))
            # With a start of the command.
            running.append((now + 0.1 + sum(cost[it] for it in units), now, shard, sorted(units), plan.probing))
        assert running, "nothing is under way, and something is missing"
        running.sort(key=lambda it: it[0])
        now, began, shard, units, probing = running.pop(0)
        if chance.random() < 0.1:
            # The worker was killed, or its disk was full: some are finished.
            units = units[: len(units) // 2]
        computed += units
        plan.returned(shard, units, now - began)
        if not probing:
            lasting.append((now - began, plan.size))
    assert sorted(computed) == sorted(set(range(total)) - before)
    # What could be chosen was: there were enough units for shards of that length, and no unit lasts too long itself.
    if typical < SHORTEST / 2 and (total - len(before)) * typical > 20 * workers * LONGEST:
        long_enough = [it for it, _ in lasting if it > SHORTEST / 2]
        assert len(long_enough) > 0.6 * len(lasting)
        assert max(it for it, _ in lasting) < 2 * LONGEST


def test_the_same_as_a_plain_sweep(study, tmp_path, log):
    done = cluster(study, tmp_path / "results", "--local", 4)
    assert done.returncode == 0, done.stderr
    assert "102 of 102 units are finished" in done.stdout
    assert content(tmp_path / "results") == content(study / "results")
    assert nothing_twice(log) == 0
    before = log.read_text()
    again = cluster(study, tmp_path / "results", "--local", 4, "--json", "--quiet")
    assert again.returncode == 0 and '"finished_before": 102' in again.stdout
    assert log.read_text() == before


def test_workers_and_drivers_are_killed(study, tmp_path, log):
    """The driver has the scheduler."""
    chance, out = random.Random(1), tmp_path / "results"
    for drivers in range(1, 100):
        driver = begin(study, out, "--local", 4)
        already = finished(out) if out.exists() else 0
        lives_until = already + chance.randint(15, 40)
        killed = 0
        while driver.poll() is None and not (finished(out) >= lives_until and drivers < 4):
            time.sleep(chance.uniform(0.1, 0.6))
            victims = [it for it in descendants(driver) if is_worker(it)]
            # Some work has to be finished in between.
            if victims and killed < 6 and finished(out) > already:
                with contextlib.suppress(psutil.NoSuchProcess):
                    chance.choice(victims).send_signal(signal.SIGKILL)
                    killed += 1
        left = descendants(driver)
        driver.kill()
        _, said = driver.communicate()
        assert driver.returncode in (0, -signal.SIGKILL), said
        # Nothing goes on without it.
        wait(lambda: not any(it.is_running() and it.status() != psutil.STATUS_ZOMBIE for it in left))
        nothing_twice(log)
        if driver.returncode == 0:
            break
    assert drivers > 2
    assert content(out) == content(study / "results")


def test_jobs_of_slurm_and_drivers_are_killed(study, tmp_path, log, slurm):
    chance, out = random.Random(2), tmp_path / "results"
    arguments = ["--slurm", "--jobs", 2, "--cpus", 2, "--time", 30, "--partition", "long"]
    for drivers in range(1, 100):
        driver = begin(study, out, *arguments)
        already = finished(out) if out.exists() else 0
        wait(lambda: finished(out) > already or driver.poll() is not None)
        # One job of the two ends, as if its time were over.
        jobs = subprocess.run(["squeue"], capture_output=True, text=True).stdout.split()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(int((slurm / chance.choice(jobs) / "group").read_text()), signal.SIGKILL)
        while driver.poll() is None and not (finished(out) >= already + 30 and drivers < 3):
            time.sleep(0.2)
        driver.kill()
        _, said = driver.communicate()
        assert driver.returncode in (0, -signal.SIGKILL), said
        nothing_twice(log)
        if driver.returncode == 0:
            break
    assert drivers > 1
    assert content(out) == content(study / "results")
    script = next(slurm.glob("*/script")).read_text()
    assert "#SBATCH -p long" in script and "#SBATCH -t 00:30:00" in script and "--cpus-per-task=2" in script
    # Jobs of drivers that were killed end by themselves.
    wait(lambda: not subprocess.run(["squeue"], capture_output=True, text=True).stdout.split())


def test_another_job_takes_the_place_of_one_that_has_ended(monkeypatch):
    from flyball.cluster import engine

    class Jobs:
        def __init__(self):
            self.begun, self.worker_spec = 0, {}
            self.scale(jobs=2)

        def scale(self, jobs):
            while len(self.worker_spec) < jobs:
                self.worker_spec[f"job-{self.begun}"] = {}
                self.begun += 1

    now = [0.0]
    monkeypatch.setattr(engine.time, "monotonic", lambda: now[0])
    slurm = engine.Slurm.__new__(engine.Slurm)
    slurm.jobs, slurm.workers, slurm.cluster = 2, 4, Jobs()
    slurm._seen, slurm._lost = set(), {}

    def look(at, *workers):
        now[0] = at
        slurm.replace(set(workers))
        return sorted(slurm.cluster.worker_spec)

    # One waits in the queue for an hour, and is not given up; of the other one a worker ends.
    assert look(0, "job-0-0", "job-0-1") == ["job-0", "job-1"]
    assert look(3600, "job-0-1") == ["job-0", "job-1"]
    # It ends, but for a moment; then for good.
    assert look(3601) == look(3609) == look(3610, "job-0-0") == ["job-0", "job-1"]
    assert look(3611) == look(3620) == ["job-0", "job-1"]
    assert look(3622, "job-1-0", "job-1-1") == ["job-1", "job-2"]


def test_ctrl_c_leaves_whole_units(study, tmp_path):
    out = tmp_path / "results"
    driver = begin(study, out, "--local", 4)
    wait(lambda: out.exists() and finished(out) > 10)
    everything = descendants(driver)
    # As a terminal does it: workers and their shards get it, too.
    os.killpg(driver.pid, signal.SIGINT)
    _, said = driver.communicate(timeout=60)
    assert driver.returncode == 130
    assert re.fullmatch(r"interrupted; \d+ of 102 units are finished, and the same command goes on\n", said), said
    wait(lambda: not any(it.is_running() for it in everything), 10)
    plain = content(study / "results")
    left = content(out)
    assert left.items() <= plain.items() and len(left) > 10


def test_one_driver_at_a_time(study, tmp_path):
    out = tmp_path / "results"
    driver = begin(study, out, "--local", 2)
    wait(lambda: out.exists() and finished(out) > 0)
    refused = cluster(study, out, "--local", 2)
    assert refused.returncode == 2 and f"another sweep is writing to {out}" in refused.stderr
    swept = command("sweep", study / "study.toml", "--out", out)
    assert swept.returncode == 2 and "another sweep is writing" in swept.stderr
    driver.send_signal(signal.SIGTERM)
    driver.communicate(timeout=60)
    assert driver.returncode == 130


def test_folders_and_studies_that_are_refused(study, tmp_path):
    other = tmp_path / "study.toml"
    other.write_text(STUDY.format(sets=10, batch=10).replace("seed = 3", "seed = 4"))
    before = content(study / "results")
    refused = cluster(tmp_path, study / "results", "--local", 2)
    assert refused.returncode == 2 and "has the results of another study" in refused.stderr
    assert content(study / "results") == before
    other.write_text("schema = 1\nname = 3\n")
    refused, swept = (command(it, other, "--out", tmp_path / "results", *more) for it, more in (("cluster", ["--local", 2]), ("sweep", ["--json", "--quiet"])))
    assert refused.returncode == 2 and refused.stderr == swept.stderr
    assert not (tmp_path / "results").exists()


def test_a_damaged_file_is_computed_again(study, tmp_path, log):
    out = tmp_path / "results"
    shutil.copytree(study / "results", out)
    files = sorted(out.glob("*/*.parquet"))
    files[3].write_bytes(files[3].read_bytes()[:-1])
    files[7].write_bytes(b"")
    files[9].unlink()
    done = cluster(study, out, "--local", 2)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("is damaged") == 2
    assert content(out) == content(study / "results")
    assert sum(line.startswith("stored") for line in log.read_text().splitlines()) == 3


def test_another_flyball_is_refused(study, tmp_path, slurm):
    """The workers' native module has a byte more."""
    package = pathlib.Path(flyball.__file__).parent
    shutil.copytree(package, tmp_path / "other" / "flyball")
    (module,) = (tmp_path / "other" / "flyball").glob("_flyball*.so")
    with module.open("ab") as file:
        file.write(b"\0")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path}/other exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    done = cluster(study, tmp_path / "results", "--slurm", "--jobs", 2, "--python", python)
    assert done.returncode == 2
    assert "no worker is left" in done.stderr and "install the same Flyball" in done.stderr
    assert f"it has Flyball of version {flyball.__version__}, checksum" in done.stderr
    assert finished(tmp_path / "results") == 0


def test_a_full_disk_of_a_worker(study, tmp_path, slurm):
    """A limit for the size of files stands for it, in the second job only: the first one computes everything."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/bash\n[ $SLURM_JOB_ID = 1002 ] && ulimit -f 1\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    done = cluster(study, tmp_path / "results", "--slurm", "--jobs", 2, "--python", python)
    assert done.returncode == 0, done.stderr
    assert re.search(r"note: worker .*(too large|space).*it is not used any more", done.stderr, re.IGNORECASE), done.stderr
    assert content(tmp_path / "results") == content(study / "results")


def test_a_folder_that_cannot_be_written_to(study, tmp_path):
    (tmp_path / "results").write_text("")
    done = cluster(study, tmp_path / "results", "--local", 1)
    assert done.returncode == 2 and "is a file, not a folder" in done.stderr


def test_no_slurm(study, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    done = cluster(study, tmp_path / "results", "--slurm")
    assert done.returncode == 2 and "there is no `sbatch` on the PATH" in done.stderr


def test_without_dask(study, tmp_path):
    code = "import sys; sys.modules['distributed'] = None; from flyball import cluster; sys.exit(cluster.main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, study / "study.toml", "--out", tmp_path / "results", "--local", "1"], capture_output=True, text=True)
    assert done.returncode == 2 and "pip install distributed" in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    "arguments, said",
    [
        ([], "--local"),
        (["--local", "0"], "expected a whole number from 1"),
        (["--local", "two"], "found 'two'"),
        (["--slurm", "--memory", "much"], "expected a size such as 2GB"),
        (["--local", "2", "--slurm"], "not allowed with"),
        (["--local", "2", "--sharts", "3"], "--sharts"),
    ],
)
def test_mistakes(study, tmp_path, arguments, said):
    done = cluster(study, tmp_path / "results", *arguments)
    assert done.returncode == 2 and done.stderr.startswith("error: ") and said in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("number", ["SLURM_ARRAY_TASK_ID", "HQ_TASK_ID"])
def test_a_job_file(study, tmp_path, number):
    (tmp_path / "bin").mkdir()
    flyball = tmp_path / "bin" / "flyball"
    flyball.write_text(f'#!/bin/sh\nexec {sys.executable} -m flyball "$@"\n')
    flyball.chmod(0o755)
    out, file = tmp_path / "with space", tmp_path / "job.sh"
    written = cluster(study, out, "--script", file, "--shards", 5, "--time", 90, "--account", "me")
    assert written.returncode == 0, written.stderr
    text = file.read_text()
    for line in ("#SBATCH --array=1-5", "#SBATCH --time=01:30:00", "#SBATCH --account=me", "#HQ --array=1-5"):
        assert line in text.splitlines()
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    for part in range(1, 6):
        subprocess.run(["bash", file], env={**environment, number: str(part)}, check=True, capture_output=True)
    assert subprocess.run(["bash", file], env=environment, capture_output=True).returncode != 0
    for part in (out / "parts").iterdir():
        shutil.copytree(part, tmp_path / "joined", dirs_exist_ok=True)
    assert content(tmp_path / "joined") == content(study / "results")


def test_a_job_file_by_a_probe(study, tmp_path):
    written = cluster(study, tmp_path / "results", "--script", tmp_path / "job.sh")
    assert written.returncode == 0, written.stderr
    parts = int(re.search(r"--array=1-(\d+)", (tmp_path / "job.sh").read_text())[1])
    assert 1 <= parts <= 102


def test_a_shard_has_the_memory_that_a_plain_sweep_has(tmp_path, monkeypatch):
    # With it, which Dask sets for workers, glibc takes memory from the system and gives it back again and again.
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    seen = {}
    monkeypatch.setattr(shard.subprocess, "run", lambda *_, env, **__: seen.update(env))
    shard.command(tmp_path, ["sweep"])
    assert "MALLOC_TRIM_THRESHOLD_" not in seen and seen["RAYON_NUM_THREADS"] == "1"
