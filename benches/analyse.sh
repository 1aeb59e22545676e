#!/usr/bin/env bash
# How long the command takes for questions that people ask while they wait: the median of three runs
# in seconds of wall time, beside the goal, and beside another build of the command in the same run
# if its path is given. A run ends after five minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
ours=$PWD/target/release/flyball
other=${1:+$(realpath "$1")}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
gap=$PWD/examples/gap.toml
cd "$folder"

"$ours" generate --tasks 60 --utilisation 5.6 --out s60.toml
"$ours" generate --tasks 1000 --utilisation 90 --out s1000.toml
"$ours" generate --tasks 100 --utilisation 5.6 --out s100.toml
# A set whose utilisation is 1 - 1e-12 and that is infeasible at once.
{
  echo "schema = 1"
  while read -r period wcet deadline; do
    printf '[[task]]\nperiod = "%sns"\nwcet = "%sns"\ndeadline = "%sns"\n' "$period" "$wcet" "$deadline"
  done <<'TEXT'
999983 499991 999978
999979 499989 999976
999962000357 999980 999962000357
TEXT
} >near1.toml

# The seconds that COMMAND ARGUMENTS… takes.
seconds() {
  local start=$EPOCHREALTIME code=0
  timeout 300 "$@" >out.txt 2>&1 || code=$?
  # A verdict is no failure.
  if [ "$code" -gt 1 ]; then
    cat out.txt >&2
    echo "$* ended with $code" >&2
  fi
  awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f\n", b - a }'
}

median() { for _ in 1 2 3; do seconds "$@"; done | sort -n | sed -n 2p; }

measure() {
  local goal=$1 title=$2
  shift 2
  printf '%-58s %6s %8s' "$title" "$goal" "$(median "$ours" "$@")"
  if [ -n "$other" ]; then printf ' %8s' "$(median "$other" "$@")"; fi
  printf '\n'
}

printf '%-58s %6s %8s%s\n' SECONDS GOAL NOW "${other:+    OTHER}"
measure 1 "analyse: 60 tasks on 8 CPUs" analyse s60.toml --cpus 8
measure 10 "analyse: 1,000 tasks on 128 CPUs" analyse s1000.toml --cpus 128
measure 0.1 "analyse: three tasks, U = 1 - 1e-12" analyse near1.toml
measure 3 "study -p c-edf: 1,000 tasks on 128 CPUs" study s1000.toml --cpus 128 -p c-edf --no-report
measure 0.05 "simulate -p g-edf: 100 tasks on 8 CPUs, 10 s" \
  simulate s100.toml --cpus 8 -p g-edf --until 10s
measure 0.5 "study: examples/gap.toml, with its page" study "$gap" --out report
