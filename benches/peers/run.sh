#!/bin/sh
# Times the library beside its peers, each call on one core, in one run.
#
# usage: benches/peers/run.sh [--rounds N] [--passes N] [--parts PART,...] [--output DIRECTORY] [ROBOT ...]
#
# Makes the virtual environments (pip only), builds the release library unless DIFFSIM_LIBRARY names
# one, and compiles both sides (Pinocchio's takes four minutes and 5 GB, once; it is kept in
# target/peers). Needs a C++17 compiler, taskset and Eigen, which is installed by apt-get where that
# is possible. H1 and Atlas take part when DIFFSIM_ROBOTS names a directory with h1/h1.urdf and
# atlas_v4/atlas_v4_with_multisense.urdf.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$root/tests/peers/environment.sh"
if [ ! -d "${EIGEN_INCLUDE:=/usr/include/eigen3}" ]; then
    apt-get update -qq && apt-get install -y -qq libeigen3-dev || {
        echo "Eigen is missing: install libeigen3-dev or set EIGEN_INCLUDE" >&2
        exit 1
    }
fi
export EIGEN_INCLUDE PYTHONPATH="$root/tests/peers"
if [ -z "${DIFFSIM_LIBRARY:-}" ]; then
    (cd "$root" && cargo libraries)
fi
exec "$python" "$here/run.py" "$@"
