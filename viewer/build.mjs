// Bundles the page's script, with three.js, into one file that the Python package carries.
//
// usage: node build.mjs [--check]        --check: fails if the committed bundle differs from the sources
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../bindings/python/src/diffsim/viewer.js");
const versions = JSON.parse(await readFile(join(here, "node_modules/three/package.json"), "utf8"));
const licence = await readFile(join(here, "node_modules/three/LICENSE"), "utf8");

const { outputFiles } = await build({
  entryPoints: [join(here, "src/main.js")],
  absWorkingDir: here,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome103", "firefox113", "safari16.4"],
  loader: { ".css": "text", ".html": "text" },
  legalComments: "none",
  write: false,
  banner: {
    js: `/* The viewer of diffsim, Apache-2.0 OR MIT. With three.js ${versions.version}:\n${licence.trim().replaceAll("*/", "* /")}\n*/`,
  },
});
// A script element ends at the first of these, wherever it stands.
const text = outputFiles[0].text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");

if (process.argv.includes("--check")) {
  const committed = await readFile(target, "utf8").catch(() => "");
  if (committed !== text) {
    console.error("FAILED: viewer.js is not what viewer/src gives. To renew it: npm --prefix viewer run build");
    process.exit(1);
  }
  console.log("viewer.js is what the sources give");
} else {
  await writeFile(target, text);
  console.log(`${target}: ${(text.length / 1024).toFixed(0)} kB`);
}
