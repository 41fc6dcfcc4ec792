"""Looks whether the site is whole. The last line counts.

usage: check.py [BROWSER]        from the project's root, after scripts/site.sh
"""

import ast
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlparse

import build

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "target/site"
#: The page to which a search for a word must lead.
FOUND = {
    "ds_sim_step_vjp": "reference/c/derivatives.html",
    "complementarity": "guide/contact.html",
    "checkpoint_interval": "reference/c/options.html",
    "select_params": "reference/python/sim.html",
    "quaternion": "guide/concepts.html",
    "iLQR": "gallery/mpc_quadruped.html",
    "quickstart": "guide/getting-started.html",
    "GPU": "guide/getting-started.html",
    "ROS": "guide/getting-started.html",
    "step_jacobians": "reference/cpp.html",
}
#: What a search for words with blanks shows first.
FIRST = {
    "mass matrix": "reference/python/sim.html#diffsim.Sim.mass_matrix",
    "inverse dynamics": "reference/python/sim.html#diffsim.Sim.inverse_dynamics",
    "Forward  kinematics": "reference/python/sim.html#diffsim.Sim.forward_kinematics",
    "load model": "reference/python/model.html#diffsim.Model.load",
    "set parameters": "reference/python/sim.html#diffsim.Sim.params",
    "sim step": "reference/python/sim.html#diffsim.Sim.step",
    "mass_matrix()": "reference/python/sim.html#diffsim.Sim.mass_matrix",
    "Sim::step": "reference/cpp.html#Sim",
}
#: Runs the search's shortcut outside a browser: for the words of standard input.
SHORTCUT = """
const { readFileSync } = require("fs");
const [names, search] = process.argv.slice(1);
globalThis.window = globalThis;
for (const path of [names, search]) require("vm").runInThisContext(readFileSync(path, "utf8"), path);
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map((words) => window.diffsimFind(words)?.[1])));
"""

#: Where names in code lead to: within text, in blocks, in signatures, in docstrings.
LINKED = {
    "guide/concepts.html": "../reference/c/configuration.html#ds_model_integrate",
    "guide/viewer.html": "../reference/python/adapters.html#diffsim.adapters.to_rerun",
    "gallery/minimal.html": "../reference/c/sim.html#ds_sim_step",
    "reference/c/contacts.html": "sim.html#ds_gradient",
    "reference/cpp.html": "c/model.html#ds_model_nq",
    "reference/python/sim.html": "errors.html#diffsim.InvalidArgumentError",
    "index.html": "gallery/minimal.html",
}

#: Pages of the project, and words that they must have.
PROJECT = {
    "changelog.html": "Unreleased",
    "contributing.html": "./test",
    "security.html": "Security",
    "licence.html": "Permission is hereby granted, free of charge",
}

passed = failed = 0


def expect(what, condition, detail=""):
    global passed, failed
    passed, failed = (passed + 1, failed) if condition else (passed, failed + 1)
    if not condition:
        print(f"FAILED: {what} {detail}")


class Page(HTMLParser):
    """The links of a page, the files that it loads, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors.update(given[k] for k in ("id", "name") if given.get(k))
        for key in ("href", "src"):
            if given.get(key):
                (self.links if tag == "a" else self.loads).append(given[key])


def links(site, pages):
    """Every link leads somewhere, and nothing is loaded from elsewhere. rustdoc looks after its own pages."""
    read = {path: Page(path.read_text()) for path in pages}
    for path, page in read.items():
        own = path.relative_to(site)
        away = [u for u in page.loads if urlparse(u).scheme not in ("", "data")]
        expect(f"{own} loads only what is in the site", not away, away)
        bad = []
        for link in page.links + page.loads:
            url = urlparse(link)
            if url.scheme or url.netloc:
                continue
            there = (path.parent / unquote(url.path)).resolve() if url.path else path
            there = there / "index.html" if there.is_dir() else there
            anchors = read[there].anchors if there in read else None
            if not there.is_file() or (url.fragment and anchors is not None and unquote(url.fragment) not in anchors):
                bad.append(link)
        # The 404 page has no place of its own; browser.mjs looks at its link.
        expect(f"{own}: all links lead somewhere", not bad or own.name == "404.html", bad)
    return read


def references(site, read):
    """Nothing that is public is missing."""

    def anchors(folder):
        return set().union(*(page.anchors for path, page in read.items() if path.relative_to(site).is_relative_to(folder)))

    header = "".join(path.read_text() for path in sorted((ROOT / "include").glob("*.h")))
    names = set(re.findall(r"^[\w *]*?\b(ds_\w+)\(", header, re.M))
    names |= set(re.findall(r"^(?:} |typedef struct \w+ |DS_ENUM\()(ds_\w+)", header, re.M))
    expect("the header has functions", len(names) > 150, len(names))
    expect("the C reference has every function and type", names <= anchors("reference/c"), names - anchors("reference/c"))

    tree = ast.parse((ROOT / "bindings/python/src/diffsim/__init__.py").read_text())
    listed = next(ast.literal_eval(n.value) for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == "__all__")
    missing = {n for n in listed if f"diffsim.{n}" not in anchors("reference/python")}
    expect("the Python reference has every public name", len(listed) > 40 and not missing, missing)

    headers = "".join((ROOT / "bindings/cpp" / name).read_text() for name in ("diffsim.hpp", "diffsim_model.hpp"))
    classes = set(re.findall(r"^(?:class|struct) (\w+)[^;]*\{$", headers, re.M))
    missing = classes - anchors("reference/cpp.html")
    expect("the C++ reference has every class", len(classes) > 5 and not missing, missing)

    if (site / "reference/julia.html").exists():
        exports = re.findall(r"^export (.*)$", (ROOT / "bindings/julia/src/DiffSim.jl").read_text(), re.M)
        missing = {n.strip() for line in exports for n in line.split(",")} - anchors("reference/julia.html")
        expect("the Julia reference has every exported name", exports and not missing, missing)
    for page, target in LINKED.items():
        expect(f"names on {page} lead to {target}", target in read[site / page].links)
    for page, words in PROJECT.items():
        expect(f"the first page leads to {page}", page in {u.split("#")[0] for u in read[site / "index.html"].links})
        expect(f"{page} has its text", words in (site / page).read_text(), words)
    expect("what is not there is said", all(word in (site / "index.html").read_text() for word in ("ROS", "GPU")))
    expect("the crate's documentation is there", (site / "rust/diffsim/index.html").is_file())


def gallery(site, read):
    """Every example has its page, and every view its recording."""
    without_julia = not (site / "reference/julia.html").exists()
    without_robots = not list((ROOT / "target/venvs/peers").glob("lib/*/site-packages/cmeel.prefix"))
    listed = tomllib.loads((ROOT / "site/gallery.toml").read_text())["example"]
    sources = {str(p.relative_to(ROOT)) for g in ("*.c", "*.rs", "*/*.cpp", "*/*.jl") for p in (ROOT / "examples").glob(g)}
    sources |= {str(p.relative_to(ROOT)) for p in (ROOT / "examples/python").glob("*.py") if "__main__" in p.read_text()}
    sources = {s for s in sources if not s.startswith("examples/common")}
    # Programs of a folder of their own are listed by choice.
    expect("the gallery has every example", sources <= {e["source"] for e in listed}, sources)
    for example in listed:
        if without_julia and "{julia}" in example["run"] or without_robots and "{robots}" in example["run"]:
            continue
        page = read.get(site / f"gallery/{example['name']}.html")
        expect(f"{example['name']} has a page", page is not None)
        for view in example.get("views", []):
            frame = f"views/{view['name']}.html"
            there = site / "gallery" / frame
            shown = there.read_text().count('<script type="application/x-diffsim">') if there.is_file() else 0
            expect(f"{frame} shows its recordings", frame in page.loads and shown == len(view["recordings"]), shown)
        missing = [n for n in example.get("figures", []) if f"figures/{n}.svg" not in page.loads]
        expect(f"{example['name']} shows its figures", not missing, missing)
        if "views" in example:
            expect(f"{example['name']} has a picture", (site / f"gallery/pictures/{example['name']}.jpg").is_file())
        code = (ROOT / example["source"]).read_text()
        expect(f"{example['name']} moves or says that nothing does", "views" in example or "Nothing moves" in example["about"])
        expect(f"{example['name']} writes what is shown", all(v["name"].split("_")[0] in code for v in example.get("views", [])))


def first(names, script):
    """Words lead first to the function of this name, by the shortcut."""
    if not shutil.which("node"):
        print("skipped: the shortcut of the search: there is no node")
        return
    given = json.dumps([*FIRST, "no such thing", "constructor"])
    done = subprocess.run(["node", "-e", SHORTCUT, names, script], input=given, text=True, capture_output=True)
    expect("the shortcut of the search runs", done.returncode == 0, done.stderr)
    *found, nothing, inherited = json.loads(done.stdout or "[null, null]")
    for (words, there), got in zip(FIRST.items(), found):
        expect(f"a search for {words} shows {there} first", got == there, got)
    expect("other words have no shortcut", nothing is None and inherited is None, (nothing, inherited))


def search(site):
    """The index leads from words to pages."""
    entries = json.loads((site / "search/search_index.json").read_text())["docs"]
    for word, page in FOUND.items():
        there = {e["location"].split("#")[0] for e in entries if word in e["title"] + e["text"]}
        expect(f"a search for {word} leads to {page}", page in there, there)
    first(site / "assets/names.js", site / "assets/search.js")
    script = (site / "search/search_index.js").read_text()
    expect("a page from the disk has the index, too", script.startswith("var __index = {"))


def versions():
    """The newest of several versions comes first."""
    ordered = ["0.10.0", "0.10.0-rc.1", "0.9.2", "0.1.0"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for version in sorted(ordered):
            (folder / version).mkdir()
            (folder / version / "index.html").touch()
        # Again, as with every build.
        for _ in range(2):
            build.versions(folder)
        listed = json.loads((folder / "versions.json").read_text())
        expect("the newest version comes first", [v["version"] for v in listed] == ordered, listed)
        expect("and is the latest", (folder / "latest").resolve().name == ordered[0])
        expect("which is opened", f"url={ordered[0]}/index.html" in (folder / "index.html").read_text())


def main():
    version = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]
    site = SITE / version
    listed = json.loads((SITE / "versions.json").read_text())
    expect("this version is the newest", listed[0]["version"] == version and "latest" in listed[0]["aliases"], listed)
    expect("the index leads to it", f"url={version}/index.html" in (SITE / "index.html").read_text())

    skipped = (site / "rust", site / "gallery/views")
    pages = [p for p in site.rglob("*.html") if not any(p.is_relative_to(s) for s in skipped)]
    read = links(site, pages)
    inside = [p for p in pages if str(ROOT) in p.read_text()]
    expect("no page names a folder of this machine", not inside, inside)
    references(site, read)
    gallery(site, read)
    search(site)
    versions()

    seen = [0, 0]
    if sys.argv[1:] and sys.argv[1]:
        done = subprocess.run(["node", ROOT / "site/browser.mjs", SITE, version, sys.argv[1]], text=True, capture_output=True)
        print(done.stdout + done.stderr, end="")
        counts = re.search(r"^(\d+) passed, (\d+) failed$", done.stdout, re.M)
        seen = [int(counts[1]), int(counts[2])] if counts else [0, 1]
    print(f"{passed + seen[0]} passed, {failed + seen[1]} failed")
    sys.exit(1 if failed + seen[1] else 0)


if __name__ == "__main__":
    main()
