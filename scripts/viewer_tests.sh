#!/usr/bin/env bash
# Tests the page that shows recordings, in a browser without a window: Debian's chromium, which is installed where this
# runs as root. Checks that the committed bundle is what viewer/src gives. The last line counts.
#
# usage: scripts/viewer_tests.sh PYTHON        a Python that has the package
set -eu
cd "$(dirname "$0")/.."
python=$1
skip() {
    echo "skipped: the viewer's pages: $1"
    echo "0 passed, 0 failed"
    exit
}
command -v npm >/dev/null || skip "there is no npm"
# Again only when what is wanted has changed.
if ! cmp -s viewer/package-lock.json viewer/node_modules/.installed; then
    npm --prefix viewer ci --ignore-scripts --no-audit --no-fund --loglevel=error || skip "npm cannot install what it needs"
    cp viewer/package-lock.json viewer/node_modules/.installed
fi
npm --prefix viewer run --silent check
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq --yes --no-install-recommends install chromium || true
    browser=$(command -v chromium || true)
fi
[ -n "$browser" ] || skip "there is no chromium, and none can be installed"
"$python" viewer/test/pages.py examples/models target/viewer
node viewer/test/run.mjs target/viewer "$browser" "$python"
