"""Verdicts on a corpus, as `flyball analyse --corpus` has them (docs/task-set-format.md), in a folder of pieces.

A unit is some sets that follow each other, and its file has the verdicts on them. They do not depend on other sets, so a worker
judges the sets of a shard as a corpus of their own, and at the end all verdicts are put together by the command.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import lzma
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from flyball.cluster.plan import Shard
from flyball.cluster.shard import Computed, Identity, Task, command
from flyball.cluster.store import ClusterError, CommandFailed, Store, write
from flyball.cluster.store import command as ask

#: A corpus has at most so many units: more would be many files, and fewer would last long.
UNITS = 2000

#: The file in the folder that says what its verdicts are about.
ABOUT = "corpus.json"

#: The name of a file of overheads where a worker is.
OVERHEADS = "overheads.toml"

Row = list[str]


@dataclass(frozen=True)
class CorpusTask(Task):
    """Sets of a corpus."""

    #: Their rows, of each unit.
    rows: list[list[Row]]
    #: The first row of the corpus.
    head: Row
    #: Options of the command, and the overheads that they are about.
    options: list[str]
    overheads: bytes | None
    #: What names of files have a checksum of, beside the verdicts.
    key: str

    def compute(self, folder: pathlib.Path) -> Computed:
        (folder / "sets.csv").write_bytes(text([self.head, *itertools.chain(*self.rows)]))
        if self.overheads is not None:
            (folder / OVERHEADS).write_bytes(self.overheads)
        done = command(folder, ["analyse", "--corpus", "sets.csv", "--out", "verdicts.csv", "--quiet", "--color", "never", *self.options])
        if done.returncode != 0:
            return Computed(done.returncode, done.stderr, {}, 0)
        verdicts = rows_of((folder / "verdicts.csv").read_bytes())[1:]
        sets = [len(list(_sets(rows))) for rows in self.rows]
        each, left = divmod(len(verdicts), sum(sets))
        if left:
            return Computed(2, b"sets have different numbers of verdicts", {}, 0)
        later = iter(verdicts)
        files = {}
        for unit, count in zip(self.units, sets, strict=True):
            content = text(itertools.islice(later, count * each))
            files[named(unit, self.key, content)] = content
        return Computed(0, done.stderr, files, len(files))


def rows_of(content: bytes) -> list[Row]:
    """The rows of a CSV file that the command takes. Raises `ClusterError`."""
    try:
        return [row for row in csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")) if row]
    except csv.Error as error:
        raise ClusterError(f"the corpus cannot be divided: {error}", "give the sets shorter and plainer names") from error


def text(rows: Iterable[Row]) -> bytes:
    """A CSV file of these rows."""
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue().encode()


def named(unit: str, key: str, content: bytes) -> str:
    """The name of a unit's file, with a checksum of all that it depends on."""
    checksum = hashlib.sha256(f"{key} {unit} ".encode() + content).hexdigest()[:16]
    return f"{unit}.{checksum}.csv"


def _sets(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows of each set, which are together."""
    for _, of_one in itertools.groupby(rows, key=lambda row: row[0]):
        yield list(of_one)


class Corpus(Store):
    """The verdicts on a corpus."""

    def __init__(self, corpus: pathlib.Path, out: str, folder: pathlib.Path, options: list[str], overheads: str | None, quiet: bool) -> None:
        super().__init__(folder)
        self._out, self._quiet = out, quiet
        self._overheads = None if overheads is None else pathlib.Path(overheads)
        self._path, self._options = corpus, options
        self._refuse()
        content = corpus.read_bytes()
        self._head, *rows = rows_of(lzma.decompress(content) if corpus.suffix.lower() == ".xz" else content)
        sets = list(_sets(rows))
        count = min(UNITS, len(sets))
        cuts = [len(sets) * place // count for place in range(count + 1)]
        self._rows = [list(itertools.chain(*sets[begin:end])) for begin, end in itertools.pairwise(cuts)]
        self._cost = None if self._overheads is None else self._overheads.read_bytes()
        about = {
            "corpus": hashlib.sha256(text([self._head, *rows])).hexdigest(),
            "options": options,
            "overheads": None if self._cost is None else hashlib.sha256(self._cost).hexdigest(),
            "flyball": str(Identity.own()),
        }
        self._key = json.dumps(about)
        folder.mkdir(parents=True, exist_ok=True)
        self._acquire("driver")
        self._claim()
        self._add([f"{place:04}" for place in range(count)], self._good(folder.glob("*.csv")))

    def _refuse(self) -> None:
        """The command says what is wrong with the corpus or the options."""
        done = ask("analyse", "--corpus", str(self._path), "--out", self._out, "--dry-run", "--quiet", "--color", "never", *self._all_options())
        if done.returncode != 0:
            raise CommandFailed(done.stderr, done.returncode)

    def _all_options(self, overheads: str | None = None) -> list[str]:
        """With the file of overheads, where the command finds it."""
        if self._overheads is None:
            return self._options
        return [*self._options, f"--overheads={overheads or self._overheads}"]

    def _claim(self) -> None:
        """The folder is for this corpus, with these options."""
        about = self.folder / ABOUT
        if not about.exists():
            write(about, self._key.encode())
        elif about.read_bytes() != self._key.encode():
            remedy = "choose another folder with --parts, or remove this one"
            raise ClusterError(f"{self.folder} has verdicts on another corpus, with other options, or of another Flyball", remedy)

    def _good(self, paths: Iterable[pathlib.Path]) -> Iterator[pathlib.Path]:
        """Those files that are what they were; others are removed."""
        for path in paths:
            unit = path.name.partition(".")[0]
            if path.name == named(unit, self._key, path.read_bytes()):
                yield path
            else:
                self.damaged.append(f"{path} is damaged: its checksum is another")
                path.unlink()

    def task(self, shard: Shard, missing: Iterable[int]) -> Task:
        missing = list(missing)
        units, rows = [self.units[place] for place in missing], [self._rows[place] for place in missing]
        return CorpusTask(str(shard), units, Identity.own(), rows, self._head, self._all_options(OVERHEADS), self._cost, self._key)

    def conclude(self) -> int:
        """The command puts verdicts together, and says what they are."""
        verdicts = b"set,test,verdict,cpu_us\n" + b"".join(self.read(range(len(self.units))).values())
        with tempfile.TemporaryDirectory(prefix="flyball-") as folder:
            known = pathlib.Path(folder) / "verdicts.csv"
            known.write_bytes(verdicts)
            words = ["analyse", "--corpus", str(self._path), "--out", self._out, "--known", str(known), *self._all_options()]
            quiet = ["--quiet"] if self._quiet else []
            return subprocess.run([sys.executable, "-m", "flyball", *words, *quiet]).returncode
