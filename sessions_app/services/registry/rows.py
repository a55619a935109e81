"""What a list of sessions shows of each: first and last words, branches, what is below."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from sessions_app import sql
from sessions_app.models import Session
from sessions_app.models.fields import now_millis
from sessions_app.services.compaction.plans import threshold_of
from sessions_app.services.forest.trees import previews
from sessions_app.services.registry.pages import SHOWN
from sessions_app.services.registry.selections import tags_of
from sessions_app.sql import listing

# In trees of more messages the branches are not counted for a list.
COUNTED_TREE = 2_000
# Sessions below one are counted, and shown, up to so many.
MOST_BELOW = 200


@dataclass(slots=True)
class Row:
    """
    A session as a list shows it.

    ``branches`` is None in a large tree that has some. ``level`` says how far below
    the list's own rows it stands.
    """

    session: Session
    first: str = ""
    last: str = ""
    branches: int | None = 1
    below: int = 0
    level: int = 0
    tokens: int = 0
    threshold: int | None = None
    tags: list[str] = field(default_factory=list)


def rows_of(
    sessions: Sequence[Session], *, lineage: bool = False, opened: Sequence[int] = ()
) -> list[Row]:
    """
    Return the rows of a page, in its order, at the same number of statements.

    With ``lineage``, how many sessions stand below each; those below the ``opened``
    follow them.
    """
    levels = {session.pk: 0 for session in sessions}
    if lineage and (unfolded := [pk for pk in opened if pk in levels]):
        sessions, levels = _with_below(sessions, unfolded)
    rows = [_row(session, levels[session.pk]) for session in sessions]
    _add_words(rows)
    _count_branches(rows)
    if lineage:
        roots = [row.session.pk for row in rows if not row.level]
        bound = MOST_BELOW + 1
        counts: dict[int, int] = dict(
            sql.rows_of(listing.CHILD_COUNTS, roots, now=now_millis(), bound=bound)
        )
        for row in rows:
            row.below = counts.get(row.session.pk, 0)
    return rows


def _row(session: Session, level: int) -> Row:
    head = session.head
    return Row(
        session,
        level=level,
        tokens=head.path_tokens - session.hidden_tokens if head else 0,
        threshold=threshold_of(session),
        tags=tags_of(session),
        branches=1 if head else 0,
    )


def _with_below(
    sessions: Sequence[Session], opened: Sequence[int]
) -> tuple[list[Session], dict[int, int]]:
    """Put below each opened session what stands below it, the oldest first."""
    found = sql.rows_of(listing.BELOW, opened, now=now_millis(), limit=MOST_BELOW)
    levels = {session.pk: 0 for session in sessions}
    children = defaultdict(list)
    for pk, parent, level in sorted(found):
        # In a list of more than its roots, one is shown where it stands first.
        if pk not in levels:
            levels[pk] = level
            children[parent].append(pk)
    known = Session.objects.select_related("agent", "head").only(*SHOWN).in_bulk(levels)
    ordered: list[Session] = []

    def place(pk: int) -> None:
        if pk in known:
            ordered.append(known[pk])
        for child in children[pk]:
            place(child)

    for session in sessions:
        place(session.pk)
    return ordered, levels


def _add_words(rows: Sequence[Row]) -> None:
    pks = [row.session.pk for row in rows]
    firsts: dict[int, int] = dict(sql.rows_of(listing.FIRST_INPUTS, pks))
    heads = {row.session.pk: row.session.head_id for row in rows}
    words = previews(sorted({*firsts.values(), *filter(None, heads.values())}))
    for row in rows:
        pk = row.session.pk
        row.first = words.get(firsts.get(pk, 0), "")
        if heads[pk] != firsts.get(pk):
            row.last = words.get(heads[pk] or 0, "")


def _count_branches(rows: Sequence[Row]) -> None:
    """Count where it is not sure to be a line, as ``trees.count_branches`` does."""
    trees = [row for row in rows if _may_branch(row.session)]
    small = [row for row in trees if row.session.message_count <= COUNTED_TREE]
    counts: dict[int, int] = dict(
        sql.rows_of(listing.LEAF_COUNTS, [row.session.pk for row in small])
    )
    for row in trees:
        row.branches = counts.get(row.session.pk)


def _may_branch(session: Session) -> bool:
    length = session.head.depth + 1 if session.head else 0
    return session.fork_point_id is not None or session.message_count > length
