// A policy's chart: zooming, moving, misses, tips, the wheel and two fingers.

export default async function ({ page, check }) {
  const section = page.locator("section.policy").filter({ has: page.locator("tr.missed") }).first();
  const figure = section.locator("figure.gantt");
  const chart = figure.locator(".chart");
  const shown = async () => {
    await page.waitForTimeout(120);
    return figure.locator(".range").textContent();
  };
  const click = (what) => figure.locator(`[data-do=${what}]`).click();
  const place = () => chart.boundingBox();
  const scrolled = () => page.evaluate(() => scrollY);

  if (!(await chart.isVisible())) await section.locator("> details > summary").click();
  await chart.scrollIntoViewIfNeeded();
  await page.waitForTimeout(300);
  const first = await shown();
  await click("fit");
  const whole = await shown();
  check(whole !== first, `fit: ${whole}`);
  for (let i = 0; i < 6; i++) await click("in");
  const near = await shown();
  check(near !== whole, `zoom in: ${near}`);
  await chart.focus();
  await page.keyboard.press("ArrowRight");
  check((await shown()) !== near, "arrow keys move");
  await page.keyboard.press("ArrowLeft");
  check((await shown()) === near, "and back");
  await page.keyboard.press("0");
  check((await shown()) === whole, "0 shows everything");

  let { x, y, width, height } = await place();
  await page.mouse.move(x + width * 0.6, y + 120);
  await page.waitForTimeout(500);
  const before = await scrolled();
  await page.keyboard.down("Control");
  const wheel = async (by) => {
    for (let i = 0; i < 3; i++) { await page.mouse.wheel(0, by); await page.waitForTimeout(60); }
    return shown();
  };
  let wheeled = await wheel(-300);
  check(wheeled !== whole && (await scrolled()) === before, `the wheel zooms in with Ctrl: ${wheeled}`);
  check((await wheel(300)) === whole && (await scrolled()) === before, "and out again");
  wheeled = await wheel(-300);
  await page.keyboard.up("Control");
  await page.mouse.wheel(0, 200);
  check((await shown()) === wheeled && (await scrolled()) > before, "without Ctrl it scrolls the page");
  await page.mouse.wheel(0, before - (await scrolled()));
  await page.waitForTimeout(200);
  check((await shown()) === wheeled && (await scrolled()) === before, "in both directions");
  await page.mouse.down();
  await page.mouse.move(x + width * 0.5, y + 120, { steps: 5 });
  await page.mouse.up();
  check((await shown()) !== wheeled, "dragging moves");
  const tips = new Set();
  for (let dy = 40; dy < Math.min(height, 500); dy += 9) {
    for (let dx = 250; dx < width; dx += 60) {
      await page.mouse.move(x + dx, y + dy);
      const tip = figure.locator(".tip");
      if (!(await tip.isHidden())) tips.add(await tip.textContent());
    }
  }
  check(tips.size > 3, `${tips.size} tooltips, such as:\n${[...tips][0]}`);

  await page.keyboard.press("0");
  await click("miss");
  const miss = await shown();
  check(miss.startsWith("miss 1 of"), miss);
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
  for (let i = 0; i < 8; i++) await click("in");
  const here = await shown();
  ({ x, y, width, height } = await place());
  await page.mouse.click(x + width * 0.9, y + height - 10);
  check((await shown()) !== here, "a click into the overview goes there");
  for (let i = 0; i < 60; i++) await click("in");
  console.log("closest:", await shown());

  await page.evaluate(() => scrollTo(0, 0));
  await page.mouse.move(650, 500);
  const untouched = await shown();
  for (let i = 0; i < 60; i++) { await page.mouse.wheel(0, 120); await page.waitForTimeout(16); }
  check((await scrolled()) > 3000, "the page can be scrolled across charts");
  check((await shown()) === untouched, "which does not zoom them");

  await figure.scrollIntoViewIfNeeded();
  await click("fit");
  const flat = await shown();
  ({ x, y } = await place());
  const touch = await page.context().newCDPSession(page);
  const fingers = (a, b) => [a, b].map((dx, id) => ({ x: x + dx, y: y + 100, id }));
  const send = (type, touchPoints) => touch.send("Input.dispatchTouchEvent", { type, touchPoints });
  await send("touchStart", fingers(500, 600));
  for (let i = 1; i < 12; i++) await send("touchMove", fingers(500 - i * 10, 600 + i * 10));
  await send("touchEnd", []);
  check((await shown()) !== flat, `pinching zooms: ${await shown()}`);
}
