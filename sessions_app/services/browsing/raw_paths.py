"""Messages of a path as they are stored, whatever compactions cover."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sessions_app import sql
from sessions_app.models import Message, Session
from sessions_app.services.browsing.spots import Spot, read_spots
from sessions_app.services.forest.finding import get_place
from sessions_app.services.forest.history import Changing, read_history
from sessions_app.sql import walks

# Messages that are read, and sent on, at a time.
BATCH = 200


@dataclass(frozen=True, slots=True)
class RawMessage:
    spot: Spot
    body: str

    @property
    def number(self) -> int:
        return self.spot.depth + 1


@dataclass(frozen=True, slots=True)
class RawPage:
    """Messages in the order of the path; ``older`` ends the page above."""

    messages: list[RawMessage]
    leaf: str | None
    older: str | None


def read_raw(
    *, session: Session, leaf: str | None, start: str | None = None, limit: int
) -> RawPage:
    """
    Return the newest messages of a path, or those that end with ``start``.

    :raises NotFound: if the session sees no such message
    :raises NotOnPath: if ``start`` is not on the path
    """
    history = read_history(session, leaf=leaf, start=start, limit=limit, raw=True)
    spots = read_spots(row[0] for row in history.rows)
    messages = [
        RawMessage(spots[row[0]], row[2]) for row in history.rows if row[0] in spots
    ]
    return RawPage(messages, history.leaf, history.older)


def path_lines(*, session: Session, leaf: str | None) -> Iterator[bytes]:
    """
    Return the messages of a path, root first, each as a line of JSON.

    :raises NotFound: if the session sees no message ``leaf``
    """
    end = get_place(session, leaf).id if leaf else session.head_id
    ancestry = sql.rows(walks.ANCESTRY, message=end) if end else []
    return _lines(sorted(row[0] for row in ancestry))


def _lines(ids: list[int]) -> Iterator[bytes]:
    for at in range(0, len(ids), BATCH):
        batch = ids[at : at + BATCH]
        bodies = dict(Message.objects.filter(id__in=batch).values_list("id", "body"))
        for id_ in batch:
            if id_ not in bodies:
                # The file ends where it would become wrong.
                raise Changing("The session was changed while it was read: try again")
            # Outside of its strings, where none can be, a line break means nothing.
            line = bodies[id_].replace("\r", " ").replace("\n", " ")
            yield f"{line}\n".encode()
