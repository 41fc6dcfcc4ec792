"""Writes enums.py, options.py and _fields.py in src/diffsim from the headers: enumerations, the types of keyword arguments
that fill a struct, and the meaning of each field. Run it after each change of a header; a test compares the files.

usage: bindings/python/generate.py [--check]
"""

import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "ctests"))
import abi  # noqa: E402  (the reader of the header; Julia's generator and the test of the binary interface use it, too)

HEADER = ROOT / "include" / "diffsim.h"
PACKAGE = HERE / "src" / "diffsim"
HEAD = '"""{} Generated from the header by generate.py; do not edit."""\n'

#: The type of each struct's keyword arguments, with the fields that a method takes as arguments of its own.
TYPES = {
    "LoadOptions": ("ds_load_options", ""),
    "StepOptions": ("ds_options", "tolerance max_iterations"),
    "ProblemOptions": ("ds_problem_options", "law nv max_contacts"),
    "JointFields": ("ds_joint_desc", "kind"),
    "GeomFields": ("ds_geom_desc", "rows columns"),
    "ActuatorFields": ("ds_actuator_desc", "joint tendon body site"),
    "SpringFields": ("ds_spring_desc", ""),
    "DeformableFields": ("ds_deformable_desc", ""),
    "TendonFields": ("ds_tendon_desc", "kind count"),
    "SensorFields": ("ds_sensor_desc", "kind"),
    "EqualityFields": ("ds_equality_desc", "kind"),
    "SmoothingOptions": ("ds_smoothing", "method"),
    "DistanceSmoothingOptions": ("ds_distance_smoothing", "method"),
}
#: Options of a sim; an Ilqr takes the last two fields apart from the others.
SIM_OPTIONS = {
    "SimOptions": ("StepOptions", "Fields of `ds_options`."),
    "ContactOptions": ("TypedDict", "Fields of `ds_options` that bound the work of the contact solver."),
}
#: Structs whose fields `help` explains.
EXPLAINED = [*(struct for struct, _ in TYPES.values()), "ds_ilqr_options", "ds_ik_options"]
HIDDEN = ("struct_size", "reserved", "reserved2")
#: Fields that are ids of bodies; names are accepted, too.
BODIES = ("body", "body1", "body2", "reference_body")
TEXT = "const char*"


def pascal(name):
    """`ds_contact_law` as ContactLaw."""
    return "".join(word.capitalize() for word in name.split("_")[1:])


def one_line(comment):
    return " ".join(re.sub(r"^\s*\*? ?", "", line) for line in comment.split("\n")).strip()


def clean(comment):
    return " ".join(one_line(comment).split())


class Header:
    """Enumerations and structs of the header, with their comments."""

    def __init__(self):
        text = abi.plain(HEADER)
        code = abi.preprocessed("cc", HEADER)
        self.enums = {}
        for line in abi.enumerations(code):
            enum, name, value = re.fullmatch(r"enum (\w+): (\w+) = (-?\d+)", line).groups()
            self.enums.setdefault(enum, {})[name] = int(value)
        self.prefixes = {enum: self.prefix(list(names)) for enum, names in self.enums.items()}
        self.about = {}
        for comment, enum in re.findall(r"/\*\*((?:(?!\*/).)*)\*/\s*enum (ds_\w+)\b", text, flags=re.S):
            self.about[enum] = clean(comment)
        #: Of each enumerator, as Python names it.
        self.values = {c: name.lower() for enum in self.enums for c, name in self.members(enum)}
        #: Of each struct: the fields with C's types.
        self.types = {}
        for struct, fields in abi.structs(code):
            split = [re.fullmatch(r"(.*?)\s*(\w+)((?:\[\w+\])*)", field).groups() for field in fields]
            self.types[struct] = {name: kind.strip() + ("[]" if size else "") for kind, name, size in split}
        self.comments, self.members_about = {}, {}
        for struct, body in re.findall(r"typedef struct (ds_\w+) \{(.*?)\n\} \1;", text, flags=re.S):
            found = re.findall(r"/\*\*((?:(?!\*/).)*)\*/\s*[^;]*?(\w+)(?:\[\w+\])*;", body, flags=re.S)
            self.comments[struct] = {name: clean(comment) for comment, name in found}
        for enum, body in re.findall(r"^enum (ds_\w+)\b(.*?)^\};", text, flags=re.S | re.M):
            found = re.findall(r"/\*\*((?:(?!\*/).)*)\*/\s*(DS_\w+) =", body, flags=re.S)
            self.members_about[enum] = {name: clean(comment) for comment, name in found}

    @staticmethod
    def prefix(names):
        """The words that all names of an enumeration start with."""
        shared = names[0]
        while not all(name.startswith(shared) for name in names) or not shared.endswith("_"):
            shared = shared[:-1]
        return shared

    def members(self, enum):
        """C's name and Python's of each member."""
        return [(c, c[len(self.prefixes[enum]) :].removeprefix("ERR_")) for c in self.enums[enum]]

    def enum_of(self, struct, field):
        """The enumeration that a field takes; None if it takes numbers."""
        if self.types[struct][field] != "int32_t":
            return None
        said = self.comments[struct].get(field, "")
        named = re.search(r"\b[Aa]n? (ds_\w+)", said)
        if named and named[1] in self.enums:
            return named[1]
        first = re.match(r"DS_\w+", said)
        return next((enum for enum, names in self.enums.items() if first and first[0] in names), None)

    def fields(self, struct):
        return {name: text for name, text in self.comments[struct].items() if name not in HIDDEN}


def docstring(header, enum, width=112):
    """The comment of an enumeration and of its members, with Python's names."""

    def said(text):
        return re.sub(r"\bDS_\w+", lambda m: f'"{header.values[m[0]]}"' if m[0] in header.values else m[0], text)

    lines = textwrap.wrap('"""' + said(header.about[enum]), width)
    members = header.members_about[enum]
    if members:
        lines.append("")
    for c, name in header.members(enum):
        if c in members:
            lines += textwrap.wrap(f"{name}: {said(members[c])}", width, subsequent_indent="    ")
    end = ["", '"""'] if members else []
    if not members:
        lines[-1] += '"""'
    return "\n".join(f"    {line}".rstrip() for line in lines + end[1:])


def enums(header):
    """enums.py: classes, C's prefixes, the fields that take enumerations, and the types of names."""
    out = [
        HEAD.format("The enumerations of the C interface, with its numbers."),
        "from typing import Dict, Literal, Type",
        "",
        "from ._named import Named",
    ]
    for enum in header.enums:
        out += ["", "", f"class {pascal(enum)}(Named):", docstring(header, enum), ""]
        out += [f"    {name} = {header.enums[enum][c]}" for c, name in header.members(enum)]
    out += ["", "", "#: The prefix of C's enumerators.", "PREFIXES: Dict[Type[Named], str] = {"]
    for enum, prefix in header.prefixes.items():
        out.append(f'    {pascal(enum)}: "{"DS_ERR_" if enum == "ds_status" else prefix}",')
    out += ["}", "", "#: The fields that take an enumeration, by the name of the struct."]
    out.append("CHOICES: Dict[str, Dict[str, Type[Named]]] = {")
    for struct, fields in header.types.items():
        taken = {field: header.enum_of(struct, field) for field in fields}
        if any(taken.values()):
            out.append(f'    "{struct}": {{')
            out += [f'        "{field}": {pascal(enum)},' for field, enum in taken.items() if enum]
            out.append("    },")
    out += ["}", "", "# The names of each enumeration's members, as arguments take them."]
    for enum in header.enums:
        out.append(f"{pascal(enum)}Name = Literal[")
        out += [f'    "{name.lower()}",' for _, name in header.members(enum)]
        out.append("]")
    return "\n".join(out) + "\n"


def type_of(header, struct, field):
    """The type of a keyword argument; None for pointers and counts, which a method has as arguments of its own."""
    kind = header.types[struct][field]
    enum = header.enum_of(struct, field)
    if enum:
        return f"Union[{pascal(enum)}, {pascal(enum)}Name]"
    if field in BODIES:
        return "Id"
    if kind == TEXT:
        return "Optional[str]"
    if kind.endswith("[]"):
        return "ArrayLike"
    if kind.endswith("*") or field.endswith("_count"):
        return None
    return "float" if kind == "double" else "int"


def options(header):
    """options.py: the types of keyword arguments."""
    out, used = [], set()

    def typed(name, base, about, struct, fields):
        out.extend(["", "", f"class {name}({base}, total=False):", f'    """{about}"""', ""])
        for field in fields:
            kind = type_of(header, struct, field)
            if kind:
                used.update(re.findall(r"\w+", kind))
                out.append(f"    {field}: {kind}")

    for name, (struct, apart) in TYPES.items():
        left_out = {*apart.split(), *HIDDEN}
        fields = [field for field in header.types[struct] if field not in left_out]
        typed(name, "TypedDict", f"Fields of `{struct}`{' that are keyword arguments' if apart else ''}.", struct, fields)
        if name == "StepOptions":
            for more, (base, about) in SIM_OPTIONS.items():
                typed(more, base, about, struct, apart.split())
    names = sorted(x for x in used if x not in ("Union", "Optional", "Id", "ArrayLike", "str", "int", "float"))
    head = [
        HEAD.format("Types of keyword arguments, which `help` explains."),
        "from __future__ import annotations",
        "",
        "from typing import Optional, TypedDict, Union",
        "",
        "from numpy.typing import ArrayLike",
        "",
        "from .enums import (",
        *(f"    {name}," for name in names),
        ")",
        "",
        "#: The id of a body, or its name.",
        "Id = Union[int, str]",
    ]
    return "\n".join(head + out) + "\n"


def explained(header):
    """_fields.py: the meaning of fields and of parameters."""
    out = [
        HEAD.format("The header's comments that `help` shows."),
        "from typing import Dict",
        "",
        "# ruff: noqa: E501",
        "#: The meaning of each field, by the name of the struct.",
        "FIELDS: Dict[str, Dict[str, str]] = {",
    ]
    for struct in EXPLAINED:
        out.append(f"    {struct!r}: {{")
        out += [f"        {name!r}: {text!r}," for name, text in header.fields(struct).items()]
        out.append("    },")
    out += ["}", "#: The meaning of a parameter's index and component, by its kind.", "PARAMS: Dict[str, str] = {"]
    for name, text in header.members_about["ds_param_kind"].items():
        out.append(f"    {header.values[name]!r}: {text!r},")
    return "\n".join([*out, "}"]) + "\n"


def texts():
    """The generated files by name."""
    header = Header()
    return {"enums.py": enums(header), "options.py": options(header), "_fields.py": explained(header)}


def main():
    for name, text in texts().items():
        if "--check" not in sys.argv[1:]:
            (PACKAGE / name).write_text(text, encoding="utf-8")
        elif (PACKAGE / name).read_text(encoding="utf-8") != text:
            sys.exit(f"{name} differs from the header: run bindings/python/generate.py")


if __name__ == "__main__":
    main()
