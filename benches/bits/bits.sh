#!/bin/sh
# Compares two builds of the library bit for bit, in more than a thousand short simulations (bits.c says
# which).
#
# usage: benches/bits/bits.sh OLD.so NEW.so [FILTER] [-- MODEL ...]
#
# Prints the cases that differ and the columns in which they do. FILTER: only cases whose name contains it.
# MODEL: .xml or .urdf files that join the cases. The lines themselves stay in target/bits/old.txt and
# new.txt. Exits with 1 where any differs, with 2 where a run did not come to its end. Takes a little more
# than half a minute on two cores that are idle. Both libraries must suit include/diffsim.h, and run on the
# same machine: kernels differ from processor to processor.
set -eu
usage() {
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
[ $# -ge 2 ] || usage
out=$root/target/bits
mkdir -p "$out"
work=$(mktemp -d "$out/run.XXXXXX")
# Several comparisons may run at once: each has a directory of its own, and the last to end leaves its lines.
old='' new=''
end() {
    for run in $old $new; do kill "$run" 2>/dev/null || :; done
    rm -rf "$work"
}
trap end EXIT
trap 'exit 2' HUP INT TERM
for side in old new; do
    [ -f "$1" ] || { echo "no library $1" >&2; exit 2; }
    mkdir "$work/$side"
    ln -s "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")" "$work/$side/libdiffsim.so.0"
    shift
done
if [ $# -gt 1 ] && [ "$2" != -- ] && [ "$1" != -- ]; then usage; fi
${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -O1 -ffp-contract=off -DMODELS="\"$root/examples/models\"" -I "$root/include" \
    -o "$work/bits" "$here/bits.c" -L "$work/old" -l:libdiffsim.so.0 -lm
LD_LIBRARY_PATH=$work/old "$work/bits" "$@" >"$work/old.txt" 2>"$work/old/said" &
old=$!
LD_LIBRARY_PATH=$work/new "$work/bits" "$@" >"$work/new.txt" 2>"$work/new/said" &
new=$!
ended=0
wait "$old" || { echo "the old library's run ended with status $?: $(cat "$work/old/said")" >&2; ended=2; }
wait "$new" || { echo "the new library's run ended with status $?: $(cat "$work/new/said")" >&2; ended=2; }
old='' new=''
cp "$work/old.txt" "$work/new.txt" "$out"
same=0
awk '
    NR == FNR { order[++count] = $1; old[$1] = $0; next }
    { new[$1] = $0; if (!($1 in old)) order[++count] = $1 }
    # The columns of a line: each name=value.
    function columns(line, into,    part, i, n, at) {
        split("", into)
        n = split(line, part, " ")
        for (i = 2; i <= n; i++) {
            at = index(part[i], "=")
            into[substr(part[i], 1, at - 1)] = substr(part[i], at + 1)
        }
    }
    END {
        for (k = 1; k <= count; k++) {
            name = order[k]
            if (!(name in old) || !(name in new)) {
                print name ": only in the " (name in old ? "old" : "new") " run"
                different++
                continue
            }
            if (old[name] "" == new[name] "") { same++; continue }
            different++
            columns(old[name], a)
            columns(new[name], b)
            # In the order of the lines.
            n = split(old[name] " " new[name], part, " ")
            said = ""
            split("", told)
            for (i = 1; i <= n; i++) {
                if (!(at = index(part[i], "="))) continue
                c = substr(part[i], 1, at - 1)
                if (c in told || a[c] "" == b[c] "") continue
                told[c] = 1
                said = said " " c (length(a[c] b[c]) < 16 ? " (" a[c] " -> " b[c] ")" : "")
            }
            print name ":" said
        }
        printf "%d the same, %d different\n", same, different
        exit different > 0 || count == 0
    }' "$work/old.txt" "$work/new.txt" || same=1
[ "$ended" -eq 0 ] || exit "$ended"
exit "$same"
