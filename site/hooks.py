"""Names in code, within text and in blocks, lead to where the site has them. Run by mkdocs."""

import json
import re
from pathlib import Path
from posixpath import dirname, relpath

#: Addresses by name, for all pages, and of Python's own names, which other languages have, too.
PLACES, PYTHON = {}, {}
#: Addresses of Julia's functions, and of C++ classes as `Sim::`.
OTHERS = {}

#: Queries of beginners, by the name of the function that answers them. A name with blanks for its underscores
#: needs no entry.
SYNONYMS = {
    "Model.load": ("load model", "load a model", "load robot", "load urdf", "load mjcf"),
    "Sim.params": ("set parameters", "set params", "change parameters"),
    "Sim.select_params": ("select parameters",),
    "Sim.step": ("simulate", "simulation step", "step simulation"),
    "Sim.mass_matrix": ("inertia matrix", "crba"),
    "Sim.inverse_dynamics": ("rnea",),
    "Sim.forward_dynamics": ("aba",),
    "Sim.forward_kinematics": ("fk",),
    "Sim.center_of_mass": ("centre of mass",),
}

REFERENCE = "reference/python/"
HEADING = re.compile(r'<h[23] id="diffsim\.([\w.]+)"')
#: A link or a heading; code that is one name; a name of the C interface in a block.
CODE = re.compile(r'<(a|h\d)\b.*?</\1>|<code>([^<\n]+)</code>|<span class="\w+">(ds_\w+|DS_\w+)</span>', re.S)


def on_config(config):
    PLACES.update(json.loads(Path(config.extra["names"]).read_text()))
    return config


def names():
    """For the search: names in small letters with the name as it is written and its address. Of equal names the first
    counts: words for beginners, methods of the classes that most programs use, whole names, other methods, other
    languages. No constants."""
    whole = {name: there for name, there in PLACES.items() if name.startswith(("ds_", "DS_"))}
    for name, there in PYTHON.items():
        whole.update({f"diffsim.{name}": there, name: there})
    methods = [name for name in PYTHON if "." in name and not name.rpartition(".")[2].isupper()]
    owner = {name: name.rpartition(".")[0] for name in methods}
    used = [name for of in ("Sim", "Model", "Rollout") for name in methods if owner[name] == of]
    own = [(name.rpartition(".")[2], PYTHON[name]) for name in used]
    other = [(name.rpartition(".")[2], PYTHON[name]) for name in methods]
    # A name that is gone is an error.
    small = {words: [name, PYTHON[name]] for name, of in SYNONYMS.items() for words in of}
    for name, there in own + list(whole.items()) + other + list(OTHERS.items()):
        small.setdefault(name.lower(), [name, there])
    # Names as they are written: only those that small letters do not find.
    return {**small, **{name: [name, there] for name, there in whole.items() if small[name.lower()][1] != there}}


def on_post_build(config):
    site = Path(config.site_dir)
    (site / "assets/names.js").write_text(f"window.diffsimNames = {json.dumps(names(), separators=(',', ':'))};\n")


def on_page_content(html, page, config, files):
    if page.url.startswith(REFERENCE):
        PYTHON.update((name, f"{page.url}#diffsim.{name}") for name in HEADING.findall(html))
    if page.url == "reference/julia.html":
        OTHERS.update((name, f"{page.url}#{name}") for name in re.findall(r'<h2 id="([^"]+)"', html))
    if page.url == "reference/cpp.html":
        OTHERS.update((f"{name}::", f"{page.url}#{name}") for name in re.findall(r'<h3 id="(\w+)"', html))


def on_post_page(output, page, config):
    start, end = output.find("<article"), output.find("</article")
    if start < 0:
        return output

    def link(match):
        name = match[2] or match[3]
        if name is None:
            return match[0]
        there = PLACES.get(name) or PYTHON.get(name.removeprefix("diffsim."))
        # Elsewhere than in Python's reference a name of it has to say whose it is.
        if there is None or (name not in PLACES and not name.startswith("diffsim.") and not page.url.startswith(REFERENCE)):
            return match[0]
        path, _, anchor = there.partition("#")
        url = "" if path == page.url else relpath(path, dirname(page.url))
        return f'<a href="{url}{"#" + anchor if anchor else ""}">{match[0]}</a>' if url or anchor else match[0]

    return output[:start] + CODE.sub(link, output[start:end]) + output[end:]
