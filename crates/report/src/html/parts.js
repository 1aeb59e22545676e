// Where two schedules part.

function divisor(a, b) {
  return b === 0n ? a : divisor(b, a % b);
}

// What two packed views both show, in a unit that suits both; null if that is nothing.
function commonFrame(a, b) {
  const ends = [a, b].map(({ start, unit, length }) => {
    const from = BigInt(start);
    return [from, from + BigInt(unit) * BigInt(length)];
  });
  const [[fromA, toA], [fromB, toB]] = ends;
  const start = fromA > fromB ? fromA : fromB, end = toA < toB ? toA : toB;
  if (start >= end) return null;
  const apart = fromA > fromB ? fromA - fromB : fromB - fromA;
  const unit = divisor(divisor(BigInt(a.unit), BigInt(b.unit)), apart);
  return { start, unit, length: Number((end - start) / unit) };
}

// What runs at `time` on a CPU: { task, job, until }. Without a task it is idle until then.
function runsAt({ slices, who, job }, time, end) {
  const next = upperBound(slices.end, time);
  if (next === slices.count) return { until: end };
  if (slices.start[next] > time) return { until: slices.start[next] };
  return { task: who[next] >> 1, job: job[next], until: slices.end[next] };
}

// The first instant at which other jobs run on some CPU, which one, and what runs there under each:
// { time, cpu, runs }. Null if there is none. Both views have to have the same frame.
function firstDifference(a, b) {
  let first = null;
  for (let cpu = 0; cpu < Math.min(a.cpus.length, b.cpus.length); cpu++) {
    const end = first ? first.time : a.length;
    for (let time = 0; time < end;) {
      const runs = [a, b].map((view) => runsAt(view.cpus[cpu], time, end));
      if (runs[0].task !== runs[1].task || runs[0].job !== runs[1].job) {
        first = { time, cpu, runs };
        break;
      }
      time = Math.min(runs[0].until, runs[1].until);
    }
  }
  return first;
}
