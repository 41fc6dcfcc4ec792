#!/usr/bin/env bash
# Builds the documentation's site, target/site/index.html: docs/, references of all languages, and a gallery
# of the examples. It can be opened from the disk, and asks nothing of a network.
#
# Installs mkdocs below target/. DIFFSIM_PYTHON may name a Python that has the package; without one it is
# installed beside mkdocs. Without a Julia, its parts are left out.
set -eu
cd "$(dirname "$0")/.."
. scripts/tools.sh
need python3 "Python 3.11 or later builds the site"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "python3 must be 3.11 or later" >&2; exit 1; }
venv="$PWD/target/venvs/site"
if ! cmp -s site/requirements.txt "$venv/requirements.txt"; then
    echo "installing mkdocs in target/venvs/site"
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r site/requirements.txt
    cp site/requirements.txt "$venv/requirements.txt"
fi
echo "building the library and the examples (some minutes the first time)"
configure
cmake --build target/cmake --target demo minimal lqr_cartpole feedback_loop four_bar mpc_quadruped tendon_finger >target/site-build.log 2>&1 ||
    { cat target/site-build.log >&2; exit 1; }
cargo build --quiet --locked --example throw_cube --example contact_inverse_dynamics
export DIFFSIM_LIBRARY="$PWD/target/release/libdiffsim.so"
python=${DIFFSIM_PYTHON:-}
if [ -z "$python" ]; then
    python="$venv/bin/python"
    "$python" -m pip install --quiet --disable-pip-version-check bindings/python
fi
julia=$(scripts/julia.sh) || { julia=""; echo "skipped: Julia's reference and example: there is no Julia"; }
exec "$venv/bin/python" site/build.py "$python" "$julia"
