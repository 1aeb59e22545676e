// What the page looks like: its height, its colours, and tables that are wider than the screen.

const MOST_OPEN = 4, MOST_HIGH = 12_000;

// Of all text that can be seen: the lowest contrast with what is behind it, and the text.
function contrast() {
  const channels = (colour) => /\(([^)]*)\)/.exec(colour)[1].split(",").map(Number);
  const luminance = (colour) => channels(colour).slice(0, 3)
    .map((channel) => channel / 255)
    .map((channel) => channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4)
    .reduce((sum, channel, i) => sum + channel * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    const { backgroundColor } = getComputedStyle(element);
    return channels(backgroundColor)[3] === 0 ? behind(element.parentElement) : backgroundColor;
  };
  const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "";
  let lowest = { ratio: Infinity };
  for (const element of document.body.querySelectorAll(":not(svg *, script)")) {
    if (![...element.childNodes].some(isText) || !element.checkVisibility()) continue;
    const [low, high] = [getComputedStyle(element).color, behind(element)].map(luminance).sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < lowest.ratio) lowest = { ratio, text: element.textContent };
  }
  return lowest;
}

// Whether the right edge of a table is in a shade: its lightest pixel is darker than the page.
async function isShaded(page, table) {
  await table.evaluate((box) => box.scrollIntoView({ block: "start" }));
  const { x, y, width, height } = await table.boundingBox();
  const corner = 10;
  const clip = { x: x + width - 3, y: y + corner, width: 1, height: Math.min(height, 400) - 2 * corner };
  const picture = (await page.screenshot({ clip })).toString("base64");
  return page.evaluate(async (picture) => {
    const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    pen.drawImage(bitmap, 0, 0);
    const { data } = pen.getImageData(0, 0, bitmap.width, bitmap.height);
    return Math.max(...data.filter((_, i) => i % 4 === 0)) < 245;
  }, picture);
}

export default async function ({ page, check, settle }) {
  const details = page.locator("section.policy > details");
  const number = await details.count(), open = await page.locator("section.policy > details[open]").count();
  check(open === (number > MOST_OPEN ? 0 : number), `${open} of ${number} policies are open`);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  check(height < MOST_HIGH, `the page is ${height} px high`);

  await details.first().evaluate((details) => { details.open = true; });
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme });
    const { ratio, text } = await page.evaluate(contrast);
    check(ratio >= 4.5, `${colorScheme}: text has a contrast of ${ratio.toFixed(2)} at least, ${text}`);
  }

  for (const width of [360, 800]) {
    // So low a screen that the bar does not stay, which would be in the picture.
    await page.setViewportSize({ width, height: 480 });
    for (const table of await page.locator(".scroll").filter({ visible: true }).all()) {
      const [hidden, name] = await table.evaluate((box) =>
        [box.scrollWidth - box.clientWidth, box.querySelector("th").textContent]);
      const what = `${width}: a table (${name} …) of which ${hidden} px are hidden`;
      check(await isShaded(page, table) === hidden > 0, `${what} has ${hidden > 0 ? "a" : "no"} shade there`);
      if (hidden === 0) continue;
      await table.evaluate((box) => { box.scrollLeft = box.scrollWidth; });
      await settle();
      check(!(await isShaded(page, table)), "and none at its end");
      await table.evaluate((box) => { box.scrollLeft = 0; });
    }
  }
  await page.reload();
}
