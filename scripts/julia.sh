#!/usr/bin/env bash
# Prints the command that starts a Julia of at least 1.5, unpacking one below target/ where there is none.
#
# usage: scripts/julia.sh        exit 1, with the reason on standard error, where none can be had
#
# Debian 12 has no Julia; Debian 11's 1.5.3 runs on it. It is taken from the mirror that the machine's own apt
# is configured with and unpacked into a folder: nothing is installed on the machine.
set -eu
cd "$(dirname "$0")/.."
root="$PWD/target/tools/julia"

if command -v julia >/dev/null; then
    echo julia
    exit
fi

unpack() {
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || { echo "no julia, and no apt to fetch one" >&2; return 1; }
    local mirror
    mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
        sed -nE 's/^(URIs:|deb( \[[^]]*\])?) *(https?:[^ ]*debian)\/? *.*/\3/p' | head -n 1)
    [ -n "$mirror" ] || { echo "no julia, and apt names no Debian mirror" >&2; return 1; }
    echo "unpacking Julia 1.5 in target/tools/julia" >&2
    rm -rf "$root"
    mkdir -p "$root"/{lists/partial,archives/partial,log} "$root/files"
    : >"$root/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bullseye main" >"$root/sources.list"
    local options=(-o "Dir::Etc::SourceList=$root/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$root/lists" -o "Dir::State::Status=$root/status" -o "Dir::Cache::Archives=$root/archives"
        -o "Dir::Cache::pkgcache=" -o "Dir::Cache::srcpkgcache=" -o "Dir::Log=$root/log" -o APT::Sandbox::User=root)
    apt-get "${options[@]}" -qq update >&2
    apt-get "${options[@]}" -qq --yes --download-only --no-install-recommends install julia >&2
    for package in "$root"/archives/*.deb; do dpkg -x "$package" "$root/files"; done
    rm -rf "$root/archives" "$root/lists"
    # The last thing made: a run that was cut short begins anew.
    cat >"$root/julia" <<TXT
#!/bin/sh
# The machine's own libgcc comes first: Debian's libunwind would stop a Rust panic from being caught.
root=\$(cd "\$(dirname "\$0")" && pwd)
files="\$root/files"
LD_LIBRARY_PATH="\$files/usr/lib/x86_64-linux-gnu:\$files/usr/lib/x86_64-linux-gnu/julia" \\
JULIA_BINDIR="\$files/usr/bin" JULIA_DEPOT_PATH="\$root/depot" \\
LD_PRELOAD=$(cc -print-file-name=libgcc_s.so.1) exec "\$files/usr/bin/julia" "\$@"
TXT
    chmod +x "$root/julia"
}

starts() {
    [ -x "$root/julia" ] && "$root/julia" --startup-file=no -e 'VERSION >= v"1.5" || exit(1)'
}

# One that was unpacked elsewhere, or in part, is unpacked anew.
starts 2>/dev/null || unpack
starts || { echo "the unpacked Julia does not start" >&2; exit 1; }
echo "$root/julia"
