"""Builds the documentation's site: target/site/VERSION, with versions.json and an index that leads to the newest.

Started by scripts/site.sh, which installs its requirements. usage: build.py PYTHON [JULIA], a Python that has the package
and a Julia.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import c_reference
import cpp_reference
import gallery
import python_reference
import rust_reference
from names import Names
from pages import Pages, guide

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "target/site"
WORK = ROOT / "target/site-work"


#: The page for an address that has no page. It loads nothing, because it does not know its own place: the
#: site may stand in any folder of a server. Its link leads to the nearest folder above the address that has an index.
MISSING = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>diffsim: no such page</title></head>
<body style="font-family:system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem">
<h1>No such page</h1>
<p><a id="home" href="/">To the documentation of diffsim</a></p>
<script>
  (async () => {
    for (let folder = location.pathname; folder; ) {
      folder = folder.slice(0, folder.replace(/[/]$/, "").lastIndexOf("/") + 1);
      const index = folder + "index.html";
      const answer = folder && (await fetch(index, { method: "HEAD" }).catch(() => null));
      if (answer && answer.ok) return (document.getElementById("home").href = index);
    }
  })();
</script>
</body>
</html>
"""


LICENCES = {"Apache-2.0": "LICENSE-APACHE", "MIT": "LICENSE-MIT"}


def said(what, start=[time.perf_counter()]):
    print(f"{time.perf_counter() - start[0]:6.1f} s  {what}", flush=True)


def version():
    return re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]


def references(pages, names, julia):
    """The reference of each language; gives their part of the navigation."""
    written, in_c = c_reference.write(ROOT, names)
    written.update(cpp_reference.write(ROOT, names))
    in_python = python_reference.write(ROOT)
    written.update(in_python[0])
    navigation = [{"C": in_c}, {"C++": cpp_reference.PAGE}, {"Python": in_python[1]}]
    if julia:
        script = [julia, "--startup-file=no", "--project=bindings/julia", "site/julia_reference.jl"]
        text = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        written["reference/julia.md"] = text
        navigation.append({"Julia": "reference/julia.md"})
    written.update(rust_reference.write(ROOT))
    navigation.append({"Rust": rust_reference.PAGE})
    for page, text in written.items():
        pages.add(page, text)
    for header in (ROOT / "include").glob("*.h"):
        pages.place(f"include/{header.name}", "reference/c/index.md")
    pages.place("bindings/cpp/diffsim.hpp", cpp_reference.PAGE)
    return navigation


def robots():
    """The robots of example-robot-data, where the tests against peers have installed them; "" elsewhere."""
    found = sorted((ROOT / "target/venvs/peers").glob("lib/*/site-packages/cmeel.prefix/share/example-robot-data/robots"))
    return str(found[0]) if found else ""


def gymnasium(python):
    """The Python, if it has gymnasium; "" elsewhere."""
    return python if subprocess.run([python, "-c", "import gymnasium"], capture_output=True).returncode == 0 else ""


def gather(out, python, julia):
    """All pages, written; gives the navigation and the names."""
    names, pages = Names(), Pages(ROOT, out)
    of_docs = guide(ROOT)
    taken = {
        "README.md": "index.md",
        "docs/README.md": "guide/index.md",
        **{f"docs/{page.name}": str(page) for _, page in of_docs},
        "bindings/README.md": "languages/index.md",
        **{f"bindings/{name}/README.md": f"languages/{name}.md" for name in ("cpp", "python", "julia")},
        "examples/README.md": "gallery/notes.md",
        "CHANGELOG.md": "changelog.md",
        "CONTRIBUTING.md": "contributing.md",
        "SECURITY.md": "security.md",
    }
    words = {"python": python, "julia": julia, "robots": robots(), "gymnasium": gymnasium(python)}
    listed = gallery.examples(ROOT, words)
    shown = {example["source"]: f"gallery/{example['name']}.md" for example in listed}
    for source, page in {**taken, **shown}.items():
        pages.place(source, page)
        names.add(source, page)
    for file in LICENCES.values():
        pages.place(file, "licence.md")
    reference = references(pages, names, julia)
    said("references")

    recorded = WORK / "recordings"
    shutil.rmtree(recorded, ignore_errors=True)
    printed = gallery.run_all(listed, ROOT, recorded, words)
    said(f"{len(listed)} examples")
    gallery.views(listed, ROOT, recorded, out / "gallery/views", python)
    gallery.figures(listed, recorded, out / "gallery/figures")
    said("pages of their recordings")
    shutil.copytree(ROOT / "site/pictures", out / "gallery/pictures")
    pages.add("gallery/index.md", gallery.index(listed))
    for example in listed:
        pages.add(shown[example["source"]], gallery.page_of(example, printed[example["name"]], ROOT))

    for source, page in taken.items():
        pages.take(source, page)
    texts = [f"## {name}\n\n```text\n{(ROOT / file).read_text()}```\n" for name, file in LICENCES.items()]
    pages.add("licence.md", "\n".join(["# Licence\n", f"{' or '.join(LICENCES)}, as you choose.\n", *texts]))
    # Pictures after the first paragraph, and no list of pages beside them: there is only one.
    title, about, rest = pages.written["index.md"].split("\n\n", 2)
    pages.written["index.md"] = "\n\n".join(["---\nhide: [navigation]\n---", title, about, gallery.strip(listed, rest), rest])
    pages.write()
    navigation = [
        {"Home": "index.md"},
        {"Guide": ["guide/index.md", *({title: str(page)} for title, page in of_docs)]},
        {"Languages": ["languages/index.md", *(f"languages/{n}.md" for n in ("cpp", "python", "julia"))]},
        {"Gallery": ["gallery/index.md", *({e["title"]: shown[e["source"]]} for e in listed), {"Results": "gallery/notes.md"}]},
        {"Reference": reference},
        {"Project": ["changelog.md", "contributing.md", "security.md", "licence.md"]},
    ]
    return navigation, names


def build(out, navigation, names, target):
    """Runs mkdocs; a warning is an error."""
    (WORK / "names.json").write_text(json.dumps(names.places, indent=2))
    settings = {
        "INHERIT": str(ROOT / "site/mkdocs.yml"),
        "docs_dir": str(out),
        "site_dir": str(target),
        "nav": navigation,
        "extra": {"names": str(WORK / "names.json")},
        "hooks": [str(ROOT / "site/hooks.py")],
        "theme": {"custom_dir": str(ROOT / "site/overrides")},
        "plugins": {"mkdocstrings": {"handlers": {"python": {"paths": [str(ROOT / "bindings/python/src")]}}}},
    }
    # A link to the repository, once it has a public address.
    repository = re.search(r'^repository = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M)
    if repository:
        settings["repo_url"] = repository[1]
    path = WORK / "mkdocs.yml"
    path.write_text(json.dumps(settings, indent=2))
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--config-file", path]
    subprocess.run(command, env=environment, check=True)
    (target / "404.html").write_text(MISSING)


def age(name):
    """The sort key of a version: its numbers, with prereleases before the release."""
    numbers, _, before = name.partition("-")
    return [int(n) for n in numbers.split(".")], before == "", before


def versions(site):
    """Lists the versions that were built, the newest first, and leads to it."""
    there = [p.parent.name for p in site.glob("*/index.html") if not p.parent.is_symlink()]
    there.sort(key=age, reverse=True)
    listed = [{"version": v, "title": v, "aliases": ["latest"] if v == there[0] else []} for v in there]
    (site / "latest").unlink(missing_ok=True)
    (site / "latest").symlink_to(there[0])
    (site / "versions.json").write_text(json.dumps(listed, indent=2) + "\n")
    (site / "404.html").write_text(MISSING)
    latest = html.escape(there[0])
    (site / "index.html").write_text(
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>diffsim</title>\n<link rel="icon" href="data:,">\n'
        f'<meta http-equiv="refresh" content="0; url={latest}/index.html">\n</head>\n'
        f'<body><a href="{latest}/index.html">diffsim {latest}</a></body>\n</html>\n'
    )


def main():
    python, julia = sys.argv[1], (sys.argv[2:] or [""])[0]
    out, target = WORK / "pages", SITE / version()
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(ROOT / "site/assets", out / "assets")
    navigation, names = gather(out, python, julia)
    rust_reference.copy(ROOT, out)
    said("pages")
    build(out, navigation, names, target)
    versions(SITE)
    said(f"{target / 'index.html'}")


if __name__ == "__main__":
    main()
