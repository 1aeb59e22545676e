// What happens to the page as a whole: charts that come near, links, colours, printing.

document.querySelectorAll("[data-script]").forEach((element) => { element.hidden = false; });

const near = { rootMargin: "600px" };
const watch = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) { watch.unobserve(target); open(target); }
  }
}, near);
// A page of one chart has nothing to wait for.
figures.forEach((figure) => (figures.length === 1 ? open(figure) : watch.observe(figure)));

const compare = document.querySelector("#compare");
let compareNow = () => {};
if (compare) {
  compareNow = () => { compareNow = () => {}; new Comparison(compare).choose(); };
  new IntersectionObserver((entries, watch) => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) { watch.disconnect(); compareNow(); }
  }, near).observe(compare);
}

const bar = document.querySelector("nav.bar");
if (bar) { measureBar(bar); filterPolicies(bar); }

// A link to a policy opens it.
function reveal(name) {
  document.getElementById(name)?.querySelector("details")?.setAttribute("open", "");
}
document.querySelectorAll("a[href^='#']").forEach((link) =>
  link.addEventListener("click", () => reveal(link.hash.slice(1))));
reveal(location.hash.slice(1));
addEventListener("hashchange", () => reveal(location.hash.slice(1)));

document.querySelectorAll("[data-open]").forEach((button) =>
  button.addEventListener("click", () => {
    document.querySelectorAll("section.policy > details").forEach((details) => {
      details.open = button.dataset.open === "all";
    });
  }));

const restyle = () => charts.forEach((chart) => chart.restyle());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
addEventListener("beforeprint", () => {
  document.documentElement.classList.add("paper");
  // What is closed is not printed.
  figures.filter((figure) => figure.offsetParent !== null).forEach(open);
  compareNow();
  restyle();
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("paper");
  restyle();
});
