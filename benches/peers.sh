#!/usr/bin/env bash
# The simulator beside SimSo 0.8.5 on the same task sets, in one run. Ratios are what to quote: the
# absolute rates are those of this machine at this moment.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(command -v python3.11 || true)
if [ -z "$python" ]; then
  echo "SimSo 0.8.5 needs Python 3.11 (it fails to start on 3.12 and later); please install it" >&2
  exit 1
fi
venv=$PWD/target/simso
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import simso' 2>/dev/null; then
  "$python" -m venv "$venv"
  "$venv/bin/pip" install --quiet simso==0.8.5
fi

bench() { cargo bench --quiet -p flyball-sim --bench jobs -- "$@"; }

printf '%-46s %14s %14s %8s\n' 'task set' 'SimSo' 'Flyball' 'ratio'
# tasks, CPUs, milliseconds that SimSo simulates (a few seconds of its time)
while read -r tasks cpus milliseconds; do
  bench --write "$tasks" "$cpus" "$venv/set.csv"
  simso=$("$venv/bin/python" benches/simso_peer.py "$venv/set.csv" "$milliseconds" "$cpus")
  ours=$(bench --json "$tasks" "$cpus")
  "$venv/bin/python" - "$tasks" "$cpus" "$simso" "$ours" <<'PYTHON'
import json, sys
tasks, cpus, simso, ours = sys.argv[1:]
simso = json.loads(simso)
simso = simso["jobs"] / simso["cpu_seconds"]
ours = json.loads(ours)["jobs_per_second"]
cpus = "1 CPU, EDF" if cpus == "1" else f"{cpus} CPUs, SimSo G-EDF, Flyball P-EDF"
name = f"{tasks} tasks, {cpus}"
print(f"{name:<46} {simso:>9,.0f} j/s {ours:>9,.0f} j/s {ours / simso:>7,.0f}x")
PYTHON
done <<'SETS'
8 1 60000
100 1 5000
8 4 20000
SETS
