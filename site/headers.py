"""Reads the headers with libclang."""

import re
import subprocess

from clang import cindex


def parse(path, arguments):
    """The cursors that a header has of its own; raises where the compiler finds anything wrong with it."""
    # The wheel of libclang has no headers of its own: the compiler's will do.
    include = subprocess.run(["cc", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()
    options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    unit = cindex.Index.create().parse(str(path), args=[*arguments, "-isystem", include], options=options)
    if list(unit.diagnostics):
        raise RuntimeError("\n".join(map(str, unit.diagnostics)))
    return [c for c in unit.cursor.get_children() if c.location.file and c.location.file.name == str(path)]


def comment(cursor):
    """The text above a cursor, without its stars."""
    lines = re.sub(r"^/\*\*?<?|\*/$", "", cursor.raw_comment or "").splitlines()
    return "\n".join(re.sub(r"^ *\* ?", "", line).rstrip() for line in lines).strip()


def source(cursor, end=None):
    """The text of a cursor, moved to the left; end: an offset before its own."""
    start = cursor.extent.start
    with open(start.file.name, "rb") as file:
        text = file.read()[start.offset : end or cursor.extent.end.offset].decode()
    return re.sub(rf"\n {{0,{start.column - 1}}}", "\n", text)
