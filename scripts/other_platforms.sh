#!/usr/bin/env bash
# Type-checks the library for platforms that this machine need not be: 64-bit ARM on Linux and macOS, Windows,
# and Linux with musl. Adds Rust's standard library for them by rustup; where that does not go, it says so and
# does without.
set -eu
cd "$(dirname "$0")/.."
passed=0
for target in aarch64-unknown-linux-gnu x86_64-unknown-linux-musl x86_64-pc-windows-gnu aarch64-apple-darwin; do
    if ! { command -v rustup && rustup target add "$target"; } >/dev/null 2>&1; then
        echo "skipped: rustup does not bring the standard library for $target"
        continue
    fi
    cargo check --quiet --locked --lib --target "$target"
    passed=$((passed + 1))
done
echo "$passed passed, 0 failed"
