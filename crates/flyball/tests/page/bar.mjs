// The bar at the top: links, the filter, the keyboard, narrow screens.

const WIDTHS = [360, 800, 1280, 1920];

export default async function ({ page, check, settle }) {
  const bar = page.locator("nav.bar");
  const input = bar.locator("input"), select = bar.locator("select");
  const visible = (selector) => page.locator(selector).filter({ visible: true }).count();
  const shown = async () => Promise.all(["table.summary tbody tr", "section.policy", "nav.bar li"].map(visible));
  const policies = await page.locator("section.policy").count();
  const isAll = (counts, number) => counts.every((count) => count === number);
  check(isAll(await shown(), policies), `${policies} policies`);

  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await settle();
    const { y, height } = await bar.boundingBox();
    check(y === 0 && height < 0.2 * 900, `${width}: the bar stays, and is ${Math.round(height)} px high`);
    const outside = await bar.locator(".places a, input, select").evaluateAll((all) =>
      all.filter((one) => one.getBoundingClientRect().right > innerWidth || one.getBoundingClientRect().left < 0).length);
    check(outside === 0, "all of it can be seen");
    const covered = await page.evaluate(async () => {
      const found = [];
      const links = [...document.querySelectorAll("nav.bar a[href^='#']:not([hidden])")];
      for (const link of [...links.slice(0, 6), links.at(-1)]) {
        link.click();
        await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
        const top = document.getElementById(link.hash.slice(1)).getBoundingClientRect().top;
        const below = document.querySelector("nav.bar").getBoundingClientRect().bottom;
        if (link.hash !== "#top" && top < below - 1) found.push(`${link.hash} ${top} ${below}`);
      }
      document.querySelectorAll("section.policy > details").forEach((details) => { details.open = false; });
      return found;
    });
    check(covered.length === 0, `no link jumps to below the bar ${covered}`);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(over <= 0, "the page does not scroll sideways");
  }
  await page.setViewportSize({ width: 1300, height: 950 });
  await bar.getByText("Top").click();
  check((await page.evaluate(() => scrollY)) === 0, "back to the top");

  for (const option of await select.locator("option").all()) {
    const text = await option.textContent();
    const number = Number(/\((\d+)\)$/.exec(text)?.[1] ?? policies);
    await select.selectOption(await option.getAttribute("value"));
    check(isAll(await shown(), number), `verdict: ${text}`);
  }
  await select.selectOption("");
  const name = await page.locator("table.summary th code bdi").first().textContent();
  await input.fill(name.toUpperCase());
  const counts = await shown();
  check(counts[0] >= 1 && (counts[0] < policies || policies === 1) && isAll(counts, counts[0]), `named ${name}: ${counts[0]}`);
  const note = await page.locator(".filtered").textContent();
  check(policies === 1 ? note === "" : note.startsWith(`Shown are ${counts[0]} of ${policies}`), note);
  await input.fill("no such policy");
  check(isAll(await shown(), 0), "a name that no policy has");
  await input.fill("");
  check(isAll(await shown(), policies) && (await page.locator(".filtered").textContent()) === "", "all again");

  // By keyboard only: the skip link, the places, the filter, a policy.
  await page.reload();
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("href") ?? document.activeElement.localName);
  const order = [];
  for (let i = 0; i < 12 && order.at(-1) !== "#policy-1"; i++) {
    await page.keyboard.press("Tab");
    order.push(await focused());
    if (order.at(-1) === "input") { await page.keyboard.type(name); }
  }
  check(order[0] === "#summary" && order.includes("select") && order.at(-1) === "#policy-1", `tab: ${order.join(" ")}`);
  await page.keyboard.press("Enter");
  await settle();
  check(await page.locator("#policy-1 > details").evaluate((details) => details.open), "Enter opens the policy");
  await page.reload();
}
