"""What is known of SimSo's schedulers that do not run here, or give another schedule, and by which rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """Who is wrong, and by which rule."""

    who: Literal["SimSo", "Flyball", "neither", "not known"]
    rule: str


_SPEED = Finding("Flyball", "set_speed: the adapter simulates processors at full speed only, and refuses others")

#: What is seen of a schedule itself.
OVERLAP = Finding(
    "SimSo",
    "a processor runs one job at a time: SimSo's trace has two on one, since of jobs that change places one is never noted as stopped",
)

#: Why the schedules of a module differ.
FINDINGS: dict[str, Finding] = {
    "CC_EDF": _SPEED,
    "Fixed_PEDF": Finding(
        "SimSo",
        "SchedulerInfo(name, class) is the form of an older SimSo: 0.8.5 finds no scheduler and ends with AttributeError; here it runs",
    ),
    "Static_EDF": _SPEED,
}

#: What is wrong in SimSo itself, and is done here as there, so that schedules are the same.
KEPT: dict[str, Finding] = {
    "EDZL": Finding(
        "SimSo",
        "the laxity is a float: one of 2e-9 cycles is above zero, so a timer of no length is started for it, again and again: the "
        "simulation does not end (here: Endless)",
    ),
    "P_EDF_WF": Finding("SimSo", "decreasing_worst_fit packs next-fit: so the scheduler is not what it is called (here: a warning)"),
    "BF": Finding("SimSo", "it fails the literature's example, as SimSo's issue 2 says (not examined here); here it decides as there"),
}
