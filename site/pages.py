"""The repository's pages as pages of the site."""

import posixpath
import re
import shutil
from pathlib import PurePosixPath

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.M | re.S)
#: Sections of the README about the repository's layout; the site has its own contents.
LEFT_OUT = ("## Layout", "## Documentation")


def relative(to, page):
    """A path within the site as a page has to write it."""
    return posixpath.relpath(to, posixpath.dirname(page) or ".")


class Pages:
    """Pages by their path in the site, and where files of the repository are in it."""

    def __init__(self, root, out):
        self.root, self.out = root, out
        self.written, self.places = {}, {}

    def place(self, source, page):
        """Says that links to a file of the repository are to lead to a page."""
        self.places[source] = page

    def add(self, page, text):
        if page in self.written:
            raise RuntimeError(f"{page} is made twice")
        self.written[page] = text

    def resolve(self, source, target):
        """The target of a link in a file: a path within the repository."""
        return posixpath.normpath(posixpath.join(posixpath.dirname(source), target))

    def rewrite(self, text, source, page):
        """A page's text with its links as the site needs them. Files that are not in the site are named and not linked."""

        def link(match):
            picture, words, target = match.groups()
            if re.match(r"\w+:|#", target):
                return match[0]
            path, _, anchor = target.partition("#")
            there = self.resolve(source, path)
            if picture:
                # Pictures keep their place in the repository.
                self.copy(there, there)
                return f"![{words}]({relative(there, page)})"
            if there not in self.places:
                return words
            return f"[{words}]({relative(self.places[there], page)}{'#' + anchor if anchor else ''})"

        parts = FENCE.split(text)
        parts[::2] = [spaced(LINK.sub(link, part)) for part in parts[::2]]
        return "".join(parts)

    def copy(self, source, to):
        target = self.out / to
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.root / source, target)

    def take(self, source, page):
        """Makes a page of a file."""
        text = without(LEFT_OUT, (self.root / source).read_text())
        self.add(page, self.rewrite(text, source, page))

    def write(self):
        for page, text in self.written.items():
            path = self.out / page
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def spaced(text):
    """Text in which lists and tables have a blank line before them, without which Python's Markdown does not see them."""
    lines, before = [], ""
    for line in text.split("\n"):
        for mark in ("- ", "|"):
            if line.startswith(mark) and before.strip() and not before.startswith((mark, "  ")):
                lines.append("")
        lines.append(line)
        before = line
    return "\n".join(lines)


def without(headings, text):
    """A page without some of its sections."""
    for heading in headings:
        text = re.sub(rf"^{heading}\n.*?(?=^## |\Z)", "", text, flags=re.M | re.S)
    return text


def guide(root):
    """The pages of docs/ in the order of its README, which has to name them all."""
    listed = re.findall(r"^\| \[([^\]]+)\]\(([\w-]+\.md)\)", (root / "docs/README.md").read_text(), re.M)
    there = {p.name for p in (root / "docs").glob("*.md")} - {"README.md"}
    if {name for _, name in listed} != there:
        raise RuntimeError(f"docs/README.md does not name the pages that there are: {sorted(there)}")
    return [(title, PurePosixPath("guide", name)) for title, name in listed]
