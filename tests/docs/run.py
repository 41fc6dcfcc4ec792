#!/usr/bin/env python3
"""Runs every code block of README.md and docs/, and follows every link between the project's pages.

usage: tests/docs/run.py [PAGE ...]

From the project's root, after the library was built by `cmake --build target/cmake`. By the word behind the fence:

    c, cpp    a whole program, or statements: those of a page run one after another in tests/docs/harness.c
    python    one session a page, where DIFFSIM_PYTHON names an interpreter with the package
    julia     one session a page, where DIFFSIM_JULIA names a Julia that finds the package
    cmake     a project that builds examples/minimal.c against an installed copy
    sh        commands, in the project's root
    rust      stands word for word in one of the Rust tests, where it runs
    text      not run: output, formulas

A block without its interpreter is reported and counted as skipped, and so is Python's where a package is missing that the
page names: <!-- needs jax -->.
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "target" / "docs"
PREFIX = WORK / "prefix"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
COMMON = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{ROOT}/include", f"-I{ROOT}/bindings/cpp"]
LINKING = [f"-L{ROOT}/target/cmake/lib", "-ldiffsim", "-lm", f"-Wl,-rpath,{ROOT}/target/cmake/lib"]
COMPILERS = {"c": (["cc", "-std=c11"], ".c"), "cpp": (["c++", "-std=c++17"], ".cpp")}
RUST = {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"}
INTERPRETERS = {"python": "DIFFSIM_PYTHON", "julia": "DIFFSIM_JULIA"}


def run(*command, cwd=ROOT, **kwargs):
    """Runs a command; its output becomes the error's text where it fails."""
    done = subprocess.run([str(c) for c in command], cwd=cwd, text=True, capture_output=True, timeout=600, **kwargs)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def refuse(reason):
    raise RuntimeError(reason)


def tools(code):
    """Whether the one program that a machine may lack is there, if these commands want it."""
    return "pkg-config" not in code or shutil.which("pkg-config")


def commands(code):
    """Runs a block with an empty folder as HOME."""
    home = WORK / "home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    # Rust lives in the home of whoever installed it.
    rust = {name: os.environ.get(name, str(Path.home() / folder)) for name, folder in RUST.items()}
    run("bash", "-euc", code, env={**os.environ, **rust, "HOME": str(home)})


def compile_and_run(language, name, code):
    compiler, suffix = COMPILERS[language]
    source = WORK / (name + suffix)
    source.write_text(code)
    run(*compiler, *COMMON, source, "-o", WORK / name, *LINKING)
    run(WORK / name)


def programs(name, blocks):
    """Whole C and C++ programs, and the page's statements together as one program."""
    for language in COMPILERS:
        texts = [text for kind, text in blocks if kind == language]
        whole = [text for text in texts if "int main(" in text]
        for i, text in enumerate(whole):
            yield f"{language} program {i + 1}", partial(compile_and_run, language, f"{name}_{language}{i}", text)
        parts = [f"{{\n{text}}}\n" for text in texts if text not in whole]
        if parts:
            harness = (ROOT / "tests/docs/harness.c").read_text()
            code = harness.replace("    /* the page's statements */\n", "".join(parts))
            yield f"{len(parts)} parts in {language}", partial(compile_and_run, language, f"{name}_{language}_parts", code)


def has_packages(interpreter, text):
    """Whether an interpreter has the packages that a page needs."""
    wanted = re.findall(r"<!-- needs (.*?) -->", text)
    code = f"import importlib.util as i; exit(not all(map(i.find_spec, {' '.join(wanted).split()})))"
    return subprocess.run([*interpreter.split(), "-c", code]).returncode == 0


def sessions(name, blocks, page):
    for language, variable in INTERPRETERS.items():
        code = "\n".join(text for kind, text in blocks if kind == language)
        if not code:
            continue
        interpreter = os.environ.get(variable)
        script = WORK / f"{name}.{language}"
        script.write_text(code)
        there = interpreter and (language != "python" or has_packages(interpreter, page))
        yield f"{language} session", partial(run, *interpreter.split(), script) if there else None


def build_project(name, code):
    if not PREFIX.exists():
        run("cmake", "--install", "target/cmake", "--prefix", PREFIX)
    project = WORK / name
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir()
    shutil.copy(ROOT / "examples/minimal.c", project / "program.c")
    (project / "CMakeLists.txt").write_text(code)
    run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={PREFIX}")
    run("cmake", "--build", project / "build")


def find_in_tests(code):
    if not any(code in test.read_text() for test in (ROOT / "tests").rglob("*.rs")):
        raise RuntimeError("it stands in no Rust test")


def checks(page):
    """Pairs of a name and a function; None if it cannot run here."""
    text = page.read_text()
    blocks = FENCE.findall(text)
    name = page.stem
    known = [*COMPILERS, *INTERPRETERS, "cmake", "sh", "rust", "text"]
    for kind, code in blocks:
        if kind not in known:
            yield f"block '{kind}'", partial(refuse, f"'{kind}' is none of {known}")
    yield from programs(name, blocks)
    yield from sessions(name, blocks, text)
    for i, code in enumerate(c for kind, c in blocks if kind == "rust"):
        yield f"rust block {i + 1}", partial(find_in_tests, code)
    for i, code in enumerate(c for kind, c in blocks if kind == "cmake"):
        yield f"cmake project {i + 1}", partial(build_project, f"{name}_cmake{i}", code)
    for i, code in enumerate(c for kind, c in blocks if kind == "sh"):
        yield f"commands {i + 1}", partial(commands, code) if tools(code) else None


def anchors(page):
    """The anchors that a page's headings get: lower case, without punctuation, spaces as hyphens."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def broken_links(page):
    for target in LINK.findall(FENCE.sub("", page.read_text())):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists():
            yield f"{target} is not there"
        elif anchor and anchor not in anchors(there):
            yield f"{target}: no such heading"


def doxygen():
    """Every member of the headers has its documentation."""
    settings = {"INPUT": ROOT / "include", "MACRO_EXPANSION": "YES", "EXPAND_ONLY_PREDEF": "YES", "PREDEFINED": '"DS_ENUM(name)=enum name"'}
    settings |= {"OUTPUT_DIRECTORY": WORK / "doxygen", "OPTIMIZE_OUTPUT_FOR_C": "YES"}
    settings.update({"GENERATE_LATEX": "NO", "HAVE_DOT": "NO", "QUIET": "YES", "WARN_AS_ERROR": "YES"})
    run("doxygen", "-", input="".join(f"{name} = {value}\n" for name, value in settings.items()))


def main():
    pages = [Path(a).resolve() for a in sys.argv[1:]] or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    WORK.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(PREFIX, ignore_errors=True)
    passed = failed = skipped = 0
    every = [(f"{page.relative_to(ROOT)}: {name}", check) for page in pages for name, check in checks(page)]
    every.append(("include: doxygen", doxygen if shutil.which("doxygen") else None))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # Commands and CMake projects share folders, so they run one after another, in this thread.
        alone = {label for label, _ in every if re.search(r": (commands|cmake project) \d+$", label)}
        began = {label: pool.submit(check) for label, check in every if check and label not in alone}
        for label, check in every:
            if check is None:
                skipped += 1
                print(f"skipped {label}: its interpreter or tool is not here")
                continue
            try:
                began[label].result() if label in began else check()
                passed += 1
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAILED {label}\n{error}")
    tracked = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, text=True, capture_output=True).stdout.split()
    for page in {*pages, *(ROOT / t for t in tracked)}:
        bad = list(broken_links(page))
        passed, failed = (passed, failed + 1) if bad else (passed + 1, failed)
        for line in bad:
            print(f"FAILED {page.relative_to(ROOT)}: {line}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
