// On paper, in the dark, and without scripts.

import { inflateSync } from "node:zlib";

// What is on each page of a document: the number of its texts, and of its pictures.
function pages(pdf) {
  const objects = new Map();
  for (const [, id, object] of pdf.toString("latin1").matchAll(/(\d+) 0 obj\n([^]*?)\nendobj/g)) {
    objects.set(id, object);
  }
  return [...objects.values()].filter((object) => /\/Type \/Page\b/.test(object)).map((object) => {
    const contents = objects.get(/\/Contents (\d+) 0 R/.exec(object)[1]);
    const stream = contents.slice(contents.indexOf("stream\n") + 7, contents.lastIndexOf("endstream"));
    const drawn = inflateSync(Buffer.from(stream, "latin1")).toString("latin1");
    const count = (what) => drawn.match(what)?.length ?? 0;
    return { texts: count(/\bT[jJ]\b/g), pictures: count(/\bDo\b/g) };
  });
}

export default async function ({ page, check, browser, url }) {
  await page.emulateMedia({ colorScheme: "dark", media: "print" });
  check(await page.locator("nav.bar").isHidden(), "no bar on paper");
  const alone = await page.locator("section.policy").filter({ visible: true })
    .filter({ has: page.locator("> details:not([open])") }).count();
  check(alone === 0, "no policy's heading alone");
  const lost = await page.locator("#compare .chart").evaluateAll((all) =>
    all.filter((box) => box.querySelector("canvas").offsetHeight > box.clientHeight + 1).length);
  check(lost === 0, "charts are printed whole, and do not overlap");
  await page.emulateMedia({ media: null });
  await page.locator("section.policy > details").evaluateAll((all) =>
    all.slice(0, 2).forEach((details) => { details.open = true; }));
  const printed = pages(await page.pdf());
  check(printed.length > 2, `${printed.length} pages`);
  check(printed.every(({ texts, pictures }) => pictures > 0 || texts > 50),
    `no page with a heading alone ${JSON.stringify(printed)}`);

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
