#!/usr/bin/env bash
# Makes the files of a release, and their checksums: an archive to install from (both libraries, symbols,
# headers, the packages of CMake and pkg-config), a wheel, Python's source package, the crate, conda-forge's
# recipe.
#
# usage: scripts/release.sh [--glibc VERSION] DIRECTORY
#
# --glibc builds with cargo-zigbuild for that version of glibc and later ones; otherwise the library needs
# this machine's version. The wheel's name states the requirements that auditwheel finds. Tools land below
# target/.
set -eu
cd "$(dirname "$0")/.."
. scripts/tools.sh

glibc=
if [ "${1:-}" = --glibc ]; then
    glibc=$2
    shift 2
fi
output=${1:?a directory for what is made}
mkdir -p "$output"
output=$(cd "$output" && pwd)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
machine=$(uname -m)
build="$PWD/target/cmake"
find_cmake
packaging="$PWD/target/venvs/packaging"
requirements="$PWD/scripts/packaging.txt"
if ! cmp -s "$requirements" "$packaging/requirements.txt"; then
    python3 -m venv --clear "$packaging"
    "$packaging/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
    cp "$requirements" "$packaging/requirements.txt"
fi
if [ -n "$glibc" ]; then
    zig="$PWD/target/venvs/zig"
    [ -x "$zig/bin/cargo-zigbuild" ] || {
        python3 -m venv --clear "$zig"
        "$zig/bin/pip" install --quiet --disable-pip-version-check "cargo-zigbuild==0.24.0" "ziglang==0.17.1"
    }
    build="$PWD/target/release-$glibc"
    PATH="$zig/bin:$PATH" cmake -S . -B "$build" -G Ninja "-DCARGO=$zig/bin/cargo-zigbuild" \
        "-DDIFFSIM_CARGO_TARGET=$machine-unknown-linux-gnu.$glibc" >/dev/null
    PATH="$zig/bin:$PATH" cmake --build "$build" --target diffsim_build
else
    configure
    cmake --build "$build" --target diffsim_build
fi

work="$PWD/target/packaging"
rm -rf "$work"
mkdir -p "$work"
name="diffsim-$version-linux-$machine"
cmake --install "$build" --prefix "$work/$name" >/dev/null
# The content alone decides the bytes of the archive, not its author or time.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" \
    -C "$work" -cf - "$name" | gzip -9n >"$output/$name.tar.gz"

DIFFSIM_LIBRARY="$build/lib/libdiffsim.so.$version" "$packaging/bin/python" -m build --no-isolation --outdir "$work/wheel" bindings/python
# Its own tag is that of any Linux, which no index takes: the symbols that it asks of glibc decide.
PATH="$packaging/bin:$PATH" auditwheel repair --wheel-dir "$output" "$work"/wheel/*.whl
cp "$work"/wheel/*.tar.gz "$output"

cargo package --quiet --locked --no-verify --allow-dirty
cp "target/package/diffsim-$version.crate" "$output"
sum=$(sha256sum "$output/diffsim_core-$version.tar.gz" | cut -d ' ' -f 1)
sed -e '1,2d' -e "s/@VERSION@/$version/" -e "s/@SHA256@/$sum/" scripts/conda.yaml >"$output/recipe.yaml"
(cd "$output" && sha256sum -- diffsim-* diffsim_core-* recipe.yaml >SHA256SUMS)
ls -l "$output"
