"""The folder that results go to. That of a study is by the rules of `flyball sweep` (docs/sweep.md), which checks whatever is in it."""

from __future__ import annotations

import abc
import fcntl
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING

from flyball.cluster.plan import Shard, units
from flyball.cluster.shard import CONTRADICTION, Identity, SweepTask, Task

if TYPE_CHECKING:
    from typing_extensions import Self

#: A part that has no units: a sweep of it makes the folder, or checks it, and computes nothing.
NOTHING = f"{2**32 - 1}/{2**32 - 1}"


class ClusterError(Exception):
    """Why it ends: a message, and what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


class CommandFailed(Exception):
    """The command has refused something, and has said so."""

    def __init__(self, said: str, code: int) -> None:
        super().__init__(said)
        self.said, self.code = said, code


class Store(abc.ABC):
    """A folder of files of units that only this process writes to, as long as it is open.

    A unit's file has the unit's name, a checksum, and an ending. Raises `CommandFailed` or `ClusterError`: the input is wrong, or the
    folder has something else, or another process has it.
    """

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        #: What was damaged and is computed again, a sentence each.
        self.damaged: list[str] = []
        #: All units, by place, and the finished ones: the path of each one's file.
        self.units: list[str] = []
        self.finished: dict[int, str] = {}
        self._places: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for temporary in self.folder.glob(".flyball-*"):
            temporary.unlink(missing_ok=True)
        self._lock.close()

    @abc.abstractmethod
    def task(self, shard: Shard, missing: Iterable[int]) -> Task:
        """What a worker is sent for a shard, of which these units are missing."""

    @abc.abstractmethod
    def conclude(self) -> int:
        """Prints what there is to say when all units are finished, and the folder is not locked any more. Returns the exit code."""

    def _acquire(self, what: str) -> None:
        """Has the folder for this process alone."""
        self._lock = open(self.folder / "lock", "a")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            remedy = "wait until it is done, or choose another folder"
            raise ClusterError(f"another {what} is writing to {self.folder}", remedy) from None

    def _add(self, units: list[str], paths: Iterable[pathlib.Path]) -> None:
        """These are the units, and those files are good."""
        self.units = units
        self._places = {unit: place for place, unit in enumerate(units)}
        for path in paths:
            file = path.relative_to(self.folder).as_posix()
            if (place := self.place(file)) is not None:
                self.finished[place] = file

    def place(self, file: str) -> int | None:
        """Of which unit a file is, by its path in the folder; `None`: of none."""
        return self._places.get(file.rpartition(".")[0].rpartition(".")[0])

    def read(self, places: Iterable[int]) -> dict[str, bytes]:
        """The files of those of the units that are finished."""
        files = [self.finished[place] for place in places if place in self.finished]
        return {file: (self.folder / file).read_bytes() for file in files}

    def put(self, file: str, content: bytes, checksum: bytes) -> int:
        """Keeps a unit's file, which is on the disk before it has its name. Returns the unit's place.

        Raises `ClusterError` if it is not what a worker has sent, and `OSError` if it cannot be written.
        """
        place = self.place(file)
        if place is None or hashlib.sha256(content).digest() != checksum:
            raise ClusterError(f"a worker has sent {file}, which is damaged or of something else", "try again: what is finished is kept")
        write(self.folder / file, content)
        self.finished[place] = file
        return place


class Sweep(Store):
    """The results of a study."""

    def __init__(self, study: pathlib.Path, folder: pathlib.Path, options: Iterable[str] = ()) -> None:
        super().__init__(folder)
        self._path, self._options = study, list(options)
        self._check()
        self._acquire("sweep")
        #: The study's own files, by name.
        self.study = {path.name: path.read_bytes() for path in folder.glob("*.toml")}
        self._add(units(self.study["study.toml"].decode()), folder.glob("*/*.parquet"))

    def _check(self) -> None:
        """Makes the folder; all files of units that stay in it are good."""
        while True:
            done = command("sweep", str(self._path), "--out", str(self.folder), "--shard", NOTHING, "--quiet", "--json", "--color", "never")
            if done.returncode in (0, CONTRADICTION):
                return
            path = next((it for it in self.folder.glob("*/*.parquet") if f"{it} is damaged: " in done.stderr), None)
            if path is None:
                raise CommandFailed(done.stderr, done.returncode)
            self.damaged.append(done.stderr.splitlines()[0].removeprefix("error: "))
            path.unlink()

    def task(self, shard: Shard, missing: Iterable[int]) -> Task:
        finished = self.read(shard.places(len(self.units)))
        return SweepTask(str(shard), [self.units[place] for place in missing], Identity.own(), self.study, finished)

    def conclude(self) -> int:
        """It looks at all files once more, and says what they say."""
        words = [sys.executable, "-m", "flyball", "sweep", str(self._path), "--out", str(self.folder), *self._options]
        return subprocess.run(words).returncode


def write(path: pathlib.Path, content: bytes) -> None:
    """Writes a file, which is on the disk before it has its name."""
    path.parent.mkdir(exist_ok=True)
    # Whatever has such a name is removed by the next one that opens the folder.
    handle, temporary = tempfile.mkstemp(prefix=".flyball-", dir=path.parent)
    try:
        with open(handle, "wb") as it:
            it.write(content)
            it.flush()
            os.fchmod(it.fileno(), 0o666 & ~mask())
            os.fsync(it.fileno())
        os.replace(temporary, path)
    except BaseException:
        pathlib.Path(temporary).unlink(missing_ok=True)
        raise
    _sync(path.parent)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What the command prints."""
    return subprocess.run([sys.executable, "-m", "flyball", *arguments], capture_output=True, text=True)


def mask() -> int:
    """What permissions new files do not have."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync(folder: pathlib.Path) -> None:
    """Brings new names to the disk. Some systems cannot do that for a folder; the file itself is safe in any case."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
