"""Bar charts as SVG."""

import math

COLOURS = ["#1f5fbf", "#9db8de", "#c2571a", "#e8b48c", "#a9a9a9", "#5e8f3c", "#7d5ba6", "#d4a72c"]
SHADES = ["#8fb4dc", "#6f8fc9", "#b3a2d6", "#e6a15c", "#9cc58a", "#d5dd8f", "#e08b84", "#efc6a0", "#cfcfcf"]
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 860, 380, 66, 56, 30


def _text(x, y, text, anchor="middle", size=12):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{text}</text>'


def _document(body, height=HEIGHT):
    style = 'font-family="sans-serif" fill="#222"'
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" {style}>',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        *body,
        "</svg>",
    ]) + "\n"


def _legend(names):
    body, x = [], LEFT
    for name, colour in zip(names, COLOURS):
        body.append(f'<rect x="{x}" y="14" width="12" height="12" fill="{colour}"/>')
        body.append(_text(x + 17, 25, name, "start"))
        x += 34 + 6.6 * len(name)
    return body


def bars(series, groups):
    """Groups of bars on a logarithmic axis of microseconds; groups: {name: a number for each series}."""
    values = [x for group in groups.values() for x in group]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    bottom = HEIGHT - BOTTOM
    y = lambda us: bottom - (math.log10(us) - low) / (high - low) * (bottom - TOP)
    body = _legend(series)
    for exponent in range(low, high + 1):
        line = y(10.0**exponent)
        body.append(f'<line x1="{LEFT}" x2="{WIDTH - 8}" y1="{line:.1f}" y2="{line:.1f}" stroke="#ddd"/>')
        body.append(_text(LEFT - 6, line + 4, f"{10.0**exponent:g} µs", "end"))
    span = (WIDTH - 8 - LEFT) / len(groups)
    width = 0.8 * span / len(series)
    for g, (name, group) in enumerate(groups.items()):
        left = LEFT + g * span + 0.1 * span
        for i, us in enumerate(group):
            body.append(f'<rect x="{left + i * width:.1f}" y="{y(us):.1f}" width="{0.92 * width:.1f}" '
                        f'height="{bottom - y(us):.1f}" fill="{COLOURS[i]}"><title>{name}, {series[i]}: {us:.2f} µs</title></rect>')
            body.append(_text(left + (i + 0.46) * width, y(us) - 3, f"{us:.3g}" if us < 1000 else f"{us:.0f}", size=8))
        body.append(_text(LEFT + (g + 0.5) * span, HEIGHT - 10, name))
    return _document(body)


def stacked(series, rows):
    """Horizontal bars of shares, the total at the end; rows: {name: a number for each series}."""
    left, right, step, thick = 130, 130, 46, 28
    body, x, y = [], LEFT, 14
    for name, colour in zip(series, SHADES):
        wide = 34 + 6.6 * len(name)
        if x + wide > WIDTH:
            x, y = LEFT, y + 20
        body.append(f'<rect x="{x:.0f}" y="{y}" width="12" height="12" fill="{colour}"/>')
        body.append(_text(x + 17, y + 11, name, "start"))
        x += wide
    top = y + 34
    for r, (name, parts) in enumerate(rows.items()):
        total, x, y = sum(parts), left, top + r * step
        body.append(_text(left - 8, y + 19, name, "end"))
        for part, label, colour in zip(parts, series, SHADES):
            width = part / total * (WIDTH - left - right)
            body.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{thick}" fill="{colour}">'
                        f"<title>{label}: {part:.0f}</title></rect>")
            if width > 30:
                body.append(_text(x + width / 2, y + 18, f"{100 * part / total:.0f} %", size=11))
            x += width
        body.append(_text(x + 8, y + 19, f"{total / 1000:.0f} thousand", "start"))
    return _document(body, top + len(rows) * step)
