// The schedule of one policy: a chart with its views and its controls.

const read = (figure) => JSON.parse(figure.querySelector("script[type='application/json']").textContent);

// Buttons that move a chart.
function operate(toolbar, chart) {
  toolbar.querySelectorAll("button[data-do]").forEach((button) =>
    button.addEventListener("click", () => chart.do(button.dataset.do)));
  const range = toolbar.querySelector(".range");
  chart.tell = (text) => { if (range.textContent !== text) range.textContent = text; };
}

function openFigure(figure) {
  const data = read(figure);
  if (data.views.length === 0) return;
  const chart = new Chart(figure.querySelector(".chart"));
  const select = figure.querySelector("[data-do='view']");
  const views = [];
  let shown = 0;
  const show = (number) => {
    shown = number;
    views[number] ??= new View(data, data.views[number]);
    if (select) select.value = String(number);
    figure.querySelector("[data-do='miss']").disabled = views[number].misses.length === 0 && !select;
    chart.show(views[number]);
  };
  operate(figure, chart);
  select?.addEventListener("change", () => show(Number(select.value)));
  if (select) {
    chart.elsewhere = () => {
      show(data.views.length - 1 - shown);
      if (chart.view.misses.length > 0) chart.nextMiss();
    };
  }
  show(0);
}

// Each chart is made once, when it comes near.
const figures = [...document.querySelectorAll("figure.gantt")];
const opened = new Set();
function open(figure) {
  if (!opened.has(figure)) { opened.add(figure); openFigure(figure); }
}
