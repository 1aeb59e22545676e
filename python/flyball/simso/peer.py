"""Runs under a Python that has SimSo: a system as JSON on each line of the input, its schedule as JSON on each line of the output.

Nothing of Flyball is imported here.
"""

from __future__ import annotations

import contextlib
import io
import json
import signal
import sys
import time
from typing import Any

#: Seconds of CPU time after which a simulation is given up.
LIMIT = 5


def configuration(system: dict[str, Any]) -> Any:
    from simso.configuration import Configuration  # type: ignore[import-untyped, import-not-found, unused-ignore]

    if "xml" in system:
        return Configuration(system["xml"])
    found = Configuration()
    found.etm = system.get("etm", "wcet")
    found.duration = system["duration"]
    found.cycles_per_ms = system["cycles_per_ms"]
    for task in system["tasks"]:
        found.add_task(**dict(task))
    for processor in system["processors"]:
        found.add_processor(**processor)
    info = found.scheduler_info
    if system["scheduler"].endswith(".py"):
        info.filename = system["scheduler"]
    else:
        info.clas = system["scheduler"]
    for name, value in system.get("overheads", {}).items():
        setattr(info, name, value)
    info.set_fields({name: (value, "") for name, value in system.get("data", {}).items()})
    return found


def segments(model: Any) -> list[list[Any]]:
    """[task, job, processor, start, end], in cycles."""
    from simso.core.JobEvent import JobEvent  # type: ignore[import-untyped, import-not-found, unused-ignore]

    found: list[list[Any]] = []
    for task in model.task_list:
        runs: list[Any] | None = None
        for when, event in task.monitor:
            if event.event == JobEvent.ACTIVATE:
                continue
            if runs is not None:
                found.append([*runs, when])
            runs = None
            if event.event == JobEvent.EXECUTE:
                runs = [task.name, int(event.job.name.rpartition("_")[2]), event.cpu.name, when]
        if runs is not None:
            found.append([*runs, model.now()])
    return found


def give_up(*_: object) -> None:
    raise TimeoutError(f"no end within {LIMIT} s of CPU time")


def simulate(system: dict[str, Any]) -> dict[str, Any]:
    """The schedule, or how it failed."""
    for name in [name for name in sys.modules if name.startswith("simso.schedulers.")]:
        # What schedulers keep in their modules would go on into the next simulation.
        del sys.modules[name]
    from simso.core import Model  # type: ignore[import-untyped, import-not-found, unused-ignore]

    signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            model = Model(configuration(system))
            begin = time.process_time()
            model.run_model()
        seconds = time.process_time() - begin
        jobs = sum(len(task.jobs) for task in model.task_list)
        return {"segments": segments(model), "jobs": jobs, "seconds": seconds}
    except Exception as error:
        return {"error": type(error).__name__, "what": str(error)}
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(simulate(json.loads(line))), flush=True)
