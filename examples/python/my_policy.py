"""Non-preemptive EDF, written in Python, beside the catalogue's: the same events on random task sets.

    python my_policy.py [SETS]
"""

import heapq
import random
import sys
from typing import Any

import flyball
from flyball import Task


class MyPolicy(flyball.Policy):
    """The nearest deadline first, and no job is interrupted."""

    name = "my-np-edf"

    def __init__(self, cpus: int, settings: dict[str, Any]) -> None:
        super().__init__(cpus, settings)
        self.queue: list[tuple[int, int, Task]] = []  # deadlines, numbers in the order of arrival, tasks
        self.arrivals = 0
        self.running: Task | None = None

    def ready(self, task: Task, release: int | None, now: int) -> bool:
        if release is not None and task.deadline is not None:
            task.due = release + task.deadline
        self.arrivals += 1
        heapq.heappush(self.queue, (task.due, self.arrivals, task))
        # A job that runs goes on.
        return self.running is None

    def stopped(self, task: Task, why: str, used: int, now: int) -> None:
        if why in ("completed", "blocked"):
            self.running = None

    def pick(self, cpu: int, now: int) -> Task | None:
        if self.running is None and self.queue:
            self.running = heapq.heappop(self.queue)[2]
        return self.running


def random_set(rng: random.Random) -> flyball.TaskSet:
    periods = [rng.choice([4, 5, 6, 8, 10, 12, 15, 20, 30]) for _ in range(rng.randint(2, 7))]
    return flyball.TaskSet(
        [
            {
                "name": f"task {number}",
                "period": f"{period}ms",
                "wcet": f"{rng.randint(1, 1 + period * 500 // len(periods))}us",
                "deadline": f"{rng.randint(period // 2, period)}ms",
                "phase": f"{rng.choice([0, 0, 1, 3])}ms",
            }
            for number, period in enumerate(periods)
        ]
    )


def main() -> None:
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rng = random.Random(1)
    jobs = misses = 0
    for number in range(sets):
        tasks = random_set(rng)
        mine = flyball.simulate(tasks, MyPolicy, until="300ms")
        its = flyball.simulate(tasks, "np-edf", until="300ms")
        if mine.events.to_dict() != its.events.to_dict():
            sys.exit(f"set {number}: other events than np-edf's\n{tasks.to_toml()}")
        jobs += mine.jobs_completed
        misses += mine.misses
    print(f"{sets} random sets, {jobs} jobs, {misses} missed deadlines: the same events as np-edf's")


if __name__ == "__main__":
    main()
