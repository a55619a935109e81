"""How much two branches differ, in words."""

from __future__ import annotations

from typing import Any, NamedTuple

from sessions_app.dash.rendering.formatting import duration, money
from sessions_app.services.browsing.comparisons import Comparison, Side

# A row of the table: its name, what each side has, and the difference.
Figure = dict[str, str]


class Calls(NamedTuple):
    """How many tools were called, and how many calls failed."""

    made: int
    failed: int


def figures_of(
    found: Comparison, a: Calls | None, b: Calls | None, *, priced: bool
) -> list[Figure]:
    """Return what the table beneath says: a figure of each side, and the difference."""
    left, right = found.a, found.b
    rows = [
        _figure("Messages", len(left.messages), len(right.messages)),
        _figure("Tokens added", left.tokens, right.tokens, as_share=True),
    ]
    if a and b:
        rows.append(
            {
                "name": "Tool calls, failed",
                "a": f"{a.made:,}, {a.failed or 'none'} failed",
                "b": f"{b.made:,}, {b.failed or 'none'} failed",
                "difference": _more(b.failed - a.failed, "failure"),
            }
        )
    if priced:
        rows.append(_cost(left, right))
    rows.append(
        {
            "name": "Time",
            "a": duration(left.milliseconds),
            "b": duration(right.milliseconds),
            "difference": _beside(
                right.milliseconds - left.milliseconds, duration, "longer", "less"
            ),
        }
    )
    return rows


def _figure(name: str, a: int, b: int, *, as_share: bool = False) -> Figure:
    difference = _more(b - a)
    if as_share and a and a != b:
        share = round(100 * abs(b - a) / a)
        difference = f"{share}% {'more' if b > a else 'fewer'}"
    return {"name": name, "a": f"{a:,}", "b": f"{b:,}", "difference": difference}


def _cost(left: Side, right: Side) -> Figure:
    said = [
        money(side.cost) if side.has_calls else "no calls" for side in (left, right)
    ]
    difference = ""
    if left.cost is not None and right.cost is not None:
        difference = _beside(right.cost - left.cost, money, "more", "less")
    return {"name": "Cost", "a": said[0], "b": said[1], "difference": difference}


def _more(difference: int, noun: str = "") -> str:
    if not difference:
        return "the same"
    word = "more" if difference > 0 else "fewer"
    count = abs(difference)
    ending = f" {noun}{'' if count == 1 else 's'}" if noun else ""
    return f"{count:,} {word}{ending}"


def _beside(difference: int, said: Any, more: str, less: str) -> str:
    if not difference:
        return "the same"
    return f"{said(abs(difference))} {more if difference > 0 else less}"
