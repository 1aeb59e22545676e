// A chart that the reader moves: what is shown, and everything that changes it.

const charts = new Set();

class Chart {
  constructor(box) {
    this.box = box;
    this.tip = box.querySelector(".tip");
    this.rows = box.querySelector(".rows");
    this.painter = new Painter(box.querySelector("canvas"));
    this.linked = null;                   // a chart that shows the same time and rows
    this.elsewhere = null;                // shows another view, which may have misses
    this.tell = () => {};                 // hears in words what is shown
    this.pointers = new Map();
    charts.add(this);
  }

  // Shows a view, at first from `from` to `to`.
  show(view, [from, to] = view.initial) {
    const isFirst = !this.view;
    this.view = view;
    this.selected = null;
    [this.from, this.to] = this.within(from, to);
    if (isFirst) {
      this.listen();
      new ResizeObserver(() => this.resize()).observe(this.box.parentElement);
    }
    this.resize();
  }

  restyle() {
    if (!this.view) return;
    this.painter.restyle();
    this.resize();
    this.drawNow();
  }

  // The canvas stays in sight while the page or its box is scrolled, and shows other rows then.
  get scroll() {
    return this.painter.canvas.offsetTop;
  }

  resize() {
    const rows = this.painter.arrange(this.view.rows);
    const content = AXIS + OVERVIEW + rows;
    const paper = document.documentElement.classList.contains("paper");
    const most = parseFloat(getComputedStyle(this.painter.canvas).maxHeight) || Infinity;
    const height = Math.min(content, paper ? 8000 : most);
    // On paper a high chart is made smaller, so that it would not be as wide as the page.
    this.painter.resize(Math.max(this.box.clientWidth, paper ? height * 0.8 : 0), height);
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
    this.painter.draw(view, from, to, this.scroll, this.selected);
    const [a, b] = [view.absolute(from), view.absolute(to)];
    const miss = this.isShown(this.selected) ? this.selected : null;
    let text = `${formatLength(Number(b - a))} from ${formatTime(a)} on`;
    if (miss) {
      const which = `miss ${view.misses.indexOf(miss) + 1} of ${view.misses.length}`;
      text = `${which}: ${this.named(miss)}, at ${formatTime(view.absolute(miss.time))}; ${text}`;
    }
    this.tell(text);
  }

  // Whose a miss is: a job's, or that of a queue, whose row is behind those of tasks and servers.
  named({ task, job }) {
    const { tasks, servers, queues } = this.view.data;
    const queue = queues[task - tasks.length - servers.length];
    return queue ? `queue ${queue.name}, messages: ${job}` : `${tasks[task]}, job ${job}`;
  }

  // From `from` to `to`, or as near to that as makes sense: within the view, and not less than a unit
  // of time.
  within(from, to) {
    const { length } = this.view;
    const span = Math.min(Math.max(to - from, Math.min(1, length)), length);
    const begin = Math.min(Math.max((from + to - span) / 2, 0), length - span);
    return [begin, begin + span];
  }

  look(from, to) {
    [this.from, this.to] = this.within(from, to);
    this.hideTip();
    this.draw();
    if (this.linked?.view) {
      [this.linked.from, this.linked.to] = [this.from, this.to];
      this.linked.draw();
    }
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
      this.elsewhere?.();
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
    this.seek((this.view.cpus.length + miss.task) * this.painter.row);
  }

  // Scrolls to the row that begins at `y` if it cannot be seen.
  seek(y) {
    const { row, canvas, height } = this.painter;
    const room = height - AXIS - OVERVIEW;
    if (y >= this.scroll && y + row <= this.scroll + room) return;
    if (this.linked) this.box.scrollTop = y - room / 2;
    else scrollBy(0, this.box.getBoundingClientRect().top - parseFloat(getComputedStyle(canvas).top) + y - room / 2);
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
    const { box } = this;
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
    if (this.linked) {
      box.addEventListener("scroll", () => {
        this.draw();
        this.linked.box.scrollTop = box.scrollTop;
      });
    } else {
      addEventListener("scroll", () => { if (this.scroll !== this.painter.scroll) this.draw(); }, { passive: true });
    }
    box.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    box.addEventListener("pointerdown", (event) => this.pointerDown(event));
    box.addEventListener("pointermove", (event) => this.pointerMove(event));
    for (const end of ["pointerup", "pointercancel"]) {
      box.addEventListener(end, (event) => this.pointerUp(event));
    }
    box.addEventListener("pointerleave", () => this.hideTip());
  }

  // Where on the canvas an event happened.
  place(event) {
    const { left, top } = this.painter.canvas.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  wheel(event) {
    const { x } = this.place(event);
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    // A plain wheel scrolls the page, or the rows of one of two charts that are compared.
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
    const text = new Tip(this.painter, this.view).describe(x, y);
    this.tip.hidden = !text;
    if (!text) return;
    this.tip.textContent = text;
    const { width, height } = this.painter;
    const box = this.tip.getBoundingClientRect();
    const left = x + 14 + box.width > width ? Math.max(4, x - box.width - 14) : x + 14;
    const top = y + 16 + box.height > height ? Math.max(2, y - box.height - 10) : y + 16;
    this.tip.style.left = left + "px";
    this.tip.style.top = top + this.scroll + "px";
  }
}
