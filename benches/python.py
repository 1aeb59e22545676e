"""How fast Flyball is from Python, beside the command in the same run, and beside SimSo where its Python is given.

    python benches/python.py FLYBALL WHEEL [SIMSO_PYTHON]

Times are CPU times, of processes of their own where that is possible, and medians. Two computers differ, and so do two runs.
"""

import heapq
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import flyball

REPEAT = 5
TASKS = flyball.TaskSet([{"name": f"t{n}", "period": f"{5 + n}ms", "wcet": "200us"} for n in range(20)])


@flyball.by_key(name="key", placement="assigned")
def earliest(task, release, deadline):
    return deadline


class Edf(flyball.Policy):
    """EDF with a heap, in Python."""

    name = "class"

    def __init__(self, cpus, settings):
        super().__init__(cpus, settings)
        self.queue = []

    def ready(self, task, release, now):
        heapq.heappush(self.queue, (release + task.deadline, task.number, task))

    def stopped(self, task, why, used, now):
        if why == "completed":
            heapq.heappop(self.queue)

    def pick(self, cpu, now):
        return self.queue[0][2] if self.queue else None


def median(measure):
    return statistics.median(measure() for _ in range(REPEAT))


def process(*arguments):
    """The CPU time of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rate(policy, until):
    """Jobs in a second of CPU time."""

    def measure():
        before = time.process_time()
        result = flyball.simulate(TASKS, policy, until=until, keep=0, tests=False)
        return result.jobs_completed / (time.process_time() - before)

    return median(measure)


def line(what, figure, wanted=""):
    print(f"{what:58} {figure:>18}   {wanted}", flush=True)


def beside_the_command(command, folder):
    path = folder / "set.toml"
    path.write_text(TASKS.to_toml())
    code = "import sys, flyball; flyball.simulate(flyball.TaskSet.load(sys.argv[1]), 'edf', until='200s', keep=1000)"
    start = median(lambda: process(sys.executable, "-c", "import flyball"))

    def ratio():
        # One after the other, as the computer may be slower later. The command keeps a few events, too.
        ours = process(sys.executable, "-c", code, str(path)) - start
        return ours / process(command, "simulate", str(path), "--policy", "edf", "--until", "200s", "--json")

    ratios = sorted(ratio() for _ in range(3 * REPEAT))
    line("simulation, CPU time beside the command's", f"{statistics.median(ratios):.2f}", "1.05 at most")
    line("  from the second least to the second most", f"{ratios[1]:.2f} to {ratios[-2]:.2f}")


def timed(work):
    """What comes out, the CPU time of all threads and the time that a user waits."""
    before = time.process_time(), time.perf_counter()
    result = work()
    return result, time.process_time() - before[0], time.perf_counter() - before[1]


def columns():
    try:
        import polars
    except ImportError:
        return
    run = flyball.simulate(TASKS, "edf", until="5900s", tests=False)

    def frame():
        events, *made = timed(lambda: run.events)
        frame, *taken = timed(lambda: polars.DataFrame(events))
        return made, taken, frame.estimated_size() / len(events)

    # Memory that a process has for the first time takes it longer.
    frames = [frame() for _ in range(REPEAT)]
    wanted = ("", "1 s for both")
    for number, clock in enumerate(("CPU time", "time")):
        made, taken = (statistics.median(one[part][number] for one in frames) for part in (0, 1))
        line(f"columns of {len(run.events):,} events of {run.jobs_completed:,} jobs, {clock}", f"{made:.2f} s", wanted[number])
        line(f"the same as a frame of polars, {clock}", f"{taken:.2f} s")
    line("a row of it", f"{frames[0][2]:.1f} bytes")


def simso(python, folder):
    """A scheduler of SimSo there, and on Flyball's simulator."""
    import flyball.simso

    find = "import simso.schedulers.EDF_mono as module; print(module.__file__)"
    found = subprocess.run([python, "-c", find], check=True, capture_output=True, text=True)
    own = flyball.simso.policy(found.stdout.split()[-1])
    path = folder / "set.csv"
    rows = [f"t{n},{1000 * (5 + n)},200" for n in range(20)]
    path.write_text("\n".join(["name,period_us,wcet_us", *rows]) + "\n")
    peer = pathlib.Path(__file__).with_name("simso_peer.py")

    def its():
        done = subprocess.run([python, str(peer), str(path), "20000", "1"], check=True, capture_output=True, text=True)
        told = json.loads(done.stdout)
        return told["jobs"] / told["cpu_seconds"]

    ours, its = rate(own, "20s"), median(its)
    line("SimSo's EDF_mono on Flyball's simulator", f"{ours:,.0f} jobs/s")
    line("the same in SimSo", f"{its:,.0f} jobs/s")
    line("how much faster", f"{ours / its:.0f}", "20 at least")


def main():
    command, wheel, *others = sys.argv[1:]
    line("", "measured", "wanted")
    begin = "import time; t = time.perf_counter(); import flyball; print((time.perf_counter() - t) * 1e3)"
    run = lambda: float(subprocess.run([sys.executable, "-c", begin], check=True, capture_output=True, text=True).stdout)
    line("import flyball", f"{median(run):.1f} ms", "50 ms at most")
    line("the wheel", f"{os.path.getsize(wheel) / 1e6:.1f} MB", "8 MB at most")
    line("EDF of the catalogue, 20 tasks", f"{rate('edf', '200s'):,.0f} jobs/s")
    line("EDF by a key function", f"{rate(earliest, '200s'):,.0f} jobs/s", "2,000,000")
    line("EDF as a class", f"{rate(Edf, '50s'):,.0f} jobs/s", "300,000")
    with tempfile.TemporaryDirectory() as folder:
        beside_the_command(command, pathlib.Path(folder))
        if others:
            simso(others[0], pathlib.Path(folder))
    columns()


if __name__ == "__main__":
    main()
