"""SimSo's configurations and schedulers, on Flyball's simulator.

>>> import flyball.simso
>>> run = flyball.simso.simulate(flyball.simso.load("system.xml"))           # doctest: +SKIP
>>> flyball.simulate(tasks, flyball.simso.policy("MyScheduler.py"))          # doctest: +SKIP
"""

from flyball.simso.adapter import policy
from flyball.simso.configuration import Configuration, TaskInfo, Unsimulated, load
from flyball.simso.processor import NotSimulated
from flyball.simso.run import Run, Segment, simulate, task_set
from flyball.simso.stand_ins import load_scheduler, standing_in, use_folder

__all__ = [
    "Configuration",
    "NotSimulated",
    "Run",
    "Segment",
    "TaskInfo",
    "Unsimulated",
    "load",
    "load_scheduler",
    "policy",
    "simulate",
    "standing_in",
    "task_set",
    "use_folder",
]
