"""Task sets: from files, from texts, and built in code; and what is wrong with them."""

import pathlib
import pickle

import pytest

import flyball
from flyball import InputError, TaskSet

EXAMPLES = sorted((pathlib.Path(__file__).parents[2] / "examples").glob("*.toml"))
TASK = {"name": "a", "period": "10ms", "wcet": "1ms"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_text_and_pickle_give_the_same_set(example):
    tasks = TaskSet.load(example)
    assert TaskSet.parse(tasks.to_toml()) == tasks
    again = pickle.loads(pickle.dumps(tasks))
    assert again == tasks and hash(again) == hash(tasks)
    assert len(tasks) == len(tasks.task_names) == len(tasks.tasks)


def test_built_in_code_is_as_from_a_file():
    built = TaskSet(
        [
            {"name": "producer", "period": 10_000_000, "behaviour": [{"compute": 500_000}, {"send": "q"}]},
            {"name": "consumer", "sporadic": "10ms", "behaviour": [{"receive": "q"}, {"compute": {"uniform": [1000, "2us"]}}]},
        ],
        cpus=2,
        name="pair",
        queue=[{"name": "q", "capacity": 3}],
        policies={"rr": {"quantum": 2_000_000}},
    )
    text = """
        schema = 1
        name = "pair"
        [platform]
        cpus = 2
        [policies.rr]
        quantum = "2ms"
        [[queue]]
        name = "q"
        capacity = 3
        [[task]]
        name = "producer"
        period = "10ms"
        behaviour = [{ compute = "500us" }, { send = "q" }]
        [[task]]
        name = "consumer"
        sporadic = "10ms"
        behaviour = [{ receive = "q" }, { compute = { uniform = ["1us", "2us"] } }]
    """
    assert built == TaskSet.parse(text)
    assert built.cpus == 2 and built.name == "pair"


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy")
    built = TaskSet([{**TASK, "period": numpy.int64(10_000_000), "priority": numpy.int8(3)}])
    assert built == TaskSet([{**TASK, "priority": 3}])
    with pytest.raises(InputError, match="found a float"):
        TaskSet([{**TASK, "period": numpy.float64(0.01)}])


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([{**TASK, "wcet": 0.001}], 'task 1: wcet: expected whole nanoseconds, or a text such as "5ms", found a float'),
        ([{**TASK, "wcet": "fast"}], "task 'a': wcet"),
        ([TASK, TASK], "'a'"),
        ([{**TASK, "wctt": "1ms"}], "wctt"),
        ([{**TASK, 3: "1ms"}], "task 1: keys are text, found int"),
        ([3], "task 1: expected a mapping of keys to values, found int"),
        (3, "expected a list, found int"),
        ([], "there are no tasks"),
        ([{**TASK, "period": -1}], "below zero"),
        ([{**TASK, "wcet": object()}], "task 1: wcet: expected a text, a number, a list or a mapping, found object"),
        ([{**TASK, "period": 2**70}], "task 1: period: the number is too large"),
    ],
)
def test_what_is_wrong_is_said(tasks, message):
    with pytest.raises(InputError) as caught:
        TaskSet(tasks)
    assert message.replace("'", '"') in str(caught.value)


def test_a_list_in_itself_has_an_end():
    behaviour = []
    behaviour.append(behaviour)
    with pytest.raises(InputError, match="levels"):
        TaskSet([{**TASK, "behaviour": behaviour}])


def test_mistakes_in_a_text_come_with_their_line():
    with pytest.raises(InputError) as caught:
        TaskSet.parse('schema = 1\n[[task]]\nperiod = "10ms"\nwcet = 10\n', name="radar.toml")
    assert "radar.toml:4:8" in str(caught.value) and "4 | wcet = 10" in str(caught.value)
    with pytest.raises(InputError, match="there is no such file"):
        TaskSet.load("missing.toml")
    with pytest.raises(InputError, match="there are: toml, csv"):
        TaskSet.parse("", "xml")
