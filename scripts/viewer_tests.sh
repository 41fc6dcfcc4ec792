#!/usr/bin/env bash
# Tests the page that shows recordings, in a browser without a window: Debian's chromium, which is installed
# where this runs as root. Checks that the committed bundle matches viewer/src. The last line counts.
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
. scripts/browser.sh
find_modules || skip "$lacking"
npm --prefix viewer run --silent check
find_browser || skip "$lacking"
"$python" viewer/test/pages.py examples/models target/viewer
node viewer/test/run.mjs target/viewer "$browser" "$python"
