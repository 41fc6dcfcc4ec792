"""The Rust reference: the output of `cargo doc`, and a page with links to the modules."""

import os
import re
import shutil
import subprocess

PAGE = "reference/rust.md"


def modules(root):
    """The crate's public modules with the first paragraph of their documentation."""
    for name in re.findall(r"^pub mod (\w+);", (root / "src/lib.rs").read_text(), re.M):
        source = next(p for p in (root / f"src/{name}.rs", root / f"src/{name}/mod.rs") if p.is_file())
        lines = re.match(r"(?://! .*\n)+", source.read_text())[0]
        yield name, " ".join(line[4:] for line in lines.splitlines())


def write(root):
    """The page."""
    lines = [
        "# Rust\n",
        "The crate `diffsim` is the engine itself. `cargo doc` writes [its documentation](../rust/diffsim/index.html),"
        " which has its own search.\n",
        "| module | |\n|---|---|",
        *(f"| [`{name}`](../rust/diffsim/{name}/index.html) | {text} |" for name, text in modules(root)),
        "\nThe C interface is stable; the crate's own interface may change between versions.\n",
    ]
    return {PAGE: "\n".join(lines)}


def copy(root, out):
    """Puts cargo's pages beside the others."""
    environment = {**os.environ, "RUSTDOCFLAGS": "-D warnings"}
    subprocess.run(["cargo", "doc", "--quiet", "--locked", "--no-deps", "--lib"], cwd=root, env=environment, check=True)
    shutil.copytree(root / "target/doc", out / "rust")
