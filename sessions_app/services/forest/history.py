"""Reading a path as a model or a person sees it: compactions in place, root first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sessions_app import sql
from sessions_app.errors import Conflict, Invalid
from sessions_app.messages import RESERVED_PREFIX
from sessions_app.models import Compaction
from sessions_app.services.forest.covers import Cover, Summaries, read_covers
from sessions_app.services.forest.finding import Tree, get_place, is_on_path
from sessions_app.services.forest.totals import hidden_tokens
from sessions_app.sql import walks

# More than any path can hold, and less than any primary key.
ENDLESS = 2**62
EVERYTHING = -1

# How often to begin again when messages are moved while they are read.
ATTEMPTS = 5


class NotOnPath(Invalid):
    code = "not_on_path"


class Changing(Conflict):
    code = "changing"


class Step(NamedTuple):
    """
    One place of a history: a message by its primary key, or a compaction.

    ``body`` is JSON text; that of a compaction is the message that stands for it.
    """

    message: int
    compaction: Cover | None
    body: str


@dataclass(slots=True)
class History:
    """
    A stretch of a path, root first: ``rows`` are of the walk, ``summaries`` by the
    keys of their compactions.

    ``path_length`` and ``context_tokens`` are of the whole path to ``leaf``;
    ``older`` is the message that the next older page ends with.
    """

    rows: list[sql.Row]
    summaries: Summaries
    leaf: str | None
    head: str | None
    path_length: int
    context_tokens: int
    older: str | None

    @property
    def steps(self) -> list[Step]:
        return [
            Step(message, *self.summaries[compaction])
            if compaction
            else Step(message, None, body)
            for message, compaction, body in self.rows
        ]

    @property
    def bodies(self) -> list[str]:
        """The bodies alone: for a long history steps cost as much as the query."""
        if not self.summaries:
            return [body for _, _, body in self.rows]
        return [
            self.summaries[compaction][1] if compaction else body
            for _, compaction, body in self.rows
        ]


# Where a session stands. Parameters: session.
STANDING = """
SELECT
    session.head_id, session.fork_point_id, session.hidden_tokens,
    head.uid, head.depth, head.path_tokens,
    EXISTS (
        SELECT 1
        FROM sessions_app_compaction compaction
        WHERE compaction.session_id = session.id AND compaction.state = 'active'
    )
FROM sessions_app_session session
LEFT JOIN sessions_app_message head ON head.id = session.head_id
WHERE session.id = %(session)s
"""

FORK_POINT = """
SELECT fork_point_id FROM sessions_app_session WHERE id = %(session)s
"""

MESSAGE = """
SELECT uid, depth, path_tokens, parent_id FROM sessions_app_message WHERE id = %(message)s
"""


ABOVE = """
SELECT above.id, above.uid
FROM sessions_app_message message
LEFT JOIN sessions_app_message above ON above.id = message.parent_id
WHERE message.id = %(message)s
"""


def read_history(
    session: Tree,
    *,
    leaf: str | None = None,
    start: str | None = None,
    before: str | None = None,
    after: str | None = None,
    limit: int | None = None,
    raw: bool = False,
) -> History:
    """
    Return the path to ``leaf``, by default the head, as far as it is asked for.

    ``limit`` keeps the newest; ``start`` leaves out what lies below a message,
    ``before`` that message too, ``after`` it and what lies above; ``raw`` shows what
    compactions cover. It costs as much as what it returns, however long the path.

    :raises NotFound: if the session sees no such message
    :raises NotOnPath: if a bound is not on the path to the leaf
    :raises Changing: if the session is changed again and again while it is read
    """
    for _ in range(ATTEMPTS):
        try:
            end = _end(session, leaf)
            if end.message is None:
                return History([], {}, None, end.head, 0, 0, None)
            floor = (
                _bound(session, after, end.message) if after is not None else EVERYTHING
            )
            top = _top(session, end.message, start, before)
            rows, summaries = _walk(
                session.id, top, floor, limit, plain=raw or not end.compacted
            )
            _check_is_ours(session.id, end.fork_point)
            return History(
                rows=rows,
                summaries=summaries,
                leaf=end.uid,
                head=end.head,
                path_length=end.depth + 1,
                context_tokens=end.tokens,
                older=_older(rows, summaries, floor, limit),
            )
        except sql.Gone:
            # A fork was detached, or a message deleted, between two statements.
            continue
    raise Changing("The session is being changed: try again")


class End(NamedTuple):
    """Where a path ends, and what is known of it."""

    message: int | None
    uid: str | None
    depth: int
    tokens: int
    head: str | None
    fork_point: int | None
    compacted: bool


def _end(session: Tree, leaf: str | None) -> End:
    head_id, fork_point, hidden, head, depth, path_tokens, compacted = sql.one(
        STANDING, session=session.id
    )
    end, uid = head_id, head
    if leaf is not None:
        end = get_place(session, leaf).id
        uid, depth, path_tokens, _ = sql.one(MESSAGE, message=end)
        if end != head_id:
            hidden = hidden_tokens(session.id, end)
    tokens = (path_tokens or 0) - hidden
    return End(end, uid, depth or 0, tokens, head, fork_point, compacted)


def _check_is_ours(session_id: int, fork_point: int | None) -> None:
    """
    :raises Gone: if what a fork shared was no longer its own when it was read
    """
    if fork_point is not None:
        (now,) = sql.one(FORK_POINT, session=session_id)
        if now != fork_point:
            raise sql.Gone(session_id)


def _top(session: Tree, end: int, start: str | None, before: str | None) -> int | None:
    """Return the message that the walk begins with."""
    top = _bound(session, start, end) if start is not None else end
    if before is None:
        return top
    bound = _bound(session, before, end)
    if before.startswith(RESERVED_PREFIX):
        uid = before.removeprefix(RESERVED_PREFIX)
        bound = Compaction.objects.get(session=session.id, uid=uid).first_id
    parent: int | None = sql.one(MESSAGE, message=bound)[3]
    return parent


def _bound(session: Tree, uid: str, end: int) -> int:
    place = get_place(session, uid)
    if not is_on_path(place.id, end):
        raise NotOnPath(f"The message {uid!r} is not on the path to the leaf", id=uid)
    return place.id


def _walk(
    session_id: int, top: int | None, floor: int, limit: int | None, *, plain: bool
) -> tuple[list[sql.Row], Summaries]:
    """Return the steps, root first, with the summaries among them."""
    if top is None or top <= floor:
        return [], {}
    rows = sql.rows(
        walks.PLAIN_BODIES if plain else walks.BODIES,
        session=session_id,
        leaf=top,
        floor=floor,
        limit=ENDLESS if limit is None else limit,
    )
    if not rows:
        raise sql.Gone(top)
    # By their keys. Both databases keep the walk's order, though neither promised to.
    rows.sort()
    if plain:
        return rows, {}
    return rows, read_covers({row[1] for row in rows} - {None})


def _older(
    rows: list[sql.Row], summaries: Summaries, floor: int, limit: int | None
) -> str | None:
    """Return the message above a walk that its limit has ended, if there is one."""
    if not rows or len(rows) != limit:
        return None
    message, compaction, _ = rows[0]
    top = summaries[compaction][0].first_id if compaction else message
    above, uid = sql.one(ABOVE, message=top)
    return uid if above is not None and above > floor else None
