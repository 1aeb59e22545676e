"""Systems at random, on which SimSo's schedulers are compared."""

from __future__ import annotations

import contextlib
import io
import random
from dataclasses import dataclass, field
from typing import Any

from flyball._flyball import PolicyError
from flyball.simso import stand_ins
from flyball.simso.configuration import Configuration
from flyball.simso.processor import Endless
from flyball.simso.run import Run, Segment, join, simulate

CYCLES_PER_MS = 1_000_000
PERIODS = (4, 5, 6, 8, 10, 12, 15, 20)
#: Schedulers for one processor, and those that need more of tasks or of themselves than the usual.
ONE = {"EDF_mono", "RM_mono", "Static_EDF", "CC_EDF"}
#: Schedulers for tasks with implicit deadlines that are released together.
TOGETHER = {
    "BF", "DP_WRAP", "EDF2", "EKG", "LLREF", "LLREF2", "LRE_TL", "NVNLF", "PD2", "ER_PD2", "EPDF", "RUN", "WC_RUN", "U_EDF", "WC_U_EDF",
}


@dataclass
class Outcome:
    """What came of a system: its schedule, or how it failed."""

    segments: list[Segment] = field(default_factory=list)
    error: str | None = None
    what: str = ""
    jobs: int = 0
    seconds: float = 0.0

    def overlaps(self) -> bool:
        """Whether two jobs are on one processor at a time."""
        until: dict[str, int] = {}
        for segment in sorted(self.segments, key=lambda it: it.start):
            if segment.start < until.get(segment.cpu, 0):
                return True
            until[segment.cpu] = max(segment.end, until.get(segment.cpu, 0))
        return False

    def same_as(self, other: Outcome) -> bool:
        return self.error == other.error and (self.error is not None or self.segments == other.segments)


def make(module: str, number: int) -> dict[str, Any]:
    """The system of this number for a scheduler: the same for all that want the same of tasks.

    Of ten, five have implicit deadlines and are released together, two have deadlines before their periods, one has phases,
    and two want more than there is: in one of them late jobs are aborted, in the other they go on.
    """
    rng = random.Random(number)
    cpus = 1 if module in ONE else rng.choice((2, 2, 3, 4))
    kind = "implicit" if module in TOGETHER else ("implicit",) * 5 + ("constrained",) * 2 + ("phases", "aborted", "late")
    kind = kind if isinstance(kind, str) else kind[number % 10]
    count = rng.randint(3, 6) if cpus == 1 else rng.randint(cpus + 1, 2 * cpus + 3)
    load = cpus * (rng.uniform(0.5, 0.98) if kind in ("implicit", "constrained", "phases") else rng.uniform(1.0, 1.4))
    if kind == "constrained":
        load *= 0.8
    weights = [rng.uniform(0.2, 1.0) for _ in range(count)]
    tasks = []
    for index, weight in enumerate(weights):
        period = rng.choice(PERIODS)
        share = min(0.95, load * weight / sum(weights))
        # Whole in tenths of ms, as far as floats are, so that it is whole in cycles, and SimSo rounds nothing.
        wcet = max(1, int(share * period * 10)) / 10
        deadline = rng.randint(-(-int(wcet * 10) // 10), period) if kind == "constrained" else period
        tasks.append({
            "name": f"T{index + 1}",
            "identifier": index + 1,
            "period": period,
            "deadline": max(deadline, wcet),
            "wcet": wcet,
            "activation_date": rng.choice((0, 0, 1, 3)) if kind == "phases" else 0,
            "abort_on_miss": kind != "late",
        })
    system: dict[str, Any] = {
        "scheduler": f"simso.schedulers.{module}",
        "kind": kind,
        "duration": 120 * CYCLES_PER_MS,
        "cycles_per_ms": CYCLES_PER_MS,
        "tasks": tasks,
        "processors": [{"name": f"CPU {cpu + 1}", "identifier": cpu + 1} for cpu in range(cpus)],
    }
    _add_fields(module, rng, system)
    return system


def _add_fields(module: str, rng: random.Random, system: dict[str, Any]) -> None:
    """What schedulers require of tasks."""
    for task in system["tasks"]:
        if module == "FP":
            task["data"] = {"priority": rng.randint(1, 9)}
        elif module == "Fixed_PEDF":
            task["data"] = {"cpu": rng.choice(system["processors"])["identifier"]}
        elif module == "SCHED_DEADLINE":
            task["data"] = {
                "cbs_period": float(task["period"]),
                "cbs_deadline": float(task["deadline"]),
                "cbs_maximum_runtime": float(task["wcet"]),
            }
    if module == "EKG" and rng.random() < 0.5:
        system["data"] = {"K": rng.randint(1, len(system["processors"]))}


def configuration(system: dict[str, Any]) -> Configuration:
    """The same as `peer` makes of it."""
    found = Configuration()
    found.etm = system.get("etm", "wcet")
    found.duration, found.cycles_per_ms = system["duration"], system["cycles_per_ms"]
    for task in system["tasks"]:
        found.add_task(**task)
    for processor in system["processors"]:
        found.add_processor(**processor)
    info = found.scheduler_info
    setattr(info, "filename" if system["scheduler"].endswith(".py") else "clas", system["scheduler"])
    for name, value in system.get("overheads", {}).items():
        setattr(info, name, value)
    info.set_fields({name: (value, "") for name, value in system.get("data", {}).items()})
    return found


def simulated(system: dict[str, Any]) -> Outcome:
    """What comes of it on Flyball's simulator."""
    stand_ins.forget()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            run: Run = simulate(configuration(system))
        return Outcome(run.schedule(), jobs=len(run.result.jobs))
    except PolicyError as error:
        cause = error.__cause__ or error
        return Outcome(error=type(cause).__name__, what=str(cause))
    except Exception as error:
        return Outcome(error=type(error).__name__, what=str(error))


def of_peer(answer: dict[str, Any], system: dict[str, Any]) -> Outcome:
    """What SimSo has answered."""
    if "error" in answer:
        # Where SimSo does not come to an end Flyball says so.
        error = Endless.__name__ if answer["error"] == "TimeoutError" else answer["error"]
        return Outcome(error=error, what=answer["what"])
    cycle = 1_000_000 // system["cycles_per_ms"]
    rows = (Segment(task, job, cpu, start * cycle, end * cycle) for task, job, cpu, start, end in answer["segments"])
    return Outcome(join(list(rows)), jobs=answer["jobs"], seconds=answer["seconds"])
