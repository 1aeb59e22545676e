"""SimSo's configurations and schedulers: the schedules are SimSo's.

`data/simso/schedules.json` has what SimSo itself makes of the systems below. Where SimSo is installed (in a Python of its own, 3.11 at
most; FLYBALL_SIMSO_PYTHON says which) it is asked again; WRITE_GOLDEN=1 writes the file anew.
"""

import json
import os
import random
import shutil
import sys
from pathlib import Path

import pytest

import flyball
from flyball import InputError, PolicyError, TaskSet, simso
from flyball.simso import systems
from flyball.simso.__main__ import main
from flyball.simso.processor import Endless
from flyball.simso.table import Peer, compare

DATA = Path(__file__).parent / "data" / "simso"
GOLDEN = DATA / "schedules.json"
PYTHON = os.environ.get("FLYBALL_SIMSO_PYTHON") or shutil.which("python-simso")
needs_simso = pytest.mark.skipif(PYTHON is None, reason="SimSo is not there: FLYBALL_SIMSO_PYTHON names a Python that has simso 0.8.5")


def system(scheduler, number, cpus=None, weights=False, **more):
    """A system at random, for a scheduler of `data/simso`."""
    found = systems.make("EDF_mono" if cpus == 1 else "EDF", number) | {"scheduler": str(DATA / f"{scheduler}.py")} | more
    if weights:
        rng = random.Random(number)
        for task in found["tasks"]:
            task["data"] = {"weight": rng.randint(0, 3)}
    return found


def pair(scheduler, *tasks):
    """Tasks of these periods, deadlines and execution times, in ms, on one processor."""
    numbered = enumerate(tasks, 1)
    named = [{"name": f"T{n}", "identifier": n, "period": p, "deadline": d, "wcet": c, "activation_date": 0} for n, (p, d, c) in numbered]
    processors = [{"name": "CPU 1", "identifier": 1}]
    common = {"cycles_per_ms": 1_000_000, "duration": 60_000_000}
    return common | {"scheduler": str(DATA / f"{scheduler}.py"), "tasks": named, "processors": processors}


def golden_systems():
    """Names and systems of which the file has SimSo's schedules."""
    overheads = {"overhead": 700, "overhead_activate": 300, "overhead_terminate": 250}
    found = {"system.xml": {"xml": str(DATA / "system.xml"), "cycles_per_ms": 1_000_000, "duration": 60_000_000}}
    for number in range(10):
        found[f"Thesis {number}"] = system("Thesis", number, weights=True, data={"bonus": 0.75})
        found[f"ZeroLaxity {number}"] = system("ZeroLaxity", number)
        found[f"Quantum {number}"] = system("Quantum", number, cpus=1)
        if systems.make("EDF", number)["kind"] == "implicit":
            found[f"Packed {number}"] = system("Packed", number)
        found[f"Thesis with overheads {number}"] = system("Thesis", number, overheads=overheads)
    found["a job that waits is aborted"] = pair("Trusting", (20, 20, 6), (20, 4, 3))
    found["a timer is stopped at once"] = pair("Hasty", (20, 20, 6), (20, 20, 3))
    coarse = system("Quantum", 3, cpus=1, cycles_per_ms=1000, duration=120_000)
    acet = system("Thesis", 5, etm="acet")
    for task in acet["tasks"]:
        task["acet"] = task["wcet"] / 2
    return found | {"coarse cycles": coarse, "half of the execution time": acet}


def simulated(system):
    if "xml" in system:
        return systems.Outcome(simso.simulate(simso.load(system["xml"])).schedule())
    return systems.simulated(system)


def rows(outcome):
    if outcome.error is not None:
        return {"error": outcome.error}
    return [[segment.task, segment.job, segment.cpu, segment.start, segment.end] for segment in outcome.segments]


@pytest.mark.parametrize("name", golden_systems())
def test_schedules_are_those_of_simso(name):
    golden = json.loads(GOLDEN.read_text())
    assert golden["source"] == "SimSo 0.8.5"
    assert rows(simulated(golden_systems()[name])) == golden["schedules"][name]


@needs_simso
def test_simso_still_says_so():
    schedules = {}
    with Peer(PYTHON) as peer:
        for name, one in golden_systems().items():
            peer.ask(one)
            schedules[name] = rows(peer.answer(one))
        found = {"source": f"SimSo {peer.version}", "schedules": schedules}
    if os.environ.get("WRITE_GOLDEN"):
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(schedule)}" for name, schedule in schedules.items())
        GOLDEN.write_text(f'{{"source": {json.dumps(found["source"])}, "schedules": {{\n{lines}\n}}}}\n')
    assert json.loads(GOLDEN.read_text()) == found
    # Not all of them are trivial: some have late jobs, and most have more stretches than jobs.
    assert sum(len(schedule) for schedule in schedules.values()) > 5000


@pytest.fixture
def its_schedulers():
    with Peer(PYTHON) as peer:
        simso.use_folder(peer.folder)
        yield peer


@needs_simso
@pytest.mark.parametrize("module", ["EDF", "EDF_mono", "RM", "LLF", "LLREF", "PD2", "EKG", "RUN", "U_EDF", "DP_WRAP", "SCHED_DEADLINE", "P_RM"])
def test_its_own_schedulers_give_its_schedules(its_schedulers, module):
    row = compare(its_schedulers, module, range(10))
    assert row.runs and not row.differ, row


def schedule(name):
    return [(task, job, start // 10**6, end // 10**6) for task, job, _, start, end in rows(simulated(golden_systems()[name]))]


def test_faults_of_simso_are_kept():
    """What `docs/simso.md` says of them: schedules are SimSo's also where it is wrong."""
    # T2 waits, and is aborted at 4 ms: with it ends what runs on its processor, and T1 has only 4 of its 6 ms.
    first = [segment for segment in schedule("a job that waits is aborted") if segment[:2] == ("T1", 1)]
    assert first == [("T1", 1, 0, 4)]
    # Nothing is to change at 1.5 ms, since the timers are stopped, but T2 runs.
    assert ("T1", 1, 0, 6) not in schedule("a timer is stopped at once")


@needs_simso
def test_its_own_objects_are_taken_as_they_are(monkeypatch):
    """A configuration and a class of SimSo itself, where it can be imported."""
    folder = next(path for path in Path(PYTHON).absolute().parents[1].glob("lib/python3*/site-packages"))
    monkeypatch.syspath_prepend(str(folder))
    if sys.version_info >= (3, 12):
        pytest.skip("SimSo 0.8.5 cannot be imported from Python 3.12 on")
    from simso.configuration import Configuration
    from simso.schedulers.EDF_mono import EDF_mono

    configuration = Configuration()
    configuration.duration = 100 * configuration.cycles_per_ms
    configuration.add_task(name="T1", identifier=1, period=7, wcet=3, deadline=7)
    configuration.add_processor(name="CPU 1", identifier=1)
    configuration.scheduler_info.clas = EDF_mono
    assert simso.simulate(configuration).result.jobs_completed == 14
    assert "flyball" not in sys.modules["simso"].__file__


@needs_simso
def test_simso_has_two_jobs_on_one_processor(its_schedulers):
    row = compare(its_schedulers, "WC_RUN", [14])
    assert row.differ == [14] and row.impossible == 1 and row.remark().startswith("SimSo: a processor runs one job at a time")
    one = systems.Outcome([simso.Segment("T1", 1, "CPU 1", 0, 4), simso.Segment("T2", 1, "CPU 1", 3, 5)])
    assert one.overlaps() and not systems.Outcome(one.segments[:1]).overlaps()


@needs_simso
def test_zero_laxity_in_floats_does_not_end(its_schedulers):
    row = compare(its_schedulers, "EDZL", [9])
    assert row.failed == 1 and row.errors == {"Endless": 1}


def test_it_runs_where_simso_is_and_where_it_is_not():
    before = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "simso"}
    assert simso.load_scheduler(DATA / "Packed.py").__name__ == "Packed"
    after = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "simso"}
    assert before == after
    with simso.standing_in():
        from simso.core import Scheduler, Timer  # noqa: F401
        from simso.core.Scheduler import SchedulerInfo

        assert SchedulerInfo.__module__ == "flyball.simso.scheduler"


def test_it_is_a_policy_for_any_task_set():
    tasks = TaskSet([{"name": "slow", "period": "7ms", "wcet": "4ms"}, {"name": "fast", "period": "5ms", "wcet": "2ms"}])
    mine, its = (flyball.simulate(tasks, policy, until="350ms") for policy in (simso.policy(DATA / "Thesis.py"), "edf"))
    assert mine.policy == "simso-Thesis"
    assert mine.jobs.to_dict() == its.jobs.to_dict()
    study = flyball.study(tasks, ["edf", simso.policy(DATA / "Quantum.py", name="my-rr")])
    assert study.policies == ["edf", "my-rr"] and study["my-rr"].holds is not True


def test_code_builds_configurations_too():
    configuration = simso.Configuration()
    configuration.duration = 420 * configuration.cycles_per_ms
    configuration.add_task(name="T1", identifier=1, period=7, activation_date=0, wcet=3, deadline=7)
    configuration.add_task(name="T2", identifier=2, period=12, activation_date=0, wcet=3, deadline=12)
    configuration.add_processor(name="CPU 1", identifier=1)
    configuration.scheduler_info.filename = str(DATA / "Thesis.py")
    run = simso.simulate(configuration)
    assert run.result.jobs_completed == 420 // 7 + 420 // 12 and run.result.misses == 0
    assert [row.response for row in run.jobs()["T1"][:2]] == [3_000_000, 3_000_000]
    assert run.schedule()[0] == simso.Segment("T1", 1, "CPU 1", 0, 3_000_000)


def test_late_jobs_are_aborted_unless_they_may_go_on():
    configuration = simso.Configuration()
    configuration.duration = 40 * configuration.cycles_per_ms
    for number, late in enumerate((True, False), 1):
        configuration.add_task(name=f"T{number}", identifier=number, period=10, wcet=7, deadline=10, abort_on_miss=late)
    configuration.add_processor(name="CPU 1", identifier=1)
    run = simso.simulate(configuration, DATA / "Thesis.py")
    assert {"completed", "aborted"} <= set(run.result.jobs["outcome"])
    assert run.result.misses > 0


def xml(tmp_path, old="", new=""):
    text = (DATA / "system.xml").read_text()
    assert old in text
    file = tmp_path / "system.xml"
    file.write_text(text.replace(old, new))
    shutil.copy(DATA / "Thesis.py", tmp_path)
    return file


def test_a_file_says_all_that_simso_reads():
    configuration = simso.load(DATA / "system.xml")
    assert configuration.duration_ms == 60 and configuration.scheduler_info.data == {"bonus": 0.5}
    first, _, third, fourth = configuration.task_info_list
    assert (first.wcet, first.period, first.abort_on_miss, first.data) == (2.5, 7.0, True, {"weight": 1})
    assert third.list_activation_dates == [0.5, 1.0, 20.0, 21.0, 50.0] and fourth.task_type == "APeriodic"
    assert [processor.cl_overhead for processor in configuration.proc_info_list] == [100, 0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<simulation ", "<simulations ", "no XML"),
        ('WCET="2.5"', 'WCET="soon"', "WCET: expected a number, found 'soon'"),
        ('WCET="2.5"', "", "expected WCET, found none"),
        ('etm="wcet"', 'etm="cache"', 'etm: expected "wcet" or "acet", found \'cache\''),
        ('cycles_per_ms="1000000"', 'cycles_per_ms="3"', "cycles_per_ms: expected a divisor"),
        ('speed="1.0"', 'speed="0.5"', "speed: expected 1.0, found 0.5"),
        ('className="Thesis.py"', 'className="Gone.py"', "there is no such file"),
        ('className="Thesis.py"', 'class="gone.Gone"', "there is no scheduler 'gone.Gone'"),
        ('followed_by="4"', "", "0 tasks are followed_by it"),
    ],
)
def test_what_cannot_be_simulated_is_refused(tmp_path, capsys, old, new, message):
    file = xml(tmp_path, old, new)
    with pytest.raises(InputError, match=message):
        simso.simulate(simso.load(file))
    assert main(["run", str(file)]) == 2
    assert message.split(":")[0] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('weight="1"', 'weight="1" colour="red"', "colour: SimSo knows no such attribute"),
        ('base_cpi="1.0"', 'base_cpi="2.0"', "base_cpi of 'T1'"),
        ('et_stddev="0.0"', 'et_stddev="0.5"', "et_stddev of 'T1'"),
    ],
)
def test_what_has_no_effect_is_told(tmp_path, old, new, message):
    with pytest.warns(simso.Unsimulated, match=message):
        simso.simulate(simso.load(xml(tmp_path, old, new)))


def scheduler(tmp_path, schedule):
    lines = ["from simso.core import Scheduler", "class Wrong(Scheduler):", "    def on_activate(self, job):", "        job.cpu.resched()"]
    lines += ["    def schedule(self, cpu):", f"        {schedule}"]
    file = tmp_path / "Wrong.py"
    file.write_text("\n".join(lines))
    return simso.policy(file)


ONE = TaskSet([{"name": "one", "period": "10ms", "wcet": "1ms"}])


@pytest.mark.parametrize(
    ("schedule", "message", "cause"),
    [
        ("raise ValueError('here')", "ValueError at 0", ValueError),
        ("return 3", "TypeError at 0", TypeError),
        ("cpu.set_speed(0.5)", "NotSimulated at 0", simso.NotSimulated),
        ("self.task_list[0].job.abort()", "NotSimulated at 0", simso.NotSimulated),
        ("cpu.resched()", "Endless at 0", Endless),
    ],
)
def test_mistakes_of_schedulers_are_told_with_the_instant(tmp_path, schedule, message, cause):
    with pytest.raises(PolicyError, match=message) as failure:
        flyball.simulate(ONE, scheduler(tmp_path, schedule), until="1s")
    assert isinstance(failure.value.__cause__, cause)


def test_what_is_no_scheduler_is_refused(tmp_path):
    (tmp_path / "Empty.py").write_text("x = 1\n")
    with pytest.raises(InputError, match="expected a class 'Empty'"):
        simso.policy(tmp_path / "Empty.py")
    with pytest.raises(InputError, match="int: expected a class"):
        simso.policy(int)
    blocks = TaskSet([{"name": "one", "period": "10ms", "wcet": "2ms", "behaviour": [{"compute": "1ms"}, {"suspend": "1ms"}, {"compute": "1ms"}]}])
    with pytest.raises(PolicyError, match="NotSimulated"):
        flyball.simulate(blocks, simso.policy(DATA / "Thesis.py"), until="1s")


def test_the_command_says_what_came_of_it(capsys):
    assert main(["run", str(DATA / "system.xml"), "--columns", "80"]) == 0
    shown = capsys.readouterr().out
    assert "misses" in shown and "T3" in shown and "simso-Thesis on 2 processors, 60 ms" in shown
    assert main(["table", "--python", "no-such-python"]) == 2
    assert "expected a Python with SimSo" in capsys.readouterr().err


def test_packers_named_best_and_worst_are_next_fit_as_in_simso():
    from flyball.simso import scheduler

    class Fits:
        def __init__(self, loads, cpus):
            self.task_list = [simso.TaskInfo(f"T{n}", n, wcet=load, period=10) for n, load in enumerate(loads)]
            self.processors, self.placed = list(range(cpus)), []

        def affect_task_to_processor(self, task, cpu):
            self.placed.append(cpu)

    def placed(pack, loads=(4, 7, 3, 2), cpus=3):
        fits = Fits(loads, cpus)
        assert pack(fits)
        return fits.placed

    assert placed(scheduler.first_fit) == [0, 1, 0, 0]
    assert placed(scheduler.next_fit) == [0, 1, 1, 2]
    assert placed(scheduler.best_fit) == [0, 1, 1, 0]
    assert placed(scheduler.worst_fit) == [0, 1, 2, 2]
    with pytest.warns(UserWarning, match="packs next-fit"):
        assert placed(scheduler.decreasing_worst_fit) == placed(scheduler.decreasing_next_fit)
    assert not scheduler.first_fit(Fits((6, 6, 6), 2))
