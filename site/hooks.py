"""Names in code, within text and in blocks, lead to where the site has them. Run by mkdocs."""

import json
import re
from pathlib import Path
from posixpath import dirname, relpath

#: Addresses by name, for all pages, and of Python's own names, which other languages have, too.
PLACES, PYTHON = {}, {}

REFERENCE = "reference/python/"
HEADING = re.compile(r'<h[23] id="diffsim\.([\w.]+)"')
#: A link or a heading; code that is one name; a name of the C interface in a block.
CODE = re.compile(r'<(a|h\d)\b.*?</\1>|<code>([^<\n]+)</code>|<span class="\w+">(ds_\w+|DS_\w+)</span>', re.S)


def on_config(config):
    PLACES.update(json.loads(Path(config.extra["names"]).read_text()))
    return config


def names():
    """For the search: names of functions, types and methods in small letters, as they are written, and their addresses."""
    found = {name: there for name, there in PLACES.items() if name.startswith(("ds_", "DS_"))}
    for name, there in PYTHON.items():
        found.setdefault(f"diffsim.{name}", there)
        found.setdefault(name, there)
    # Methods by their own name: of several the one of the class that most programs use. No constants.
    for of in ("Sim", "Model", "Rollout", ""):
        for name, there in PYTHON.items():
            owner, _, own = name.rpartition(".")
            if owner and owner == (of or owner) and not own.isupper():
                found.setdefault(own, there)
    return {name.lower(): [name, there] for name, there in found.items()}


def on_post_build(config):
    site = Path(config.site_dir)
    (site / "assets/names.js").write_text(f"window.diffsimNames = {json.dumps(names(), separators=(',', ':'))};\n")


def on_page_content(html, page, config, files):
    if page.url.startswith(REFERENCE):
        PYTHON.update((name, f"{page.url}#diffsim.{name}") for name in HEADING.findall(html))


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
