# Finds or installs the tools of the build and the tests besides Rust, gcc and Python; sourced by ./demo
# and ./test from the top of the repository. Everything lands below target/.

tools="$PWD/target/tools"
mkdir -p "$tools"

need() {
    command -v "$1" >/dev/null || { echo "$1 is missing: $2" >&2; exit 1; }
}

need cargo "install Rust (https://rustup.rs)"
need cc "install a C compiler, such as gcc"
need c++ "install a C++ compiler, such as g++"

# cmake and ninja: the machine's own if new enough, else wheels in a virtual environment.
find_cmake() {
    local version
    version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version //p')
    if command -v ninja >/dev/null && [ -n "$version" ] &&
        [ "$(printf '3.21\n%s\n' "$version" | sort -V | head -n 1)" = 3.21 ]; then
        return
    fi
    local venv="$PWD/target/venvs/cmake"
    if [ ! -x "$venv/bin/ninja" ]; then
        echo "installing cmake and ninja in target/venvs/cmake"
        need python3 "it installs cmake"
        rm -rf "$venv"
        python3 -m venv "$venv" >/dev/null || {
            echo "python3 cannot make virtual environments: install cmake 3.21 and ninja yourself" >&2
            exit 1
        }
        "$venv/bin/pip" install --quiet --disable-pip-version-check "cmake>=3.21,<4.2" "ninja>=1.11,<2" || exit 1
    fi
    PATH="$venv/bin:$PATH"
}

find_cbindgen() {
    cbindgen="$tools/bin/cbindgen"
    if [ "$("$cbindgen" --version 2>/dev/null)" != "cbindgen 0.29.4" ]; then
        echo "installing cbindgen 0.29.4 in target/tools (some minutes)"
        cargo install --quiet --locked --version 0.29.4 --root "$tools" cbindgen || exit 1
    fi
}

configure() {
    find_cmake
    # Another cmake than the one that configured the folder begins anew.
    cmake -S . -B target/cmake -G Ninja -DBUILD_TESTING=ON >target/cmake.log 2>&1 ||
        cmake --fresh -S . -B target/cmake -G Ninja -DBUILD_TESTING=ON >target/cmake.log 2>&1 ||
        { cat target/cmake.log >&2; exit 1; }
}
