#!/usr/bin/env bash
# Builds the site, looks whether everything is in it, and uses it in a browser. The last line counts.
#
# usage: scripts/site_tests.sh PYTHON        a Python that has the package
set -eu
cd "$(dirname "$0")/.."
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "skipped: the site: it takes Python 3.11"
    echo "0 passed, 0 failed"
    exit
fi
DIFFSIM_PYTHON=$1 scripts/site.sh
. scripts/browser.sh
browser=""
find_modules && find_browser || echo "skipped: the site in a browser: $lacking"
exec target/venvs/site/bin/python site/check.py "$browser"
