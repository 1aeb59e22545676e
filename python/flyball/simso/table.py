"""Compares schedulers of SimSo on Flyball's simulator with SimSo itself, module by module."""

from __future__ import annotations

import json
import subprocess
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flyball._flyball import InputError
from flyball.simso import peer, stand_ins, systems
from flyball.simso.findings import FINDINGS, KEPT, OVERLAP

#: Modules of SimSo's that others need, and that have no scheduler.
PARTS = {"RUNServer": "part of RUN, no scheduler"}


@dataclass
class Row:
    """What was found of a module."""

    module: str
    sets: int = 0
    same: int = 0
    #: Both failed, in the same way.
    failed: int = 0
    differ: list[int] = field(default_factory=list)
    #: Of these: SimSo's schedule is impossible, since two jobs are on one processor at a time.
    impossible: int = 0
    #: How systems failed here, and how often.
    errors: Counter[str] = field(default_factory=Counter)

    @property
    def runs(self) -> bool:
        """Whether it has simulated a system to its end."""
        return self.sets > self.errors.total()

    def remark(self) -> str:
        if self.module in PARTS:
            return PARTS[self.module]
        if self.differ:
            known = OVERLAP if self.impossible == len(self.differ) else FINDINGS.get(self.module)
            return f"{known.who}: {known.rule}" if known else f"not known; first in set {self.differ[0]}"
        if self.failed:
            kept = KEPT.get(self.module)
            often = ", ".join(f"{error} {count} times" for error, count in self.errors.most_common(2))
            return f"{kept.who}, and here as there: {kept.rule}" if kept else f"here as in SimSo: {often}"
        kept = KEPT.get(self.module)
        return f"{kept.who}, and here as there: {kept.rule}" if kept else ""


class Peer:
    """SimSo in its own Python, as a process."""

    def __init__(self, python: str) -> None:
        found = self._ask(python)
        self.version: str = found["version"]
        self.folder = Path(found["folder"]) / "schedulers"
        self._process = subprocess.Popen(
            [python, "-I", str(Path(peer.__file__))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    @staticmethod
    def _ask(python: str) -> dict[str, str]:
        code = (
            "import json, simso, importlib.metadata as m; import simso.core; "
            "print(json.dumps({'folder': simso.__path__[0], 'version': m.version('simso')}))"
        )
        try:
            done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as error:
            told = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
            raise InputError(f"--python: {python}: expected a Python with SimSo 0.8.5 (3.11 at most): {told[-1] if told else error}") from None
        answer: dict[str, str] = json.loads(done.stdout)
        return answer

    def modules(self) -> list[str]:
        return sorted(path.stem for path in self.folder.glob("*.py") if path.stem != "__init__")

    def ask(self, system: dict[str, Any]) -> None:
        """Sends a system; `answer` waits for what comes of it."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(system) + "\n")
        self._process.stdin.flush()

    def answer(self, system: dict[str, Any]) -> systems.Outcome:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("SimSo's process has ended")
        return systems.of_peer(json.loads(line), system)

    def close(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process.wait()

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def compare(simso: Peer, module: str, sets: Iterable[int]) -> Row:
    """One module on the systems of these numbers."""
    row = Row(module)
    if module in PARTS:
        return row
    for number in sets:
        system = systems.make(module, number)
        simso.ask(system)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mine = systems.simulated(system)
        its = simso.answer(system)
        row.sets += 1
        if mine.error is not None:
            row.errors[mine.error] += 1
        if not mine.same_as(its):
            row.differ.append(number)
            row.impossible += its.overlaps()
        elif mine.error is None:
            row.same += 1
        else:
            row.failed += 1
    return row


def table(python: str, sets: int, say: Callable[[str], object] = print) -> list[Row]:
    """All modules, with what is said of each."""
    with Peer(python) as simso:
        stand_ins.use_folder(simso.folder)
        modules = simso.modules()
        say(f"SimSo {simso.version}: {len(modules)} modules, {sets} systems each\n")
        say(f"{'module':<16}{'runs':<6}{'same':>6}{'both fail':>11}{'differ':>8}  who is wrong")
        rows = []
        for module in modules:
            row = compare(simso, module, range(sets))
            rows.append(row)
            runs = "-" if module in PARTS else "yes" if row.runs else "no"
            say(f"{module:<16}{runs:<6}{row.same:>6}{row.failed:>11}{len(row.differ):>8}  {row.remark()}".rstrip())
    schedulers = [row for row in rows if row.module not in PARTS]
    running = sum(row.runs for row in schedulers)
    same = sum(row.runs and not row.differ for row in schedulers)
    say(f"\n{len(rows)} modules, {len(schedulers)} with a scheduler: {running} run, {same} give SimSo's schedule on all systems")
    return rows
