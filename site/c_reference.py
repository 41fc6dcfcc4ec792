"""The C reference: a page for each section of the headers, which are the files of src/capi."""

import re
import sys
from bisect import bisect
from pathlib import Path

from clang.cindex import CursorKind

from headers import comment, parse, source
from names import prose

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
from header import CORE, modules  # noqa: E402

FOLDER = "reference/c"
BANNER = re.compile(r"/\* -+ (.+) -+ \*/")


class Section:
    """A page: types and functions in the header's order."""

    def __init__(self, name, title, header):
        self.page, self.title, self.header = f"{FOLDER}/{name}.md", title, header
        self.types, self.functions = [], []


def sections(path):
    """The sections of a header by the lines of their banners."""
    names = {sentence.split(":")[0]: name for name, sentence, _ in modules()}
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        banner = BANNER.fullmatch(line)
        if banner:
            found[number] = Section(names[banner[1]], banner[1], path.name)
    return found


def is_type(cursor):
    """Whether a cursor defines a type: of a handle the typedef does, where its comment stands."""
    if cursor.kind == CursorKind.STRUCT_DECL:
        return cursor.is_definition()
    if cursor.kind == CursorKind.TYPEDEF_DECL:
        return comment(cursor) != "" and not cursor.underlying_typedef_type.get_declaration().is_definition()
    return cursor.kind == CursorKind.ENUM_DECL


def read(root):
    """The sections of all headers with their cursors, and the macros."""
    every, macros = [], []
    for path in sorted((root / "include").glob("*.h"), key=lambda path: (path.name != CORE, path.name)):
        found = sections(path)
        lines = list(found)
        for cursor in parse(path, ["-xc", "-std=c11"]):
            before = bisect(lines, cursor.location.line)
            section = found[lines[before - 1]] if before else None
            if cursor.kind == CursorKind.MACRO_DEFINITION and not cursor.spelling.endswith("_H"):
                macros.append(cursor)
            elif cursor.kind == CursorKind.FUNCTION_DECL:
                section.functions.append(cursor)
            elif is_type(cursor):
                section.types.append(cursor)
        every += found.values()
    return every, macros


def register(found, macros, names):
    """Tells where each name stands."""
    for macro in macros:
        names.add(macro.spelling, f"{FOLDER}/index.md", "versions-of-the-header")
    for section in found:
        for cursor in section.types:
            names.add(cursor.spelling, section.page, cursor.spelling)
            if cursor.kind == CursorKind.ENUM_DECL:
                for value in cursor.get_children():
                    names.add(value.spelling, section.page, cursor.spelling)
        for cursor in section.functions:
            names.add(cursor.spelling, section.page, cursor.spelling)
            names.functions.add(cursor.spelling)


def described(cursor, code=""):
    return f"### `{cursor.spelling}` {{ #{cursor.spelling} }}\n\n{code}{prose(comment(cursor))}\n"


def fields(cursor):
    """A struct's fields or an enumeration's values with their meaning."""
    for child in cursor.get_children():
        if child.kind == CursorKind.ENUM_CONSTANT_DECL:
            head = f"{child.spelling} = {child.enum_value}"
        elif child.kind == CursorKind.FIELD_DECL:
            head = " ".join(source(child).split())
        else:
            continue
        text = prose(comment(child)).replace("\n", "\n    ")
        yield f"`#!c {head}`\n:   {text or '–'}\n"


def page_of(section):
    """The Markdown of a section."""
    lines = [f"# {section.title}\n"]
    if section.header != CORE:
        lines.append(f"Include `{section.header}`.\n")
    if section.types:
        lines.append("## Types\n")
    for cursor in section.types:
        lines.append(described(cursor))
        lines += fields(cursor)
    if section.functions:
        lines.append("## Functions\n")
    for cursor in section.functions:
        code = f"```c\n{source(cursor)};\n```\n\n"
        lines.append(described(cursor, code))
    return "\n".join(lines)


def rules(root):
    """The header's first comment, as a list of its topics."""
    text = re.match(r"/\*(.*?)\*/", (root / "include" / CORE).read_text(encoding="utf-8"), re.S)[1]
    paragraphs = re.split(r"\n\s*\n", re.sub(r"^ ?\* ?", "", text, flags=re.M).strip())
    start = next(i for i, p in enumerate(paragraphs) if p.startswith("RULES"))
    for paragraph in paragraphs[start + 1 :]:
        head = re.match(r"([A-Z][a-z ]+)\. ", paragraph)
        body = paragraph[head.end() :] if head else paragraph
        yield (f"**{head[1]}.** " if head else "") + prose(body) + "\n"


def index(root, found, macros):
    """The first page: the rules of all calls, and a list of them."""
    lines = ["# C\n", "All headers of `include/`, by their sections.\n"]
    for section in found:
        lines.append(f"**[{section.title}]({Path(section.page).name})**\n")
        listed = [f"`{c.spelling}`" for c in [*section.types, *section.functions]]
        lines.append(", ".join(listed) + "\n{ .names }\n")
    lines += ["## Rules of the interface\n", *rules(root)]
    lines += ["## Versions of the header\n", "```c", *(f"#define {source(m)}" for m in macros), "```\n"]
    return "\n".join(lines)


def write(root, names):
    """Pages by path, and those of the navigation in order. Names can be linked from then on."""
    found, macros = read(root)
    register(found, macros, names)
    pages = {f"{FOLDER}/index.md": index(root, found, macros)}
    pages.update({section.page: page_of(section) for section in found})
    return pages, [f"{FOLDER}/index.md", *({section.title: section.page} for section in found)]
