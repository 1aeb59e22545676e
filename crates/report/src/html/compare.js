// Two policies' schedules, one above the other on one axis of time.

class Comparison {
  constructor(section) {
    this.text = section.querySelector(".part");
    this.selects = [...section.querySelectorAll("select")];
    this.charts = [...section.querySelectorAll(".chart")].map((box) => new Chart(box));
    this.drawn = section.querySelectorAll(".toolbar, .chart");
    this.button = section.querySelector("[data-part]");
    const [a, b] = this.charts;
    [a.linked, b.linked] = [b, a];
    operate(section, a);
    this.button.addEventListener("click", () => this.lookAtPart());
    this.selects.forEach((select) => select.addEventListener("change", () => this.choose()));
  }

  choose() {
    const chosen = this.selects.map((select) => select.selectedOptions[0]);
    const names = chosen.map((option) => option.dataset.name);
    const figures = chosen.map((option) => document.getElementById(option.value).closest("figure"));
    const data = figures.map(read);
    const [a, b] = data.map(({ views }) => views[0]);
    const frame = a && b ? commonFrame(a, b) : null;
    this.drawn.forEach((element) => { element.hidden = !frame; });
    if (!frame) return this.say(["The page shows no time of which both schedules are known."]);
    const views = data.map((data) => new View(data, data.views[0], frame));
    this.part = firstDifference(...views);
    const until = chosen.map((option) => BigInt(option.dataset.until));
    const range = this.around(views[0]);
    this.say([...this.tell(names, views), ...covered(views[0], until)]);
    this.charts.forEach((chart, i) => {
      chart.painter.flag = this.part && { time: this.part.time, text: "differ" };
      chart.box.setAttribute("aria-label", `Schedule under ${names[i]}`);
      chart.show(views[i], range);
    });
    this.button.disabled = !this.part;
  }

  // What to show at first: the first difference, as near as the first of the charts would be.
  around(view) {
    if (!this.part) return view.initial;
    const half = (view.initial[1] - view.initial[0]) / 2;
    return [this.part.time - half, this.part.time + half];
  }

  lookAtPart() {
    const [chart] = this.charts;
    if (!this.part) return;
    const half = (chart.to - chart.from) / 2;
    chart.look(this.part.time - half, this.part.time + half);
  }

  // How they differ in words. Names are given as { name }.
  tell(names, views) {
    if (names[0] === names[1]) return ["This is one schedule, twice."];
    if (!this.part) return ["They do not differ."];
    const { time, cpu, runs } = this.part;
    const isSameTask = runs[0].task === runs[1].task;
    const what = ({ task, job }, i) => {
      if (task === undefined) return ["nothing"];
      const name = { name: views[i].data.tasks[task] };
      return isSameTask ? [`job ${job} of `, name] : [name];
    };
    return [
      `They differ first at ${formatTime(views[0].absolute(time))}: on CPU ${cpu} `,
      ...what(runs[0], 0), " runs under ", { name: names[0] }, " and ",
      ...what(runs[1], 1), " under ", { name: names[1] }, ".",
    ];
  }

  // Names stand apart from the text around them, in whatever direction they are written.
  say(parts) {
    this.text.replaceChildren(...parts.map((part) => {
      if (typeof part === "string") return part;
      const name = document.createElement("bdi");
      name.textContent = part.name;
      return name;
    }));
  }
}

// Which part of the schedules is compared, if it is not all that was simulated.
function covered(view, until) {
  const begin = view.start, end = view.absolute(view.length);
  const isAll = begin === 0n && until.every((time) => end >= time);
  if (isAll) return [` The comparison covers all of the ${formatTime(end)} that were simulated.`];
  const [a, b] = until, most = a > b ? a : b;
  return [` The comparison covers what this page shows of both: ${formatTime(begin)} to ${formatTime(end)}`
    + ` of the ${formatTime(most)} that were simulated.`];
}
