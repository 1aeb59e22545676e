"""Verdicts on a corpus from a cluster are those of `flyball analyse --corpus`, but for the times that tests took."""

import contextlib
import csv
import io
import lzma
import os
import random
import re
import signal
import time

import pytest

pytest.importorskip("distributed", reason="needs the extra flyball[cluster]")
psutil = pytest.importorskip("psutil")

from test_cluster import begin_with, command, descendants, is_worker, log, nothing_twice, wait  # noqa: E402, F401

HEAD = "set,m,cap,wcet_us,period_us,deadline_us\n"
OVERHEADS = """\
schema = 1
[provenance]
processor = "p"
[[measured]]
policy = "g-edf"
statistic = "worst"
[measured.overheads]
scheduling = "2us"
context_switch = "1us"
"""


def sets(number, seed=1):
    """A corpus of so many sets, some of which have odd names."""
    chance, lines = random.Random(seed), [HEAD]
    for place in range(number):
        name = f'"set {place}, ""odd"""' if place % 7 == 0 else f"m4.{place:04}"
        for _ in range(chance.randint(5, 14)):
            period = chance.randint(3_000, 33_000)
            lines.append(f"{name},4,{place % 3},{max(1, int(period * chance.uniform(0.05, 0.6)))},{period},{period}\n")
    return "".join(lines)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A folder with a corpus, and what the plain command says of it."""
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "sets.csv").write_text(sets(300))
    plain = command("analyse", "--corpus", "sets.csv", "--out", "plain.csv", cwd=folder)
    assert plain.returncode == 0, plain.stderr
    (folder / "summary.txt").write_text(plain.stdout)
    return folder


def cluster(folder, *arguments):
    return command("cluster", "--corpus", folder / "sets.csv", *arguments)


def verdicts(text):
    """All but the times."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == ["set", "test", "verdict", "cpu_us"]
    assert all(re.fullmatch(r"\d+\.\d", row[3]) for row in rows[1:])
    return [row[:3] for row in rows]


def without_times(summary):
    return re.sub(r" +[0-9.]+ s(?=\n)", "", summary)


def kept(folder):
    return len(list(folder.glob("*.csv")))


def test_the_same_as_the_plain_command(corpus, tmp_path, log):  # noqa: F811
    done = cluster(corpus, "--out", tmp_path / "v.csv", "--local", 4)
    assert done.returncode == 0, done.stderr
    assert verdicts((tmp_path / "v.csv").read_text()) == verdicts((corpus / "plain.csv").read_text())
    assert without_times(done.stdout) == without_times((corpus / "summary.txt").read_text())
    assert nothing_twice(log) == 0
    before, parts = log.read_text(), tmp_path / "v.csv.parts"
    assert kept(parts) == 300
    # Once more nothing is computed, and the times are those of before.
    (tmp_path / "v.csv").rename(tmp_path / "before.csv")
    again = cluster(corpus, "--out", tmp_path / "v.csv", "--local", 4)
    assert again.returncode == 0 and again.stdout == done.stdout
    assert log.read_text() == before
    assert (tmp_path / "v.csv").read_bytes() == (tmp_path / "before.csv").read_bytes()


@pytest.mark.parametrize(
    "options",
    [
        ["--union"],
        ["--tests", "gfb,rtalc,exact,sim", "--steps", "10000"],
        ["--tests", "rta,gfb", "--overheads", "{}/o.toml", "--accounting", "per-job"],
    ],
)
def test_options_and_packed_files(tmp_path, options):
    (tmp_path / "o.toml").write_text(OVERHEADS)
    with lzma.open(tmp_path / "sets.csv.xz", "wt", newline="") as file:
        # Line ends of Windows, empty lines, and a mark of the byte order.
        file.write("\ufeff" + sets(25).replace("\n", "\r\n").replace("m4.0003,", "\r\nm4.0003,"))
    options = [it.format(tmp_path) for it in options]
    plain = command("analyse", "--corpus", tmp_path / "sets.csv.xz", "--out", "-", *options)
    assert plain.returncode == 0, plain.stderr
    arguments = ["--corpus", tmp_path / "sets.csv.xz", *options, "--local", 2, "--parts", tmp_path / "parts"]
    done = command("cluster", *arguments, "--out", tmp_path / "v.csv.xz")
    assert done.returncode == 0, done.stderr
    assert verdicts(lzma.decompress((tmp_path / "v.csv.xz").read_bytes()).decode()) == verdicts(plain.stdout)
    printed = command("cluster", *arguments, "--out", "-")
    assert verdicts(printed.stdout) == verdicts(plain.stdout)
    assert without_times(printed.stderr) == without_times(plain.stderr)


def test_workers_and_drivers_are_killed(corpus, tmp_path, log):  # noqa: F811
    chance, parts = random.Random(3), tmp_path / "parts"
    arguments = ["--corpus", corpus / "sets.csv", "--out", tmp_path / "v.csv", "--parts", parts, "--local", 3]
    for drivers in range(1, 100):
        already = kept(parts)
        driver = begin_with(*arguments)
        killed = 0
        while driver.poll() is None and not (drivers < 3 and kept(parts) >= already + 20):
            time.sleep(chance.uniform(0.1, 0.4))
            victims = [it for it in descendants(driver) if is_worker(it)]
            if victims and killed < 4 and kept(parts) > already:
                with contextlib.suppress(psutil.NoSuchProcess):
                    chance.choice(victims).send_signal(signal.SIGKILL)
                    killed += 1
        driver.kill()
        _, said = driver.communicate()
        assert driver.returncode in (0, -signal.SIGKILL), said
        nothing_twice(log)
        if driver.returncode == 0:
            break
    assert drivers > 1
    assert verdicts((tmp_path / "v.csv").read_text()) == verdicts((corpus / "plain.csv").read_text())


def test_ctrl_c_and_one_driver_at_a_time(corpus, tmp_path):
    parts = tmp_path / "v.csv.parts"
    arguments = ["--corpus", corpus / "sets.csv", "--out", tmp_path / "v.csv", "--local", 2]
    driver = begin_with(*arguments)
    wait(lambda: kept(parts) > 0)
    # It waits, so that it is not done before.
    driver.send_signal(signal.SIGSTOP)
    refused = command("cluster", *arguments)
    assert refused.returncode == 2 and f"another driver is writing to {parts}" in refused.stderr
    os.killpg(driver.pid, signal.SIGINT)
    driver.send_signal(signal.SIGCONT)
    _, said = driver.communicate(timeout=60)
    assert driver.returncode == 130 and re.fullmatch(r"interrupted; \d+ of 300 units are finished, and the same command goes on\n", said), said
    assert not (tmp_path / "v.csv").exists()


@pytest.mark.parametrize(
    "wrong, options",
    [
        ("m4.0008,4,1,x,3,3\n", []),
        ("m4.0001,4,1,1,3,3\n", []),
        ("m4.0009,4,1,1,3\n", []),
        ("", ["--tests", "gfb,nonsense"]),
        ("", ["--tests", "ffd", "--union"]),
        ("", ["--overheads", "nowhere.toml"]),
        ("", ["--charge", "worst"]),
    ],
)
def test_mistakes_are_those_of_the_command(tmp_path, wrong, options):
    (tmp_path / "sets.csv").write_text(sets(12) + wrong)
    plain = command("analyse", "--corpus", tmp_path / "sets.csv", "--out", tmp_path / "v.csv", *options)
    done = cluster(tmp_path, "--out", tmp_path / "v.csv", "--local", 2, *options)
    assert plain.returncode == done.returncode == 2
    assert done.stderr.splitlines()[0] == plain.stderr.splitlines()[0]
    if wrong:
        assert f"line {(sets(12) + wrong).count(chr(10))}" in done.stderr and done.stderr == plain.stderr
    assert sorted(it.name for it in tmp_path.iterdir()) == ["sets.csv"]


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "sets.csv").write_text(sets(6))
    arguments = ["--out", tmp_path / "v.csv", "--local", 1]
    assert cluster(tmp_path, *arguments).returncode == 0
    parts = tmp_path / "v.csv.parts"
    before = {it.name: it.read_bytes() for it in parts.iterdir()}
    said = f"error: {parts} has verdicts on another corpus, with other options, or of another Flyball\n"
    other = cluster(tmp_path, *arguments, "--tests", "gfb")
    assert other.returncode == 2 and other.stderr.startswith(said)
    (tmp_path / "sets.csv").write_text(sets(6, seed=2))
    other = cluster(tmp_path, *arguments)
    assert other.returncode == 2 and other.stderr.startswith(said) and "--parts" in other.stderr
    assert {it.name: it.read_bytes() for it in parts.iterdir()} == before


def test_a_damaged_piece_is_computed_again(tmp_path, log):  # noqa: F811
    (tmp_path / "sets.csv").write_text(sets(6))
    arguments = ["--out", tmp_path / "v.csv", "--local", 1]
    assert cluster(tmp_path, *arguments).returncode == 0
    expected, parts = verdicts((tmp_path / "v.csv").read_text()), sorted((tmp_path / "v.csv.parts").glob("*.csv"))
    parts[1].write_bytes(parts[1].read_bytes().replace(b",1,", b",0,").replace(b",T,", b",1,") + b"\n")
    parts[2].write_bytes(b"")
    parts[4].rename(parts[4].with_name(f"0005.{parts[4].name.split('.')[1]}.csv"))
    log.write_text("")
    done = cluster(tmp_path, *arguments)
    assert done.returncode == 0 and done.stderr.count("is damaged") == 3
    assert verdicts((tmp_path / "v.csv").read_text()) == expected
    assert sum(line.startswith("stored") for line in log.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--local", "1"], "expected either a study or --corpus"),
        (["study.toml", "--corpus", "sets.csv", "--local", "1"], "expected either a study or --corpus"),
        (["study.toml", "--union", "--local", "1"], "--union is about a corpus"),
        (["study.toml", "--working-set", "1M", "--local", "1"], "--working-set is about a corpus"),
        (["--corpus", "sets.csv", "--local", "1"], "--corpus needs --out FILE"),
        (["--corpus", "sets.csv", "--out", "v.csv", "--json", "--local", "1"], "--json is about a study"),
    ],
)
def test_what_does_not_go_together(tmp_path, arguments, said):
    done = command("cluster", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.startswith("error: ") and said in done.stderr
    assert not list(tmp_path.iterdir())
