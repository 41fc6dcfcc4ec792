// Shared code of all programs that open pages: a browser without a window or a graphics card, and the count of their checks.
import { chromium } from "playwright-core";

export const launch = (executablePath) => chromium.launch({
  executablePath,
  args: [
    "--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  ],
});

let passed = 0;
let failed = 0;

export function expect(what, condition, detail = "") {
  if (condition) passed++;
  else {
    failed++;
    console.log(`FAILED: ${what} ${detail}`);
  }
}

/** Says the count and ends the program. */
export function conclude() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}
