// Operates a report in a real browser: the bar, charts, comparison, touch, printing; see page/.
//
//     npm install playwright-core
//     node page.mjs report.html /usr/bin/chromium
//
// A policy of the report should have misses, as in that of the Generic Avionics Platform.
// Any error or warning in the console, and any request to the network, counts as a failure.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import bar from "./page/bar.mjs";
import chart from "./page/chart.mjs";
import compare from "./page/compare.mjs";
import paper from "./page/paper.mjs";

const [report, executablePath] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({ viewport: { width: 1300, height: 950 }, hasTouch: true });
const page = await context.newPage();
let failures = 0;
function check(holds, what) {
  console.log(holds ? "ok  " : "FAIL", what);
  if (!holds) failures++;
}
page.on("console", (message) => check(false, `console: ${message.text()}`));
page.on("pageerror", (error) => check(false, `error: ${error.message}`));
page.on("request", (request) => {
  if (!request.url().startsWith("file:")) check(false, `request: ${request.url()}`);
});
const url = pathToFileURL(resolve(report)).href;
await page.goto(url);

for (const part of [bar, compare, chart, paper]) {
  await page.setViewportSize({ width: 1300, height: 950 });
  await part({ page, check, browser, url });
}
console.log(failures ? `${failures} failed` : "all well");
await browser.close();
process.exit(failures ? 1 : 0);
