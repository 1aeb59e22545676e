"""Writes simso_sets.txt: what SimSo's SCHED_DEADLINE does with 500 random task sets.

It needs Python 3.11 and SimSo 0.8.5 (`pip install simso==0.8.5`):

    python3.11 simso_sets.py > simso_sets.txt

A line is a set: its tasks, each as phase:period:deadline:budget:computing time, and the task that
runs in each unit of time ('-': none). In odd lines the sum of budget ÷ deadline is at most 1, in
even ones it is above, if the set has more than one task.
"""

import contextlib
import os
import random
from fractions import Fraction

from simso.configuration import Configuration
from simso.core import Model
from simso.core.ProcEvent import ProcIdleEvent, ProcRunEvent

SETS = 500
UNITS = 150


def task(draw):
    budget = draw.randint(1, 6)
    deadline = budget + draw.randint(0, 20)
    period = deadline + draw.choice([0, draw.randint(0, 12)])
    computing = draw.randint(1, 2 * budget)
    return draw.randint(0, 15), period, deadline, budget, computing


def task_set(draw, fits):
    """Up to four tasks. Half of all sets are drawn until they fit, and half until they do not."""
    count = draw.randint(1, 4)
    while True:
        tasks = [task(draw) for _ in range(count)]
        load = sum(Fraction(budget, deadline) for _, _, deadline, budget, _ in tasks)
        if count == 1 or (load <= 1) == fits:
            return tasks


def schedule(tasks):
    """The task that SimSo runs in each unit of time, one character each."""
    configuration = Configuration()
    # A cycle is a millisecond, so all its numbers are whole.
    configuration.cycles_per_ms = 1
    configuration.duration = UNITS
    for number, (phase, period, deadline, budget, computing) in enumerate(tasks):
        server = {
            "cbs_period": period,
            "cbs_deadline": deadline,
            "cbs_maximum_runtime": budget,
        }
        configuration.add_task(
            name="abcd"[number],
            identifier=number,
            abort_on_miss=False,
            period=period,
            activation_date=phase,
            wcet=computing,
            deadline=deadline,
            data=server,
        )
    configuration.add_processor(name="CPU", identifier=1)
    configuration.scheduler_info.clas = "simso.schedulers.SCHED_DEADLINE"
    configuration.check_all()
    model = Model(configuration)
    # It prints every decision.
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        model.run_model()
    ran = ["-"] * UNITS
    for time, event in model.processors[0].monitor:
        if isinstance(event, ProcRunEvent):
            ran[time:] = [event.args.task.name] * (UNITS - time)
        elif isinstance(event, ProcIdleEvent):
            ran[time:] = ["-"] * (UNITS - time)
    return "".join(ran[:UNITS])


def main():
    draw = random.Random(2015)
    for number in range(SETS):
        tasks = task_set(draw, fits=number % 2 == 0)
        words = [":".join(map(str, task)) for task in tasks]
        print(*words, schedule(tasks))


if __name__ == "__main__":
    main()
