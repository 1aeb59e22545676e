"""What a worker does: one shard, in a folder of its own on its own disk, by the `flyball` command.

What a shard is made of, a kind of task knows: units of a study are below, and those of a corpus in `corpus`.

If the environment variable `FLYBALL_CLUSTER_LOG` names a file, lines are appended to it: of shards that begin, and how many
units the command says that it has computed.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

from flyball import _flyball

#: The environment variable that names a file of what is done.
LOG = "FLYBALL_CLUSTER_LOG"


@dataclass(frozen=True)
class Identity:
    """Which Flyball it is: files of results are the same bytes only if the code is the same."""

    version: str
    checksum: str

    @staticmethod
    @functools.cache
    def own() -> Identity:
        """That of this process."""
        module = pathlib.Path(str(_flyball.__file__)).read_bytes()
        return Identity(_flyball.__version__, hashlib.sha256(module).hexdigest()[:16])

    def __str__(self) -> str:
        return f"version {self.version}, checksum {self.checksum}"


#: The exit code of the command where simulations contradict tests: nothing has failed, and the driver's own command says so.
CONTRADICTION = 3


@dataclass(frozen=True)
class Task:
    """A shard, and what a worker needs for it."""

    #: As the command has it, such as `3/40`.
    shard: str
    #: What is to be computed, by the names of units.
    units: list[str]
    identity: Identity

    def compute(self, folder: pathlib.Path) -> Computed:
        """Computes it in an empty folder."""
        raise NotImplementedError


@dataclass(frozen=True)
class SweepTask(Task):
    """A shard of a study."""

    #: The study's own files, by name.
    study: dict[str, bytes]
    #: Files of units that are finished, and are not computed again, by their paths.
    finished: dict[str, bytes]

    def compute(self, folder: pathlib.Path) -> Computed:
        study, out = folder / "study", folder / "results"
        for base, given in (study, self.study), (out, self.finished):
            for name, content in given.items():
                (base / name).parent.mkdir(parents=True, exist_ok=True)
                (base / name).write_bytes(content)
        arguments = ["sweep", "study.toml", "--out", str(out), "--shard", self.shard, "--threads", "1", "--json", "--quiet", "--color", "never"]
        done = command(study, arguments)
        paths = {path.relative_to(out).as_posix(): path for path in out.glob("*/[!.]*.parquet")}
        files = {name: path.read_bytes() for name, path in paths.items() if name not in self.finished}
        code = 0 if done.returncode == CONTRADICTION else done.returncode
        return Computed(code, done.stderr, files, json.loads(done.stdout)["units"]["finished_now"] if code == 0 else 0)


@dataclass(frozen=True)
class Computed:
    """What the command has made of a task."""

    code: int
    said: bytes
    #: Files of units, by their paths.
    files: dict[str, bytes]
    #: How many units it has computed, as it says.
    units: int


@dataclass(frozen=True)
class Result:
    """What came of it. Files of units are there even if it failed later."""

    host: str
    #: The worker's own name in the cluster, by which it is closed.
    worker: str
    seconds: float = 0.0
    #: By their paths: bytes and their SHA-256.
    files: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)
    #: Why it failed.
    error: str | None = None
    #: Whether this is no worker for this study at all.
    refused: bool = False
    #: Whether the command was killed, which is no fault of the worker's.
    killed: bool = False


def log(line: str) -> None:
    """Appends a line to the file of what is done, if there is to be one."""
    if path := os.environ.get(LOG):
        with open(path, "a") as file:
            file.write(line + "\n")


def run(task: Task) -> Result:
    """Computes a shard. Called in a worker."""
    worker, scratch = _place()
    host = socket.gethostname()
    if Identity.own() != task.identity:
        error = f"it has Flyball of {Identity.own()}, and this is {task.identity}"
        return Result(host, worker, error=error, refused=True)
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="flyball-", dir=scratch) as folder:
            log(f"begin {task.shard} {' '.join(task.units)}")
            done = task.compute(pathlib.Path(folder))
    except OSError as error:
        done = Computed(2, str(error).encode(), {}, 0)
    failure = None
    if done.code == 0:
        log(f"computed {task.shard} {done.units}")
    else:
        said = done.said.decode(errors="replace").strip().removeprefix("error: ")
        failure = said.partition("\n")[0] or f"the command ended with {done.code}"
    files = {name: (content, hashlib.sha256(content).digest()) for name, content in done.files.items()}
    return Result(host, worker, time.monotonic() - began, files, failure, killed=done.code < 0)


def _place() -> tuple[str, str | None]:
    """The worker's name, and a folder on its disk; Dask removes what is in there of workers that are gone."""
    try:
        from distributed import get_worker

        worker = get_worker()
    except (ImportError, ValueError):
        return "", None
    return str(worker.address), str(worker.local_directory)


def command(folder: pathlib.Path, arguments: list[str]) -> subprocess.CompletedProcess[bytes]:
    """Runs the command in a folder, with one thread. It ends with this process."""
    child = [sys.executable, "-m", "flyball.cluster.shard", str(os.getpid()), *arguments]
    environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
    # Dask sets it for workers. With it glibc gives memory back to the system each time, and a sweep that simulates took three times as long.
    environment.pop("MALLOC_TRIM_THRESHOLD_", None)
    return subprocess.run(child, cwd=folder, env=environment, capture_output=True, stdin=subprocess.DEVNULL)


def _end_with(parent: int) -> None:
    """This process ends as soon as its parent does, however that ends, as no process would take what it finds. On Linux only."""
    if sys.platform == "linux":
        import ctypes

        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit(1)


if __name__ == "__main__":
    _end_with(int(sys.argv[1]))
    sys.exit(_flyball.command(["flyball", *sys.argv[2:]]))
