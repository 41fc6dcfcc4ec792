"""Writes src/diffsim/_fields.py from the header: what every field of a struct that keyword arguments fill means, and every
kind of parameter. Run it after a change of the header; a test says where that was forgotten."""

import pathlib
import re
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
HEADER = HERE.parents[1] / "include" / "diffsim.h"
TARGET = HERE / "src" / "diffsim" / "_fields.py"

STRUCTS = (
    "ds_load_options",
    "ds_options",
    "ds_ilqr_options",
    "ds_ik_options",
    "ds_problem_options",
    "ds_joint_desc",
    "ds_geom_desc",
    "ds_actuator_desc",
    "ds_spring_desc",
    "ds_deformable_desc",
    "ds_tendon_desc",
    "ds_sensor_desc",
    "ds_equality_desc",
    "ds_smoothing",
    "ds_distance_smoothing",
)
HIDDEN = ("struct_size", "reserved")


def comment(text):
    """A comment of the header in one line."""
    return " ".join(re.sub(r"^\s*\* ?", "", line) for line in text.split("\n")).strip()


def fields(code, struct):
    body = re.search(rf"typedef struct {struct} \{{(.*?)\n\}} {struct};", code, flags=re.S)[1]
    found = re.findall(r"/\*\*((?:(?!\*/).)*)\*/\s*[^;]*?(\w+)(?:\[\w+\])*;", body, flags=re.S)
    return {name: " ".join(comment(text).split()) for text, name in found if name not in HIDDEN}


def kinds(code, enum, prefix):
    body = re.search(rf"^enum {enum}\b(.*?)^\}};", code, flags=re.S | re.M)[1]
    found = re.findall(rf"/\*\*((?:(?!\*/).)*)\*/\s*{prefix}(\w+) =", body, flags=re.S)
    return {name.lower(): " ".join(comment(text).split()) for text, name in found}


def written(name, of, table):
    lines = [f"    {key!r}: {{" if isinstance(value, dict) else f"    {key!r}: {value!r}," for key, value in table.items()]
    out = [f"{name}: {of} = {{"]
    for line, value in zip(lines, table.values()):
        out.append(line)
        if isinstance(value, dict):
            out += [f"        {key!r}: {text!r}," for key, text in value.items()]
            out.append("    },")
    return "\n".join([*out, "}"])


def text():
    code = HEADER.read_text(encoding="utf-8")
    structs = {struct: fields(code, struct) for struct in STRUCTS}
    head = '"""Written by generate.py from the header; do not edit."""\n\nfrom typing import Dict\n'
    parts = [
        head,
        "# ruff: noqa: E501\n#: What the fields of structs mean, in C's words.",
        written("FIELDS", "Dict[str, Dict[str, str]]", structs),
        "#: What index and component of a parameter mean, by its kind.",
        written("PARAMS", "Dict[str, str]", kinds(code, "ds_param_kind", "DS_PARAM_")),
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
