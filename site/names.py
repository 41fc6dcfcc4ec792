"""Names that lead somewhere: where the site has them, and text in which they stand out."""

import re

#: Code, names with an underscore (also with a star for "all that begin so"), results written through pointers, pages of
#: docs/, and characters that mean something in Markdown.
_MARKS = re.compile(r"`[^`\n]+`|docs/[\w-]+\.md|\*?\b(?:\w+\.)?\w*_\w*\*?|\*\w+|[\\*_\[\]<>#|]")


class Names:
    """Addresses within the site by name. Wherever code of a page is such a name, hooks.py makes it a link."""

    def __init__(self):
        self.places = {}
        self.functions = set()

    def add(self, name, page, anchor=""):
        """Takes a name in: it stands on a page, at an anchor where that is given."""
        if name in self.places:
            raise RuntimeError(f"{name} is in the site twice")
        self.places[name] = page.removesuffix(".md") + ".html" + (f"#{anchor}" if anchor else "")

    def is_function(self, name):
        return name in self.functions


def prose(text):
    """Text of a comment as Markdown."""

    def mark(match):
        found = match[0]
        return "\\" + found if len(found) == 1 else f"`{found.strip('`')}`"

    return _MARKS.sub(mark, text)
