"""The C++ reference: the classes and functions of bindings/cpp, each with the C call that it makes."""

import re

from clang.cindex import AccessSpecifier, CursorKind

from headers import comment, parse, source
from names import prose

PAGE = "reference/cpp.md"
HEADERS = ("diffsim.hpp", "diffsim_act.hpp", "diffsim_control.hpp", "diffsim_ik.hpp", "diffsim_model.hpp", "diffsim_problem.hpp", "diffsim_questions.hpp", "diffsim_recorder.hpp", "diffsim_view.hpp")
CLASSES = (CursorKind.CLASS_DECL, CursorKind.STRUCT_DECL, CursorKind.CLASS_TEMPLATE)
CALLS = (CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR, CursorKind.FUNCTION_DECL, CursorKind.FUNCTION_TEMPLATE)


def signature(code):
    """A declaration on one line, without body and initializers."""
    depth = 0
    for i, c in enumerate(code):
        depth += (c in "(<") - (c in ")>")
        if depth == 0 and (c == "{" or re.match(r"\s:\s", code[i : i + 3])):
            code = code[:i]
            break
    return " ".join(code.split())


def entry(cursor, names):
    """A class or function: its signature, its comment, and the C function behind it."""
    code = source(cursor)
    called = [n for n in dict.fromkeys(re.findall(r"\bds_\w+", code)) if names.is_function(n)]
    text = " ".join(prose(comment(cursor)).split())
    behind = ", ".join(f"`{n}`" for n in called)
    parts = [text, f"C: {behind}" if behind and cursor.kind in CALLS else ""]
    return f"`#!cpp {signature(code)}`\n:   {' '.join(p for p in parts if p) or '–'}\n"


def members(cursor, names):
    """The public ones, fields of one declaration together."""
    seen = {}
    for child in cursor.get_children():
        if child.access_specifier == AccessSpecifier.PUBLIC and child.kind in (*CALLS, CursorKind.FIELD_DECL):
            seen[child.extent.start.offset] = child
    return [entry(child, names) for child in seen.values()]


def of_header(cursors, names):
    for space in cursors:
        if space.kind != CursorKind.NAMESPACE:
            continue
        free = []
        for cursor in space.get_children():
            if cursor.kind in CLASSES:
                base = re.search(r"struct \w+ : (ds_\w+)", source(cursor))
                yield f"## {cursor.spelling} {{ #{cursor.spelling} }}\n"
                yield prose(comment(cursor)) + "\n"
                if base:
                    yield f"`{base[1]}` with its defaults.\n"
                else:
                    yield from members(cursor, names)
            elif cursor.kind in (*CALLS, CursorKind.TYPE_ALIAS_DECL):
                free.append(entry(cursor, names))
        if free:
            yield "## Functions and types\n"
            yield from free


def write(root, names):
    """The page."""
    arguments = ["-xc++", "-std=c++17", f"-I{root}/include", f"-I{root}/bindings/cpp"]
    lines = ["# C++\n"]
    for name in HEADERS:
        path = root / "bindings/cpp" / name
        about = re.sub(r"^@file\s*", "", re.search(r"/\*\*\n?(.*?)\*/", path.read_text(), re.S)[1].replace("\n * ", "\n").strip(" *\n"))
        lines += [f"## `{name}` {{ #{name.replace('.', '-')} }}\n", prose(re.sub(r"^ \*$", "", about, flags=re.M)) + "\n"]
        lines += [re.sub(r"^## ", "### ", line) for line in of_header(parse(path, arguments), names)]
    return {PAGE: "\n".join(lines)}
