"""JSON as HTML: indented and coloured, every sign of it as it was stored."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from django.utils.safestring import SafeString, mark_safe

# A string, a sign that opens, closes or parts, or anything else without a space.
SIGN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+|"')
STEP = "  "
# Levels beyond this are not indented further: it would be wider than any page.
DEEPEST = 40


@dataclass(frozen=True, slots=True)
class JsonView:
    """``left`` counts the characters of the text that are not shown."""

    html: SafeString
    left: int = 0


def json_html(text: str, most: int | None = None) -> JsonView:
    """
    Return a JSON text as HTML, of which no more than about ``most`` characters.

    Nothing is parsed to values, so that long numbers and their spelling stay. The
    classes are k(ey), s(tring) and n(umber or word).
    """
    pieces: list[str] = []
    level, shown, before = 0, 0, ""
    for found in SIGN.finditer(text):
        sign = found[0]
        room = None if most is None else most - shown
        if room is not None and room <= 0:
            return JsonView(_safe(pieces), len(text) - found.start())
        if sign in "}]":
            level -= 1
            if before not in ("{", "["):
                pieces.append(_line_break(level))
        elif before in ("{", "[", ","):
            pieces.append(_line_break(level))
        pieces.append(_piece(sign, text, found.end(), room))
        if sign in "{[":
            level += 1
        shown += len(sign)
        if room is not None and len(sign) > room:
            return JsonView(_safe(pieces), len(text) - found.start() - room)
        before = sign
    return JsonView(_safe(pieces))


def _piece(sign: str, text: str, end: int, room: int | None) -> str:
    if sign == ":":
        return ": "
    if sign in "{}[],":
        return sign
    kind = "n"
    if sign[0] == '"':
        kind = "k" if text[end : end + 8].lstrip()[:1] == ":" else "s"
    shown = sign if room is None else sign[:room]
    return f'<span class="{kind}">{escape(shown)}</span>'


def _line_break(level: int) -> str:
    return "\n" + STEP * min(max(level, 0), DEEPEST)


def _safe(pieces: list[str]) -> SafeString:
    return mark_safe("".join(pieces))  # noqa: S308 (escaped piece by piece)
