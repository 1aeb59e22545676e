"""Writes simso_sets.txt: what SimSo's Static_EDF and CC_EDF do with 200 random task sets.

It needs Python 3.11 and SimSo 0.8.5 (`pip install simso==0.8.5`):

    python3.11 simso_sets.py > simso_sets.txt

SimSo's speeds may be any number. Here each is rounded up to a frequency of the set, or down to the highest one.
SimSo's model of execution times lets a job end when less than a cycle of work is left, and computes with
floating-point numbers. The one here computes with fractions, and jobs compute for times that the set says.

A line is a set: its frequencies in MHz, and its tasks, each as phase:period:deadline:wcet:times. The times are what jobs compute
for, in turn, in quarters of a unit at the highest frequency. Behind each '|' is what a scheduler does, Static_EDF first: a
word for each stretch of time in which a task runs at a frequency, "task@MHz:from-to" in millionths of a unit, with '!' if its job
ends then.
"""

import contextlib
import os
import random
from fractions import Fraction
from math import ceil

from simso.configuration import Configuration
from simso.core import Model
from simso.core.etm import execution_time_models
from simso.core.etm.WCET import WCET
from simso.core.Processor import Processor

SETS = 200
UNITS = 60
CYCLES = 1_000_000
# All divide 120, so that a sum of parts, and of parts in quarters, has a denominator of at most 480.
TIMES = [4, 5, 6, 8, 10, 12, 15, 20, 24, 30]
FREQUENCIES = [[250, 500, 750, 1000], [333, 400, 533, 666, 733], [500, 1000], [360, 550, 640, 830, 1000]]


class Given(WCET):
    """Jobs compute for what the set says, and stretches of time are noted."""

    def on_activate(self, job):
        super().on_activate(job)
        data = job.task.data
        job.work = Fraction(data["times"][data["jobs"] % len(data["times"])] * CYCLES, 4)
        data["jobs"] += 1

    def get_ret(self, job):
        return ceil((job.work - self.get_executed(job)) / job.cpu.speed)

    def on_execute(self, job):
        super().on_execute(job)
        self.began = (self.sim.now(), job.cpu.speed)

    def note(self, job, end):
        began, speed = self.began
        now = int(self.sim.now())
        mhz = int(speed * job.cpu.frequencies[-1])
        word = (job.task.name, mhz, int(began), now, end)
        last = self.sim.words[-1] if self.sim.words else None
        if last and last[:2] == word[:2] and last[3] == began and not last[4]:
            self.sim.words[-1] = (*word[:2], last[2], now, end)
        elif began < now or end:
            self.sim.words.append(word)

    def on_preempted(self, job):
        super().on_preempted(job)
        self.note(job, False)

    def on_terminated(self, job):
        super().on_terminated(job)
        self.note(job, True)


def set_speed(processor, wanted):
    """The lowest frequency that is as much or more, as a fraction of the highest one."""
    wanted = Fraction(wanted).limit_denominator(1000)
    fastest = processor.frequencies[-1]
    enough = [mhz for mhz in processor.frequencies if wanted <= Fraction(mhz, fastest)]
    original(processor, Fraction(enough[0] if enough else fastest, fastest))


original = Processor.set_speed
Processor.set_speed = set_speed
execution_time_models["given"] = Given


def task(draw, implicit):
    period = draw.choice(TIMES)
    deadline = period if implicit else draw.choice([time for time in TIMES if time <= period])
    wcet = draw.randint(1, max(1, deadline // 2))
    times = [draw.randint(1, 4 * wcet) for _ in range(draw.randint(1, 4))]
    return draw.choice([0, 0, draw.randint(1, 9)]), period, deadline, wcet, times


def task_set(draw, implicit):
    """Up to five tasks, which need half a CPU or more."""
    while True:
        tasks = [task(draw, implicit) for _ in range(draw.randint(1, 5))]
        if 2 >= 2 * sum(Fraction(wcet, deadline) for _, _, deadline, wcet, _ in tasks) >= 1:
            return tasks


def schedule(scheduler, frequencies, tasks):
    """What SimSo does, as a line has it."""
    configuration = Configuration()
    configuration.cycles_per_ms = CYCLES
    configuration.duration = UNITS * CYCLES
    configuration.etm = "given"
    for number, (phase, period, deadline, wcet, times) in enumerate(tasks):
        configuration.add_task(
            name="abcde"[number],
            identifier=number,
            abort_on_miss=False,
            period=period,
            activation_date=phase,
            wcet=wcet,
            deadline=deadline,
            data={"times": times, "jobs": 0},
        )
    configuration.add_processor(name="CPU", identifier=1)
    configuration.scheduler_info.clas = f"simso.schedulers.{scheduler}"
    configuration.check_all()
    Processor.frequencies = frequencies
    model = Model(configuration)
    model.words = []
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        model.run_model()
    # What goes on at the end is not noted, so less is compared.
    return [f"{name}@{mhz}:{begin}-{end}{'!' * ends}" for name, mhz, begin, end, ends in model.words]


def main():
    draw = random.Random(2001)
    for number in range(SETS):
        tasks = task_set(draw, implicit=number % 4 != 3)
        frequencies = draw.choice(FREQUENCIES)
        words = [",".join(map(str, frequencies))]
        words += [":".join(map(str, it[:4])) + ":" + ",".join(map(str, it[4])) for it in tasks]
        for scheduler in "Static_EDF", "CC_EDF":
            words += ["|", *schedule(scheduler, frequencies, tasks)]
        print(*words)


if __name__ == "__main__":
    main()
