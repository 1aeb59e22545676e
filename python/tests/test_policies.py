"""Policies that are written in Python: they are policies like others, and their mistakes are told with place and instant."""

import os
import random
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

import flyball
from flyball import InputError, PolicyError, TaskSet

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples" / "python"))

PAIR = TaskSet([{"name": "slow", "period": "7ms", "wcet": "4ms"}, {"name": "fast", "period": "5ms", "wcet": "2ms"}])


class Fifo(flyball.Policy):
    """First in, first out."""

    name = "my-fifo"
    placement = "global"

    def __init__(self, cpus, settings):
        super().__init__(cpus, settings)
        self.queue = []
        self.running = [None] * cpus

    def ready(self, task, release, now):
        self.queue.append(task)

    def stopped(self, task, why, used, now):
        if why in ("completed", "blocked"):
            self.queue.remove(task)

    def pick(self, cpu, now):
        # The first tasks keep their CPUs.
        first = self.queue[: self.cpus]
        if self.running[cpu] not in first:
            free = [task for task in first if task not in self.running]
            self.running[cpu] = free[0] if free else None
        return self.running[cpu]


class Decides(flyball.Policy):
    """EDF that decides once for each instant."""

    name = "decides"
    placement = "global"

    def __init__(self, cpus, settings):
        super().__init__(cpus, settings)
        self.queue = []
        self.running = [None] * cpus

    def decide(self, events, now):
        for what, task, amount, at in events:
            assert at == now
            if what == "ready":
                self.queue.append((amount + task.deadline, amount, task.number, task))
            else:
                assert what == "completed" and 0 < amount <= task.wcet
                self.queue.remove(next(entry for entry in self.queue if entry[3] is task))
        first = [task for *_, task in sorted(self.queue)[: self.cpus]]
        # They keep their CPUs.
        self.running = [task if task in first else None for task in self.running]
        waiting = [task for task in first if task not in self.running]
        self.running = [waiting.pop(0) if task is None and waiting else task for task in self.running]
        return self.running if self.cpus > 1 else self.running[0]


@flyball.by_key(name="my-edf")
def earliest_deadline(task, release, deadline):
    """The nearest deadline first."""
    return deadline


@flyball.by_key(name="my-rm", placement="assigned")
def shortest_period(task, release, deadline):
    return task.period


def random_set(rng, cpus):
    tasks = []
    for number in range(rng.randint(cpus + 1, 3 * cpus + 3)):
        period = rng.choice([4, 5, 6, 8, 10, 12, 20])
        wcet = rng.randint(1, period * 400)
        tasks.append(
            {
                "name": f"t{number}",
                "period": f"{period}ms",
                "wcet": f"{wcet}us",
                "deadline": f"{rng.randint(wcet, period * 1000)}us",
                "phase": f"{rng.choice([0, 0, 2])}ms",
            }
        )
    return TaskSet(tasks, cpus=cpus)


@pytest.mark.parametrize(
    ("mine", "its", "cpus"),
    [(earliest_deadline, "edf", 1), (earliest_deadline, "g-edf", 3), (shortest_period, "rm", 1), (Fifo, "fifo", 1)],
)
def test_it_does_what_the_catalogue_does(mine, its, cpus):
    rng = random.Random(7)
    for _ in range(40):
        tasks = random_set(rng, cpus)
        found = flyball.simulate(tasks, mine, until="200ms")
        assert found.events.to_dict() == flyball.simulate(tasks, its, until="200ms").events.to_dict(), tasks.to_toml()


def test_a_class_may_share_several_cpus():
    rng = random.Random(3)
    for _ in range(40):
        tasks = random_set(rng, 2)
        mine, its = (flyball.simulate(tasks, policy, until="200ms") for policy in (Fifo, "g-fifo"))
        for name in ("jobs_completed", "misses", "preemptions"):
            assert getattr(mine, name) == getattr(its, name), tasks.to_toml()
        assert mine.jobs["end_ns"] == its.jobs["end_ns"], tasks.to_toml()


def test_a_class_may_decide_once_for_each_instant():
    rng = random.Random(4)
    for _ in range(40):
        tasks = random_set(rng, 1)
        mine, its = (flyball.simulate(tasks, policy, until="200ms") for policy in (Decides, "edf"))
        assert mine.jobs["end_ns"] == its.jobs["end_ns"], tasks.to_toml()
        tasks = random_set(rng, 3)
        mine, its = (flyball.simulate(tasks, policy, until="200ms") for policy in (Decides, "g-edf"))
        assert mine.jobs["end_ns"] == its.jobs["end_ns"], tasks.to_toml()


def test_alarms_come_to_what_is_decided():
    class Idles(Decides):
        """It lets one millisecond of three pass."""

        def decide(self, events, now):
            instants.append(now)
            found = super().decide(events, now)
            return None if now // 1_000_000 % 3 == 2 else found

        def next_alarm(self, cpu):
            return 0 if not instants else (instants[-1] // 1_000_000 + 1) * 1_000_000

    instants = []
    one = TaskSet([{"name": "one", "period": "12ms", "wcet": "4ms"}])
    segments = flyball.simulate(one, Idles, until="12ms").segments.to_dict()
    ran = [(start // 10**6, end // 10**6) for task, start, end in zip(*(segments[it] for it in ("task", "start_ns", "end_ns"))) if task]
    assert ran == [(0, 2), (3, 5)] and {at // 10**6 for at in instants} >= set(range(12))


def test_my_policy_is_non_preemptive_edf():
    import my_policy

    rng = random.Random(2)
    for _ in range(60):
        tasks = my_policy.random_set(rng)
        mine = flyball.simulate(tasks, my_policy.MyPolicy, until="300ms")
        assert mine.events.to_dict() == flyball.simulate(tasks, "np-edf", until="300ms").events.to_dict()


def test_a_study_has_it_beside_others():
    study = flyball.study(PAIR, ["edf", earliest_deadline, Fifo])
    assert study.policies == ["edf", "my-edf", "my-fifo"]
    # No theory is known of it, and what one schedule shows is no promise.
    assert study["my-edf"].holds is not True and study["my-edf"].misses == 0
    assert study["my-edf"].title == "my-edf"
    assert "my-edf" in study.html()


def test_settings_come_from_the_task_set():
    seen = {}

    class Told(Fifo):
        name = "told"
        settings = {"quantum": "5ms", "fair": True, "levels": 3, "weight": 0.5, "mode": ["fast", "slow"]}

        def __init__(self, cpus, settings):
            super().__init__(cpus, settings)
            seen.update(settings, cpus=cpus)

    flyball.simulate(PAIR, Told)
    assert seen == {"quantum": 5_000_000, "fair": True, "levels": 3, "weight": 0.5, "mode": "fast", "cpus": 1}
    own = PAIR.to_toml() + '\n[policies.told]\nquantum = "2ms"\nmode = "slow"\nlevels = 9\n'
    flyball.simulate(TaskSet.parse(own), Told)
    assert seen["quantum"] == 2_000_000 and seen["mode"] == "slow" and seen["levels"] == 9
    with pytest.raises(InputError, match="quantun"):
        flyball.simulate(TaskSet.parse(own.replace("quantum", "quantun")), Told)
    with pytest.raises(InputError, match="told"):
        flyball.simulate(TaskSet.parse(own), "edf")


def test_bursts_and_alarms():
    class RoundRobin(flyball.Policy):
        name = "my-rr"

        def __init__(self, cpus, settings):
            super().__init__(cpus, settings)
            self.queue = []
            self.next = 10_000_000
            self.alarms = []

        def ready(self, task, release, now):
            self.queue.append(task)

        def stopped(self, task, why, used, now):
            assert used <= 1_000_000
            if why != "preempted":
                self.queue.remove(task)
            if why == "burst end":
                self.queue.append(task)

        def pick(self, cpu, now):
            return (self.queue[0], 1_000_000) if self.queue else None

        def next_alarm(self, cpu):
            return self.next

        def alarm(self, cpu, now):
            alarms.append(now)
            self.next += 10_000_000
            return False

    alarms = []
    mine = flyball.simulate(PAIR, RoundRobin, until="35ms")
    assert alarms == [10_000_000, 20_000_000, 30_000_000]
    assert mine.jobs_completed == 12 and mine.context_switches > flyball.simulate(PAIR, "fifo", until="35ms").context_switches


def test_a_cpu_whose_task_moves_may_pick_one_that_ran_nowhere():
    class InOrder(Fifo):
        name = "in-order"

        def pick(self, cpu, now):
            return self.queue[cpu] if cpu < len(self.queue) else None

    tasks = TaskSet([{"name": name, "period": "20ms", "wcet": f"{wcet}ms"} for name, wcet in (("a", 1), ("b", 4), ("c", 2))], cpus=2)
    segments = flyball.simulate(tasks, InOrder, until="20ms").segments.to_dict()
    found = {(task, cpu, start // 10**6, end // 10**6) for task, cpu, start, end in zip(*(segments[it] for it in ("task", "cpu", "start_ns", "end_ns")))}
    assert found == {("a", 0, 0, 1), ("b", 1, 0, 1), ("b", 0, 1, 4), ("c", 1, 1, 3)}


def test_mutexes_ask_it_who_is_first_and_let_their_owners_inherit():
    tasks = TaskSet.load(ROOT / "examples" / "priority-inversion.toml")

    @flyball.by_key(name="my-fp", placement="assigned")
    def highest(task, release, deadline):
        return -task.priority

    mine, its = (flyball.simulate(tasks, policy, until="2s") for policy in (highest, "fp"))
    assert mine.events.to_dict() == its.events.to_dict()


def fails(policy, message, cause=None):
    with pytest.raises(PolicyError, match=message) as failure:
        flyball.simulate(PAIR, policy, until="1s")
    found = failure.value.__cause__
    assert (found is None) if cause is None else isinstance(found, cause)
    return failure.value


def test_an_exception_ends_the_simulation_with_its_traceback_and_the_instant():
    class Late(Fifo):
        name = "late"

        def pick(self, cpu, now):
            if now >= 10_000_000:
                raise ZeroDivisionError("here")
            return super().pick(cpu, now)

    error = fails(Late, r'policy "late": pick raised ZeroDivisionError at 10ms', ZeroDivisionError)
    text = "".join(traceback.format_exception(error))
    assert "in pick" in text and "ZeroDivisionError: here" in text

    @flyball.by_key
    def wrong(task, release, deadline):
        return release // 0

    fails(wrong, r'policy "wrong": key raised ZeroDivisionError at 0', ZeroDivisionError)
    for value in ("soon", None, 1.5, 2**63):
        fails(flyball.by_key(lambda task, release, deadline: value, name="odd"), "key returned .*, and no whole number")


def test_what_breaks_the_contract_is_told():
    def picks(value):
        class Wrong(Fifo):
            name = "wrong"

            def pick(self, cpu, now):
                return value(self)

        return Wrong

    fails(picks(lambda self: "slow"), "pick returned str, and no task")
    fails(picks(lambda self: (self.queue[0], 1.5)), "not a task and whole nanoseconds")
    fails(picks(lambda self: (self.queue[0], 0)), "for no time")
    kept = []

    class Keeps(Fifo):
        name = "keeps"

        def admit(self, task):
            kept.append(task)

        def pick(self, cpu, now):
            return kept[0]

    fails(Keeps, 'picked a task that is not ready, "slow", at 4ms')
    # Those are of the simulation before.
    fails(picks(lambda self: kept[1]), "no task of these CPUs in this simulation")

    class Everywhere(Fifo):
        name = "everywhere"

        def ready(self, task, release, now):
            self.queue.append(task)
            return 7

    fails(Everywhere, "ready returned 7, and no CPU below 1")

    class Both(Fifo):
        name = "both"

        def pick(self, cpu, now):
            return self.queue[0] if self.queue else None

    with pytest.raises(PolicyError, match='pick picked the task "one" for a CPU, and another one went on with it, at 1ms'):
        flyball.simulate(TaskSet([{"name": "one", "period": "5ms", "wcet": "1ms"}], cpus=2), Both, until="1s")

    class Past(Fifo):
        name = "past"

        def next_alarm(self, cpu):
            return 5

        def alarm(self, cpu, now):
            return None

    fails(Past, "next_alarm asked for an instant whose alarm has come already")


def test_what_is_decided_is_checked():
    def decides(value):
        class Wrong(Decides):
            name = "wrong"

            def decide(self, events, now):
                super().decide(events, now)
                return value(self)

        return Wrong

    fails(decides(lambda self: "slow"), 'policy "wrong": decide returned str, and no task')
    fails(decides(lambda self: self.queue[0] // 0), "decide raised TypeError at 0", TypeError)
    two = TaskSet([{"name": name, "period": "5ms", "wcet": "1ms"} for name in ("one", "two")], cpus=2)
    for value in (lambda self: None, lambda self: [None], lambda self: [None] * 3):
        with pytest.raises(PolicyError, match="and not a list with a task or None for each of 2 CPUs"):
            flyball.simulate(two, decides(value), until="1s")
    with pytest.raises(PolicyError, match='decide picked the task "one" for a CPU, and another one went on with it'):
        flyball.simulate(two, decides(lambda self: [self.queue[0][3] if self.queue else None] * 2), until="1s")


def test_a_definition_that_is_none_is_refused():
    class Half:
        def ready(self, task, release, now): ...

        def pick(self, cpu, now): ...

    with pytest.raises(InputError, match="Half: a policy needs a method `stopped`"):
        flyball.study(PAIR, Half)
    with pytest.raises(InputError, match="expected the name of a policy"):
        flyball.simulate(PAIR, 3)
    with pytest.raises(InputError, match="expected the name of a policy"):
        flyball.simulate(PAIR, ["edf"])
    with pytest.raises(InputError, match="found Fifo"):
        flyball.simulate(PAIR, Fifo(1, {}))
    with pytest.raises(InputError, match='there is a policy "edf" already'):
        flyball.study(PAIR, ["rm", flyball.by_key(lambda *_: 0, name="edf")])
    with pytest.raises(InputError, match="placement"):
        flyball.study(PAIR, flyball.by_key(lambda *_: 0, placement="everywhere"))
    with pytest.raises(TypeError, match="expected a function"):
        flyball.by_key(3)

    class Unnamed(Fifo):
        name = 7

    with pytest.raises(InputError, match="name: expected a text, found int"):
        flyball.study(PAIR, Unnamed)

    class Settings(Fifo):
        name = "settings"
        settings = {"length": object()}

    with pytest.raises(InputError, match="settings: length: expected"):
        flyball.study(PAIR, Settings)


def test_a_policy_may_use_flyball_itself():
    class Asks(Fifo):
        name = "asks"

        def __init__(self, cpus, settings):
            super().__init__(cpus, settings)
            assert flyball.study(PAIR, "edf").holding == ["edf"]

    assert flyball.simulate(PAIR, Asks, until="35ms").jobs_completed == 12


def test_ctrl_c_ends_a_call_whose_policy_does_not_return():
    code = """
import threading, time, _thread, flyball

class Sleeps(flyball.Policy):
    def ready(self, task, release, now):
        time.sleep(1000)

    def stopped(self, task, why, used, now): ...

    def pick(self, cpu, now): ...

threading.Timer(0.5, _thread.interrupt_main).start()
began = time.time()
try:
    flyball.simulate(flyball.TaskSet([{"name": "one", "period": "5ms", "wcet": "1ms"}]), Sleeps)
except KeyboardInterrupt:
    print(f"ended after {time.time() - began:.1f} s")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("ended"), done.stderr


def test_other_threads_go_on_and_ctrl_c_ends_a_call_whose_policy_is_seldom_called():
    code = """
import threading, time, _thread, flyball

@flyball.by_key(placement="assigned")
def key(task, release, deadline):
    return deadline

def others():
    for _ in range(20):
        time.sleep(0.01)
    _thread.interrupt_main()

ticks = 'schema = 1\\nplatform.tick = "1us"\\n[[task]]\\nname = "one"\\nperiod = "10000000s"\\nwcet = "1ms"\\n'
threading.Thread(target=others).start()
try:
    flyball.simulate(flyball.TaskSet.parse(ticks), key, until="1000000s", keep=0, tests=False)
except KeyboardInterrupt:
    print("ended")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "ended\n", done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_that_was_forked_has_threads_of_its_own():
    code = """
import os, sys, flyball

tasks = flyball.TaskSet.load(sys.argv[1])
before = flyball.analyse(tasks).json()
child = os.fork()
if child == 0:
    study = flyball.study(tasks, until="2s")
    os._exit(0 if flyball.analyse(tasks).json() == before and study.holding and len(study[study.holding[0]].events) else 7)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    example = ROOT / "examples" / "gap.toml"
    done = subprocess.run([sys.executable, "-c", code, str(example)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
