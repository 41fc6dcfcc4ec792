"""Tables in Markdown that mark every missed bound."""


class Bounds:
    """Counts the ratios that miss their bounds."""

    def __init__(self):
        self.asked = 0
        self.missed = 0

    def at_most(self, ratio, bound):
        return self._cell(ratio, bound, "≤", bound is None or ratio <= bound)

    def at_least(self, ratio, bound):
        return self._cell(ratio, bound, "≥", bound is None or ratio >= bound)

    def holds(self, text, met):
        self.asked += 1
        self.missed += not met
        return text if met else f"**{text}, missed**"

    def _cell(self, ratio, bound, sign, met):
        text = f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"
        return text if bound is None else self.holds(f"{text} ({sign} {bound:g})", met)

    def summary(self):
        return f"{self.missed} of {self.asked} bounds missed"


def microseconds(us):
    return f"{us:.2f}" if us < 100 else f"{us:.0f}"


def table(head, rows):
    """Floats are microseconds."""
    cells = [[microseconds(x) if isinstance(x, float) else str(x) for x in row] for row in rows]
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *cells)]
