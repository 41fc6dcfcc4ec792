"""Line plots without a plotting library."""

COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd")
WIDTH, HEIGHT, LEFT, TOP = 420, 260, 60, 40


def panel(title, x, curves, left):
    values = [y for ys in curves.values() for y in ys]
    low, high = min(values), max(values)
    high += (high == low) * 1.0
    w, h = WIDTH - LEFT - 20, HEIGHT - TOP - 40

    def at(a, b):
        return f"{left + LEFT + w * (a - x[0]) / (x[-1] - x[0]):.1f},{TOP + h * (high - b) / (high - low):.1f}"

    yield f'<text x="{left + LEFT}" y="20" font-weight="bold">{title}</text>'
    yield f'<rect x="{left + LEFT}" y="{TOP}" width="{w}" height="{h}" fill="none" stroke="#999"/>'
    for value in (low, high):
        y = TOP + h * (high - value) / (high - low) + 4
        yield f'<text x="{left + LEFT - 6}" y="{y:.1f}" text-anchor="end">{value:.3g}</text>'
    for value, anchor in ((x[0], "start"), (x[-1], "end")):
        a = left + LEFT + w * (value - x[0]) / (x[-1] - x[0])
        yield f'<text x="{a:.1f}" y="{TOP + h + 16}" text-anchor="{anchor}">{value:g}</text>'
    for i, (name, ys) in enumerate(curves.items()):
        points = " ".join(at(a, b) for a, b in zip(x, ys))
        yield f'<polyline points="{points}" fill="none" stroke="{COLORS[i]}" stroke-width="1.5"/>'
        yield f'<text x="{left + LEFT + 8 + 90 * i}" y="{TOP + h + 34}" fill="{COLORS[i]}">{name}</text>'


def lines(path, panels):
    """Writes panels (title, x, {name: y}) side by side."""
    parts = [line for i, (title, x, curves) in enumerate(panels) for line in panel(title, x, curves, i * WIDTH)]
    size = f'width="{WIDTH * len(panels)}" height="{HEIGHT}"'
    style = 'font-family="sans-serif" font-size="12"'
    body = "\n".join(parts)
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>\n{body}\n</svg>\n')
