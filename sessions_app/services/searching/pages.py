"""Search as its page shows it: hits by the lineage that they are in, the best first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sessions_app import search, sql
from sessions_app.models import Session
from sessions_app.models.fields import now_millis
from sessions_app.search import Scope
from sessions_app.search.query import Query
from sessions_app.sql import hits

# So many hits are grouped and counted; who wants more has to ask for less.
BEST = 500


class Hit(NamedTuple):
    """A message that was found, without its text."""

    document: int
    id: int
    uid: str
    role: str
    depth: int
    parent_id: int | None
    created_at: int
    session_id: int


@dataclass(slots=True)
class Group:
    """The hits in a session and in those below it."""

    root: int
    hits: list[Hit] = field(default_factory=list)


@dataclass(slots=True)
class Results:
    """
    ``cut`` says that there are more hits than were looked at.

    Short and partial terms have no index: then ``scanned`` counts the texts that were
    read for them, and ``complete`` says whether those were all.
    """

    groups: list[Group]
    sessions: dict[int, Session]
    cut: bool = False
    scanned: int = 0
    complete: bool = True

    @property
    def count(self) -> int:
        return sum(len(group.hits) for group in self.groups)

    @property
    def session_count(self) -> int:
        return len({hit.session_id for group in self.groups for hit in group.hits})

    @property
    def roles(self) -> dict[str, int]:
        counts = Counter(hit.role for group in self.groups for hit in group.hits)
        return dict(counts.most_common())

    @property
    def agents(self) -> dict[str, int]:
        counts = Counter(
            self.sessions[hit.session_id].agent.name
            for group in self.groups
            for hit in group.hits
        )
        return dict(counts.most_common())


def find_grouped(query: Query, scope: Scope) -> Results:
    """Search messages; texts are not read yet, but for those that ``show_hits`` is given."""
    found = search.find(query, scope, limit=BEST, offset=0, now=now_millis())
    ranked = [match.document for match in found.matches[:BEST]]
    by_document = {row[0]: Hit(*row) for row in sql.rows_of(hits.MESSAGES, ranked)}
    ordered = [by_document[each] for each in ranked if each in by_document]
    roots = _roots({hit.session_id for hit in ordered})
    groups: dict[int, Group] = {}
    for hit in ordered:
        root = roots.get(hit.session_id, hit.session_id)
        groups.setdefault(root, Group(root)).hits.append(hit)
    known = Session.objects.select_related("agent").only("key", "name", "agent__name")
    sessions = known.in_bulk({*roots, *roots.values()})
    return Results(
        # A session may have been deleted since it was found.
        groups=[
            Group(group.root, [hit for hit in group.hits if hit.session_id in sessions])
            for group in groups.values()
            if group.root in sessions
        ],
        sessions=sessions,
        cut=len(found.matches) > BEST,
        scanned=found.scanned,
        complete=found.complete,
    )


def _roots(sessions: set[int]) -> dict[int, int]:
    # Of each the last one counts: the uppermost.
    return dict(sql.rows_of(hits.LINEAGES, sorted(sessions), now=now_millis()))


def branches_of(found: Sequence[Hit]) -> dict[int, str]:
    """
    Return, for hits that are not on the path to the head, where a path with them ends.

    The others are left out.
    """
    ids = [hit.id for hit in found]
    on_path = {id_ for (id_,) in sql.rows_of(hits.ON_HEAD_PATH, ids)}
    aside = [id_ for id_ in ids if id_ not in on_path]
    return dict(sql.rows_of(hits.BRANCH_ENDS, aside))
