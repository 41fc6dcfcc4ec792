#!/bin/sh
# Drops every robot of four packages from many configurations, with both contact laws and two time steps, and
# writes a table of how they fared.
#
# usage: benches/survey/run.sh [--seconds S] [--configurations N] [--jobs N] [--output DIRECTORY] [--gradients | --plans] [NAME ...]
#
# --gradients compares Jacobians and labels along one run of each robot with differences instead; --plans lets
# iLQR plan for a legged robot that was pushed, Go2 unless another is named, and times its steps and cycles.
# Makes the virtual environment target/venvs/survey on first use (pip only: the packages bring the robots),
# builds the release library unless DIFFSIM_LIBRARY names one. All of it takes about an hour on two cores.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=$root/target/venvs/survey
if ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
    cp "$here/requirements.txt" "$venv/requirements.txt"
fi
if [ -z "${DIFFSIM_LIBRARY:-}" ]; then
    (cd "$root" && cargo libraries)
    export DIFFSIM_LIBRARY="$root/target/release/libdiffsim.so"
fi
exec "$venv/bin/python" "$here/survey.py" "$@"
