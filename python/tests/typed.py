"""What a user writes, for type checkers: `mypy --strict` has nothing to say of it."""

import flyball

tasks = flyball.TaskSet([{"name": "a", "period": "10ms", "wcet": 1_000_000}], cpus=2)
study: flyball.Study = flyball.study(tasks, ["edf", "rm"], until="1s", partition="first-fit")
names: list[str] = study.holding
result: flyball.PolicyResult = flyball.simulate(tasks, "edf", until=1_000_000_000, seed=7)
holds: bool | None = result.holds
first: flyball.PolicyResult = study["edf"]
events: flyball.Columns = result.events
times: list[int] = events["time_ns"]
