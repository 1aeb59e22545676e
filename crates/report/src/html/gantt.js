// A chart that the reader moves: what is shown, and everything that changes it.

class Chart {
  constructor(figure) {
    this.figure = figure;
    this.box = figure.querySelector(".chart");
    this.tip = figure.querySelector(".tip");
    this.range = figure.querySelector(".range");
    this.rows = figure.querySelector(".rows");
    this.data = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
    if (this.data.views.length === 0) return;
    this.views = [];
    this.painter = new Painter(figure.querySelector("canvas"));
    this.show(0);
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.box.parentElement);
  }

  show(number) {
    this.views[number] ??= new View(this.data, this.data.views[number]);
    this.view = this.views[number];
    this.selected = null;
    [this.from, this.to] = this.view.initial;
    const elsewhere = this.data.views.length > 1;
    this.button("miss").disabled = this.view.misses.length === 0 && !elsewhere;
    const select = this.figure.querySelector("[data-do='view']");
    if (select) select.value = String(number);
    this.resize();
  }

  button(what) {
    return this.figure.querySelector(`[data-do='${what}']`);
  }

  resize() {
    const rows = this.painter.arrange(this.view.cpus.length + this.view.tasks.length);
    const content = AXIS + OVERVIEW + rows;
    const paper = document.documentElement.classList.contains("paper");
    const most = parseFloat(getComputedStyle(this.box).maxHeight) || Infinity;
    const height = Math.min(content, paper ? 8000 : most);
    this.painter.resize(this.box.clientWidth, height);
    this.rows.style.height = Math.max(0, content - height) + "px";
    this.draw();
  }

  // Many changes between two pictures make one picture.
  draw() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      this.drawNow();
    });
  }

  drawNow() {
    const { view, from, to } = this;
    this.painter.draw(view, from, to, this.box.scrollTop, this.selected);
    const [a, b] = [view.absolute(from), view.absolute(to)];
    const miss = this.isShown(this.selected) ? this.selected : null;
    let text = `${formatLength(Number(b - a))} from ${formatTime(a)} on`;
    if (miss) {
      const which = `miss ${view.misses.indexOf(miss) + 1} of ${view.misses.length}`;
      text = `${which}: ${this.data.tasks[miss.task]}, job ${miss.job}, at ${formatTime(view.absolute(miss.time))}; ${text}`;
    }
    if (this.range.textContent !== text) this.range.textContent = text;
  }

  // Shows from `from` to `to`, or as near to that as makes sense: within the view, and not less than
  // a unit of time.
  look(from, to) {
    const { length } = this.view;
    const span = Math.min(Math.max(to - from, Math.min(1, length)), length);
    const centre = (from + to) / 2;
    this.from = Math.min(Math.max(centre - span / 2, 0), length - span);
    this.to = this.from + span;
    this.hideTip();
    this.draw();
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    const { length } = this.view;
    const span = Math.min(Math.max((this.to - this.from) * factor, Math.min(1, length)), length);
    const share = (at - this.from) / (this.to - this.from);
    this.look(at - share * span, at + (1 - share) * span);
  }

  pan(time) {
    this.look(this.from + time, this.to + time);
  }

  isShown(miss) {
    return miss !== null && this.from <= miss.time && miss.time <= this.to;
  }

  nextMiss(direction = 1) {
    const { misses } = this.view;
    if (misses.length === 0) {
      const other = this.data.views.length - 1 - this.views.indexOf(this.view);
      if (this.data.views.length > 1) { this.show(other); if (this.view.misses.length) this.nextMiss(); }
      return;
    }
    // From the miss that was shown last, if the reader has not gone elsewhere since.
    const behind = misses.findIndex((miss) => miss.time >= this.from);
    const ahead = behind < 0 ? 0 : behind;
    const shown = this.isShown(this.selected) ? misses.indexOf(this.selected) + direction : null;
    const next = ((shown ?? (direction > 0 ? ahead : ahead - 1)) + misses.length) % misses.length;
    const miss = (this.selected = misses[next]);
    const span = Math.min(this.to - this.from, (this.view.initial[1] - this.view.initial[0]) * 2);
    this.look(miss.time - span / 2, miss.time + span / 2);
    const { row } = this.painter;
    const y = (this.view.cpus.length + miss.task) * row;
    const room = this.painter.height - AXIS - OVERVIEW;
    if (y < this.box.scrollTop || y + row > this.box.scrollTop + room) this.box.scrollTop = y - room / 2;
  }

  do(what) {
    const span = this.to - this.from;
    switch (what) {
      case "in": this.zoom(1 / 1.6); break;
      case "out": this.zoom(1.6); break;
      case "left": this.pan(-span / 5); break;
      case "right": this.pan(span / 5); break;
      case "start": this.pan(-this.view.length); break;
      case "end": this.pan(this.view.length); break;
      case "fit": this.look(0, this.view.length); break;
      case "miss": this.nextMiss(); break;
      case "back": this.nextMiss(-1); break;
    }
  }

  listen() {
    const { box, figure } = this;
    figure.querySelectorAll("button[data-do]").forEach((button) =>
      button.addEventListener("click", () => this.do(button.dataset.do)));
    figure.querySelector("[data-do='view']")?.addEventListener("change", (event) =>
      this.show(Number(event.target.value)));
    const keys = {
      "+": "in", "=": "in", "-": "out", "_": "out", ArrowLeft: "left", ArrowRight: "right",
      Home: "start", End: "end", 0: "fit", n: "miss", N: "back",
    };
    box.addEventListener("keydown", (event) => {
      const what = keys[event.key];
      if (!what || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.do(what);
    });
    box.addEventListener("scroll", () => this.draw());
    box.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    box.addEventListener("pointerdown", (event) => this.pointerDown(event));
    box.addEventListener("pointermove", (event) => this.pointerMove(event));
    for (const end of ["pointerup", "pointercancel"]) {
      box.addEventListener(end, (event) => this.pointerUp(event));
    }
    box.addEventListener("pointerleave", () => this.hideTip());
    this.pointers = new Map();
  }

  // Where on the canvas an event happened.
  place(event) {
    const { left, top } = this.painter.canvas.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  wheel(event) {
    const { x } = this.place(event);
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    // A plain wheel turns the page, or moves the rows of a chart that does not show all of them.
    if (!event.ctrlKey && !event.metaKey && !sideways) return;
    event.preventDefault();
    const pixels = [1, 16, 400][event.deltaMode];
    if (sideways) this.pan((event.deltaX || event.deltaY) * pixels / this.painter.perUnit);
    else this.zoom(Math.exp(event.deltaY * pixels * 0.005), this.painter.time(x));
  }

  pointerDown(event) {
    if (event.button !== 0) return;
    const place = this.place(event);
    if (place.y > this.painter.height - OVERVIEW) return this.jump(place);
    if (place.x < this.painter.gutter) return;
    this.pointers.set(event.pointerId, place);
    this.box.setPointerCapture(event.pointerId);
    this.box.focus({ preventScroll: true });
  }

  // A click into the overview shows that place.
  jump({ x }) {
    const { left, room } = this.painter;
    const centre = (x - left) / room * this.view.length;
    const half = (this.to - this.from) / 2;
    this.look(centre - half, centre + half);
  }

  pointerMove(event) {
    const place = this.place(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) return this.point(place);
    const { perUnit, left, room } = this.painter;
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId);
    if (others.length === 0) {
      this.pan((before.x - place.x) / perUnit);
      if (event.pointerType === "mouse") this.box.scrollTop += before.y - place.y;
    } else {
      // Two fingers: what is under each of them stays there.
      const other = others[0][1].x;
      const [held, moved] = [this.painter.time(other), this.painter.time(before.x)];
      if (Math.abs(place.x - other) > 8 && held !== moved) {
        const scale = (moved - held) / (place.x - other);
        const from = held - (other - left) * scale;
        if (scale > 0) this.look(from, from + room * scale);
      }
    }
    this.pointers.set(event.pointerId, place);
  }

  pointerUp(event) {
    this.pointers.delete(event.pointerId);
    if (event.type === "pointerup" && event.pointerType !== "mouse") this.point(this.place(event));
  }

  hideTip() {
    this.tip.hidden = true;
  }

  // Says what is under the pointer.
  point({ x, y }) {
    const text = this.describe(x, y);
    this.tip.hidden = !text;
    if (!text) return;
    this.tip.textContent = text;
    const { width, height } = this.painter;
    const box = this.tip.getBoundingClientRect();
    const left = x + 14 + box.width > width ? Math.max(4, x - box.width - 14) : x + 14;
    const top = y + 16 + box.height > height ? Math.max(2, y - box.height - 10) : y + 16;
    this.tip.style.left = left + "px";
    this.tip.style.top = top + this.box.scrollTop + "px";
  }

  describe(x, y) {
    const { painter, view, data } = this;
    if (x < painter.gutter || y < AXIS || y > painter.height - OVERVIEW) return null;
    const time = painter.time(x);
    const row = Math.floor((y - AXIS + this.box.scrollTop) / painter.row);
    if (row < view.cpus.length) return this.describeCpu(view.cpus[row], time);
    const number = row - view.cpus.length;
    const task = view.tasks[number];
    if (!task) return null;
    const lines = [...this.describeMarks(task, x)];
    const [run, wait, hold] = [entryAt(task.runs, time), entryAt(task.waits, time), entryAt(task.holds, time)];
    const job = run >= 0 ? task.runs.job[run] : wait >= 0 ? task.waits.more[1][wait] : null;
    if (run >= 0) {
      const late = task.runs.late[run] ? " after its deadline" : "";
      lines.push(`runs${late} on CPU ${task.runs.cpu[run]}, ${this.span(task.runs, run)}`);
      const before = run - 1;
      if (before >= 0 && task.runs.job[before] === job && task.runs.cpu[before] !== task.runs.cpu[run]) {
        lines.push(`came from CPU ${task.runs.cpu[before]}`);
      }
    } else if (wait >= 0) {
      const on = task.waits.more[0][wait];
      lines.push(`${on ? "blocked on " + data.objects[on - 1] : "ready"}, ${this.span(task.waits, wait)}`);
    }
    if (hold >= 0) lines.push(`holds ${data.objects[task.holds.more[0][hold]]}, ${this.span(task.holds, hold)}`);
    if (lines.length === 0) return null;
    return [data.tasks[number], ...lines, ...(job === null ? [] : this.describeJob(number, job))].join("\n");
  }

  describeCpu({ slices, who, job, kernel }, time) {
    const work = entryAt(kernel, time), slice = entryAt(slices, time);
    const lines = [];
    if (work >= 0) lines.push(`kernel: ${this.data.causes[kernel.more[0][work]]}, ${this.span(kernel, work)}`);
    if (slice < 0) return lines.join("\n") || null;
    const task = who[slice] >> 1;
    lines.push(this.data.tasks[task], `runs ${this.span(slices, slice)}`, ...this.describeJob(task, job[slice]));
    return lines.join("\n");
  }

  // Marks within a few pixels.
  *describeMarks({ marks }, x) {
    const words = ["release", "deadline", "end", "miss", "given up", "left out"];
    const near = 5 / this.painter.perUnit, time = this.painter.time(x);
    const begin = lowerBound(marks.time, time - near);
    for (let i = begin; i < marks.count && i < begin + 6 && marks.time[i] <= time + near; i++) {
      yield `${words[marks.what[i]]} of job ${marks.job[i]}: ${formatTime(this.view.absolute(marks.time[i]))}`;
    }
  }

  describeJob(task, number) {
    const job = this.view.job(task, number);
    const at = (what) => formatTime(this.view.absolute(job[what]));
    const lines = [`job ${number}`];
    if (RELEASE in job) lines[0] += `, released ${at(RELEASE)}`;
    if (DEADLINE in job) lines[0] += `, deadline ${at(DEADLINE)}`;
    if (COMPLETE in job) lines.push(`completed ${at(COMPLETE)}`);
    if (RELEASE in job && COMPLETE in job) {
      lines[1] += `, response ${formatTime(this.view.absolute(job[COMPLETE]) - this.view.absolute(job[RELEASE]))}`;
    }
    return lines;
  }

  span(lane, i) {
    const [a, b] = [this.view.absolute(lane.start[i]), this.view.absolute(lane.end[i])];
    return `${formatTime(a)} to ${formatTime(b)} (${formatTime(b - a)})`;
  }
}

const charts = new Map();
const figures = [...document.querySelectorAll("figure.gantt")];
function open(figure) {
  if (!charts.has(figure)) charts.set(figure, new Chart(figure));
  return charts.get(figure);
}
// Charts are made when they come near.
const watch = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) { watch.unobserve(target); open(target); }
  }
}, { rootMargin: "600px" });
figures.forEach((figure) => watch.observe(figure));

// A link to a policy opens it.
const reveal = (name) => { document.getElementById(name)?.querySelector("details")?.setAttribute("open", ""); };
document.querySelectorAll("a[href^='#']").forEach((link) =>
  link.addEventListener("click", () => reveal(link.hash.slice(1))));
reveal(location.hash.slice(1));
addEventListener("hashchange", () => reveal(location.hash.slice(1)));

const restyle = () => charts.forEach((chart) => { if (chart.view) { chart.painter.restyle(); chart.resize(); chart.drawNow(); } });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
addEventListener("beforeprint", () => {
  document.documentElement.classList.add("paper");
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  figures.forEach(open);
  restyle();
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("paper");
  restyle();
});
