#!/usr/bin/env bash
# Makes a release of the library that was built last, for this machine's glibc, and checks its content. The
# last line counts.
set -eu
cd "$(dirname "$0")/.."
export RELEASE="$PWD/target/release-files"
rm -rf "$RELEASE"
scripts/release.sh "$RELEASE"
exec target/venvs/packaging/bin/python -m pytest -q tests/release
