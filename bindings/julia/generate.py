#!/usr/bin/env python3
"""Writes src/LibDiffSim.jl, one ccall for each function of the header, or checks that it is up to date.

usage: bindings/julia/generate.py [--check]
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "ctests"))
import abi  # noqa: E402  (the reader of the header that the test of the binary interface has)

OUTPUT = HERE / "src" / "LibDiffSim.jl"
NUMBERS = {
    "double": "Cdouble",
    "float": "Cfloat",
    "int32_t": "Int32",
    "uint32_t": "UInt32",
    "uint64_t": "UInt64",
    "size_t": "Csize_t",
    "char": "UInt8",
    "void": "Cvoid",
}
HEAD = '''# Generated from the headers of include/ by generate.py; do not edit.

"""
The C interface as it is: one function for each of the headers', under the same name, without checks. A pointer takes an
array, a `Ref` or `C_NULL`. The headers have their meaning.
"""
module LibDiffSim

# The name that the library carries. DiffSim has opened the file by then, so the loader finds it by this name.
const libdiffsim = "libdiffsim.so.0"
'''


def julia_type(text, structs, growing, argument):
    """The type of an argument or a field. `growing` are the structs that the caller makes by their _init."""
    text = re.sub(r"\b(const|struct|enum)\b", "", text)
    base, stars = text.replace("*", "").strip(), text.count("*")
    if base == "char" and stars == 1 and argument:
        return "Cstring"
    if base in structs:
        name = base
    elif base in NUMBERS:
        name = NUMBERS[base]
    else:  # an enumeration by value, a handle behind a pointer
        name = "Int32" if stars == 0 or base in ("ds_status", "ds_gradient", "ds_contact_mode") else "Cvoid"
    if base in growing and stars == 1:
        return f"Ref{{{name}}}"
    for _ in range(stars):
        name = f"Ptr{{{name}}}"
    return name


def generate():
    header = ROOT / "include" / "diffsim.h"
    code = abi.preprocessed("cc", header)
    structs = dict(abi.structs(code))
    growing = {name for name, fields in structs.items() if fields[0].endswith(" struct_size")}
    out = [HEAD]
    defines = re.findall(r"^#define (DS_\w+) (\d+)$", abi.text_of(header), re.M)
    out += [f"const {name} = {value}" for name, value in defines]
    for line in abi.enumerations(code):
        name, value = re.fullmatch(r"enum \w+: (\w+) = (-?\d+)", line).groups()
        out.append(f"const {name} = Int32({value})")
    for name, fields in structs.items():
        out.append("")
        out.append(f"{'mutable ' if name in growing else ''}struct {name}")
        for field in fields:
            kind, word, length = re.fullmatch(r"(.*?)(\w+)(?:\[(\d+)\])?", field).groups()
            kind = julia_type(kind, structs, growing, argument=False)
            out.append(f"    {word}::{f'NTuple{{{length}, {kind}}}' if length else kind}")
        if name in growing:
            out += [f"    function {name}()", "        made = new()", f"        {name}_init(made)", "        made", "    end"]
        out.append("end")
    for name, line in sorted(abi.functions(code)):
        result, arguments = re.fullmatch(rf"(.*?)\s*{name}\((.*)\)", line).groups()
        arguments = [] if arguments == "void" else arguments.split(", ")
        types = [julia_type(a, structs, growing, argument=True) for a in arguments]
        names = [f"a{i + 1}" for i in range(len(types))]
        kinds = f"({', '.join(types)}{',' if len(types) == 1 else ''})"
        call = ", ".join([f"(:{name}, libdiffsim)", julia_type(result, structs, growing, argument=True), kinds, *names])
        out += ["", f"{name}({', '.join(names)}) =", f"    ccall({call})"]
    return "\n".join([*out, "", "end", ""])


def main():
    text = generate()
    if "--check" in sys.argv[1:]:
        if OUTPUT.read_text() != text:
            sys.exit(f"{OUTPUT.relative_to(ROOT)} is not what the header says: run bindings/julia/generate.py")
        print(f"{text.count('ccall(')} ccalls are the header's")
    else:
        OUTPUT.write_text(text)


if __name__ == "__main__":
    main()
