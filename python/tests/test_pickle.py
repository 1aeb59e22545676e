"""What is pickled: task sets, columns and overheads as they are, results as the call that gave them."""

import multiprocessing
import pickle

import pytest
from test_sweep_policies import STUDY as SIMULATED
from test_sweep_policies import Mine, mine

import flyball

GAP = flyball.TaskSet.parse('schema = 1\n[[task]]\nname = "a"\nperiod = "5ms"\nwcet = "2ms"\n[[task]]\nname = "b"\nperiod = "7ms"\nwcet = "4ms"\n', name="gap.toml")


def again(thing):
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("policies", [None, "rm", ["rm", "edf"], Mine, [Mine, "edf"]])
def test_a_study(policies):
    study = flyball.study(GAP, policies, until="200ms", seed=3, stop_at_miss=True)
    same = again(study)
    assert same.json() == study.json() and same.html() == study.html()
    assert again(study[0]).json() == study[0].json()
    assert again(study[0]).events.to_dict() == study[0].events.to_dict()


def test_a_simulation_and_its_study():
    run = flyball.simulate(GAP, "edf", until=50_000_000, keep=20, jitter="worst", tests=False)
    assert again(run).json() == run.json() and len(again(run).events) == 20
    assert again(run.study).json() == run.study.json()
    assert again(run.study[0]).records() == run.records()


def test_policies_from_a_generator_are_kept():
    study = flyball.study(GAP, (name for name in ("rm", "edf")), until="20ms")
    assert again(study).policies == study.policies == ["rm", "edf"]


def test_an_analysis():
    analysis = flyball.analyse(GAP, cpus=2, accounting="per-job")
    assert again(analysis).json() == analysis.json()
    assert str(again(analysis)) == str(analysis)


@pytest.mark.parametrize("what", ["events", "jobs", "segments"])
def test_columns(what):
    columns = getattr(flyball.simulate(GAP, "rm", until="100ms"), what)
    same = again(columns)
    assert same.to_dict() == columns.to_dict() and same.column_names == columns.column_names
    assert repr(same) == repr(columns)


def test_all_kinds_of_columns():
    for columns in (flyball.study(GAP).verdicts, flyball.analyse(GAP).verdicts, flyball.reproductions(), GAP.tasks, flyball.simulate(GAP, "rm", until="0.1ms").jobs):
        same = again(columns)
        assert same.to_dict() == columns.to_dict() and len(same) == len(columns)


@pytest.mark.parametrize(
    ("kept", "message"),
    [
        (("Odd", 1, None, [b""], None), "no column: of an unknown kind"),
        (("Int64", 2, None, [b"12345678"], None), "no column: "),
        (("Utf8", 1, None, [b"\0\0\0\0\2\0\0\0", b"\xff\xff"], None), "no column: "),
        (("Dictionary(Int16, Utf8)", 1, None, [b"\7\0"], ("Utf8", 0, None, [b"\0\0\0\0", b""], None)), "no column: "),
    ],
)
def test_columns_that_are_none(kept, message):
    with pytest.raises(flyball.InputError, match=message):
        flyball.Columns._restored(["x"], [kept])


def test_sweeps_are_read_again(tmp_path):
    swept = flyball.sweep(SIMULATED, out=tmp_path / "out", policies=mine)
    same = again(swept.results)
    assert same.simulated.to_dict() == swept.results.simulated.to_dict()
    with pytest.raises(TypeError, match="<Sweep \"mine\".* is not pickled: it is what one call has done; pickle its `results`"):
        pickle.dumps(swept)
    with pytest.raises(TypeError, match="pickle its `points` or its `svg\\(\\)`"):
        pickle.dumps(swept.results.figures[0])


def test_a_reproduction():
    work = flyball.reproduce("miosix", only="set-point")
    assert again(work).json() == work.json()


def test_a_policy_that_has_no_name_elsewhere_is_not_pickled():
    study = flyball.study(GAP, flyball.by_key(lambda task, release, deadline: deadline, name="local"), until="20ms")
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(study)


def responses(seed):
    return flyball.simulate(flyball.generate(5, 0.8, seed=seed), "edf", until="1s", tests=False).jobs


def test_other_processes_return_columns():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.map(responses, range(4))
    assert [it.to_dict() for it in found] == [responses(seed).to_dict() for seed in range(4)]
