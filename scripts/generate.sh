#!/usr/bin/env bash
# Renews every file that is generated from src/capi: the C headers, the declarations of Julia and Python, and
# ctests/abi.txt. Prints additions to the binary interface, and the files that it has
# changed. If the binary interface is broken, abi.txt stays as it is: raise DS_ABI_VERSION, then renew with
# ctests/abi.py.
#
# usage: scripts/generate.sh [LIBRARY]
#
# With a shared LIBRARY its symbols are compared with the headers, too.
set -eu
cd "$(dirname "$0")/.."
. scripts/tools.sh
find_cbindgen

python3 scripts/header.py "$cbindgen"
python3 bindings/julia/generate.py
python3 bindings/python/generate.py
abi=(python3 ctests/abi.py --header include/diffsim.h)
[ $# -eq 0 ] || abi+=(--library "$1")
changes=$("${abi[@]}" || true)
echo "$changes"
# Reserved words make room for new fields: no program relies on them.
if grep '^broken' <<<"$changes" | grep -qv ' reserved'; then
    exit 1
fi
"${abi[@]}" --renew >/dev/null
git status --short include bindings/julia/src bindings/python/src ctests/abi.txt
