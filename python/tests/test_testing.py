"""What a product's tests say of its task set."""

import subprocess
import sys

import pytest

import flyball
from flyball.testing import assert_schedulable

GOOD = flyball.TaskSet([{"name": "a", "period": "5ms", "wcet": "2ms"}, {"name": "b", "period": "7ms", "wcet": "4ms"}])
BAD = flyball.TaskSet([{"name": "a", "period": "5ms", "wcet": "3ms"}, {"name": "b", "period": "7ms", "wcet": "4ms"}])


def test_what_holds_passes():
    assert assert_schedulable(GOOD, "edf").holding == ["edf"]
    assert "edf" in assert_schedulable(GOOD).holding


def test_what_misses_deadlines_fails_with_the_schedule():
    with pytest.raises(AssertionError, match='misses deadlines under "edf"') as caught:
        assert_schedulable(BAD, "edf")
    message = str(caught.value)
    first = flyball.simulate(BAD, "edf", until="100ms").jobs.to_dict()
    row = first["missed"].index(True)
    assert "edf, about the first miss:" in message and first["task"][row] in message
    # The chart shows both tasks, and the miss as charts mark it.
    chart = message.split("about the first miss:\n")[1]
    assert {"a", "b"} <= {line.split()[0] for line in chart.splitlines() if line.split()}
    assert max(map(len, chart.splitlines())) <= 110


def test_what_is_only_not_known_fails_too():
    @flyball.by_key(name="mine")
    def mine(task, release, deadline):
        return deadline

    with pytest.raises(AssertionError, match='is not known to meet all deadlines under "mine"') as caught:
        assert_schedulable(GOOD, mine, until="70ms")
    assert "about the first miss" not in str(caught.value)


def test_all_policies_are_named():
    with pytest.raises(AssertionError, match="misses deadlines under any of these policies") as caught:
        assert_schedulable(BAD, ["rm", "edf"])
    assert "\n  rm: " in str(caught.value) and "\n  edf: " in str(caught.value)


def test_pytest_points_to_the_products_line(tmp_path):
    (tmp_path / "test_product.py").write_text(
        "import flyball\nfrom flyball.testing import assert_schedulable\n\n\ndef test_it():\n"
        "    tasks = flyball.TaskSet([{'name': 'a', 'period': '5ms', 'wcet': '3ms'}, {'name': 'b', 'period': '7ms', 'wcet': '4ms'}])\n"
        "    assert_schedulable(tasks, 'rm')\n"
    )
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_product.py"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 1
    assert "test_product.py:7: AssertionError" in run.stdout and "about the first miss" in run.stdout
    assert "testing.py" not in run.stdout
