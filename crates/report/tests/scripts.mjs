// Tests of the parts of the page's scripts that need no browser; run by scripts.rs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

const folder = new URL("../src/html/", import.meta.url);
const read = (name) => readFileSync(fileURLToPath(new URL(name, folder)), "utf8");
const all = ["time.js", "schedule.js", "parts.js", "theme.js", "frame.js", "draw.js", "tips.js", "chart.js",
  "gantt.js", "compare.js", "bar.js", "page.js"].map(read).join("");

// As one script, as in the page: this is where a name declared twice would show.
new vm.Script(`(() => {"use strict";\n${all}})();`, { filename: "page.js" });

const exported = "{ formatTime, formatLength, roundStep, lowerBound, entryAt, decode, unpack, View,"
  + " Tip, commonFrame, firstDifference }";
const page = vm.runInThisContext(
  `(() => {"use strict";\n${read("time.js")}${read("schedule.js")}${read("parts.js")}${read("tips.js")}return ${exported}; })()`);
const { formatTime, formatLength, roundStep, lowerBound, entryAt, decode, unpack, View, Tip } = page;
const { commonFrame, firstDifference } = page;

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
// Numbers as data/numbers.rs writes them.
function pack(...numbers) {
  return numbers.map((number) => {
    let text = "", rest = BigInt(Math.abs(number)) * 2n + (number < 0 ? 1n : 0n);
    for (; rest >= 32n; rest /= 32n) text += LETTERS[Number(rest % 32n) + 32];
    return text + LETTERS[Number(rest)];
  }).join("");
}

// Times are exact, beyond what a double holds as well.
assert.equal(formatTime(0n), "0");
assert.equal(formatTime(999n), "999 ns");
assert.equal(formatTime(12_500_000n), "12.5 ms");
assert.equal(formatTime(1_000_000_001n), "1.000000001 s");
assert.equal(formatTime(18_446_744_073_709_551_614n), "18\u202f446\u202f744\u202f073.709551614 s");
assert.equal(formatTime(1_500_000n, [1_000_000_000n, "s"]), "0.0015 s");
assert.equal(formatLength(12_345_678), "12.35 ms");
assert.equal(formatLength(0.4), "0.4 ns");
assert.deepEqual([0.1, 1, 1.5, 3, 7, 45_000].map(roundStep), [1n, 1n, 2n, 5n, 10n, 50_000n]);

assert.deepEqual([0, 1, 2, 5, 9].map((x) => lowerBound([1, 2, 2, 7], x)), [0, 0, 1, 3, 4]);

// [gap, length, more…]; the holes between entries belong to none.
assert.deepEqual(decode("ACDegB"), [0, 1, -1, 15, 16]);
const far = [2 ** 52 + 1, -(2 ** 40), 0, 31, 32, -31];
assert.deepEqual(decode(pack(...far)), far);
const lane = unpack(pack(2, 3, 7, 0, 1, 8, 4, 2, 9), 1);
assert.deepEqual([...lane.start], [2, 5, 10]);
assert.deepEqual([...lane.end], [5, 6, 12]);
assert.deepEqual([...lane.more[0]], [7, 8, 9]);
assert.deepEqual([1, 2, 4.9, 5, 7, 11, 12].map((time) => entryAt(lane, time)), [-1, 0, 0, 1, -1, 2, -1]);

// Two CPUs, two tasks; the second runs on both and is late on the second.
const view = new View({
  tasks: ["a", "b"], servers: [{ name: "s", full: 4000000 }], queues: [{ name: "q", full: 4 }],
  reservations: [{ name: "b", full: 40000000 }],
}, {
  start: "9007199254740993", unit: 1000, length: 100, initial: [0, 10],
  cpus: [
    { slices: pack(0, 4, 0, 1, 6, 5, 2, 1), kernel: pack(4, 1, 0), slower: pack(0, 4, 500) },
    { slices: pack(4, 6, 3, 1), kernel: "", slower: "" },
  ],
  tasks: [
    { marks: pack(0, 0, 1, 4, 2, 0), waits: "", holds: "" },
    { marks: pack(1, 0, 1, 3, 1, 0, 0, 3, 0), waits: pack(1, 3, 1, 1), holds: "" },
  ],
  servers: [pack(2, 4, 1000, 1000, 0, 8, 1000, 0)],
  queues: [{ levels: pack(0, 5, 4, 0, 15, 0), glitches: pack(5, 0, 0, 2, 15, 0, 1, 1) }],
  reservations: [{ parts: pack(3, 7, 125, 40000000, 0, 30, 62, 20000000), reductions: pack(10, 0) }],
});
assert.equal(view.rows, 7);
const rows = [0, 1, 2, 3, 4, 5, 6].map((row) => view.name(...view.lane(row)));
assert.deepEqual(rows, ["CPU 0", "CPU 1", "a", "b", "server s", "queue q", "share of b"]);
assert.equal(view.lane(7), undefined);
// Halfway through what it runs, half of the budget is left.
const tip = new Tip({}, view);
assert.match(tip.describeCpu(view.cpus[0], 1), /^at 50 % of the highest frequency\n/);
assert.doesNotMatch(tip.describeCpu(view.cpus[1], 5), /frequency/);
assert.equal(tip.describeServer(0, 1), null);
assert.match(tip.describeServer(0, 3), /^server s\n4 ms of 4 ms left\nkeeps it /);
assert.match(tip.describeServer(0, 10), /^server s\n2 ms of 4 ms left\nuses it /);
const near = new Tip({ perUnit: 10, time: (x) => x }, view);
assert.match(near.describeQueue(0, 5, 5), /^queue q\noverrun: 2 lost at .*\n0 messages, /);
assert.match(near.describeQueue(0, 20, 20), /^queue q\nunderrun: 1 missing at /);
assert.match(near.describeQueue(0, 3, 3), /^queue q\n4 messages, /);
assert.equal(near.describeQueue(0, 50, 50), null);
assert.match(near.describeReservation(0, 4, 4), /^share of b\n12.5 % in each 40 ms\n/);
assert.match(near.describeReservation(0, 10, 10), /^share of b\nreduced at .*: overload\n6.2 % in each 20 ms\n/);
assert.equal(near.describeReservation(0, 1, 1), null);
assert.equal(view.absolute(2), 9007199254742993n);
assert.deepEqual([...view.tasks[1].runs.start], [4, 10]);
assert.deepEqual([...view.tasks[1].runs.cpu], [1, 0]);
assert.deepEqual([...view.tasks[1].runs.late], [1, 0]);
assert.deepEqual(view.misses, [
  { time: 4, job: 1, task: 1 }, { time: 5, job: 2, task: 3 }, { time: 20, job: 1, task: 3 },
]);
// Its job goes on on the first CPU at once.
assert.deepEqual(view.moves, [{ task: 1, left: 10, time: 10, from: 1, to: 0 }]);
assert.deepEqual([[0, 10], [1, 10], [0, 9]].map((at) => view.hasMoved(...at)), [true, false, false]);
assert.deepEqual({ ...view.job(1, 1) }, { 0: 1, 1: 4, 3: 4 });
assert.deepEqual({ ...view.job(0, 7) }, {});

// Jobs are counted from the task's job before.
const packed = (unit, length, ...cpus) => ({
  start: "0", unit, length, initial: [0, length], tasks: [], servers: [], queues: [], reservations: [],
  cpus: cpus.map((slices) => ({ slices: pack(...slices), kernel: "", slower: "" })),
});
const names = { tasks: ["a", "b"] };
const jobs = new View(names, packed(1, 9, [0, 1, 0, 1, 0, 1, 2, 5, 0, 1, 1, 1]));
assert.deepEqual([...jobs.cpus[0].job], [1, 5, 2]);

// Two schedules on one axis: in the unit that suits both, and as far as both are known.
const parting = (one, other) => {
  const frame = commonFrame(one, other);
  const views = [one, other].map((packed) => new View(names, packed, frame));
  return { frame, part: firstDifference(...views) };
};
const slow = packed(1000, 10, [0, 4, 0, 1, 0, 2, 2, 1]);
const exact = packed(400, 20, [0, 10, 0, 1, 0, 4, 2, 1]);
const { frame, part } = parting(slow, exact);
assert.deepEqual({ ...frame }, { start: 0n, unit: 200n, length: 40 });
// At 5.6 µs the one still runs b, and the other is idle.
assert.equal(part.time * 200, 5600);
assert.equal(part.cpu, 0);
assert.deepEqual(part.runs.map(({ task, job }) => [task, job]), [[1, 1], [undefined, undefined]]);
assert.equal(parting(slow, slow).part, null);
assert.equal(parting(slow, packed(1000, 5, [0, 4, 0, 1, 0, 1, 2, 1])).part, null);
// Another job of the same task is a difference; a slice in two parts is none.
assert.equal(parting(slow, packed(1000, 10, [0, 4, 0, 2, 0, 2, 2, 1])).part.time, 0);
assert.equal(parting(slow, packed(1000, 10, [0, 3, 0, 1, 0, 1, 1, 0, 0, 2, 2, 1])).part, null);
// The first of several, on the lowest CPU.
const early = parting(packed(1, 9, [2, 3, 0, 1], [1, 3, 2, 1]), packed(1, 9, [3, 2, 0, 1], [2, 2, 2, 1]));
assert.deepEqual([early.part.time, early.part.cpu], [1, 1]);
assert.equal(commonFrame(slow, { ...slow, start: "10000" }), null);
assert.equal(commonFrame(slow, { ...slow, start: "500" }).unit, 500n);
// Where times are so large that a hair more than one of them is the same number.
const late = packed(1, 2 ** 40 + 20, [2 ** 40, 5, 0, 1, 0, 5, 2, 1]);
assert.equal(parting(late, late).part, null);
assert.equal(entryAt(unpack(pack(2 ** 40, 5), 0), 2 ** 40 + 5), -1);
