"""Bar charts as SVG."""

import math

COLOURS = ["#1f5fbf", "#9db8de", "#c2571a", "#e8b48c", "#a9a9a9", "#5e8f3c", "#7d5ba6", "#d4a72c"]
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 860, 380, 56, 56, 30


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
