#!/bin/sh
# Makes the distributed library from one that cargo built: without the symbols that only a debugger reads.
#
# usage: scripts/strip_library.sh LIBRARY STRIPPED
#
# A shared library's symbols and lines go to STRIPPED.debug. A debugger finds that beside the library, in
# .debug/ there, or below /usr/lib/debug, by .gnu_debuglink; or by the build id. Of a static one lines go, and
# the compiler's own form of the code, most of the file, which only Rust's linker could use. OBJCOPY names
# another objcopy. LIBRARY is not changed.
set -eu
library=$1
stripped=$2
objcopy=${OBJCOPY:-objcopy}
# The time of the last change tells whether there is anything to do: programs are not linked anew then.
if [ -e "$stripped" ] && [ ! "$stripped" -nt "$library" ] && [ ! "$stripped" -ot "$library" ]; then
    exit 0
fi
case $library in
*.a)
    "$objcopy" --strip-debug --remove-section=.llvmbc --remove-section=.llvmcmd "$library" "$stripped"
    ;;
*)
    "$objcopy" --only-keep-debug --compress-debug-sections "$library" "$stripped.debug"
    chmod 644 "$stripped.debug"
    "$objcopy" --strip-unneeded "--add-gnu-debuglink=$stripped.debug" "$library" "$stripped"
    ;;
esac
touch -r "$library" "$stripped"
