"""The folder that results go to, by the rules of `flyball sweep` (docs/sweep.md), which checks whatever is in it."""

from __future__ import annotations

import fcntl
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
from types import TracebackType

from flyball.cluster.plan import units

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


class Store:
    """A folder that only this process writes to, as long as it is open.

    Raises `CommandFailed` or `ClusterError`: the study is wrong, or the folder has another one's, or another process has it.
    """

    def __init__(self, study: pathlib.Path, folder: pathlib.Path) -> None:
        self.folder = folder
        #: What was damaged and is computed again, a sentence each.
        self.damaged: list[str] = []
        self._check(study)
        self._lock = open(folder / "lock", "a")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            remedy = "wait until it is done, or choose another folder with --out"
            raise ClusterError(f"another sweep is writing to {folder}", remedy) from None
        #: The study's own files, by name.
        self.study = {path.name: path.read_bytes() for path in folder.glob("*.toml")}
        #: All units, by place.
        self.units = units(self.study["study.toml"].decode())
        self._places = {unit: place for place, unit in enumerate(self.units)}
        #: The finished ones: the path of each one's file.
        self.finished: dict[int, str] = {}
        for path in folder.glob("*/*.parquet"):
            self._add(path.relative_to(folder).as_posix())

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for temporary in self.folder.glob(".flyball-*"):
            temporary.unlink(missing_ok=True)
        self._lock.close()

    def _check(self, study: pathlib.Path) -> None:
        """Makes the folder; all files of units that stay in it are good."""
        while True:
            done = command("sweep", str(study), "--out", str(self.folder), "--shard", NOTHING, "--quiet", "--json", "--color", "never")
            if done.returncode == 0:
                return
            path = next((it for it in self.folder.glob("*/*.parquet") if f"{it} is damaged: " in done.stderr), None)
            if path is None:
                raise CommandFailed(done.stderr, done.returncode)
            self.damaged.append(done.stderr.splitlines()[0].removeprefix("error: "))
            path.unlink()

    def place(self, file: str) -> int | None:
        """Of which unit a file is, by its path in a folder of results; `None`: of none."""
        return self._places.get(file.removesuffix(".parquet").rpartition(".")[0])

    def _add(self, file: str) -> int | None:
        place = self.place(file)
        if place is not None:
            self.finished[place] = file
        return place

    def read(self, places: range) -> dict[str, bytes]:
        """The files of those of the units that are finished."""
        files = [self.finished[place] for place in places if place in self.finished]
        return {file: (self.folder / file).read_bytes() for file in files}

    def put(self, file: str, content: bytes, checksum: bytes) -> int:
        """Keeps a unit's file, which is on the disk before it has its name. Returns the unit's place.

        Raises `ClusterError` if it is not what a worker has sent, and `OSError` if it cannot be written.
        """
        place = self.place(file)
        if place is None or hashlib.sha256(content).digest() != checksum:
            raise ClusterError(f"a worker has sent {file}, which is damaged or of another study", "try again: what is finished is kept")
        path = self.folder / file
        path.parent.mkdir(exist_ok=True)
        # Whatever has such a name is removed by the next sweep.
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
        self.finished[place] = file
        return place


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
