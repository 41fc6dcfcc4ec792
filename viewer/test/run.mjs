// Opens the pages of pages.py in a browser and uses them as one does. The last line counts.
//
// usage: node test/run.mjs PAGES BROWSER PYTHON
import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join, resolve } from "node:path";
import { ticks } from "../src/timeline.js";
import { conclude, expect, launch } from "./chromium.mjs";

const folder = resolve(process.argv[2]);
const facts = JSON.parse(readFileSync(join(folder, "facts.json"), "utf8"));
const browser = await launch(process.argv[3]);

const near = (a, b, by) => Math.abs(a - b) <= by;

for (const [low, high, want] of [[-2.95, 1.37, "-2 -1 0 1"], [6.88, 9.12, "7 7.5 8 8.5 9"], [0, 4.9e-5, "0 0.00001 0.00002 0.00003 0.00004"], [3, 3, "3"]]) {
  expect(`round numbers from ${low} to ${high}`, ticks(low, high, 4).join(" ") === want, ticks(low, high, 4));
}

/** A page from its file; anything that it logs as an error or asks of a network fails. */
async function open(name, viewport = { width: 860, height: 600 }, options = {}, address = null) {
  const context = await browser.newContext({ viewport, ...options });
  const page = await context.newPage();
  const trouble = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !/GPU stall|ReadPixels/.test(m.text()) && trouble.push(m.text()));
  page.on("pageerror", (e) => trouble.push(String(e)));
  page.on("request", (r) => !/^(file|data|blob):/.test(r.url()) && r.url().split("#")[0] !== address?.split("#")[0] && trouble.push(`request ${r.url()}`));
  await page.goto(address ?? `file://${join(folder, name)}.html`);
  await page.evaluate(() => window.diffsim.ready);
  await settle(page);
  page.opened = await page.evaluate(() => performance.getEntriesByName("drawn")[0].startTime);
  page.trouble = trouble;
  return page;
}

/** Waits until changes are drawn. */
const settle = (page) =>
  page.evaluate(async () => {
    const { viewer } = window.diffsim;
    let pictures = 0;
    do await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    // A running simulation never stays as it is.
    while (viewer.changed && (!viewer.live || ++pictures < 3));
  });

async function see(page, t) {
  await page.evaluate((time) => window.diffsim.viewer.seek(time), t);
  await settle(page);
}

const state = (page, what) => page.evaluate((text) => new Function("v", `return ${text}`)(window.diffsim.viewer), what);

/** Centre of the pixels of the scene in which one channel stands out [CSS pixels], how many there are, and the box around them. */
const centre = (page, channel) =>
  page.evaluate((of) => {
    const { canvas } = window.diffsim.viewer.stage;
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const c = copy.getContext("2d");
    c.drawImage(canvas, 0, 0);
    const { data } = c.getImageData(0, 0, copy.width, copy.height);
    let [x, y, n] = [0, 0, 0];
    const box = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = 0; i < data.length; i += 4) {
      const others = Math.max(data[i + ((of + 1) % 3)], data[i + ((of + 2) % 3)]);
      if (data[i + of] < 60 || data[i + of] < 1.8 * others) continue;
      const [column, line] = [(i / 4) % copy.width, Math.floor(i / 4 / copy.width)];
      x += column + 0.5;
      y += line + 0.5;
      box[0] = Math.min(box[0], column);
      box[1] = Math.min(box[1], line);
      box[2] = Math.max(box[2], column + 1);
      box[3] = Math.max(box[3], line + 1);
      n++;
    }
    const ratio = canvas.width / canvas.clientWidth;
    return [x / n / ratio, y / n / ratio, n, box.map((b) => b / ratio)];
  }, channel);

const cameraOf = (page) =>
  state(
    page,
    "({position: v.stage.camera.position.toArray(), target: v.stage.controls.target.toArray(), fov: v.stage.camera.fov, width: v.stage.width, height: v.stage.height, covered: v.stage.covered})",
  );

/** Where a camera of this place, aim and field of view, upright along z, sees a point: worked out here, not by the page. */
function pinhole(camera, point) {
  const sub = (a, b) => a.map((x, i) => x - b[i]);
  const dot = (a, b) => a.reduce((s, x, i) => s + x * b[i], 0);
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => a.map((x) => x / Math.hypot(...a));
  const forward = unit(sub(camera.target, camera.position));
  const right = unit(cross(forward, [0, 0, 1]));
  const up = cross(right, forward);
  const d = sub(point, camera.position);
  const focal = camera.height / 2 / Math.tan((camera.fov * Math.PI) / 360);
  return [
    (camera.width - camera.covered[0]) / 2 + (focal * dot(d, right)) / dot(d, forward),
    (camera.height - camera.covered[1] + camera.covered[2]) / 2 - (focal * dot(d, up)) / dot(d, forward),
  ];
}

async function points() {
  const page = await open("points");
  await page.evaluate(() => {
    const v = window.diffsim.viewer;
    v.stage.floors.forEach((f) => (f.visible = false));
    v.toggle("follow", false);
    v.stage.camera.position.set(2.5, -0.4, 1.1);
    v.stage.controls.target.set(0.1, 0.4, 0.1);
  });
  for (const t of [0, 0.5, 1.0]) {
    await see(page, t);
    await page.waitForTimeout(300);
    await settle(page);
    const camera = await cameraOf(page);
    for (const [channel, point] of [[0, [0, 0, 0]], [2, [0, t, 0.3]]]) {
      const [x, y, n] = await centre(page, channel);
      const [px, py] = pinhole(camera, point);
      const said = await page.evaluate((p) => window.diffsim.viewer.stage.project(p), point);
      expect(`sphere ${channel} at ${t} s is seen`, n > 20, n);
      expect(`sphere ${channel} at ${t} s is where the camera says`, near(x, px, 1) && near(y, py, 1), [x, y, px, py]);
      expect("the page agrees", near(said[0], px, 0.01) && near(said[1], py, 0.01), [said, px, py]);
    }
  }
  // The velocity of a picked body is that of its poses.
  await see(page, 0.5);
  const [x, y] = await page.evaluate(() => window.diffsim.viewer.stage.project([0, 0.5, 0.3]));
  await page.mouse.click(x, y);
  await settle(page);
  expect("picked", (await page.textContent("#pick h3")) === "moves");
  const words = await page.textContent("#pick table");
  expect("its velocity", words.includes("0.000  1.000  0.000"), words);
  await page.keyboard.press("Escape");
  expect("let go", await page.isHidden("#pick"));
  expect("no error, no request", page.trouble.length === 0, page.trouble);
  await page.context().close();
}

/** Surfaces are where their points are in each frame, can be hidden, and go. */
async function flag() {
  const page = await open("flag");
  await page.evaluate(() => {
    const v = window.diffsim.viewer;
    v.stage.floors.forEach((f) => (f.visible = false));
    v.stage.camera.position.set(0.3, -2.5, 0.5);
    v.stage.controls.target.set(0.3, 0, 0.5);
  });
  const shapes = [];
  for (const k of [0, 8, 20]) {
    await see(page, k / 20);
    await page.waitForTimeout(300);
    await settle(page);
    const camera = await cameraOf(page);
    const box = (await centre(page, 2))[3];
    const places = facts.flag[k].map((p) => pinhole(camera, p));
    const want = [Math.min, Math.max].flatMap((most) => [0, 1].map((i) => most(...places.map((p) => p[i]))));
    expect(`the sheet at ${k} is where its points are`, box.every((b, i) => near(b, want[i], 1)), [box, want]);
    const points = await state(page, "Array.from(v.robots[0].surfaces.meshes[0].geometry.attributes.position.array)");
    shapes.push(points.join());
    expect("the page has its points", points.every((x, i) => near(x, facts.flag[k][Math.floor(i / 3)][i % 3], 1e-6)));
    const [x, y, n] = await centre(page, 0);
    const [px, py] = pinhole(camera, [0.3 - 0.03 * k, 0, 1]);
    expect(`the tile at ${k}`, k > 10 ? n === 0 : near(x, px, 1) && near(y, py, 1), [x, y, n, px, py]);
  }
  expect("it waves", new Set(shapes).size === 3);
  // From behind it looks the same.
  await page.evaluate(() => window.diffsim.viewer.stage.camera.position.set(0.3, 2.5, 0.5));
  await see(page, 0.2);
  await page.waitForTimeout(300);
  await settle(page);
  expect("it has two sides", (await centre(page, 2))[2] > 1000, await centre(page, 2));
  expect("what is clear is transparent", await state(page, "v.robots[0].surfaces.meshes[1].material.transparent"));
  await page.keyboard.press("s");
  await settle(page);
  expect("it is hidden", (await centre(page, 2))[2] === 0);
  expect("names are text", (await page.textContent("#surfaces")) === `flag${facts.bad}`, await page.textContent("#surfaces"));
  expect("nothing came of them", (await page.evaluate(() => window.harmed)) === undefined && (await page.locator("img").count()) === 0);
  expect("no error, no request", page.trouble.length === 0, page.trouble);
  await page.context().close();
}

/** The colour of the scene where a point is. */
const colorAt = (page, point) =>
  page.evaluate((p) => {
    const { stage } = window.diffsim.viewer;
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [stage.canvas.width, stage.canvas.height];
    const c = copy.getContext("2d");
    c.drawImage(stage.canvas, 0, 0);
    return [...c.getImageData(...stage.project(p).map((x) => Math.round(x * stage.ratio)), 1, 1).data.slice(0, 3)];
  }, point);

/** Images and colours of vertices are where the mesh has them. */
async function coats() {
  const page = await open("coats");
  await page.evaluate(() => {
    const v = window.diffsim.viewer;
    v.stage.floors.forEach((f) => (f.visible = false));
    v.stage.camera.position.set(0.7, -2.5, 0.2);
    v.stage.controls.target.set(0.7, 0, 0.2);
  });
  await page.waitForTimeout(300);
  await see(page, 0);
  const spots = { red: [0.1, 0, 0.1], blue: [0.1, 0, 0.3], grey: [0.3, 0, 0.2], "blue left": [1.03, 0, 0.2], "red right": [1.37, 0, 0.2], purple: [1.2, 0, 0.2] };
  for (const [name, spot] of Object.entries(spots)) {
    const [r, g, b] = await colorAt(page, spot);
    const is = { r: r > 1.5 * Math.max(g, b), b: b > 1.5 * Math.max(r, g), g: Math.max(r, g, b) < 1.4 * Math.min(r, g, b), p: near(r, b, 0.35 * r) && r > 1.5 * g };
    expect(`${name} is seen at ${spot}`, is[name[0]], [r, g, b]);
  }
  expect("no error, no request", page.trouble.length === 0, page.trouble);
  await page.context().close();
}

async function quadruped() {
  const page = await open("quadruped");
  // Other programs may be busy on this machine: the best of a few counts.
  for (let k = 0; k < 4 && page.opened > 2000; k++) {
    const again = await open("quadruped");
    page.opened = Math.min(page.opened, again.opened);
    await again.context().close();
  }
  console.log(`the first picture after ${page.opened.toFixed(0)} ms`);
  expect("it opens in 2 s", page.opened < 2000, `${page.opened} ms`);
  // The timeline: where one clicks is where it goes, and poses are those of the frame.
  const box = await page.locator("#strips").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await settle(page);
  const middle = (facts.times[0] + facts.times.at(-1)) / 2;
  expect("half way", near(await state(page, "v.t"), middle, 0.01 * facts.times.at(-1)), await state(page, "v.t"));
  // The slider's thumb and the cursor of the strips stand above each other.
  const slider = await page.locator("#slider").boundingBox();
  expect("slider and strips have the same extent", near(slider.x, box.x, 1) && near(slider.width, box.width, 1), JSON.stringify([slider, box]));
  await see(page, facts.times[20]);
  const pose = await state(page, "v.robots[0].bodies[1].position.toArray()");
  expect("the trunk is where it was", pose.every((p, i) => near(p, facts.trunk[20][i], 3e-5)), [pose, facts.trunk[20]]);
  const turn = await state(page, "v.robots[0].bodies[1].quaternion.toArray()");
  const same = Math.abs(turn.reduce((s, x, i) => s + x * facts.trunk[20][3 + i], 0));
  expect("and turned so", same > 1 - 1e-8, same);

  // Contact and gradient arrows: as many as the recording has, and no more when they are off.
  const shown = () => state(page, "[v.robots[0].contacts.shown, v.robots[0].gradients.shown, v.robots[0].cones.mesh.count]");
  await see(page, facts.times[30]);
  let [contacts, gradients, cones] = await shown();
  expect("contact arrows", contacts > 0 && contacts <= facts.contacts[30], contacts);
  expect("gradient arrows of the input and the start", gradients > facts.arrows[30] * 0.5, gradients);
  expect("no cones yet", cones === 0);
  await page.keyboard.press("k");
  await page.keyboard.press("h");
  await settle(page);
  [contacts, gradients, cones] = await shown();
  expect("cones", cones === facts.contacts[30], cones);
  expect("without those of the start", gradients <= facts.arrows[30], gradients);
  for (const key of ["c", "g"]) await page.keyboard.press(key);
  await settle(page);
  [contacts, gradients] = await shown();
  expect("arrows off", contacts === 0 && gradients === 0, [contacts, gradients]);
  for (const key of ["c", "g", "h"]) await page.keyboard.press(key);
  await see(page, 0);
  [, gradients] = await shown();
  expect("gradient arrows by the initial state", gradients > 10 && gradients <= facts.arrows[0], [gradients, facts.arrows[0]]);
  const pixels = await centre(page, 0);
  expect("something of them is on the screen", pixels[2] > 30, pixels);

  // Screen readers have a name for whatever can be used, and the keyboard comes to it.
  const reader = await page.context().newCDPSession(page);
  const { nodes } = await reader.send("Accessibility.getFullAXTree");
  const usable = nodes.filter((n) => !n.ignored && /^(button|checkbox|slider|textbox|searchbox|combobox|listbox|spinbutton|image|DisclosureTriangle)$/.test(n.role?.value));
  const unnamed = usable.filter((n) => !n.name?.value).map((n) => n.role.value);
  expect("all that can be used has a name", usable.length > 30 && unnamed.length === 0, [usable.length, unnamed]);
  const reached = new Set();
  for (let k = 0; k < 50; k++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.id));
  }
  const missed = ["play", "slider", "speed", "theme", "toggle-cones", "scalars", "share"].filter((id) => !reached.has(id));
  expect("the keyboard comes to all of it", missed.length === 0, missed);
  await page.evaluate(() => document.activeElement.blur());

  // Keys.
  await page.keyboard.press("End");
  expect("end", near(await state(page, "v.t"), facts.times.at(-1), 1e-9));
  await page.keyboard.press("ArrowLeft");
  expect("one frame back", near(await state(page, "v.t"), facts.times.at(-2), 1e-9));
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+ArrowRight");
  expect("ten frames on", near(await state(page, "v.t"), facts.times[10], 1e-9));
  await page.keyboard.press(" ");
  expect("it plays", await goesOn(page, facts.times[10]));
  await page.keyboard.press(" ");
  expect("it stops", !(await state(page, "v.playing")));
  await page.keyboard.press("-");
  expect("slower", (await state(page, "v.speed")) === 0.5);
  const dark = await page.evaluate(() => document.body.classList.contains("dark"));
  await page.keyboard.press("d");
  expect("the other theme", (await page.evaluate(() => document.body.classList.contains("dark"))) !== dark);
  await page.keyboard.press("m");
  await settle(page);
  expect("centre of mass", await state(page, "v.robots[0].com.visible"));
  const com = await state(page, "v.robots[0].com.position.toArray()");
  const trunk = await state(page, "v.robots[0].bodies[1].position.toArray()");
  expect("near the trunk", Math.hypot(...com.map((x, i) => x - trunk[i])) < 0.15, com);
  await page.keyboard.press("?");
  expect("help", await page.isVisible("#help"));
  await page.keyboard.press("Escape");

  // A plot of a channel, which scrubs.
  await page.selectOption("#scalars", { label: "push" });
  expect("plot", await page.isVisible("#plot"));
  await settle(page);
  expect("its value", (await page.textContent("#legend")).startsWith("push8"), await page.textContent("#legend"));
  const plot = await page.locator("#plot canvas").boundingBox();
  await page.mouse.click(plot.x + plot.width - 9, plot.y + 40);
  await page.click("#axes");
  await settle(page);
  expect("curves have scales of their own", await state(page, "v.plot.own"));
  await page.click("#axes");
  // The wheel shows a part of the time, in which a click goes to where it points.
  await page.mouse.move(plot.x + plot.width / 2, plot.y + 40);
  await page.mouse.wheel(0, -800);
  await settle(page);
  const part = await state(page, "v.plot.shown");
  expect("a quarter of the time about the pointer", near(part[1] - part[0], 0.25, 0.01) && near((part[0] + part[1]) / 2, 0.5, 0.05), part);
  await page.mouse.click(plot.x + plot.width - 9, plot.y + 40);
  await settle(page);
  expect("its end by a click", near(await state(page, "v.t"), facts.times[0] + part[1] * (facts.times.at(-1) - facts.times[0]), 0.01), await state(page, "v.t"));
  await page.mouse.dblclick(plot.x + plot.width - 9, plot.y + 40);
  await settle(page);
  expect("all of it again", (await state(page, "v.plot.shown")).join() === "0,1");
  await page.mouse.click(plot.x + plot.width - 9, plot.y + 40);
  expect("to the end by the plot", near(await state(page, "v.t"), facts.times.at(-1), 0.01));
  await page.keyboard.press("p");
  expect("no plot", await page.isHidden("#plot"));

  // Picking the trunk, from above.
  await see(page, 0.1);
  const spot = await page.evaluate(() => {
    const v = window.diffsim.viewer;
    return v.stage.project(v.robots[0].bodies[1].position.toArray());
  });
  await page.mouse.click(...spot);
  await settle(page);
  expect("a body is picked", (await page.textContent("#pick h3")).length > 0 && (await page.isVisible("#pick")));
  expect("orbiting moves the camera", await orbits(page));
  expect("no error, no request", page.trouble.length === 0, page.trouble);
  await page.context().close();
}

/** Whether time passes this one. */
const goesOn = (page, t) =>
  page.waitForFunction((from) => window.diffsim.viewer.t > from, t, { timeout: 10000 }).then(() => true, () => false);

async function orbits(page) {
  const before = await state(page, "v.stage.camera.position.toArray()");
  await page.mouse.move(400, 260);
  await page.mouse.down();
  await page.mouse.move(500, 300, { steps: 4 });
  await page.mouse.up();
  await settle(page);
  const after = await state(page, "v.stage.camera.position.toArray()");
  return Math.hypot(...after.map((x, i) => x - before[i])) > 0.05;
}

async function two() {
  const page = await open("two");
  expect("both are named", (await page.textContent("#runs")).includes("forward") && (await page.textContent("#runs")).includes("backward"));
  await page.keyboard.press("End");
  await settle(page);
  const apart = () => state(page, "v.robots.map((r) => r.bodies[1].position.x + r.root.position.x)");
  const [a, b] = await apart();
  expect("they went different ways", a > b + 0.005, [a, b]);
  const opacity = await state(page, "v.robots[1].shapes.find((s) => s.shape.body > 0).mesh.material.opacity");
  expect("the second is a ghost", opacity < 0.5, opacity);
  await page.keyboard.press("b");
  await settle(page);
  const sides = await state(page, "v.robots.map((r) => r.root.position.y)");
  expect("beside each other", Math.abs(sides[0] - sides[1]) > 0.2, sides);
  await page.locator("#runs input").first().uncheck();
  await settle(page);
  expect("one is hidden", !(await state(page, "v.robots[0].root.visible")));
  expect("no error, no request", page.trouble.length === 0, page.trouble);
  await page.context().close();
}

async function mixed() {
  const page = await open("mixed");
  const shown = () => state(page, "v.robots[0].shapes.filter((s) => s.shape.body > 0).map((s) => s.mesh.visible)");
  expect("what only touches is drawn, too", (await shown()).join() === "true,true", await shown());
  await page.selectOption("#shapes", "collision");
  await settle(page);
  expect("what touches nothing is left out", (await shown()).join() === "true,false", await shown());
  expect("no error, no request", page.trouble.length === 0, page.trouble);
  await page.context().close();
}

async function phone() {
  const page = await open("quadruped", { width: 390, height: 780 }, { hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect("nothing is wider than a phone", width <= 390, width);
  expect("options wait behind a button", await page.isHidden("#side"));
  await page.tap("#open");
  expect("and come", await page.isVisible("#side"));
  for (const id of ["#bar", "#side", "#head"]) {
    const box = await page.locator(id).boundingBox();
    expect(`${id} is on the screen`, box.x >= 0 && box.x + box.width <= 390 && box.y >= 0 && box.y + box.height <= 780, JSON.stringify(box));
  }
  await page.tap("#open");
  await page.tap("#play");
  expect("it plays", await goesOn(page, 0));
  expect("no error, no request", page.trouble.length === 0, page.trouble);
  await page.context().close();
}

async function badNames() {
  const page = await open("bad");
  await page.keyboard.press("p");
  expect("a plot of its name", (await page.textContent("#legend")).startsWith(facts.bad));
  await page.keyboard.press("p");
  const at = await page.evaluate(() => window.diffsim.viewer.stage.project([0, 0, 0]));
  await page.mouse.click(...at);
  await settle(page);
  for (const key of ["n", "j", "a"]) await page.keyboard.press(key);
  await settle(page);
  const texts = await page.evaluate(() => [...document.querySelectorAll("#labels span")].map((x) => x.textContent));
  expect("labels are text", texts.includes(facts.bad), texts);
  expect("the tree is text", (await page.textContent("#tree")).includes(facts.bad));
  await page.keyboard.press("n");
  expect("nothing ran", (await page.evaluate(() => window.harmed)) === undefined);
  expect("the title is text", (await page.textContent("#head h1")) === facts.bad, await page.textContent("#head h1"));
  expect("the body is text", (await page.textContent("#pick h3")) === facts.bad);
  expect("scalars are text", (await page.textContent("#scalars")).includes(facts.bad));
  expect("no element came of it", (await page.locator("img").count()) === 0);
  const source = readFileSync(join(folder, "bad.html"), "utf8");
  expect("nor is it in the file", !source.includes("window.harmed=1</script>"));
  expect("no error, no request", page.trouble.length === 0, page.trouble);
  await page.context().close();
}

/** No geoms, names of 5 kB, four hours, channels that are nothing or huge: all of it is seen and stays in its place. */
async function bare() {
  for (const viewport of [{ width: 860, height: 600 }, { width: 390, height: 780 }]) {
    const page = await open("bare", viewport);
    const box = async (id) => page.locator(id).boundingBox();
    const head = await box("#head");
    expect("the title leaves room", head.height < 0.45 * viewport.height, head.height);
    expect("boxes of the recordings can be hit", (await page.locator("#runs input").first().boundingBox()).width > 8);
    const spot = await page.evaluate(() => window.diffsim.viewer.stage.project([0, 0, 0.8]));
    await page.mouse.click(...spot);
    await settle(page);
    expect("a bone is picked", (await page.textContent("#pick h3")).startsWith("nnn"), spot);
    const rows = await page.evaluate(() => [...document.querySelectorAll("#pick tr")].map((r) => r.offsetHeight));
    expect("its numbers stand on lines", rows.length > 5 && rows.every((h) => h < 30), rows);
    const [pick, bar] = [await box("#pick"), await box("#bar")];
    expect("between title and time", pick.y >= head.y + head.height && pick.y + pick.height <= bar.y, JSON.stringify([head, pick, bar]));
    await page.evaluate(() => window.diffsim.viewer.choose([0, 1, 2]));
    await page.keyboard.press("End");
    await settle(page);
    const words = await page.textContent("#legend");
    expect("what is no number is none", words.includes("nothing (1)–"), words.slice(0, 99));
    expect("what is huge stays so", words.includes("huge (1)1.00e+300"), words.slice(0, 99));
    expect("the plot is no higher than the page", (await box("#plot")).y >= 0, JSON.stringify(await box("#plot")));
    expect("no wider than the window", (await page.evaluate(() => document.documentElement.scrollWidth)) <= viewport.width);
    for (let k = 0; k < 9; k++) await page.keyboard.press("+");
    expect("hours go by in minutes", (await state(page, "v.speed")) === 60);
    expect("no error, no request", page.trouble.length === 0, page.trouble);
    await page.context().close();
  }
}

async function pile() {
  const page = await open("pile");
  // The view fits the run: all of one that stays, and one that leaves stays in the middle.
  const inside = async (p, t) => {
    await see(p, t);
    const corners = await p.evaluate(() => {
      const v = window.diffsim.viewer;
      const { min, max } = v.robots[0].boxNow();
      return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => v.stage.project([i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z]));
    });
    return corners.every(([x, y]) => x > 0 && x < 860 && y > 0 && y < 600);
  };
  for (const name of ["pile", "quadruped"]) {
    const run = name === "pile" ? page : await open(name);
    for (const t of [0, 0.7, 10]) expect(`${name} at ${t} s is in the picture`, await inside(run, t));
    if (run !== page) await run.context().close();
  }
  await page.keyboard.press(" ");
  // Software may draw a frame a second.
  await page.waitForFunction(() => window.diffsim.viewer.frames.length > 5, null, { timeout: 30000 }).catch(() => {});
  const frames = (await state(page, "v.frames")).slice(2).sort((a, b) => a - b);
  expect("160 boxes move", frames.length > 2, frames.length);
  console.log(`160 boxes: ${frames[frames.length >> 1]?.toFixed(1)} ms of script a frame with software GL`);
  expect("no error, no request", page.trouble.length === 0, page.trouble);
  await page.context().close();
}

/** The sliders of a robot at rest move its bodies as the library's own kinematics does. */
async function joints() {
  const page = await open("arm");
  expect("one state has no timeline", (await page.isHidden("#slider")) && (await page.textContent("#head .note")).startsWith("one state"));
  const names = await page.locator("#jointsliders .slide span").allTextContents();
  expect("a slider for each joint", names.join() === facts.arm.joints.join(), names);
  for (const [i, value] of facts.arm.q.entries()) {
    await page.locator("#jointsliders input[type=range]").nth(i).evaluate((x, v) => {
      x.value = String(v);
      x.dispatchEvent(new Event("input"));
    }, value);
  }
  await settle(page);
  const poses = await state(page, "v.robots[0].bodies.map((b) => [...b.position.toArray(), ...b.quaternion.toArray()])");
  facts.arm.poses.forEach((want, i) => {
    const same = Math.abs([3, 4, 5, 6].reduce((s, k) => s + poses[i][k] * want[k], 0));
    const away = Math.max(...[0, 1, 2].map((k) => Math.abs(poses[i][k] - want[k])));
    expect(`body ${i} is where the kinematics says`, away < 5e-5 && same > 1 - 1e-8, [poses[i], want]);
  });
  // The keys of a focused slider are its own.
  await page.locator("#jointsliders input[type=range]").first().focus();
  const before = await page.locator("#jointsliders input[type=range]").first().inputValue();
  await page.keyboard.press("ArrowLeft");
  expect("arrow keys move a focused slider", (await page.locator("#jointsliders input[type=range]").first().inputValue()) !== before);
  // Units, limits, and values that are typed.
  const units = (await page.locator("#jointsliders .slide b").allTextContents()).join();
  expect("units of joints", units === "rad,rad,rad,m", units);
  const ends = (await page.locator("#jointsliders .ends i").allTextContents()).join();
  expect("limits of joints", ends === "-2.09,2.09,no limit,no limit,0,2.62,0,0.2", ends);
  const type = async (i, text) => {
    const field = page.locator("#jointsliders input[type=number]").nth(i);
    await field.fill(text);
    await field.press("Enter");
    return state(page, `[...v.robots[0].moved.values()][${i}]`);
  };
  expect("a typed value", (await type(0, "0.25")) === 0.25);
  expect("a typed value is kept within the limits", near(await type(3, "7"), 0.2, 1e-6), await type(3, "7"));
  expect("without a limit it is free", (await type(1, "9")) === 9);
  await page.evaluate(() => window.diffsim.viewer.pick({ robot: window.diffsim.viewer.robots[0], body: 1 }));
  await settle(page);
  const card = await page.textContent("#pick table");
  expect("the card has units and the value that is shown", card.includes("yaw [rad]0.2500") && card.includes("pitch [rad]9.0000"), card);
  await page.keyboard.press("Escape");
  await page.click("#jointreset");
  await settle(page);
  const back = await state(page, "v.robots[0].bodies.at(-1).position.toArray()");
  expect("as recorded again", back.every((x, i) => near(x, facts.arm.start.at(-1)[i], 5e-5)), [back, facts.arm.start.at(-1)]);
  // A robot that hangs below its base: the floor is below it.
  const floor = await state(page, "v.stage.floors[0].userData.origin.z");
  expect("no floor cuts the robot", floor <= facts.arm.lowest, [floor, facts.arm.lowest]);
  expect("it has the robot's shadow", await state(page, "v.stage.floors[0].children.some((x) => x.receiveShadow)"));
  expect("no error, no request", page.trouble.length === 0, page.trouble);
  await page.context().close();
}

/** Frames, axes, names, ellipsoids, the tree, contacts, presets, files, the address. */
async function tools() {
  const page = await open("quadruped");
  await see(page, facts.times[30]);
  const marks = () => state(page, "(({frames, axes, ellipsoids}) => [frames.visible, axes.visible, ellipsoids.filter((x) => x && x.visible).length])(v.robots[0].marks)");
  expect("no marks at first", (await marks()).join() === "false,false,0", await marks());
  for (const key of ["a", "j", "n", "e", "w"]) await page.keyboard.press(key);
  await settle(page);
  expect("frames, axes and ellipsoids", (await marks()).join() === `true,true,${facts.masses}`, await marks());
  expect("wireframe", await state(page, "v.robots[0].shapes.every((s) => s.mesh.material.wireframe)"));
  const label = await page.evaluate(() => {
    const span = [...document.querySelectorAll("#labels span")].find((x) => x.textContent === "trunk");
    const box = span.getBoundingClientRect();
    const at = window.diffsim.viewer.stage.project(window.diffsim.viewer.robots[0].bodies[1].position.toArray());
    return [box.left - at[0], box.top - at[1]];
  });
  expect("a name is beside its body", near(label[0], 4, 2) && near(label[1], -8, 2), label);
  const covered = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll("#labels span")].filter((x) => !x.hidden).map((x) => x.getBoundingClientRect());
    return [boxes.length, boxes.some((a, i) => boxes.some((b, k) => k > i && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3))];
  });
  expect("names do not cover each other", covered[0] > 3 && !covered[1], covered);
  // The frame's red axis ends where the body's x axis does.
  const tip = await state(page, `(() => { const b = v.robots[0].bodies[1], a = v.robots[0].marks.frames.geometry.attributes.position.array;
    const d = [0, 1, 2].map((k) => a[3 + k] - a[k]); return d.map((x) => x / Math.hypot(...d)).concat(b.localToWorld(b.position.clone().set(1, 0, 0)).sub(b.position).toArray()); })()`);
  expect("the red axis is x", [0, 1, 2].every((k) => near(tip[k], tip[3 + k], 1e-5)), tip);
  for (const key of ["a", "j", "n", "e", "w"]) await page.keyboard.press(key);
  // The tree: searched, picked, hidden.
  await page.click("#bodies summary");
  await page.fill("#search", "TRU");
  const rows = await page.locator("#tree div:visible button").allTextContents();
  expect("the search finds the trunk alone", rows.join() === "trunk", rows);
  await page.click("#tree div:visible button");
  await settle(page);
  expect("a click in the tree picks", (await page.textContent("#pick h3")) === "trunk");
  await page.locator("#tree div:visible input").uncheck();
  await settle(page);
  expect("hidden", await state(page, "v.robots[0].shapes.filter((s) => s.shape.body === 1).every((s) => !s.mesh.visible)"));
  await page.locator("#tree div:visible input").check();
  await page.fill("#search", "");
  await page.keyboard.press("Escape");
  // A contact: its force holds about a quarter of the robot.
  const spot = await page.evaluate(() => {
    const v = window.diffsim.viewer;
    const touch = v.robots[0].touches[0];
    return v.stage.project(touch.from.clone().lerp(touch.to, 0.7).toArray());
  });
  await page.evaluate(() => document.activeElement.blur());
  await page.mouse.click(...spot);
  await settle(page);
  const words = await page.textContent("#pick table");
  const force = Number(/normal \[N\](-?[\d.]+)/.exec(words)?.[1]);
  expect("a contact is picked with its force", near(force, facts.force, 0.01 * facts.force), [words, facts.force]);
  const arrows = "[v.robots[0].chosen.shown, v.robots[0].contacts.shown, ...v.robots[0].contacts.faint.map((x) => x.count)].join()";
  expect("its arrow is another, and parts behind bodies are faint", (await state(page, arrows)) === "1,3,3,3,0", await state(page, arrows));
  await page.keyboard.press("Escape");
  await settle(page);
  expect("let go", (await state(page, arrows)) === "0,4,4,4,0", await state(page, arrows));
  // Presets.
  for (const [key, direction] of [["1", [1, 0, 0]], ["2", [0, -1, 0]], ["3", [0, 0, 1]]]) {
    await page.keyboard.press(key);
    await settle(page);
    const camera = await cameraOf(page);
    const away = camera.position.map((x, k) => x - camera.target[k]);
    expect(`preset ${key}`, direction.every((x, k) => near(away[k] / Math.hypot(...away), x, 0.03)), away);
  }
  await page.keyboard.press("4");
  await settle(page);
  const point = await state(page, "v.robots[0].bodies[1].position.toArray()");
  // Parallel lines of sight: points behind each other are at the same pixel, and the middle stays in its place.
  const sight = (p) => page.evaluate((x) => {
    const { stage } = window.diffsim.viewer;
    const Vector = stage.camera.position.constructor;
    const along = stage.camera.getWorldDirection(new Vector());
    return [0, 0.3].map((t) => stage.project(new Vector(...x).addScaledVector(along, t).toArray()));
  }, p);
  const middle = await state(page, "v.stage.project(v.stage.controls.target.toArray())");
  expect("perspective", Math.hypot(...(([a, b]) => a.map((x, k) => x - b[k]))(await sight([0.3, 0.2, 0]))) > 3);
  await page.keyboard.press("o");
  await settle(page);
  const [first, behind] = await sight([0.3, 0.2, 0]);
  expect("orthographic", near(first[0], behind[0], 1e-6) && near(first[1], behind[1], 1e-6), [first, behind]);
  const now = await state(page, "v.stage.project(v.stage.controls.target.toArray())");
  expect("about the same middle", middle.every((x, k) => near(x, now[k], 0.01)), [middle, now]);
  const [px, py] = await page.evaluate((p) => window.diffsim.viewer.stage.project(p), point);
  await page.mouse.move(px, py);
  await page.mouse.wheel(0, -300);
  await page.waitForTimeout(600);
  await settle(page);
  const [qx, qy] = await page.evaluate((p) => window.diffsim.viewer.stage.project(p), point);
  expect("the wheel zooms to the pointer there, too", (await state(page, "v.stage.camera.zoom")) > 1.05 && near(px, qx, 2) && near(py, qy, 2), [px, py, qx, qy]);
  await page.mouse.click(px, py);
  await settle(page);
  expect("a body is picked there, too", (await page.textContent("#pick h3")) === "trunk", await page.textContent("#pick h3"));
  await page.keyboard.press("Escape");
  await page.keyboard.press("1");
  await settle(page);
  expect("seen from its edge", near((await state(page, "v.stage.away().normalize().toArray()"))[2], 0, 1e-9));
  await page.keyboard.press("o");
  await page.keyboard.press("4");
  // A plot leaves the robot to be seen, and its curves have units.
  await page.evaluate(() => window.diffsim.viewer.choose([1]));
  await settle(page);
  const legend = await page.textContent("#legend");
  expect("a curve has its kind and unit", /^q root.x-?[\d.e-]+m$/.test(legend), legend);
  const hidden = await page.evaluate(() => {
    const v = window.diffsim.viewer;
    const { right, top } = document.querySelector("#plot").getBoundingClientRect();
    const { min, max } = v.robots[0].boxNow();
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => v.stage.project([i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z]));
    return corners.filter(([x, y]) => x < right && y > top).length;
  });
  expect("no part of it is behind the plot", hidden === 0, hidden);
  await page.keyboard.press("p");
  await settle(page);
  // The wheel zooms to the pointer: the point under it stays.
  const [x0, y0] = await page.evaluate((p) => window.diffsim.viewer.stage.project(p), point);
  await page.mouse.move(x0, y0);
  const far = await cameraOf(page);
  await page.mouse.wheel(0, -300);
  await page.waitForTimeout(600);
  await settle(page);
  const [x1, y1] = await page.evaluate((p) => window.diffsim.viewer.stage.project(p), point);
  const closer = await cameraOf(page);
  const distance = (c) => Math.hypot(...c.position.map((x, k) => x - point[k]));
  expect("it is nearer", distance(closer) < 0.95 * distance(far), [distance(closer), distance(far)]);
  expect("and where it was", near(x0, x1, 12) && near(y0, y1, 12), [x0, y0, x1, y1]);
  // Files.
  const [png] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("i")]);
  const bytes = readFileSync(await png.path());
  expect("a PNG of the picture", png.suggestedFilename().endsWith(".png") && bytes.subarray(1, 4).toString() === "PNG" && bytes.length > 5000, bytes.length);
  // A GIF of the run: as many pictures as its time has, and the last one looks as the page does.
  await page.evaluate(() => {
    const v = window.diffsim.viewer;
    v.setSpeed(10);
    v.seek(v.end);
    v.render();
  });
  const [gif] = await Promise.all([page.waitForEvent("download", { timeout: 90000 }), page.click("#gif", { timeout: 90000 })]);
  const film = readFileSync(await gif.path());
  const [pictures, away] = await page.evaluate(async (text) => {
    const data = Uint8Array.from(atob(text), (x) => x.charCodeAt(0));
    const decoder = new ImageDecoder({ data, type: "image/gif" });
    await decoder.tracks.ready;
    const { frameCount } = decoder.tracks.selectedTrack;
    const { image } = await decoder.decode({ frameIndex: frameCount - 1 });
    const { canvas } = window.diffsim.viewer.stage;
    // Files have no panels.
    window.diffsim.viewer.stage.cover(0, 0, 0);
    window.diffsim.viewer.render();
    const [width, height] = [image.displayWidth, image.displayHeight];
    const pixels = (source) => {
      const c = new OffscreenCanvas(width, height).getContext("2d");
      c.drawImage(source, 0, 0, width, height);
      return c.getImageData(0, 0, width, height).data;
    };
    const [a, b] = [pixels(image), pixels(canvas)];
    image.close();
    return [frameCount, a.reduce((s, x, i) => s + Math.abs(x - b[i]), 0) / a.length];
  }, film.toString("base64"));
  const seconds = (facts.times.at(-1) - facts.times[0]) / 10;
  expect("a GIF of the run", film.subarray(0, 6).toString() === "GIF89a" && near(pictures, 20 * seconds, 1), [pictures, seconds]);
  expect("its last picture is the page's", away < 4, away);
  await clip(page);
  // The address has the time and the camera.
  await see(page, facts.times[20]);
  await page.keyboard.press("l");
  await page.click("#share");
  const shared = await page.evaluate(() => location.href);
  const other = await open(null, undefined, {}, shared);
  const [a, b] = [await cameraOf(page), await cameraOf(other)];
  expect("the shared time", near(await state(other, "v.t"), facts.times[20], 1e-6) && (await state(other, "v.options.loop")));
  expect("the shared camera", a.position.every((x, k) => near(x, b.position[k], 1e-4)), [a, b]);
  await other.keyboard.press("End");
  await other.keyboard.press(" ");
  await other.waitForTimeout(600);
  expect("it loops", await state(other, "v.playing"));
  await other.context().close();
  // Space on a focused box is the box's own.
  await page.locator("#toggle-cones").focus();
  await page.keyboard.press(" ");
  expect("space toggles a focused box", (await state(page, "v.options.cones")) && !(await state(page, "v.playing")));
  expect("no error, no request", page.trouble.length === 0, page.trouble);
  await page.context().close();
}

/** A video of the run: it moves, lasts about as long as the run, and ends with the page's picture without panels. */
async function clip(page) {
  const before = await page.evaluate(() => {
    const v = window.diffsim.viewer;
    v.stage.cover(...v.stage.covering());
    v.setSpeed(2);
    v.began = performance.now();
    return v.stage.covered;
  });
  const [file] = await Promise.all([page.waitForEvent("download", { timeout: 90000 }), page.click("#video", { timeout: 90000 })]);
  const took = await page.evaluate(() => (performance.now() - window.diffsim.viewer.began) / 1000);
  const bytes = readFileSync(await file.path());
  expect("a video", file.suggestedFilename().endsWith(".webm") && bytes.subarray(0, 4).toString("hex") === "1a45dfa3", bytes.length);
  await settle(page);
  const last = await page.evaluate(() => {
    const { viewer } = window.diffsim;
    const { covered, canvas } = viewer.stage;
    viewer.stage.cover(0, 0, 0);
    viewer.render();
    const text = canvas.toDataURL();
    viewer.stage.cover(...covered);
    viewer.changed = true;
    return [text, viewer.t, covered];
  });
  expect("the panels cover what they did", before[0] > 0 && last[2].join() === before.join(), [before, last[2]]);
  expect("it played to the end", near(last[1], facts.times.at(-1), 1e-9), last[1]);
  // The page's own rules forbid it to play anything: another page does.
  const player = await browser.newPage();
  const [pictures, seconds, away] = await player.evaluate(async ([video, picture]) => {
    const film = Object.assign(document.createElement("video"), { muted: true, src: `data:video/webm;base64,${video}` });
    await film.play();
    await new Promise((done) => (film.onended = done));
    const still = Object.assign(new Image(), { src: picture });
    await still.decode();
    const pixels = (source) => {
      const c = new OffscreenCanvas(film.videoWidth, film.videoHeight).getContext("2d");
      c.drawImage(source, 0, 0, film.videoWidth, film.videoHeight);
      return c.getImageData(0, 0, film.videoWidth, film.videoHeight).data;
    };
    const [a, b] = [pixels(film), pixels(still)];
    return [film.getVideoPlaybackQuality().totalVideoFrames, film.currentTime, a.reduce((s, x, i) => s + Math.abs(x - b[i]), 0) / a.length];
  }, [bytes.toString("base64"), last[0]]);
  await player.close();
  // Software may draw a picture or two a second, and time does not jump by more than 0.1 s a picture.
  expect("it has pictures and the run's time", pictures > 2 && seconds > 0.25 * facts.times.at(-1) && seconds < took + 1, [pictures, seconds, took]);
  expect("it ends with the page's picture", away < 6, away);
}

/** Outputs of a notebook, each in a frame of its own that may do nothing but run its script. */
async function notebook() {
  const page = await browser.newPage({ viewport: { width: 900, height: 1200 } });
  const trouble = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !/GPU stall|ReadPixels/.test(m.text()) && trouble.push(m.text()));
  page.on("pageerror", (e) => trouble.push(String(e)));
  await page.goto(`file://${join(folder, "notebook.html")}`);
  for (const element of await page.locator("iframe").elementHandles()) {
    await element.scrollIntoViewIfNeeded();
    const frame = await element.contentFrame();
    await frame.waitForFunction(() => window.diffsim?.ready);
    await frame.evaluate(() => window.diffsim.ready);
    await frame.waitForFunction(() => window.diffsim.viewer.frames.length > 0);
    const [bodies, places] = await frame.evaluate(() => {
      const { robots, stage } = window.diffsim.viewer;
      const { min, max } = robots[0].boxNow();
      return [robots[0].bodies.length, [min, max].flatMap((p) => stage.project(p.toArray()).map((x, k) => x / [stage.width, stage.height][k]))];
    });
    expect("an output shows the robot", bodies === 14 && places.every((x) => x > 0 && x < 1), [bodies, places]);
  }
  expect("two outputs", (await page.locator("iframe").count()) === 2);
  expect("notebook: no error", trouble.length === 0, trouble);
  await page.close();
}

/** Robots of 1 mm, of 400 m, and beside a body that flies away fill the picture; low windows show all. */
async function sizes() {
  for (const name of ["mm", "huge", "flung"]) {
    const page = await open(name);
    await settle(page);
    const corners = await page.evaluate(() => {
      const v = window.diffsim.viewer;
      const box = v.robots[0].box;
      const points = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z]);
      return points.map((p) => v.stage.project(p)).concat([[v.stage.floors[0].scale.x / v.robots[0].size, v.stage.scene.fog.far / v.robots[0].size]]);
    });
    const [floor, fog] = corners.pop();
    const wide = Math.max(...corners.map((c) => c[0])) - Math.min(...corners.map((c) => c[0]));
    expect(`${name}: it fills the picture`, wide > 200 && wide < 860, wide);
    const words = { mm: "bold lines: 1 mm", huge: "bold lines: 1 km" }[name];
    if (words) expect(`${name}: its lines`, (await page.textContent("#tile")) === words, await page.textContent("#tile"));
    expect(`${name}: the floor reaches into the fog`, floor > 2 * fog, [floor, fog]);
    expect(`${name}: no error, no request`, page.trouble.length === 0, page.trouble);
    await page.context().close();
  }
  // A scene a thousand kilometres away looks as it does at the origin, contacts and surfaces too.
  const [here, far] = [await open("here"), await open("far")];
  const pictures = [];
  for (const page of [here, far]) {
    await page.keyboard.press("End");
    await settle(page);
    pictures.push(await page.evaluate(() => {
      const { canvas } = window.diffsim.viewer.stage;
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
      copy.drawImage(canvas, 0, 0);
      return [...copy.getImageData(0, 0, canvas.width, canvas.height).data];
    }));
  }
  expect("here: both planes are drawn, each once", (await state(here, "v.stage.floors.length")) === 2);
  expect("here: contacts of both planes below it", (await state(here, "v.robots[0].touches.length")) === 8);
  const others = pictures[0].filter((x, k) => Math.abs(x - pictures[1][k]) > 8).length / pictures[0].length;
  expect("far: the picture is that of the origin", others < 0.002, others);
  const seen = await state(far, "v.stage.project(v.robots[0].bodies[1].position.toArray())");
  await far.mouse.click(...seen);
  await settle(far);
  expect("far: the card has its place in the world", /1000000\.\d+ {2}-2000000\.\d+ {2}0\.1/.test(await far.textContent("#pick table")), await far.textContent("#pick table"));
  // Keys turn the view and go nearer.
  const before = await state(far, "v.stage.away().toArray()");
  await far.keyboard.press("ArrowUp");
  for (let k = 0; k < 6; k++) await far.keyboard.press("]");
  const after = await state(far, "v.stage.away().toArray()");
  expect("far: an eighth of a turn round, and nearer", near(Math.hypot(...after), 0.9 * Math.hypot(...before), 1e-6) && near(Math.atan2(after[1], after[0]) - Math.atan2(before[1], before[0]), Math.PI / 4, 1e-6), [before, after]);
  await far.click("#share");
  const again = await open(null, undefined, {}, await far.evaluate(() => location.href));
  const views = await Promise.all([far, again].map(cameraOf));
  expect("far: the shared camera", /camera=1000\d\d\d\./.test(again.url()) && views[0].position.every((x, k) => near(x, views[1].position[k], 1e-4)), views);
  for (const page of [here, far, again]) {
    expect("far: no error, no request", page.trouble.length === 0, page.trouble);
    await page.context().close();
  }
  // Two recordings that count from different points stand where they are in the world, and are framed as they stand.
  const apart = await open("apart");
  await apart.keyboard.press("End");
  for (const layout of ["over", "beside"]) {
    await apart.evaluate((name) => window.diffsim.viewer.setLayout(name), layout);
    await apart.keyboard.press("r");
    await settle(apart);
    const [centres, middle, origins] = await apart.evaluate(() => {
      const { robots, stage } = window.diffsim.viewer;
      robots.forEach((r) => r.root.updateMatrixWorld(true));
      const at = (r) => r.bodies[1].getWorldPosition(r.bodies[1].position.clone()).toArray();
      return [robots.map(at), stage.controls.target.toArray(), robots.map((r) => r.r.origin[0])];
    });
    const [a, b] = centres;
    expect(`apart, ${layout}: their origins differ`, origins[0] !== origins[1], origins);
    expect(`apart, ${layout}: they are 2 m apart`, near(b[0] - a[0], 2, 1e-3), centres);
    expect(`apart, ${layout}: the view is between them`, [0, 1].every((k) => near(middle[k], (a[k] + b[k]) / 2, 0.02)), [centres, middle]);
  }
  expect("apart: no error, no request", apart.trouble.length === 0, apart.trouble);
  await apart.context().close();
  // A tower fills the picture, and so does the pile that it becomes, until the reader chooses a distance.
  const fall = await open("tower");
  const spread = () => fall.evaluate(() => {
    const v = window.diffsim.viewer;
    const { min, max } = v.robots[0].boxNow();
    const points = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => v.stage.project([i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z]));
    return [0, 1].map((k) => Math.max(...points.map((p) => p[k])) - Math.min(...points.map((p) => p[k])));
  });
  expect("the tower fits", (await spread())[1] > 200 && (await spread())[1] < 600, await spread());
  await see(fall, 1);
  expect("the pile is large", (await spread())[0] > 130 && (await spread())[0] < 700, await spread());
  await see(fall, 0);
  expect("the tower fits again", (await spread())[1] > 200 && (await spread())[1] < 600, await spread());
  await fall.mouse.move(300, 300);
  await fall.mouse.wheel(0, -100);
  await fall.waitForTimeout(600);
  await settle(fall);
  const away = () => state(fall, "v.stage.camera.position.distanceTo(v.stage.controls.target)");
  const chosen = await away();
  await see(fall, 1);
  expect("the reader's distance stays", near(await away(), chosen, 1e-6 * chosen), [chosen, await away()]);
  expect("the ground's lines have a length", (await fall.textContent("#tile")) === "bold lines: 10 m", await fall.textContent("#tile"));
  expect("tower: no error, no request", fall.trouble.length === 0, fall.trouble);
  await fall.context().close();
  // The faces of a box that the first view shows have tones of their own: the top is the lightest.
  const lit = await open("huge");
  const tones = await lit.evaluate(() => {
    const { robots, stage } = window.diffsim.viewer;
    const { mesh, shape } = robots[0].shapes.find((s) => s.shape.kind === 5);
    const [a, b, c] = shape.size;
    const copy = new OffscreenCanvas(stage.canvas.width, stage.canvas.height).getContext("2d");
    copy.drawImage(stage.canvas, 0, 0);
    // Of the front face a place beside the leg.
    return [[0, 0, c], [0, -b, 0], [a, 0.7 * b, 0.6 * c]].map((p) => {
      const at = mesh.position.clone().fromArray(p).applyMatrix4(mesh.matrixWorld);
      const [x, y] = stage.project(at.toArray()).map((v) => v * stage.ratio);
      return [...copy.getImageData(x, y, 1, 1).data.slice(0, 3)].reduce((s, v) => s + v);
    });
  });
  expect("faces of a box differ", tones[0] > 1.1 * tones[1] && tones[1] > 1.2 * tones[2] && tones[2] > 60, tones);
  await lit.context().close();
  // Without a size at first, as in a notebook, and then with another one: the robot is in the picture.
  const page = await open("huge");
  const corners = () => page.evaluate(() => {
    const v = window.diffsim.viewer;
    const { min, max } = v.robots[0].box;
    return [min, max].flatMap((p) => { const [x, y] = v.stage.project(p.toArray()); return [x / v.stage.width, y / v.stage.height]; });
  });
  const stage = (display) => page.evaluate((text) => (document.getElementById("stage").style.display = text), display);
  await stage("none");
  await page.waitForTimeout(100);
  await settle(page);
  await stage("");
  for (const width of [860, 330]) {
    await page.setViewportSize({ width, height: 600 });
    await page.waitForTimeout(100);
    await settle(page);
    const places = await corners();
    expect(`in the picture ${width} wide`, places.every((x) => x > 0 && x < 1) && places[2] - places[0] > 0.1, places);
  }
  await page.context().close();
  // Panels do not cover the robot: in the window of a notebook, in a wide one, and on a phone.
  for (const viewport of [{ width: 780, height: 520 }, { width: 1300, height: 700 }, { width: 390, height: 700 }]) {
    const page = await open("quadruped", viewport);
    const cards = await page.evaluate(() => ["side", "bar", "head"].map((id) => document.getElementById(id).getBoundingClientRect().toJSON()));
    const [places, middle] = await page.evaluate(() => {
      const { robots, stage } = window.diffsim.viewer;
      const { min, max } = robots[0].box;
      const all = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z]);
      return [all.map((p) => stage.project(p)), stage.project(stage.controls.target.toArray())];
    });
    const right = cards[0].width && cards[0].left > viewport.width / 2 ? cards[0].left : viewport.width;
    const inside = places.every(([x, y]) => x > 0 && x < right && y > 0 && y < cards[1].top);
    expect(`no panel covers the robot in ${viewport.width}x${viewport.height}`, inside, JSON.stringify([right, cards[1].top, places]));
    expect(`the view turns about the middle of the free part of ${viewport.width}x${viewport.height}`, near(middle[0], right / 2, 1.5), middle);
    await page.context().close();
  }
  for (const viewport of [{ width: 1400, height: 300 }, { width: 700, height: 380 }, { width: 320, height: 480 }]) {
    const page = await open("quadruped", viewport);
    await page.evaluate(() => window.diffsim.viewer.choose([0, 1, 2]));
    await settle(page);
    const [over, under] = [await page.locator("#plot").boundingBox(), await page.locator("#bar").boundingBox()];
    expect(`the plot stands above the bar in ${viewport.width}x${viewport.height}`, over.y + over.height <= under.y, JSON.stringify([over, under]));
    for (const id of ["#plot", "#plot .close", "#bar"]) {
      const box = await page.locator(id).boundingBox();
      expect(`${id} is within ${viewport.width}x${viewport.height}`, box.y >= 0 && box.y + box.height <= viewport.height, JSON.stringify(box));
    }
    await page.click("#plot .close");
    expect("the plot can be closed", await page.isHidden("#plot"));
    await page.context().close();
  }
}

/** A server of a running simulation, and its address. */
async function serve(...more) {
  const command = ["-m", "diffsim", "view", "--live", join(folder, "swing.xml"), ...more];
  const server = spawn(process.argv[4], command, { stdio: ["ignore", "ignore", "pipe"] });
  const address = await new Promise((done, fail) => {
    let said = "";
    server.stderr.on("data", (text) => {
      said += text;
      const found = said.match(/http:\S+/);
      if (found) done(found[0]);
    });
    server.on("exit", () => fail(new Error(`the server ended: ${said}`)));
  });
  return { server, address };
}

/** A live page by another address of this machine, and through a tunnel, as ssh -L makes one. */
async function doors() {
  const { server, address } = await serve("--host", "0.0.0.0");
  const { port, search } = new URL(address);
  const tunnel = createServer((near) => {
    const far = connect(Number(port), "127.0.0.1");
    for (const [a, b] of [[near, far], [far, near]]) a.pipe(b).on("error", () => a.destroy());
  });
  await new Promise((done) => tunnel.listen(0, "127.0.0.1", done));
  try {
    for (const [name, host] of [["another address", `127.0.0.2:${port}`], ["a tunnel", `localhost:${tunnel.address().port}`]]) {
      const page = await open(null, undefined, {}, `http://${host}/${search}`);
      const moves = await page.waitForFunction(() => window.diffsim.viewer.live.frames > 3, null, { timeout: 20000, polling: 100 }).then(() => true, () => false);
      expect(`frames come by ${name}`, moves, await page.textContent("#words"));
      expect(`by ${name}: no error, no request but its own`, page.trouble.length === 0, page.trouble);
      await page.context().close();
    }
  } finally {
    tunnel.close();
    server.kill();
  }
}

/** A simulation that runs: it moves, is pulled, and listens to sliders. */
async function live() {
  const { server, address } = await serve();
  try {
    // By another name of this machine than the one that was printed.
    const page = await open(null, undefined, {}, address.replace("127.0.0.1", "localhost"));
    // Asked again and again from here: the page's own rules forbid it to evaluate text.
    const reaches = async (what) => {
      for (let k = 0; k < 150; k++) {
        if (await state(page, what)) return true;
        await page.waitForTimeout(100);
      }
      return false;
    };
    expect("frames come", await reaches("v.live.frames > 5 && v.t > 0.05"));
    const angle = "Math.atan2(v.robots[0].bodies[1].quaternion.y, v.robots[0].bodies[1].quaternion.w)";
    const rest = await state(page, angle);
    expect("it hangs", Math.abs(rest) < 0.05, rest);
    const at = await page.evaluate(() => {
      const v = window.diffsim.viewer;
      v.stage.camera.position.set(0, -4, 1);
      v.stage.controls.target.set(0, 0, 1);
      v.stage.controls.update();
      v.stage.camera.updateMatrixWorld();
      return v.stage.project([0, 0, 0.55]);
    });
    await settle(page);
    await page.mouse.move(...at);
    await page.mouse.down();
    await page.mouse.move(at[0] - 80, at[1] - 30, { steps: 5 });
    expect("pulled aside", await reaches(`Math.abs(${angle}) > 0.1`), await state(page, angle));
    await page.mouse.up();
    expect("let go it swings back", await reaches(`Math.abs(${angle}) < 0.05`));
    await page.keyboard.press(" ");
    await page.waitForTimeout(200);
    const [before] = [await state(page, "v.t")];
    await page.waitForTimeout(300);
    expect("paused", near(await state(page, "v.t"), before, 0.1), before);
    await page.keyboard.press(" ");
    const slider = page.locator("#sliders input").last();
    await slider.evaluate((x) => {
      x.value = "15";
      x.dispatchEvent(new Event("input"));
    });
    expect("an input turns it", await reaches(`Math.abs(${angle}) > 0.1`));
    expect("its range is the file's", (await slider.getAttribute("max")) === "15", await slider.getAttribute("max"));
    await page.selectOption("#speed", "0.5");
    expect("half the speed", await reaches("document.getElementById('speed').value === '0.5'"));
    // Back through the frames that came, then one step on.
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("ArrowLeft");
    expect("it waits", await reaches("v.live.paused && v.live.looking !== null"));
    const newest = await state(page, "v.t");
    for (let k = 0; k < 5; k++) await page.keyboard.press("ArrowLeft");
    expect("earlier frames", (await state(page, "v.t")) < newest, newest);
    await page.keyboard.press("Home").catch(() => {});
    for (let k = 0; k < 12; k++) await page.keyboard.press("ArrowRight");
    expect("single steps", await reaches(`v.t > ${newest}`), newest);
    await page.click("#first");
    expect("reset sets the sliders, too", await reaches("document.querySelector('#sliders details:last-of-type input').value === '0'"));
    await page.keyboard.press("p");
    expect("no empty plot", await page.isHidden("#plot"));
    expect("no error, no request but its own", page.trouble.length === 0, page.trouble);
    await page.context().close();
  } finally {
    server.kill();
  }
}

for (const [name, run] of Object.entries({ points, flag, coats, quadruped, two, mixed, phone, badNames, bare, pile, joints, tools, notebook, sizes, live, doors })) {
  const began = Date.now();
  try {
    await run();
  } catch (error) {
    expect(`${name}: ${error.message}`, false);
  }
  console.log(`${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
}
for (const name of Object.keys(facts.sizes)) {
  const size = statSync(join(folder, `${name}.html`)).size;
  expect(`${name} is below 2.5 MB`, size < 2.5e6, size);
}
await browser.close();
conclude();
