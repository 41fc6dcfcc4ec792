// Takes the gallery's pictures, site/pictures/NAME.jpg, from the pages of a built site. They are kept in the
// repository, so that the site can be built without a browser; take them anew when an example shows something
// else.
//
// usage: node site/pictures.mjs target/site/VERSION BROWSER [NAME ...]
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { launch } from "../viewer/test/chromium.mjs";

/** For each example the page, the time [s], the layout of recordings, and the camera's position and target
 * [m]. */
const PICTURES = {
  leap: ["leap", 0.62, "over", [1.2, -2.3, 1.1], [0.3, 0, 0.68]],
  known_robots: ["known_robots_legged", 1.0, "beside", [1.5, -1.3, 0.8], [0, 0, 0.25]],
  soft_finger: ["soft_finger", 1.2, "over", [1.25, -0.85, 0.55], [0.35, 0, 0.25]],
  learned_hopper: ["learned_hopper", 1.36, "over", [3.4, -2.6, 1.3], [2.0, 0, 0.7]],
  jump_worm: ["jump_worm", 0.5, "over", [1.2, -1.5, 0.6], [0.5, 0, 0.22]],
  catapult: ["catapult", 0.42, "over", [0.6, -2.2, 1.1], [0.3, 0, 0.55]],
  mpc_quadruped: ["mpc_quadruped", 0.62, "beside", [0.95, -0.75, 0.5], [0, 0, 0.17]],
  cable_arm: ["cable_arm", 0.62, "over", [0.3, -1.7, 0.3], [0.05, 0, -0.2]],
  spring_identification: ["spring_identification", 0.1, "over", [0.5, -2.2, 0.5], [0.5, 0, 0.0]],
  tendon_finger: ["tendon_finger", 1.3, "over", [0.28, -0.2, 0.3], [0.03, -0.01, 0.11]],
  throw_cube: ["throw_velocity", 0.15, "over", [0.55, -0.3, 0.38], [0.27, 0.06, 0.18]],
  contact_inverse_dynamics: ["hold_hand_stand", 0.4, "beside", [1.1, -1.2, 0.6], [0, 0, 0.35]],
  push_survey: ["push_survey", 0.45, "beside", [0.95, -0.75, 0.5], [0.05, 0.1, 0.15]],
  lqr_cartpole: ["lqr_cartpole", 0.6, "over", [0.9, -1.9, 0.9], [0.45, 0, 0.45]],
  four_bar: ["four_bar", 0.2, "over", [0.3, -0.7, 0.42], [0, 0, 0.25]],
  feedback_loop: ["feedback_loop", 0.95, "over", [1.5, -1.8, 1.3], [0, 0, 0.75]],
  system_identification: ["system_identification", 1.0, "over", [1.2, -1.5, 0.7], [0.5, 0, 0.28]],
  demo: ["demo", 0.5, "over", [1.5, -1.8, 1.3], [0, 0, 0.65]],
};

const [site, executablePath, ...only] = process.argv.slice(2);
const folder = new URL("pictures/", import.meta.url).pathname;
mkdirSync(folder, { recursive: true });
const browser = await launch(executablePath);
for (const [name, [view, time, layout, eye, aim]] of Object.entries(PICTURES)) {
  if (only.length && !only.includes(name)) continue;
  const page = await browser.newPage({ viewport: { width: 640, height: 400 } });
  await page.goto(`file://${resolve(site, "gallery/views", view)}.html`);
  await page.evaluate(() => window.diffsim.ready);
  await page.addStyleTag({ content: ".card { display: none !important }" });
  await page.evaluate(async ([t, how, from, to]) => {
    const { viewer } = window.diffsim;
    viewer.setLayout(how);
    viewer.toggle("follow", false);
    viewer.stage.covering = () => [0, 0, 0];
    viewer.stage.cover(0, 0, 0);
    viewer.stage.camera.position.set(...from);
    viewer.stage.controls.target.set(...to);
    viewer.seek(t);
    do await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    while (viewer.changed);
  }, [time, layout, eye, aim]);
  await page.screenshot({ path: `${folder}${name}.jpg`, quality: 82 });
  await page.close();
}
await browser.close();
