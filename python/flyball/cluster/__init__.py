"""`flyball cluster`: a sweep, or verdicts on a corpus, on many machines, or on many processes of one (docs/cluster.md).

The driver holds the folder of results, and hands shards to workers of Dask. A worker computes its shard by `flyball sweep --shard`
in a folder of its own, and hands back files of units, which the driver keeps by the rules of `flyball sweep`. So what is in the
folder is, byte for byte, what a plain sweep writes. The same is done with pieces of a corpus by `flyball analyse --corpus`.
"""

from __future__ import annotations

import argparse
import importlib.util
import pathlib
import re
import signal
import sys
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from flyball.cluster.store import Store

#: What is needed beside Flyball, by the names of their modules.
NEEDED = ("distributed", "dask_jobqueue", "cryptography")


#: Options of `flyball analyse --corpus` that are handed on, and what they take.
PASSED = {"tests": "NAMES", "steps": "N", "overheads": "FILE", "charge": "WHICH", "working-set": "SIZE", "accounting": "HOW"}


class _Parser(argparse.ArgumentParser):
    """Mistakes look like those of the command."""

    def error(self, message: str) -> NoReturn:
        _say(message, f"`{self.prog} --help` tells what there is")
        sys.exit(2)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="flyball cluster",
        description="Makes a study as `flyball sweep` does, or judges a corpus as `flyball analyse --corpus`, on a cluster. What is finished is "
        "kept, and the same command goes on after an interruption. docs/cluster.md tells how.",
        allow_abbrev=False,
    )
    parser.add_argument("study", metavar="STUDY", type=pathlib.Path, nargs="?", help="the study (.toml)")
    parser.add_argument("-o", "--out", metavar="PATH", help="the folder for results of a study [flyball-sweep]; the file for verdicts on a corpus")
    corpus = parser.add_argument_group("a corpus instead of a study")
    corpus.add_argument("--corpus", metavar="FILE", type=pathlib.Path, help="many task sets (.csv or .csv.xz), as of `flyball analyse --corpus`")
    corpus.add_argument("--parts", metavar="DIRECTORY", type=pathlib.Path, help="where finished pieces are kept [as --out, with .parts behind it]")
    for name, what in PASSED.items():
        corpus.add_argument(f"--{name}", metavar=what, help="as of `flyball analyse`")
    corpus.add_argument("--union", action="store_true", help="as of `flyball analyse`")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--local", metavar="N", type=_positive, help="on N processes of this machine")
    where.add_argument("--slurm", action="store_true", help="on jobs that are submitted to Slurm")
    where.add_argument("--script", metavar="FILE", type=pathlib.Path, help="only write a job file for Slurm (sbatch) and HyperQueue (hq submit), which needs no Python")
    jobs = parser.add_argument_group("jobs of Slurm")
    jobs.add_argument("--jobs", metavar="N", type=_positive, default=4, help="how many [4]")
    jobs.add_argument("--cpus", metavar="N", type=_positive, default=1, help="CPUs of each, with a worker for each [1]")
    jobs.add_argument("--memory", metavar="SIZE", type=_size, default="2GB", help="of each job [2GB]")
    jobs.add_argument("--time", metavar="MINUTES", type=_positive, default=60, help="how long a job may take; another takes its place [60]")
    jobs.add_argument("--partition", metavar="NAME", help="which partition")
    jobs.add_argument("--account", metavar="NAME", help="the account that pays")
    jobs.add_argument("--directive", metavar="TEXT", action="append", help="another option of sbatch (--directive=--qos=long); more than once")
    jobs.add_argument("--interface", metavar="NAME", help="network between driver and workers, such as ib0")
    jobs.add_argument("--python", metavar="PATH", default=sys.executable, help="the interpreter on the machines of the cluster")
    jobs.add_argument("--logs", metavar="DIRECTORY", help="where output of jobs goes")
    parser.add_argument("--scratch", metavar="DIRECTORY", help="a folder on each worker's own disk")
    parser.add_argument("--shards", metavar="N", type=_positive, help="with --script: how many, instead of as a probe on this machine finds")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("-q", "--quiet", action="store_true", help="print results and errors, but no progress and no notes")
    return parser


def _check(parser: argparse.ArgumentParser, parsed: argparse.Namespace) -> None:
    """What goes together."""
    of_corpus = [name for name in ("parts", *PASSED, "union") if getattr(parsed, name.replace("-", "_"))]
    if (parsed.study is None) == (parsed.corpus is None):
        parser.error("expected either a study or --corpus FILE")
    if parsed.corpus is None:
        if of_corpus:
            parser.error(f"--{of_corpus[0]} is about a corpus: expected --corpus FILE")
        parsed.out = pathlib.Path(parsed.out or "flyball-sweep")
    elif parsed.out is None:
        parser.error("--corpus needs --out FILE")
    elif parsed.script or parsed.json:
        parser.error(f"--{'script' if parsed.script else 'json'} is about a study, and not about a corpus")


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= 100_000:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to 100000, found {text!r}")
    return number


def _size(text: str) -> str:
    found = re.fullmatch(r"([1-9][0-9]*) ?([KMGT])i?B?", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"expected a size such as 2GB, found {text!r}")
    return f"{found[1]}{found[2]}B"


def main(arguments: list[str]) -> int:
    """The command, without its first two words. Returns the exit code: 0, 2 for bad input, 130 if it was interrupted."""
    parser = _parser()
    parsed = parser.parse_args(arguments)
    _check(parser, parsed)
    needed = ["tomllib" if sys.version_info >= (3, 11) else "tomli", *(() if parsed.script else NEEDED)]
    if lacking := [name for name in needed if importlib.util.find_spec(name) is None]:
        packages = " ".join(name.replace("_", "-") for name in lacking)
        _say(f"`flyball cluster` needs Python packages that are not installed: {packages}", f"pip install {packages}; the extra flyball[cluster] has them")
        return 2
    from flyball.cluster.store import ClusterError, CommandFailed

    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return _script(parsed) if parsed.script else _run(parsed)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        return 130
    except CommandFailed as refused:
        print(refused.said, end="", file=sys.stderr)
        return refused.code
    except ClusterError as error:
        _say(str(error), error.remedy)
    except OSError as error:
        _say(str(error), "make room, or choose another folder; what is finished is kept, and the same command goes on")
    return 2


def _run(parsed: argparse.Namespace) -> int:
    from distributed import Client

    from flyball.cluster.drive import Driver, Progress
    from flyball.cluster.engine import begin

    progress = Progress(parsed.quiet)
    with _open(parsed) as store:
        for damaged in store.damaged:
            progress.note(f"{damaged}; it is computed again")
        try:
            if len(store.finished) < len(store.units):
                engine = begin(parsed, store.folder)
                connect: Any = Client
                with engine.cluster, connect(engine.cluster) as client:
                    Driver(store, engine, client, progress).drive()
        except KeyboardInterrupt:
            progress.clear()
            kept = f"{len(store.finished)} of {len(store.units)} units are finished, and the same command goes on"
            print(f"interrupted; {kept}", file=sys.stderr)
            return 130
        finally:
            progress.clear()
    return store.conclude()


def _open(parsed: argparse.Namespace) -> Store:
    """The folder of what is finished."""
    from flyball.cluster.corpus import Corpus
    from flyball.cluster.store import Sweep

    if parsed.corpus is None:
        options = [option for option, wanted in (("--json", parsed.json), ("--quiet", parsed.quiet)) if wanted]
        return Sweep(parsed.study, parsed.out, options)
    given = [(name, getattr(parsed, name.replace("-", "_"))) for name in PASSED if name != "overheads"]
    options = [f"--{name}={value}" for name, value in given if value is not None] + (["--union"] if parsed.union else [])
    parts = parsed.parts or pathlib.Path(f"{'verdicts' if parsed.out == '-' else parsed.out}.parts")
    return Corpus(parsed.corpus, parsed.out, parts, options, parsed.overheads, parsed.quiet)


def _script(parsed: argparse.Namespace) -> int:
    from flyball.cluster.script import write

    print(write(parsed))
    return 0


def _interrupt(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _say(message: str, remedy: str) -> None:
    print(f"error: {message}\n   = help: {remedy}", file=sys.stderr)
