#!/usr/bin/env python3
"""Writes the C headers of include/ from the declarations that cbindgen extracts from src/capi.

usage: header.py CBINDGEN [--check]

cbindgen gives one list: enumerations, structs, functions. This script gives each function to the section of its source
file, each type to the first function that takes it, and each section to its header. A function of a new file needs no
entry here: its section follows the section of the module before it in src/capi/mod.rs, in diffsim.h.

`--check` writes nothing and fails if a header is not up to date.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
INCLUDE = ROOT / "include"
CAPI = ROOT / "src" / "capi"
CORE = "diffsim.h"
#: The sections, by their files in src/capi, in the order in which a reader meets them.
CHAPTERS = {
    "General": ("status",),
    "Models": ("load", "model", "model_parts", "configuration", "pair_filters"),
    "Simulation": ("options", "sim", "contacts", "params", "act", "given_force", "prescribe"),
    "Derivatives of a step": ("derivatives", "linearize", "jacobian_pattern", "smoothing"),
    "Dynamics and kinematics": ("forward", "dynamics", "motion", "terms", "centroidal", "forces", "sensors", "rotations"),
    "Trajectories and batches": ("rollout", "batch", "batch_rollout"),
    "Geometry and the contact solver": ("distance_smoothing", "rays", "patches", "problem"),
    "Models made in code": ("builder", "inertia", "actuators", "tendons", "deformables", "equality", "describe", "edit"),
}
#: Headers beside diffsim.h, which a program includes if it wants their sections.
OTHERS = {
    "diffsim_control.h": ("control",),
    "diffsim_ik.h": ("ik",),
    "diffsim_record.h": ("record",),
    "diffsim_save.h": ("save",),
    "diffsim_visuals.h": ("visuals",),
}
WIDTH = 110
MACRO = """
/* An enumeration of int32_t. In C before C23 the constants are an enum, and the type is int32_t itself. */
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
#define DS_ENUM(name) enum name : int32_t; typedef enum name name; enum name : int32_t
#else
#define DS_ENUM(name) typedef int32_t name; enum name
#endif
"""
OPEN = '\n#ifdef __cplusplus\nextern "C" {\n#endif\n'
CLOSE = "\n#ifdef __cplusplus\n} /* extern \"C\" */\n#endif\n"


class Item:
    """A declaration: its name, its comment, its code in lines, and whether it is a function."""

    def __init__(self, name, comment, lines, function=False):
        self.name, self.comment, self.lines, self.function = name, comment, lines, function

    def code(self):
        return " ".join(line for line in self.lines if not line.lstrip().startswith(("*", "/*")))

    def text(self):
        return "\n".join([*self.comment, *self.lines])


def items(lines):
    """The declarations in cbindgen's order."""
    found, comment, at = [], [], 0

    def upto(pattern):
        """The lines up to the first that ends with the pattern."""
        nonlocal at
        start = at
        while not re.search(pattern, lines[at]):
            at += 1
        at += 1
        return lines[start:at]

    while at < len(lines):
        line = lines[at]
        if line.startswith("/**"):
            comment = [text[3:] for text in upto(r"^ \*/$")[1:-1]]
            continue
        if line.startswith("enum "):
            code = [text for text in upto(r"^\};$") if not text.startswith("#")]
            upto(r"^#endif // __cplusplus$")
            found.append(Item(line.split()[1], comment, [f"DS_ENUM({line.split()[1]}) {{", *code[3:]]))
        elif re.match(r"typedef struct \w+ \{$", line):
            found.append(Item(line.split()[2], comment, upto(r"^\} \w+;$")))
        elif re.match(r"typedef struct \w+ \w+;$", line):
            found.append(Item(line.split()[2], comment, upto(r";$")))
        elif re.match(r"[a-z].*\bds_", line):
            code = upto(r";$")
            found.append(Item(re.search(r"\b(ds_\w+)\(", " ".join(code))[1], comment, code, function=True))
        elif line == "" or line.startswith(("#", 'extern "C"', "}  // extern")):
            at += 1
        else:
            sys.exit(f"scripts/header.py cannot read this line of cbindgen: {line}")
        comment = []
    return found


def blocks(lines):
    """The paragraphs and list items of a comment as (first line, indentation of the others), and its verbatim lines."""
    out = []
    for line in lines:
        line = line.rstrip()
        before = out[-1] if out else None
        if line.startswith("- "):
            out.append([line, "  "])
        elif line.startswith("  ") and before and before[1] == "  ":
            before[0] += " " + line.strip()
        elif line == "" or line.startswith((" ", "|", "```")):
            out.append([line, None])
        elif before and before[1] == "":
            before[0] += " " + line
        else:
            out.append([line, ""])
    return out


def comment_of(lines, indent=""):
    """A comment of as few lines as the width allows."""
    width = WIDTH - len(indent) - len("/** ") - len(" */")
    wrapped = []
    for text, hanging in blocks(lines):
        verbatim = hanging is None
        wrapped += [text] if verbatim else textwrap.wrap(text, width, subsequent_indent=hanging, break_on_hyphens=False)
    starts = ["/**"] + [" *"] * (len(wrapped) - 1)
    out = [f"{indent}{start} {text}".rstrip() for start, text in zip(starts, wrapped)]
    return [*out[:-1], out[-1] + " */"]


def function(item):
    """The code of a function, packed."""
    code = " ".join(" ".join(item.lines).split())
    head, arguments = re.fullmatch(r"(.*?\()(.*\);)", code).groups()
    if len(code) <= WIDTH:
        return [code]
    rows, row = [], head
    for argument in re.split(r"(?<=,) ", arguments):
        if len(row) + 1 + len(argument) > WIDTH:
            rows.append(row)
            row = " " * len(head) + argument
        else:
            row += argument if row.endswith("(") else " " + argument
    return [*rows, row]


def members(item):
    """The code of a struct or an enumeration: short comments stand behind their members, long ones above."""
    parts, comment, inside = [], [], False
    for line in item.lines:
        if line.strip() in ("/**", "*/"):
            inside = line.strip() == "/**"
        elif inside:
            comment.append(line.strip()[2:])
        else:
            parts.append((comment_of(comment, "  ") if comment else [], line))
            comment = []
    # A column for the comments that fit behind their members, /**< in the place of /**.
    column = max((len(code) for above, code in parts if len(above) == 1 and len(code) + len(above[0]) <= WIDTH), default=0) + 1
    out = []
    for above, code in parts:
        row = f"{code.ljust(column)}/**<{above[0].strip()[3:]}" if len(above) == 1 else ""
        out += [row] if row and len(row) <= WIDTH else [*above, code]
    return out


def written(item):
    """An item as it stands in a header."""
    body = function(item) if item.function else members(item)
    return "\n".join(["", *(comment_of(item.comment) if item.comment else []), *body, ""])


def modules():
    """The files of src/capi in the order of mod.rs: name, first sentence, and the names that each defines."""
    for name in re.findall(r"^pub mod (\w+);", (CAPI / "mod.rs").read_text(encoding="utf-8"), re.M):
        code = (CAPI / f"{name}.rs").read_text(encoding="utf-8")
        head = " ".join(line[3:].strip() for line in code.splitlines() if line.startswith("//!"))
        yield name, re.match(r"[^.]*", head)[0], re.findall(r"\b(?:fn|struct|enum|type)\s+(ds_\w+)", code)


class Section:
    """The declarations of a file of src/capi: types before the functions that take them."""

    def __init__(self, name, sentence, chapter, header):
        self.name, self.sentence, self.chapter, self.header = name, sentence, chapter, header
        self.title = sentence.split(":")[0]
        self.functions, self.items = [], []


def placed(listed):
    """Chapter and header of every module."""
    known = {name: (chapter, CORE) for chapter, names in CHAPTERS.items() for name in names}
    known.update({name: ("", header) for header, names in OTHERS.items() for name in names})
    order = list(known)
    last = order[0]
    for name in listed:
        if name not in known:
            # The section of a new file goes behind the section before it that is in diffsim.h.
            known[name] = known[last]
            order.insert(order.index(last) + 1, name)
        if known[name][1] == CORE:
            last = name
    return [(name, *known[name]) for name in order if name in listed]


def sections(found):
    """The sections in reading order, filled."""
    listed = {name: (sentence, names) for name, sentence, names in modules()}
    every = [Section(name, listed[name][0], chapter, header) for name, chapter, header in placed(listed)]
    by_name = {section.name: section for section in every}
    home = {name: by_name[module] for module, (_, names) in listed.items() for name in names}
    section = every[0]
    for item in (i for i in found if i.function):
        # A function that a macro defines follows one that is written out.
        section = home.get(item.name, section)
        section.functions.append(item)

    types = {i.name: i for i in found if not i.function}
    left = dict(types)

    def give(section, words):
        """Places the types among the words, and first the types that they mention."""
        for word in words:
            item = left.pop(word, None)
            if item:
                give(section, of(item))
                section.items.append(item)

    def of(item):
        """The types that an item needs: those in its code, and enumerations that its comments name."""
        named = (w for w in re.findall(r"\bds_\w+", item.text()) if w in types and types[w].lines[0].startswith("DS_ENUM"))
        return [*re.findall(r"\bds_\w+", item.code()), *named]

    for section in every:
        # A type that its own file does not mention again begins the section.
        mentioned = {word for item in section.functions for word in of(item)}
        own = (name for name in types if home.get(name) is section and name not in mentioned)
        give(section, own if section.functions else ())
        for item in section.functions:
            give(section, of(item))
            section.items.append(item)
    for name in list(left):
        sys.exit(f"scripts/header.py: no function takes {name}, so that it has no section")
    return [s for s in every if s.items]


def banner(text, sign):
    return f"\n/* {f' {text} '.center(WIDTH - 6, sign)} */\n"


def contents(every):
    """The table of contents of diffsim.h."""
    lines = ["/*", " * CONTENTS"]
    chapter = None
    for section in every:
        if section.chapter and section.chapter != chapter:
            chapter = section.chapter
            lines += [" *", f" * {chapter}"]
        if section.header == CORE:
            lines += textwrap.wrap(section.sentence, WIDTH, initial_indent=" *   ", subsequent_indent=" *     ")
    lines += [" *", " * Headers of their own, which include this one"]
    for section in (s for s in every if s.header != CORE):
        start = f" *   {section.header.ljust(17)}  "
        lines += textwrap.wrap(section.sentence, WIDTH, initial_indent=start, subsequent_indent=" *".ljust(len(start)))
    return "\n".join([*lines, " */"]) + "\n"


def guard_of(name):
    return name.upper().replace(".", "_")


def headers(raw):
    """The text of each header by its name."""
    head, guard, rest = re.fullmatch(r"(.*?\*/\n)\s*(#ifndef DIFFSIM_H\n.*?#define DS_ABI_VERSION \d+\n)(.*)", raw, re.S).groups()
    found = items(rest.splitlines())
    every = sections(found)
    text = {CORE: f"{head.lstrip()}\n{contents(every)}\n{guard}{MACRO}{OPEN}"}
    home = {i.name: s.header for s in every for i in s.items}
    chapter = None
    for section in every:
        name = section.header
        if name not in text:
            guarded = guard_of(name)
            taken = {w for s in every if s.header == name for i in s.items for w in re.findall(r"\bds_\w+", i.code())}
            foreign = sorted(w for w in taken if home.get(w, CORE) not in (CORE, name))
            if foreign:
                sys.exit(f"scripts/header.py: {name} takes {', '.join(foreign)} of another header beside {CORE}")
            about = f"diffsim, {section.sentence}. The rules of {CORE} hold here, too. Licence: Apache-2.0 OR MIT. "
            about += "Generated by scripts/header.py; do not edit."
            about = textwrap.fill(about, WIDTH, initial_indent=" * ", subsequent_indent=" * ")
            text[name] = f"/*\n{about}\n */\n\n#ifndef {guarded}\n#define {guarded}\n\n#include \"{CORE}\"\n{OPEN}"
        if name == CORE and section.chapter != chapter:
            chapter = section.chapter
            text[name] += banner(chapter.upper(), "=")
        text[name] += banner(section.title, "-")
        text[name] += "".join(map(written, section.items))
    for name in text:
        text[name] += f"{CLOSE}\n#endif /* {guard_of(name)} */\n"
    kept(raw, found, text)
    return text


def kept(raw, found, text):
    """Raises unless the headers have every word of cbindgen's list."""
    def words(*texts):
        return sorted(w for t in texts for w in re.findall(r"[^\s*/,]+", t.replace("/**<", "")))

    before = words(*(i.text() for i in found))
    after = words(*(written(i) for i in found))
    if before != after:
        raise RuntimeError(f"words differ: {sorted(set(before) ^ set(after))}")
    whole = "".join(text.values())
    for item in found:
        if whole.count(written(item)) != 1:
            raise RuntimeError(f"{item.name} is not in the headers once")


def extracted(cbindgen):
    """cbindgen's list."""
    with tempfile.TemporaryDirectory() as folder:
        raw = pathlib.Path(folder, "raw.h")
        # Its messages are about constants that it leaves out.
        command = [cbindgen, "--quiet", "--config", "cbindgen.toml", "--crate", "diffsim", "--output", raw]
        done = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        return raw.read_text(encoding="utf-8")


def main():
    texts = headers(extracted(sys.argv[1]))
    stale = {path.name for path in INCLUDE.glob("*.h")} - set(texts)
    changed = [name for name, text in texts.items() if not (INCLUDE / name).exists() or (INCLUDE / name).read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[2:]:
        if changed or stale:
            sys.exit(f"not as src/capi says: {', '.join([*changed, *stale])}. To renew: scripts/generate.sh")
        return
    for name in changed:
        (INCLUDE / name).write_text(texts[name], encoding="utf-8")
    for name in stale:
        (INCLUDE / name).unlink()


if __name__ == "__main__":
    main()
