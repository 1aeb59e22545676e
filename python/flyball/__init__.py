"""Flyball: a real-time kernel and a scheduling laboratory in one; this is the laboratory, from Python.

>>> import flyball
>>> tasks = flyball.TaskSet([
...     {"name": "sensor", "period": "5ms", "wcet": "1ms"},
...     {"name": "control", "period": "10ms", "wcet": "4ms"},
... ])
>>> flyball.study(tasks, ["rm", "edf"]).holding
['rm', 'edf']
"""

from flyball._flyball import (
    Analysis,
    Columns,
    Comparison,
    Figure,
    InputError,
    Overheads,
    PolicyError,
    PolicyResult,
    Reproduction,
    Study,
    Sweep,
    SweepResults,
    Task,
    TaskSet,
    __version__,
    analyse,
    compare,
    generate,
    plot,
    policies,
    reproduce,
    reproductions,
    simulate,
    study,
    sweep,
)
from flyball._ask import ask
from flyball._policy import KeyPolicy, Policy, by_key

__all__ = [
    "Analysis",
    "Columns",
    "Comparison",
    "Figure",
    "InputError",
    "KeyPolicy",
    "Overheads",
    "Policy",
    "PolicyError",
    "PolicyResult",
    "Reproduction",
    "Study",
    "Sweep",
    "SweepResults",
    "Task",
    "TaskSet",
    "__version__",
    "analyse",
    "ask",
    "by_key",
    "compare",
    "generate",
    "plot",
    "policies",
    "reproduce",
    "reproductions",
    "simulate",
    "study",
    "sweep",
]
