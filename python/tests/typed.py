"""What a user writes, for type checkers: `mypy --strict` has nothing to say of it."""

import flyball
from flyball.testing import assert_schedulable

tasks = flyball.TaskSet([{"name": "a", "period": "10ms", "wcet": 1_000_000}], cpus=2)
study: flyball.Study = flyball.study(tasks, ["edf", "rm"], until="1s", partition="first-fit")
names: list[str] = study.holding
result: flyball.PolicyResult = flyball.simulate(tasks, "edf", until=1_000_000_000, seed=7)
holds: bool | None = result.holds
first: flyball.PolicyResult = study["edf"]
events: flyball.Columns = result.events
times: list[int] = events["time_ns"]
analysis: flyball.Analysis = flyball.analyse(tasks, cpus=2, accounting="per-job", latency="5ms")
why: str | None = analysis.not_covered
places: flyball.Columns | None = analysis.partition
random: flyball.TaskSet = flyball.generate(20, 3.5, cpus=4, periods=("10ms", 1_000_000_000), seed=7)
work: flyball.Reproduction = flyball.reproduce("miosix", only=["hartstone"])
drawings: list[flyball.Figure] = work.figures
results: flyball.SweepResults | None = flyball.sweep("study.toml", out="results", shard="1/4").results
answer = flyball.ask(tasks, "fewest CPUs", "g-edf", cpus=2)
answers = flyball.ask([tasks, tasks], "holds", "p-edf")
how_many: int = len(answers)
held: flyball.Study = assert_schedulable(tasks, "edf", until="1s")


@flyball.by_key(name="mine")
def mine(task: flyball.Task, release: int, deadline: int | None) -> int:
    return deadline or release


swept: flyball.Sweep = flyball.sweep("study.toml", policies=[mine])
