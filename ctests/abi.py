"""Compares the binary interface with abi.txt, and the library's symbols with the header.

usage: abi.py --cc CC --header diffsim.h [--library libdiffsim.so] [--renew]

The headers beside diffsim.h, diffsim_*.h, belong to the interface. Without a library its symbols are not compared.

The interface is what a compiled program relies on: the types of functions, the values of
enumerations, the offsets of fields. Something that is gone or different breaks programs, so it asks
for a new DS_ABI_VERSION; something new only asks for `--renew`. Structs that start with struct_size,
and those whose size a function of the library gives, may grow, so that their size is not part of it.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).with_name("abi.txt")


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


def headers(header):
    """The header, and those beside it that include it."""
    return [header, *sorted(header.parent.glob(f"{header.stem}_*.h"))]


def text_of(header):
    """All headers as one text without includes."""
    return re.sub(r"^#include .*$", "", "".join(path.read_text() for path in headers(header)), flags=re.M)


def plain(header):
    """All headers as one text for readers of comments: the comment of a member in front of it, no macro of enumerations."""
    text = re.sub(r"^( +\S.*?[;,]) */\*\*<(.*?\*/)$", r"  /**\2\n\1", text_of(header), flags=re.M)
    return re.sub(r"^DS_ENUM\((\w+)\)", r"enum \1", text, flags=re.M)


def preprocessed(cc, header):
    """The declarations in C, without those of the system's headers."""
    return run(cc, "-std=c11", "-E", "-P", "-xc", "-", input=text_of(header))


def one_line(text):
    return re.sub(r"\s*([*\[\]])\s*", r"\1", " ".join(text.split()))


def functions(code):
    """Name and type of each function, names of arguments left out."""
    for result, name, arguments in re.findall(r"([\w\s*]+?)\b(ds_\w+)\s*\(([^()]*)\)\s*;", code):
        types = [re.sub(r"\w+$", "", a.strip()) if a.strip() != "void" else a for a in arguments.split(",")]
        yield name, f"{one_line(result)} {name}({', '.join(map(one_line, types))})"


def enumerations(code):
    for name, body in re.findall(r"enum (ds_\w+)\s*\{([^}]*)\}", code):
        yield from (f"enum {name}: {one_line(c)}" for c in body.split(",") if c.strip())


def structs(code):
    for name, body in re.findall(r"typedef struct (ds_\w+)\s*\{([^}]*)\}", code):
        yield name, [one_line(f) for f in body.split(";") if f.strip()]


def layout(cc, header, code):
    """One line a field, with its offset as the compiler has it."""
    includes = [f'#include "{path}"' for path in headers(header)]
    program = ["#include <stdio.h>", *includes, "int main(void) {"]

    def say(text, value):
        program.append(f'printf("{text}\\n", {value});')

    say("DS_ABI_VERSION %d", "DS_ABI_VERSION")
    for name, fields in structs(code):
        for field in fields:
            word = re.search(r"(\w+)(\s*\[\d+\])?$", field)[1]
            say(f"struct {name} at %zu: {field}", f"offsetof(struct {name}, {word})")
        if not fields[0].endswith(" struct_size") and f"{name}_size(" not in code:
            say(f"struct {name} size: %zu", f"sizeof(struct {name})")
    with tempfile.TemporaryDirectory() as folder:
        source, binary = pathlib.Path(folder, "layout.c"), pathlib.Path(folder, "layout")
        source.write_text("\n".join([*program, "return 0; }"]))
        run(cc, "-std=c11", str(source), "-o", str(binary))
        return run(str(binary)).splitlines()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--header", type=pathlib.Path, required=True)
    parser.add_argument("--library")
    parser.add_argument("--renew", action="store_true")
    options = parser.parse_args()
    code = preprocessed(options.cc, options.header)
    declared = dict(functions(code))
    interface = [
        *layout(options.cc, options.header.resolve(), code),
        *enumerations(code),
        *sorted(declared.values()),
    ]
    if options.renew:
        GOLDEN.write_text("\n".join(interface) + "\n")
    golden = GOLDEN.read_text().splitlines()

    failures = []
    for line in sorted(set(golden) - set(interface)):
        failures.append(f"broken: {line}")
    for line in sorted(set(interface) - set(golden)):
        failures.append(f"new: {line}")
    if failures:
        failures.append("After a break raise DS_ABI_VERSION; then renew with ctests/abi.py --renew")
    if options.library:
        listed = run("nm", "-D", "--defined-only", "--format=posix", options.library)
        exported = {line.split()[0] for line in listed.splitlines()}
        failures += [f"exported, not declared: {name}" for name in sorted(exported - set(declared))]
        failures += [f"declared, not exported: {name}" for name in sorted(set(declared) - exported)]
    print("\n".join([*failures, f"{len(declared)} functions, {len(interface)} lines of interface"]))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
