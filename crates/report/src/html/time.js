// Times. A view counts in units from its start. That is exact in doubles, but start and unit
// together may not be, so absolute times are BigInt nanoseconds.

const UNITS = [[1_000_000_000n, "s"], [1_000_000n, "ms"], [1_000n, "µs"], [1n, "ns"]];

// The largest unit that is not larger than the time.
function unitFor(ns) {
  return UNITS.find(([size]) => ns >= size) ?? UNITS[3];
}

// Exact, without zeros at the end: 12.5 ms.
function formatTime(ns, [size, name] = unitFor(ns)) {
  const whole = ns / size;
  const rest = ns % size;
  const places = size.toString().length - 1;
  const fraction = rest === 0n ? "" : "." + rest.toString().padStart(places, "0").replace(/0+$/, "");
  const grouped = whole.toString().replace(/\B(?=(\d{3})+$)/g, whole >= 10000n ? "\u202f" : "");
  return ns === 0n ? "0" : `${grouped}${fraction} ${name}`;
}

// A length that need not be exact, in at most four digits.
function formatLength(ns) {
  const [size, name] = unitFor(BigInt(Math.max(1, Math.floor(ns))));
  const value = ns / Number(size);
  const places = Math.max(0, 3 - Math.floor(Math.log10(Math.max(value, 1))));
  return `${Number(value.toFixed(places))} ${name}`;
}

// The shortest of 1, 2, 5, 10, … nanoseconds that is not below `least`, as BigInt.
function roundStep(least) {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(least, 1))));
  const digit = [1, 2, 5, 10].find((digit) => digit * power >= least) ?? 10;
  return BigInt(digit * power);
}
