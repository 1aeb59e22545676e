// Rows of servers: what is left of a budget where the reader points.

export default async function ({ page, check, settle }) {
  const figure = page.locator("figure.gantt").first();
  const { servers, views } = JSON.parse(await figure.locator("script").textContent());
  if (servers.length === 0) return;
  const summary = page.locator("section.policy > details > summary").first();
  const chart = figure.locator(".chart"), canvas = chart.locator("canvas");
  if (!(await chart.isVisible())) await summary.click();
  await chart.scrollIntoViewIfNeeded();
  await figure.locator(".range:not(:empty)").waitFor();
  await settle();
  // Rows are 36 pixels high if they are few, below the axis.
  const { cpus, tasks } = views[0];
  const { x, y, width } = await canvas.boundingBox();
  for (let row = 0; row < servers.length; row++) {
    await page.mouse.move(x + width * 0.6, y + 30 + 36 * (cpus.length + tasks.length + row) + 18);
    await settle();
    const tip = await chart.locator(".tip").innerText();
    check(tip.startsWith(`server ${servers[row].name}\n`) && /\n.* of .* left\n(uses|keeps) it /.test(tip),
      `the budget of a server: ${tip.replaceAll("\n", "; ")}`);
  }
  check(await figure.getByText("left of a server's budget").isVisible(), "the legend has budgets");
}
