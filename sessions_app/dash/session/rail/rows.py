"""What a rail consists of: rows from the root to the leaf, and what hangs between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sessions_app.dash.session.rail.branches import AT_A_ROW, OPENED, branch_rows
from sessions_app.dash.session.rail.row import Row
from sessions_app.services.browsing.outlines import Outline


@dataclass(frozen=True, slots=True)
class Cover:
    """A stretch of the path that a summary stands for, by places."""

    first: int
    last: int
    tokens: int


def rows_of(
    outline: Outline,
    stops: Sequence[int],
    covers: Sequence[Cover],
    *,
    end: int,
    selected: int | None,
    head: int | None,
    opened: int | None = None,
) -> list[Row]:
    """Return the rows from the first of the stops up to ``end``, without their texts."""
    path = outline.path
    bands = sorted(covers, key=lambda cover: cover.last)
    rows: list[Row] = []
    ends = [*stops, end][1:]  # of no stops none
    for at, following in zip(stops, ends, strict=True):
        rows.append(_message_row(outline, at, selected, head))
        chain: list[int] = path[at:following]
        if following < len(path):
            chain.append(path[following])
        rows += branch_rows(
            outline,
            chain,
            at=at,
            head=head,
            is_root=at == 0,
            most=OPENED if at == opened else AT_A_ROW,
        )
        edge = at + 1
        for cover in bands:
            if at <= cover.last < following:
                rows += _run(outline, edge, cover.last + 1)
                edge = max(edge, cover.last + 1)
                rows.append(
                    Row(
                        "band",
                        cover.last,
                        path[cover.first],
                        node="diamond",
                        count=cover.tokens,
                        span=(cover.first, cover.last),
                    )
                )
        rows += _run(outline, edge, following)
    for row in rows:
        if row.kind == "band":
            row.dashed = True
        elif any(cover.first <= row.at <= cover.last for cover in bands):
            row.covered = row.dashed = True
        # The line begins at the root and ends at the leaf; what hangs there is beside it.
        if row.level == 0 and row.at == 0:
            row.line = "none" if len(path) == 1 else "bottom"
        elif row.at == len(path) - 1 and row.kind != "band":
            row.line = "top" if row.kind == "message" else "none"
    return rows


def _message_row(
    outline: Outline, at: int, selected: int | None, head: int | None
) -> Row:
    message = outline.path[at]
    is_head = message == head
    role = outline.roles[message]
    node = role if role in ("user", "tool") else "ring"
    return Row(
        "message",
        at,
        message,
        speaker=message,
        node="head" if is_head else node,
        count=at + 1,
        current=message == selected,
        is_head=is_head,
        leaf=outline.path[-1],
    )


def _run(outline: Outline, first: int, end: int) -> Iterator[Row]:
    if first < end:
        yield Row(
            "run",
            first,
            outline.path[first],
            count=end - first,
            leaf=outline.path[-1],
            span=(first, end - 1),
        )
