// On paper, in the dark, and without scripts.

export default async function ({ page, check, browser, url }) {
  await page.setViewportSize({ width: 1300, height: 950 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.emulateMedia({ media: "print" });
  check(await page.locator("nav.bar").isHidden(), "no bar on paper");
  const alone = await page.locator("section.policy").filter({ visible: true })
    .filter({ has: page.locator("> details:not([open])") }).count();
  check(alone === 0, "no policy's heading alone");
  const lost = await page.locator("#compare .chart").evaluateAll((all) =>
    all.filter((box) => box.querySelector("canvas").offsetHeight > box.clientHeight + 1).length);
  check(lost === 0, "charts are printed whole, and do not overlap");
  await page.emulateMedia({ media: "screen" });
  const pdf = await page.pdf();
  check(pdf.length > 10_000, `a document of ${pdf.length} bytes`);

  const context = await browser.newContext({ javaScriptEnabled: false });
  const plain = await context.newPage();
  await plain.goto(url);
  check(await plain.locator("nav.bar form").isHidden(), "without scripts there is no filter");
  check(await plain.locator("#compare").isHidden(), "nor a comparison");
  const open = plain.locator("section.policy > details").first();
  if (!(await open.evaluate((details) => details.open))) await open.locator("> summary").click();
  check(await open.locator("noscript pre, pre").first().isVisible(), "but a chart in text");
  await context.close();
}
