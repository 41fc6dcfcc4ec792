#!/usr/bin/env bash
# Fuzzes a target, guided by coverage, with the address sanitizer.
#
# usage: fuzz/run.sh TARGET [SECONDS [LIBFUZZER OPTION ...]]
#
# TARGET: urdf, mjcf, stl, obj, dae, glb, msh, hfield, builder, calls or asked. Inputs that it finds are kept
# below target/fuzz; a case that fails is a file target/fuzz/TARGET/crash-..., which `fuzz/run.sh TARGET 0
# FILE` runs alone. `fuzz/run.sh TARGET minimize` renews the committed corpus from all that was found.
#
# libFuzzer through libfuzzer-sys on the stable compiler, which RUSTC_BOOTSTRAP lets take the sanitizer's
# flags.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:?one of urdf mjcf stl obj dae glb msh hfield builder calls asked}
seconds=${2:-60}
shift $(($# < 2 ? $# : 2))
host=$(rustc -vV | sed -n 's/^host: //p')
passes="sancov-module"
flags="--cfg fuzzing -Cpasses=$passes -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Zsanitizer=address -Ccodegen-units=4"
RUSTC_BOOTSTRAP=1 RUSTFLAGS="$flags" CARGO_TARGET_DIR=target/fuzz/build \
    cargo build --quiet --release --manifest-path fuzz/Cargo.toml --target "$host"
found="target/fuzz/$target"
mkdir -p "$found/corpus"
export DIFFSIM_FUZZ_TARGET=$target ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1:detect_leaks=1}
binary="target/fuzz/build/$host/release/fuzz"
options=(-artifact_prefix="$found/" -timeout=20 -rss_limit_mb=3000 -malloc_limit_mb=0 -max_len=4096 -dict=fuzz/words.dict)
case $seconds in
minimize)
    mkdir -p "$found/least"
    rm -f "$found"/least/*
    "$binary" "${options[@]}" -max_len=1500 -merge=1 "$found/least" "fuzz/corpus/$target" "$found/corpus"
    echo "in $found/least: $(du -sh "$found/least" | cut -f1)"
    ;;
0) "$binary" "${options[@]}" "$@" ;;
*) "$binary" "${options[@]}" -max_total_time="$seconds" -print_final_stats=1 "$@" "$found/corpus" "fuzz/corpus/$target" ;;
esac
