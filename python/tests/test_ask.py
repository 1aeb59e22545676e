"""Answers of the analyses, of one set and of many."""

import pytest

import flyball

PAIR = flyball.TaskSet([{"name": "a", "period": "4ms", "wcet": "1ms"}, {"name": "b", "period": "6ms", "wcet": "2ms"}])


def test_answers_are_those_of_the_analysis():
    found = flyball.analyse(PAIR)
    verdicts = found.verdicts.to_dict()
    for row, policy in enumerate(verdicts["policy"]):
        assert flyball.ask(PAIR, "holds", policy) == verdicts["holds"][row]
        assert flyball.ask(PAIR, "fewest CPUs", policy.upper()) == verdicts["fewest_cpus"][row]
    # 1/4 + 2/6 = 7/12, and under EDF the set holds as long as that is no more than 1.
    assert flyball.ask(PAIR, "margin", "p-edf") == pytest.approx(12 / 7, abs=1e-6)
    times = flyball.ask(PAIR, "response times", "p-edf")
    # Together 3 ms, and no job is later than its deadline.
    assert 1_000_000 <= times["a"] <= 3_000_000 and times["b"] == 3_000_000
    # Alone a may take 4 ms less what b asks for in that time: 1/4 + x/4 + 2/6 = 1.
    assert flyball.ask(PAIR, "slack", "p-edf")["a"] == 1_666_666
    assert set(flyball.ask(PAIR, "response times", "p-fp").values()) == {None}


def test_many_sets_in_their_order():
    sets = [flyball.generate(6, 1.0 + 0.1 * seed, cpus=2, seed=seed) for seed in range(5)]
    for question in ("holds", "fewest CPUs", "margin"):
        each = [flyball.ask(it, question, "g-edf") for it in sets]
        assert flyball.ask(iter(sets), question, "g-edf", threads=3) == each
        assert flyball.ask(sets, question, "g-edf") == each
    assert flyball.ask([], "holds", "p-edf") == []


def test_options_are_those_of_analyse():
    assert flyball.ask(PAIR, "holds", "g-edf", cpus=2) is True
    with pytest.raises(TypeError, match="colour"):
        flyball.ask(PAIR, "holds", "p-edf", colour="red")


def test_what_is_not_covered_is_not_known():
    pipeline = flyball.TaskSet(
        [
            {"name": "producer", "period": "10ms", "behaviour": [{"compute": 500_000}, {"send": "q"}]},
            {"name": "consumer", "sporadic": "10ms", "behaviour": [{"receive": "q"}, {"compute": "1ms"}]},
        ],
        queue=[{"name": "q", "capacity": 3}],
    )
    assert flyball.analyse(pipeline).not_covered is not None
    assert flyball.ask(pipeline, "holds", "p-edf") is None


@pytest.mark.parametrize(
    ("question", "policy", "message"),
    [("cpus", "p-edf", "question: there is no 'cpus'; there are: holds, fewest CPUs"), ("holds", "odd", "the analyses say nothing of 'odd'")],
)
def test_mistakes(question, policy, message):
    with pytest.raises(flyball.InputError, match=message):
        flyball.ask(PAIR, question, policy)
    with pytest.raises(flyball.InputError, match=message):
        flyball.ask([PAIR] * 3, question, policy)
