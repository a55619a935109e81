"""Rows of the branches that leave a stretch of a path."""

from __future__ import annotations

from collections.abc import Sequence

from sessions_app.dash.session.rail.row import Row
from sessions_app.services.browsing.outlines import Outline

# Branches shown beneath one row before the rest has to be asked for, and how deep those
# of branches are shown at once.
AT_A_ROW = 6
LEVELS = 2
# Branches shown beneath a row that was asked for by its place.
OPENED = 500


def branch_rows(
    outline: Outline,
    chain: Sequence[int],
    *,
    at: int,
    head: int | None,
    level: int = 1,
    under: int | None = None,
    is_root: bool = False,
    most: int = AT_A_ROW,
) -> list[Row]:
    """
    Return the branches that leave a chain, each with those of its own beneath it.

    ``under`` is the newest leaf of the last one that was shown before.
    """
    # What begins beside the root follows nothing.
    above: list[int] = [*([0] if is_root else []), *chain]
    branches = outline.hanging(above)
    if under is not None:
        branches = [each for each in branches if outline.newest[each] < under]
    rows: list[Row] = []
    for branch in branches[:most]:
        rows += _branch(outline, branch, at=at, head=head, level=level)
    rest = branches[most:]
    if rest:
        rows.append(
            Row(
                "more",
                at,
                chain[0],
                node="beside",
                level=level,
                branches=len(rest),
                leaf=outline.newest[branches[most - 1]],
                span=(chain[0], chain[-1]),
            )
        )
    own = [row for row in rows if row.level == level]
    for row in own[:-1]:
        row.goes_on = True
    return rows


def _branch(
    outline: Outline, branch: int, *, at: int, head: int | None, level: int
) -> list[Row]:
    chain = outline.chain(branch, outline.newest[branch])
    inner = outline.hanging(chain)
    row = Row(
        "branch",
        at,
        branch,
        level=level,
        count=len(chain),
        speaker=outline.speaker(chain),
        leaf=chain[-1],
        is_head=head in chain if head is not None and head >= branch else False,
        span=(branch, chain[-1]),
    )
    if inner and level >= LEVELS:
        count = sum(outline.leaves[outline.newest[each]] for each in inner)
        more = Row("more", at, branch, level=level + 1, branches=count, span=row.span)
        more.node = "below"
        return [row, more]
    return [row, *branch_rows(outline, chain, at=at, head=head, level=level + 1)]
