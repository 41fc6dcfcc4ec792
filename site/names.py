"""Names of the C interface and of examples: where the site has them, and prose in which they are links."""

import posixpath
import re

#: Code, names with an underscore (also with a star for "all that begin so"), results written through pointers, and
#: characters that mean something in Markdown.
_MARKS = re.compile(r"`[^`\n]+`|\*?\b(?:\w+\.)?\w*_\w*\*?|\*\w+|[\\*_\[\]<>#|]")


class Names:
    """Pages and anchors by name."""

    def __init__(self):
        self.places = {}
        self.functions = set()

    def add(self, name, page, anchor=None, function=False):
        """Takes a name in; anchor: of what it is explained with, where it has none of its own."""
        if name in self.places:
            raise RuntimeError(f"{name} is in the reference twice")
        self.places[name] = (page, f"#{anchor or name}")
        if function:
            self.functions.add(name)

    def add_page(self, name, page):
        self.places[name] = (page, "")

    def is_function(self, name):
        return name in self.functions

    def link(self, name, page):
        """A Markdown link from a page; just code for what is no name of ours."""
        if name not in self.places:
            return f"`{name}`"
        there, anchor = self.places[name]
        return f"[`{name}`]({relative(there, page)}{anchor})"

    def prose(self, text, page):
        """Text of a comment as Markdown."""

        def mark(match):
            found = match[0]
            if len(found) == 1:
                return "\\" + found
            return self.link(found.strip("`"), page)

        return _MARKS.sub(mark, text)

    def linked(self, markdown, page):
        """Markdown with its code spans linked where they are names of ours, but for links, headings and fences."""

        def mark(match):
            return self.link(match["name"], page) if match["name"] in self.places else match[0]

        pattern = re.compile(r"^```.*?^```$|^#[^\n]*$|\[[^\]]*\]\([^)]*\)|`(?P<name>[^`\n]+)`", re.M | re.S)
        return pattern.sub(mark, markdown)


def relative(to, page):
    """A path within the site as a page has to write it."""
    return posixpath.relpath(to, posixpath.dirname(page) or ".")
