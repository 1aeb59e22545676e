// A policy's chart: zooming, moving, misses, tips, the wheel and two fingers.

export default async function ({ page, check, settle }) {
  const section = page.locator("section.policy").filter({ has: page.locator("tr.missed") }).first();
  const figure = section.locator("figure.gantt");
  const chart = figure.locator(".chart"), canvas = chart.locator("canvas");
  const shown = async () => {
    await settle();
    return figure.locator(".range").textContent();
  };
  const click = (what) => figure.locator(`[data-do=${what}]`).click();
  const scrolled = () => page.evaluate(() => scrollY);
  // Scrolls to where the first rows are, below the bar, and says where they are.
  const place = async () => {
    await chart.evaluate((box) => {
      const below = document.querySelector("nav.bar").getBoundingClientRect().bottom;
      scrollBy(0, box.getBoundingClientRect().top - below);
      box.focus({ preventScroll: true });
    });
    await settle();
    return canvas.boundingBox();
  };
  const press = async (key, times) => {
    for (let i = 0; i < times; i++) await page.keyboard.press(key);
  };

  if (!(await chart.isVisible())) await section.locator("> details > summary").click();
  await chart.scrollIntoViewIfNeeded();
  await figure.locator(".range:not(:empty)").waitFor();
  const first = await shown();
  await click("fit");
  const whole = await shown();
  check(whole !== first, `fit: ${whole}`);
  await click("in");
  await chart.focus();
  await press("+", 5);
  const near = await shown();
  check(near !== whole, `zoom in: ${near}`);
  await page.keyboard.press("ArrowRight");
  check((await shown()) !== near, "arrow keys move");
  await page.keyboard.press("ArrowLeft");
  check((await shown()) === near, "and back");
  await page.keyboard.press("0");
  check((await shown()) === whole, "0 shows everything");

  let { x, y, width, height } = await place();
  check(height <= 950, `the chart has room on the screen: ${height} px`);
  await page.mouse.move(x + width * 0.6, y + 120);
  const before = await scrolled();
  const wheel = async (by) => {
    await page.keyboard.down("Control");
    for (let i = 0; i < 3; i++) { await page.mouse.wheel(0, by); await settle(); }
    await page.keyboard.up("Control");
    return shown();
  };
  let wheeled = await wheel(-300);
  check(wheeled !== whole && (await scrolled()) === before, `the wheel zooms in with Ctrl: ${wheeled}`);
  check((await wheel(300)) === whole && (await scrolled()) === before, "and out again");
  wheeled = await wheel(-300);
  for (const by of [-200, 200]) {
    const from = await scrolled();
    await page.mouse.wheel(0, by);
    check((await shown()) === wheeled && (await scrolled()) === from + by, `without Ctrl it scrolls the page: ${by}`);
  }
  const rest = await chart.evaluate((box) => box.clientHeight - box.querySelector("canvas").clientHeight);
  if (rest > 0) {
    const from = await scrolled();
    await page.mouse.wheel(0, 100);
    await settle();
    const after = await canvas.boundingBox();
    const [rows, pages] = [await canvas.evaluate((canvas) => canvas.offsetTop), (await scrolled()) - from];
    check(rows >= 99 && pages === 100 && Math.abs(after.y - y) < 2, `and a chart that is too high with it: ${rows} of ${rest} px`);
  }
  await place();
  await page.mouse.down();
  await page.mouse.move(x + width * 0.5, y + 120, { steps: 5 });
  await page.mouse.up();
  check((await shown()) !== wheeled, "dragging moves");
  const tips = new Set(), tip = figure.locator(".tip");
  for (let dy = 40; dy < Math.min(height, 500); dy += 50) {
    for (let dx = 250; dx < width; dx += 150) {
      await page.mouse.move(x + dx, y + dy);
      const text = await tip.evaluate((tip) => tip.hidden ? null : tip.textContent);
      if (text) tips.add(text);
    }
  }
  check(tips.size > 3, `${tips.size} tooltips, such as:\n${[...tips][0]}`);

  await page.keyboard.press("0");
  await click("miss");
  const miss = await shown();
  check(miss.startsWith("miss 1 of"), miss);
  const isSeen = await figure.evaluate((figure, miss) => {
    const { tasks, views: [{ cpus }] } = JSON.parse(figure.querySelector("script").textContent);
    const axis = 30, overview = 26, rows = cpus.length + tasks.length;
    const [box, canvas] = ["div.chart", "canvas"].map((what) => figure.querySelector(what).getBoundingClientRect());
    const task = tasks.findIndex((name) => miss.includes(`: ${name}, job`));
    const y = box.top + axis + (cpus.length + task + 0.5) * (box.height - axis - overview) / rows;
    return task >= 0 && y > canvas.top + axis && y < Math.min(canvas.bottom - overview, innerHeight);
  }, miss);
  check(isSeen, "its row can be seen");
  await chart.focus();
  await page.keyboard.press("n");
  check((await shown()).startsWith("miss 2 of"), "next miss");
  await page.keyboard.press("Shift+N");
  check((await shown()).startsWith("miss 1 of"), "previous miss");
  await page.keyboard.press("End");
  await page.keyboard.press("n");
  const last = /miss (\d+) of (\d+)/.exec(await shown());
  check(last && Number(last[1]) > 1, `next miss from where the reader went: ${last?.[0]}`);

  await page.keyboard.press("0");
  await press("+", 8);
  ({ x, y, width, height } = await place());
  const here = await shown();
  await page.mouse.click(x + width * 0.9, y + height - 10);
  check((await shown()) !== here, "a click into the overview goes there");
  await press("+", 60);
  check(/^(1 \S+|\d+ ns) from /.test((await shown()).split("; ").at(-1)), `closest: ${await shown()}`);

  await page.evaluate(() => scrollTo(0, 0));
  await page.mouse.move(650, 500);
  const untouched = await shown();
  for (let i = 0; i < 20; i++) { await page.mouse.wheel(0, 240); await settle(); }
  check((await scrolled()) > 1000, `the page can be scrolled across charts: ${await scrolled()}`);
  check((await shown()) === untouched, "which does not zoom them");

  await place();
  await page.keyboard.press("0");
  const flat = await shown();
  ({ x, y } = await canvas.boundingBox());
  const touch = await page.context().newCDPSession(page);
  const fingers = (a, b) => [a, b].map((dx, id) => ({ x: x + dx, y: y + 100, id }));
  const send = (type, touchPoints) => touch.send("Input.dispatchTouchEvent", { type, touchPoints });
  await send("touchStart", fingers(500, 600));
  for (let i = 1; i < 12; i++) await send("touchMove", fingers(500 - i * 10, 600 + i * 10));
  await send("touchEnd", []);
  check((await shown()) !== flat, `pinching zooms: ${await shown()}`);
}
