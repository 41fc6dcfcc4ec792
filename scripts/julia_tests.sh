#!/usr/bin/env bash
# Compares every ccall of the Julia package with the header, then runs its tests with a real Julia where one
# can be had. The last line counts. Needs target/cmake/reference.bin, which the C tests write.
set -eu -o pipefail
cd "$(dirname "$0")/.."
python3 bindings/julia/generate.py --check
if ! julia=$(scripts/julia.sh); then
    echo "There is no Julia: only the signatures were compared."
    echo "1 passed, 0 failed, 1 skipped"
    exit
fi
export DIFFSIM_LIBRARY="$PWD/target/release/libdiffsim.so" DIFFSIM_REFERENCE="$PWD/target/cmake/reference.bin"
# The README's start as it is written, then the tests.
awk '/^```julia$/ { on = 1; next } /^```$/ { on = 0 } on' bindings/julia/README.md >target/start.jl
"$julia" --startup-file=no --project=bindings/julia target/start.jl
"$julia" --startup-file=no --project=bindings/julia bindings/julia/test/runtests.jl | tee target/logs/julia_tests.txt
awk '/^DiffSim +\|/ { print $3 + 2 " passed, 0 failed" }' target/logs/julia_tests.txt
