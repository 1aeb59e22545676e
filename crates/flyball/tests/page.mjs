// Operates a report in a headless browser: bar, colours, comparison, charts, printing; see page/.
// Run by page.rs.
//
//     NODE_PATH=../../../target/browser/node_modules node page.mjs /usr/bin/chromium report.html
//
// A policy of the report should have misses, as in that of the Generic Avionics Platform.
// Any error or warning in the console, and any request to the network, counts as a failure.

import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import bar from "./page/bar.mjs";
import chart from "./page/chart.mjs";
import compare from "./page/compare.mjs";
import look from "./page/look.mjs";
import paper from "./page/paper.mjs";
import servers from "./page/servers.mjs";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const [executablePath, report] = process.argv.slice(2);
const args = ["--no-sandbox", "--disable-gpu", "--disable-smooth-scrolling"];
const browser = await chromium.launch({ executablePath, args });
const context = await browser.newContext({ viewport: { width: 1300, height: 950 }, hasTouch: true });
const page = await context.newPage();
page.setDefaultTimeout(180_000);
let checks = 0, failures = 0;
function check(holds, what) {
  console.log(holds ? "ok  " : "FAIL", what);
  checks++;
  if (!holds) failures++;
}
page.on("console", (message) => check(false, `console: ${message.text()}`));
page.on("pageerror", (error) => check(false, `error: ${error.message}`));
page.on("request", (request) => {
  if (!request.url().startsWith("file:")) check(false, `request: ${request.url()}`);
});
const url = pathToFileURL(resolve(report)).href;
await page.goto(url);
// Waits until what has changed is drawn.
const settle = () => page.evaluate(() =>
  new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

for (const part of [look, bar, compare, chart, servers, paper]) {
  await page.setViewportSize({ width: 1300, height: 950 });
  try {
    await part({ page, check, settle, browser, url });
  } catch (error) {
    check(false, error.stack);
  }
}
console.log(`${checks} checks, ${failures} failed`);
await browser.close();
process.exit(failures ? 1 : 0);
