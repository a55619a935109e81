"""What a path takes in a model's context, without reading it."""

from __future__ import annotations

from collections.abc import Sequence

from sessions_app import sql
from sessions_app.models import Compaction, Message, Session
from sessions_app.sql import climbs


def active_on_path(session_id: int, leaf: int) -> list[Compaction]:
    """Return the active compactions on the path to ``leaf``, the lowest first."""
    on_path = sql.rows(climbs.COMPACTIONS_ON_PATH, session=session_id, leaf=leaf)
    if not on_path:
        return []
    return list(
        Compaction.objects.filter(id__in=[found for (found,) in on_path])
        .filter(state=Compaction.State.ACTIVE)
        .select_related("first", "last")
        .defer("first__body", "last__body")
        .order_by("-last", "-id")
    )


def hidden_tokens(session_id: int, leaf: int | None) -> int:
    """
    Return the tokens that compactions save on the path to ``leaf``.

    Of compactions within each other only the widest counts, as in a walk.
    """
    if leaf is None:
        return 0
    return sum(
        range_tokens(each.first, each.last) - each.tokens_after
        for each in widest(active_on_path(session_id, leaf))
    )


def widest(compactions: Sequence[Compaction]) -> list[Compaction]:
    """Return those of a path that are within no other; the lowest are first, as given."""
    found: list[Compaction] = []
    for compaction in compactions:
        if not found or compaction.last_id < found[-1].first_id:
            found.append(compaction)
    return found


def range_tokens(first: Message, last: Message) -> int:
    """Return the tokens from one message of a path to another, both included."""
    return last.path_tokens - first.path_tokens + first.tokens


def stretch_tokens(first: int, last: int) -> int:
    """Return the same by the keys of the two messages."""
    ends = Message.objects.only("tokens", "path_tokens").in_bulk({first, last})
    return range_tokens(ends[first], ends[last])


def mend_hidden_tokens(session: Session) -> None:
    """Count anew what the path to the head hides, after compactions or the head changed."""
    session.hidden_tokens = hidden_tokens(session.id, session.head_id)
    session.save(update_fields=["hidden_tokens"])
