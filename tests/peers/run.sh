#!/bin/sh
# Compares the library with Pinocchio, MuJoCo, Drake and Nimble.
#
# usage: tests/peers/run.sh [ROBOT ...]
#
# Makes the virtual environments target/venvs/peers, drake and nimble on first use (pip only), builds the
# release library unless DIFFSIM_LIBRARY names one, and ends with "N passed, N failed[, N skipped]".
# H1 and Atlas, which no package brings, take part when DIFFSIM_ROBOTS names a directory with
# h1/h1.urdf and atlas_v4/atlas_v4_with_multisense.urdf; files of dm_control's suite when DIFFSIM_SUITE names
# the directory in which they lie.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/environment.sh"
if [ -z "${DIFFSIM_LIBRARY:-}" ]; then
    (cd "$root" && cargo libraries)
fi
exec "$python" "$here/compare.py" "$@"
