"""
Charts as SVG, drawn by the server: visual brief, part 3.

Colours come from classes (parts.css), and every bar says its numbers in its title.
Whoever shows a chart puts its numbers in a table beneath it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from sessions_app.dash.rendering.formatting import money

# More than five series cannot be told apart; the rest is one, hatched.
MOST_SERIES = 5
OTHERS = "others"

# Pixels of the drawing.
LEFT, RIGHT, BOTTOM, TOP = 48, 12, 24, 8
GAP = 1.5
STUB = 2
STEPS = (1, 2, Decimal("2.5"), 3, 4, 5, 6, 8, 10)
GRID = 4
WIDE = 900


@dataclass(frozen=True, slots=True)
class Column:
    """A bar: its ``title``, the ``label`` beneath it ("" for none), a value a series."""

    title: str
    label: str
    values: Sequence[int]
    is_now: bool = False

    @property
    def total(self) -> int:
        return sum(self.values)


def series_names(count: int) -> list[str]:
    """Return the series' classes: "1" to "5", and "others" for one more."""
    names = [str(number + 1) for number in range(min(count, MOST_SERIES))]
    return [*names, OTHERS] if count > MOST_SERIES else names


def top_of(most: int) -> int:
    """Return the first round number above ``most`` that the grid divides well."""
    if most <= 0:
        return GRID
    size = Decimal(10) ** max(len(str(most)) - 2, 0)
    for power in (1, 10, 100):
        for step in STEPS:
            top = int(step * size * power * GRID)
            if top >= most:
                return top
    return most


def bar_chart(
    columns: Sequence[Column],
    *,
    name: str,
    label: str,
    mean: Sequence[int] | None = None,
    width: int = 760,
    height: int = 240,
    unit: Callable[[int], str] = money,
) -> SafeString:
    """
    Draw stacked bars, the first series at the foot, and a line for a running ``mean``.

    ``name`` tells it from other charts of a page; ``label`` is read out in its place.
    """
    top = top_of(max([column.total for column in columns] + list(mean or []) + [0]))
    floor, span = height - BOTTOM, height - BOTTOM - TOP
    slot = (width - LEFT - RIGHT) / max(len(columns), 1)

    def y(value: float) -> float:
        return floor - span * value / top

    grid = format_html_join(
        "",
        '<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/><text x="{}" y="{}" text-anchor="end">{}</text>',
        [
            (
                LEFT,
                width,
                _at(y(value)),
                _at(y(value)),
                LEFT - 8,
                _at(y(value) + 4),
                _axis(unit(value)),
            )
            for value in (top * step // GRID for step in range(GRID + 1))
        ],
    )
    bars = format_html_join(
        "",
        "<g><title>{}</title>{}</g>",
        [
            (
                f"{column.title}: {unit(column.total)}",
                _bar(column, name, LEFT + slot * place, slot, floor, span / top),
            )
            for place, column in enumerate(columns)
        ],
    )
    labels = format_html_join(
        "",
        '<text class="{}" x="{}" y="{}" text-anchor="middle">{}</text>',
        [
            (
                "now" if column.is_now else "",
                _at(LEFT + slot * (place + 0.5)),
                height - 6,
                column.label,
            )
            for place, column in enumerate(columns)
            if column.label
        ],
    )
    line = mark_safe("")
    if mean:
        points = " ".join(
            f"{_at(LEFT + slot * (place + 0.5))},{_at(y(value))}"
            for place, value in enumerate(mean)
        )
        line = format_html(
            '<polyline class="halo" points="{}"/><polyline class="mean" points="{}"/>',
            points,
            points,
        )
    return format_html(
        '<svg class="chart{}" viewBox="0 0 {} {}" role="img" aria-label="{}">'
        '<defs><pattern id="{}-hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch" width="2" height="4"/></pattern></defs>'
        "{}{}{}{}</svg>",
        " chart-wide" if width > WIDE else "",
        width,
        height,
        label,
        name,
        grid,
        bars,
        line,
        labels,
    )


def _bar(
    column: Column, name: str, left: float, slot: float, floor: float, scale: float
) -> SafeString:
    """Draw the parts of one bar; a day with nothing keeps a stub."""
    width = slot * 0.72
    x = left + (slot - width) / 2
    if not column.total:
        return format_html(
            '<rect class="stub" x="{}" y="{}" width="{}" height="{}"/>',
            _at(x),
            _at(floor - STUB),
            _at(width),
            STUB,
        )
    parts = []
    foot = floor
    for series, value in zip(
        series_names(len(column.values)), column.values, strict=True
    ):
        height = value * scale
        drawn = height - GAP if height > 2 * GAP else height
        if value > 0:
            is_rest = series == OTHERS
            fill = format_html(' fill="url(#{}-hatch)"', name) if is_rest else ""
            parts.append(
                (
                    "rest" if is_rest else f"series-{series}",
                    _at(x),
                    _at(foot - drawn),
                    _at(width),
                    _at(max(drawn, 0.5)),
                    fill,
                )
            )
        foot -= height
    return format_html_join(
        "",
        '<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="1"{}/>',
        parts,
    )


def sparkline(values: Sequence[int]) -> SafeString:
    """Draw a line of 88 by 22 without an axis; the last point is marked."""
    if not any(values):
        return mark_safe("")
    most = max(values)
    step = 82 / max(len(values) - 1, 1)
    points = [
        (3 + step * place, 19 - 16 * value / most) for place, value in enumerate(values)
    ]
    return format_html(
        '<svg class="spark" viewBox="0 0 88 22" aria-hidden="true"><polyline points="{}"/><circle cx="{}" cy="{}" r="2"/></svg>',
        " ".join(f"{_at(x)},{_at(y)}" for x, y in points),
        _at(points[-1][0]),
        _at(points[-1][1]),
    )


def running_mean(values: Sequence[int], days: int = 7) -> list[int]:
    """Return the mean of each day and those before it, of as many as there are."""
    means = []
    for place in range(len(values)):
        window = values[max(0, place - days + 1) : place + 1]
        means.append(sum(window) // len(window))
    return means


def _axis(text: str) -> str:
    """Return a number on an axis without the zeros that end its fraction."""
    return text.rstrip("0").rstrip(".") if "." in text and text[-1] == "0" else text


def _at(number: float) -> str:
    return f"{number:.1f}"
