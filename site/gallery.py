"""The gallery: runs the examples, and makes a page for each with its recordings, its figures and its source."""

import json
import os
import shutil
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor

FOLDER = "gallery"
LANGUAGES = {".c": ("c", "C"), ".cpp": ("cpp", "C++"), ".rs": ("rust", "Rust"), ".py": ("python", "Python"), ".jl": ("julia", "Julia")}


def examples(root, words):
    """The examples of gallery.toml whose interpreters and robots are here; words: those that stand in braces there."""
    listed = tomllib.loads((root / "site/gallery.toml").read_text())["example"]
    lacking = {f"{{{word}}}" for word, value in words.items() if not value}
    for e in listed:
        if lacking.intersection(e["run"]):
            print(f"skipped: {e['name']} needs {', '.join(sorted(lacking.intersection(e['run'])))}")
    return [e for e in listed if not lacking.intersection(e["run"])]


def run_all(listed, root, out, words):
    """Runs the examples, one for each core at a time; raises with the output of one that failed."""
    out.mkdir(parents=True, exist_ok=True)
    words = {**words, "out": str(out)}

    def run(example):
        command = [word.format(**words) for word in example["run"]]
        done = subprocess.run(command, cwd=root, text=True, capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        return done.stdout.replace(str(out), "target")

    # One waits for its clock: it comes first, alone, lest the others make it late.
    first = [e for e in listed if e["name"] == "feedback_loop"]
    printed = {e["name"]: run(e) for e in first}
    others = [e for e in listed if e not in first]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        printed.update(zip((e["name"] for e in others), pool.map(run, others)))
    return printed


def views(listed, root, out, target, python):
    """Writes the viewer's pages of all recordings."""
    target.mkdir(parents=True, exist_ok=True)
    jobs = [
        {
            "title": view["title"],
            "recordings": [str(out / f"{name}.dsrec") for name in view["recordings"]],
            "labels": view.get("labels"),
            "page": str(target / f"{view['name']}.html"),
        }
        for example in listed
        for view in example.get("views", [])
    ]
    subprocess.run([python, str(root / "site/views.py")], input=json.dumps(jobs), text=True, check=True)


def figures(listed, out, target):
    """Takes the figures that the examples have drawn."""
    target.mkdir(parents=True, exist_ok=True)
    for example in listed:
        for name in example.get("figures", []):
            shutil.copy(out / f"{name}.svg", target)


def page_of(example, printed, root):
    """The page of an example."""
    path = root / example["source"]
    code, language = LANGUAGES[path.suffix]
    lines = [f"# {example['title']}\n", f"{example['about'].strip()}\n"]
    for view in example.get("views", []):
        lines.append(f"## {view['title']}\n")
        lines.append(
            f'<iframe class="view" src="views/{view["name"]}.html" loading="lazy" title="{view["title"]}"></iframe>\n\n'
            f"[In a page of its own](views/{view['name']}.html){{ target=_blank }}\n"
        )
    for figure in example.get("figures", []):
        lines.append(f"![{example['title']}](figures/{figure}.svg)\n")
    lines.append(f"## Run it\n\n```sh\n{example['command']}\n```\n\nIt prints:\n\n```text\n{printed.rstrip()}\n```\n")
    lines.append(f"## Source\n\n`{example['source']}`, in {language}:\n\n```{code}\n{path.read_text().rstrip()}\n```\n")
    return "\n".join(lines)


def pictured(example, folder):
    """The picture of an example, which leads to its page; folder: the gallery's from the page it is on."""
    return f"[![{example['title']}]({folder}pictures/{example['name']}.jpg){{ loading=lazy }}]({folder}{example['name']}.md)"


def strip(listed, rest):
    """The first pictures, for the site's first page, without those that the rest of the page has."""
    others = [e for e in listed if "views" in e and f"pictures/{e['name']}.jpg" not in rest]
    shown = [pictured(example, f"{FOLDER}/") for example in others][:3]
    return '<div class="strip" markdown>\n\n' + "\n".join(shown) + "\n\n</div>\n"


def index(listed):
    """Cards of all examples."""
    lines = ["# Gallery\n", "Runs of the examples, recorded when these pages were made. You can turn, stop and inspect each of them.\n"]
    lines.append('<div class="grid cards" markdown>\n')
    for example in listed:
        language = LANGUAGES["." + example["source"].rsplit(".", 1)[1]][1]
        picture = f"    {pictured(example, '')}\n\n" if "views" in example else ""
        lines.append(f"-   **[{example['title']}]({example['name']}.md)**\n\n{picture}    {language}. {example['about'].strip()}\n")
    lines.append("</div>\n\n[Results of the examples](notes.md), with tables of iterations and times.\n")
    return "\n".join(lines)
