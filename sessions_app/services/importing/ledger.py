"""Rows of the ledger that come back as they were, prices and all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from django.db.models import Q, QuerySet

from sessions_app.models import Message, Session, Usage
from sessions_app.models.fields import to_millis
from sessions_app.services.importing.conversations import Conversation
from sessions_app.services.importing.reports import Counts
from sessions_app.services.prices.repricing import order_in_ledger
from sessions_app.services.spend.usage import COUNTS, NANOS

# What tells two rows apart where no response id does.
SAME = ("provider", "model", "purpose", "cost_nanos", "response_id", *COUNTS)

Likeness = tuple[Any, ...]


def add_ledger(session: Session, conversation: Conversation, counts: Counts) -> None:
    """
    Add the rows that the session lacks. Of rows that are alike each counts.

    The money of a session that was deleted is in the ledger still: those rows are given
    back to it, and nothing is spent twice.
    """
    if not conversation.ledger:
        return
    own, left = (
        _by_likeness(session.usage_rows.all()),
        _left_behind(conversation, session),
    )
    responses = set(session.usage_rows.values_list("response_id", flat=True)) - {None}
    keys = dict(Message.objects.filter(session=session).values_list("uid", "id"))
    fresh = []
    for line in conversation.ledger:
        likeness = (to_millis(line["created_at"]), *(line[name] for name in SAME))
        message = keys.get(line["message"])
        if own.get(likeness):
            own[likeness].pop()
        elif line["response_id"] in responses:
            continue
        elif left.get(likeness):
            found = Usage.objects.filter(pk=left[likeness].pop())
            found.update(session=session, message=message)
        else:
            fresh.append(_row(session, message, line))
        if line["response_id"] is not None:
            responses.add(line["response_id"])
    Usage.objects.bulk_create(sorted(fresh, key=order_in_ledger))
    counts.usage += len(conversation.ledger)
    counts.new_usage += len(fresh)
    counts.cost += _dollars(line["cost_nanos"] for line in conversation.ledger)
    counts.new_cost += _dollars(row.cost_nanos for row in fresh)


def _left_behind(
    conversation: Conversation, session: Session
) -> dict[Likeness, list[int]]:
    """Return the agent's rows of that time whose session is deleted, or in the trash."""
    times = [line["created_at"] for line in conversation.ledger]
    gone = Session.objects.filter(agent=session.agent_id).gone().values("id")
    rows = Usage.objects.filter(
        Q(session=None) | Q(session__in=gone),
        agent=session.agent_id,
        created_at__range=(min(times), max(times)),
    )
    return _by_likeness(rows)


def _by_likeness(rows: QuerySet[Usage]) -> dict[Likeness, list[int]]:
    found: dict[Likeness, list[int]] = {}
    for pk, at, *rest in rows.values_list("pk", "created_at", *SAME).order_by("-pk"):
        found.setdefault((to_millis(at), *rest), []).append(pk)
    return found


def _row(session: Session, message: int | None, line: Mapping[str, Any]) -> Usage:
    columns = {name: value for name, value in line.items() if name != "message"}
    return Usage(
        agent_id=session.agent_id, session=session, message_id=message, **columns
    )


def _dollars(sums: Iterable[int | None]) -> Decimal:
    return Decimal(sum(each or 0 for each in sums)) / NANOS
