"""The C reference: a page for each section of include/diffsim.h, which are the files of src/capi."""

import re
from pathlib import Path

from clang.cindex import CursorKind

from headers import comment, parse, source
from names import prose

FOLDER = "reference/c"
#: Short titles where the first line of a file is no title.
TITLES = {
    "model_parts": "Parts of a model", "visuals": "Visual geometry", "save": "Saving models", "pair_filters": "Collision filters",
    "builder_desc": "Structs of the builder", "builder": "Building models", "actuators": "Adding actuators",
    "describe": "Descriptions of parts", "edit": "Editing models", "cords": "Springs and tendons", "equality": "Equality constraints",
    "inertia": "Inertias", "options": "Options", "report": "Contacts, step info and labels", "sim": "Simulation",
    "linearize": "Linear model of a step", "act": "Actuator activations", "forward": "Forward and inverse dynamics with contact",
    "jacobian_pattern": "Sparse Jacobians", "given_force": "Applied generalized force", "dynamics": "Dynamics without contact",
    "motion": "Kinematics of bodies and frames", "terms": "Terms of the equations of motion", "centroidal": "Centroidal dynamics",
    "forces": "Forces by kind", "sensors": "Sensors", "problem": "Contact solver", "control": "LQR and iLQR",
    "rollout": "Trajectories and adjoint", "batch": "Batches", "record": "Recording", "rays": "Ray casts", "params": "Parameters",
}  # fmt: skip
DEFINED = r"\b(?:fn|struct|enum|type)\s+(ds_\w+)"


class Section:
    """A page: types and functions in the header's order."""

    def __init__(self, name, title):
        self.page, self.title = f"{FOLDER}/{name}.md", title
        self.types, self.functions = [], []


def sections(root):
    """The sections by src/capi/mod.rs, and the section of every name that their files define."""
    capi = root / "src/capi"
    found, home = [], {}
    for name in re.findall(r"^pub mod (\w+);", (capi / "mod.rs").read_text(), re.M):
        code = (capi / f"{name}.rs").read_text()
        title = re.match(r"//! (.*)\.?$", code, re.M)[1].rstrip(".")
        section = Section(name, TITLES.get(name, title))
        found.append(section)
        home.update(dict.fromkeys(re.findall(DEFINED, code), section))
    return found, home


def is_type(cursor):
    """Whether a cursor defines a type: of a handle the typedef does, where its comment stands."""
    if cursor.kind == CursorKind.STRUCT_DECL:
        return cursor.is_definition()
    if cursor.kind == CursorKind.TYPEDEF_DECL:
        return comment(cursor) != "" and not cursor.underlying_typedef_type.get_declaration().is_definition()
    return cursor.kind == CursorKind.ENUM_DECL


def read(root):
    """The sections with their cursors, and the macros."""
    found, home = sections(root)
    cursors = parse(root / "include/diffsim.h", ["-xc", "-std=c11"])
    macros = [c for c in cursors if c.kind == CursorKind.MACRO_DEFINITION and not c.spelling.endswith("_H")]
    functions = [c for c in cursors if c.kind == CursorKind.FUNCTION_DECL]
    # Functions that macros define follow one that is written out: the header has the order of the files.
    section = found[0]
    for function in functions:
        section = home.get(function.spelling, section)
        section.functions.append(function)
        # A type of the engine goes where it is first taken.
        for word in re.findall(r"\bds_\w+", comment(function) + source(function)):
            home.setdefault(word, section)
    types = [c for c in cursors if is_type(c)]
    for cursor in types:
        for word in re.findall(r"\bds_\w+", source(cursor)):
            home.setdefault(word, home.get(cursor.spelling, section))
    for cursor in types:
        home[cursor.spelling].types.append(cursor)
    return [s for s in found if s.types or s.functions], macros


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
    text = re.match(r"/\*(.*?)\*/", (root / "include/diffsim.h").read_text(), re.S)[1]
    paragraphs = re.split(r"\n\s*\n", re.sub(r"^ ?\* ?", "", text, flags=re.M).strip())
    start = next(i for i, p in enumerate(paragraphs) if p.startswith("RULES"))
    for paragraph in paragraphs[start + 1 :]:
        head = re.match(r"([A-Z][a-z ]+)\. ", paragraph)
        body = paragraph[head.end() :] if head else paragraph
        yield (f"**{head[1]}.** " if head else "") + prose(body) + "\n"


def index(root, found, macros):
    """The first page: the rules of all calls, and a list of them."""
    lines = ["# C\n", "All of `include/diffsim.h`, by its sections.\n"]
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
    return pages, [f"{FOLDER}/index.md", *({section.title.split(":")[0]: section.page} for section in found)]
