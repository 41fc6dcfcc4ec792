// Opens the site in a browser, from the disk and from a server, and uses it as one does. The last line
// counts.
//
// usage: node browser.mjs SITE VERSION BROWSER
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { conclude, expect, launch } from "../viewer/test/chromium.mjs";

const [site, version, executablePath] = process.argv.slice(2);
const browser = await launch(executablePath);

/** Names that a reader may look for, and where they are described. */
const NAMED = {
  ds_sim_step: "reference/c/sim.html#ds_sim_step",
  ds_model_load: "reference/c/load.html#ds_model_load",
  ds_sim_step_jacobians: "reference/c/derivatives.html#ds_sim_step_jacobians",
  ds_rollout_adjoint: "reference/c/rollout.html#ds_rollout_adjoint",
  ds_mass_matrix: "reference/c/dynamics.html#ds_mass_matrix",
  ds_model_integrate: "reference/c/configuration.html#ds_model_integrate",
  ds_options: "reference/c/options.html#ds_options",
  "Sim.step": "reference/python/sim.html#diffsim.Sim.step",
  jacobians: "reference/python/sim.html#diffsim.Sim.jacobians",
  place_on_ground: "reference/python/model.html#diffsim.Model.place_on_ground",
  rollout: "reference/python/rollout.html#diffsim.Rollout",
  "Sim::step": "reference/cpp.html#Sim",
  // Words with blanks, and words for beginners.
  "mass matrix": "reference/python/sim.html#diffsim.Sim.mass_matrix",
  "inverse dynamics": "reference/python/sim.html#diffsim.Sim.inverse_dynamics",
  "Forward kinematics": "reference/python/sim.html#diffsim.Sim.forward_kinematics",
  "load model": "reference/python/model.html#diffsim.Model.load",
  "set parameters": "reference/python/sim.html#diffsim.Sim.params",
  ...(existsSync(join(site, version, "reference/julia.html")) && { "step!": "reference/julia.html#step!" }),
};

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml" };
const server = createServer(async (request, answer) => {
  // The site stands at the root and in a folder.
  const path = decodeURIComponent(new URL(request.url, "http://site").pathname).replace(/^\/folder\//, "/");
  try {
    const body = await readFile(join(site, path.endsWith("/") ? `${path}index.html` : path));
    answer.writeHead(200, { "content-type": types[extname(path)] ?? (path.endsWith("/") ? "text/html" : "application/octet-stream") });
    answer.end(body);
  } catch {
    answer.writeHead(404, { "content-type": "text/html" });
    answer.end(await readFile(join(site, "404.html")));
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const served = `http://127.0.0.1:${server.address().port}/`;

/** A page of the site; any logged error or request to another host fails at the end. */
async function open(base, path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const trouble = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !/GPU stall|ReadPixels/.test(m.text()) && trouble.push(m.text()));
  page.on("pageerror", (e) => trouble.push(String(e)));
  page.on("response", (r) => r.status() >= 400 && trouble.push(`${r.status()} ${r.url()}`));
  page.on("requestfailed", (r) => trouble.push(`failed ${r.url()}`));
  page.on("request", (r) => !/^(data|blob|about):/.test(r.url()) && !r.url().startsWith(base) && trouble.push(`request ${r.url()}`));
  await page.goto(base + path);
  const name = `${base.split(":")[0]}: ${path}`;
  return { page, name, close: async () => {
    expect(`${name} without trouble`, trouble.length === 0, trouble.join("; "));
    await context.close();
  } };
}

const disk = `file://${site}/`;

for (const base of [disk, served]) {
  const home = await open(base, "index.html");
  await home.page.waitForURL(`**/${version}/index.html`);
  expect(`${home.name} leads to the newest version`, (await home.page.textContent("h1")).includes("diffsim"));
  if (base === served) {
    const selector = home.page.locator(".md-version");
    await selector.waitFor();
    expect("the version is shown", (await selector.textContent()).includes(version));
  }
  // A search, through the worker or its replacement.
  await home.page.click(".md-search__input");
  await home.page.keyboard.type("ds_sim_step_vjp");
  const found = home.page.locator('.md-search-result__link[href*="reference/c/derivatives.html"]').first();
  const shown = await found.waitFor().then(() => true, () => false);
  expect(`${home.name}: the search finds`, shown);
  // Words that beginners type, key by key, lead to a page for them.
  for (const word of ["quickstart", "install", "ROS"]) {
    await home.page.fill(".md-search__input", "");
    await home.page.keyboard.type(word);
    const start = home.page.locator('.md-search-result__link[href*="guide/getting-started.html"]').first();
    expect(`${home.name}: the search for ${word} finds the start`, await start.waitFor({ timeout: 10000 }).then(() => true, () => false));
  }
  // A name leads to where it is described before all that mentions it.
  for (const [name, place] of Object.entries(NAMED)) {
    await home.page.fill(".md-search__input", name);
    const first = home.page.locator(".md-search-result__list > li").first().locator("a").first();
    const leads = await first.and(home.page.locator(`[href*="${place}"]`)).waitFor({ timeout: 10000 }).then(() => true, () => false);
    expect(`${home.name}: the search for ${name} leads to it first`, leads, await first.getAttribute("href").catch(() => ""));
  }
  await home.close();

  const reference = await open(base, `${version}/reference/c/sim.html#ds_sim_step`);
  const top = await reference.page.evaluate(() => document.getElementById("ds_sim_step").getBoundingClientRect().top);
  expect(`${reference.name} shows the function`, top >= 0 && top < 300, top);
  await reference.close();
}

const example = await open(disk, `${version}/gallery/lqr_cartpole.html`);
await example.page.locator("iframe.view").scrollIntoViewIfNeeded();
const frame = await (await example.page.waitForSelector("iframe.view")).contentFrame();
await frame.waitForFunction(() => window.diffsim?.ready);
await frame.evaluate(() => window.diffsim.ready);
expect("the gallery's page shows the recording", await frame.evaluate(() => window.diffsim.viewer.stage.canvas.width > 100));
await example.close();

for (const path of ["index.html", "guide/robots.html", "reference/cpp.html", "reference/python/model.html", "gallery/index.html"]) {
  const phone = await open(disk, `${version}/${path}`, { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  const [width, scheme] = await phone.page.evaluate(() => [document.documentElement.scrollWidth, document.body.dataset.mdColorScheme]);
  expect(`${phone.name} fits a phone`, width <= 390, width);
  expect(`${phone.name} is dark where that is wanted`, scheme === "slate", scheme);
  await phone.close();
}

// The page of an address without a page leads to the nearest index, wherever the site stands.
const lost = await browser.newPage();
for (const [path, home] of [
  ["nope", "index.html"],
  ["folder/nope.html", "folder/index.html"],
  [`folder/${version}/nope/nope`, `folder/${version}/index.html`],
  [`${version}/reference/c/nope.html`, `${version}/reference/c/index.html`],
]) {
  await lost.goto(served + path);
  const link = lost.locator(`#home[href="/${home}"]`);
  expect(`${path} leads to ${home}`, await link.waitFor({ timeout: 10000 }).then(() => true, () => false), await lost.getAttribute("#home", "href"));
}
await lost.close();

await browser.close();
server.close();
conclude();
