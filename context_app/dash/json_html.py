"""Lines of JSON as HTML: every piece escaped, every fold a link that needs no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from django.utils.safestring import SafeString, mark_safe

from context_app.dash.json_lines import Line, Piece


def render_groups(
    groups: Iterable[Sequence[Line]], *, page: str, part: str
) -> SafeString:
    """
    Return groups of lines; ``page`` and ``part`` are addresses that end with ``open=``.

    A fold is replaced, together with its group, by what ``part`` answers.
    """
    return mark_safe("".join(_group(lines, page, part) for lines in groups))  # noqa: S308 (escaped piece by piece)


def _group(lines: Sequence[Line], page: str, part: str) -> str:
    return f'<div class="jg">{"".join(_line(line, page, part) for line in lines)}</div>'


def _line(line: Line, page: str, part: str) -> str:
    kind = "jl summary" if line.is_summary else "jl"
    pieces = "".join(_piece(piece, line.fold, page, part) for piece in line.pieces)
    return f'<div class="{kind}">{pieces}</div>'


def _piece(piece: Piece, fold: str, page: str, part: str) -> str:
    text = escape(piece.text)
    if piece.kind != "fold":
        return f'<span class="{piece.kind}">{text}</span>' if piece.kind else text
    return (
        f'<a class="fold" href="{escape(page + fold)}#json" hx-get="{escape(part + fold)}"'
        f' hx-target="closest .jg" hx-swap="outerHTML">{text}</a>'
    )
