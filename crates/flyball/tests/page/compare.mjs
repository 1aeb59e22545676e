// Two schedules on one axis of time.

export default async function ({ page, check, settle }) {
  const section = page.locator("#compare");
  if ((await section.count()) === 0) return;
  await section.scrollIntoViewIfNeeded();
  await section.locator(".part:not(:empty)").waitFor();
  const selects = section.locator("select"), charts = section.locator(".chart");
  const text = async () => { await settle(); return section.locator(".part").textContent(); };
  // The axes of both charts as pictures, and whether the line where they part is in them.
  const axes = async () => {
    await settle();
    return section.locator("canvas").evaluateAll((all) => all.map((canvas) => {
      const { width } = canvas;
      const copy = new OffscreenCanvas(width, 28).getContext("2d", { willReadFrequently: true });
      copy.drawImage(canvas, 0, 0);
      const pixels = copy.getImageData(0, 0, width, 28).data;
      const colour = getComputedStyle(document.documentElement).getPropertyValue("--focus").trim();
      const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
      let marked = 0;
      for (let i = 0; i < pixels.length; i += 4) {
        if (wanted.every((value, c) => pixels[i + c] === value)) marked++;
      }
      return { picture: pixels.join(), marked };
    }));
  };
  const isSame = ([a, b]) => a.picture === b.picture;

  const first = await text();
  check(/^They (differ first at .+: on CPU \d+ .+ runs under .+ and .+ under .+\.|do not differ\.) The comparison covers /.test(first), first);
  const before = await axes();
  check(isSame(before), "one axis");
  const options = await selects.first().locator("option").evaluateAll((all) => all.map((one) => one.value));
  let different = null;
  for (const [i, option] of options.slice(0, 4).entries()) {
    await selects.nth(1).selectOption(option);
    const said = await text();
    if (i === 0) check(said.startsWith("This is one schedule, twice."), said);
    if (said.startsWith("They differ")) different = option;
    const now = await axes();
    check(isSame(now) && now.every(({ marked }) => (marked > 50) === said.startsWith("They differ")),
      `${option}: ${said.split(". ")[0]}`);
  }
  check(different !== null, "some schedules differ");
  await selects.nth(1).selectOption(different);
  const start = await axes();

  await charts.nth(1).scrollIntoViewIfNeeded();
  const { x, y, width } = await charts.nth(1).boundingBox();
  await page.mouse.move(x + width * 0.7, y + 60);
  await page.keyboard.down("Control");
  for (let i = 0; i < 5; i++) { await page.mouse.wheel(0, -300); }
  await page.keyboard.up("Control");
  const zoomed = await axes();
  check(isSame(zoomed) && zoomed[0].picture !== start[0].picture, "both zoom together");
  await page.mouse.down();
  await page.mouse.move(x + width * 0.5, y + 60, { steps: 5 });
  await page.mouse.up();
  const dragged = await axes();
  check(isSame(dragged) && dragged[0].picture !== zoomed[0].picture, "both move together");
  await charts.nth(0).focus();
  await page.keyboard.press("0");
  const whole = await axes();
  check(isSame(whole) && whole[0].picture !== dragged[0].picture, "by keyboard, too");
  await section.locator("[data-do=in]").click();
  check((await axes())[0].picture !== whole[0].picture, "and by buttons");
  await section.getByText("First difference").click();
  check((await axes()).every(({ marked }) => marked > 50), "back to where they differ");
  const scrolled = await charts.evaluateAll(async ([a, b]) => {
    a.scrollTop = 40;
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    return [a.scrollTop, b.scrollTop];
  });
  check(scrolled[0] === scrolled[1], `rows scroll together: ${scrolled}`);
}
