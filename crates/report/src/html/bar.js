// The bar at the top of the page: which policies are shown, by verdict and by words of their names.

function filterPolicies(bar) {
  const [words, verdict] = ["input", "select"].map((what) => bar.querySelector(what));
  const note = document.querySelector(".filtered");
  const all = [...document.querySelectorAll("[data-policy]")];
  const total = document.querySelectorAll("section[data-policy]").length;
  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const element of all) {
      const name = element.dataset.policy.toLowerCase();
      element.hidden = !((verdict.value === "" || element.dataset.verdict === verdict.value)
        && wanted.every((word) => name.includes(word)));
    }
    const shown = document.querySelectorAll("section[data-policy]:not([hidden])").length;
    note.textContent = shown === total ? "" : `Shown are ${shown} of ${total} policies, as filtered.`;
  };
  words.addEventListener("input", filter);
  verdict.addEventListener("change", filter);
  bar.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  // A browser may keep what was typed before the page was loaded again.
  filter();
}

// Links jump to what is below the bar, however many lines it has, if it stays at all.
function measureBar(bar) {
  const tell = () => {
    const height = getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
    document.documentElement.style.setProperty("--bar", height + "px");
  };
  new ResizeObserver(tell).observe(bar);
  addEventListener("resize", tell);
  tell();
}
