"""What goes with a conversation's messages: compactions, labels and usage."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from django.db import transaction
from django.utils.timezone import now

from sessions_app.errors import Invalid
from sessions_app.models import Compaction, Label, Message, Session, Usage
from sessions_app.models.fields import from_millis
from sessions_app.services.compaction.overlays import Overlap, add_compaction
from sessions_app.services.importing.conversations import (
    Conversation,
    ImportedCompaction,
    ImportedMessage,
    ImportedUsage,
    Problem,
)
from sessions_app.services.importing.reports import Counts
from sessions_app.services.spend.usage import NANOS, add_usage_rows, to_nanos
from sessions_app.services.writing.editing import set_label

PURPOSE = "import"


def add_compactions(
    session: Session, conversation: Conversation, format_name: str, counts: Counts
) -> list[Problem]:
    """Add the compactions that the session lacks, and return those that do not fit."""
    rows = session.compactions.values_list("uid", "created_by")
    known = {name for row in rows for name in row}
    problems = []
    for compaction in conversation.compactions:
        counts.compactions += 1
        origin = f"{format_name}:{compaction.uid}"[:200]
        if origin in known or (compaction.columns and compaction.uid in known):
            continue
        try:
            _add_compaction(session, compaction, origin)
        except (Invalid, Overlap) as exc:
            reason = f"{compaction.uid}: the compaction does not fit: {exc.message}"
            problems.append(Problem(compaction.line, reason))
            continue
        counts.new_compactions += 1
    return problems


@transaction.atomic
def _add_compaction(
    session: Session, compaction: ImportedCompaction, origin: str
) -> None:
    columns = dict(compaction.columns or {})
    added = add_compaction(
        session=session,
        summary=compaction.summary,
        first=compaction.first,
        last=compaction.last,
        method=PURPOSE,
        created_by=origin,
        state=columns.get("state", Compaction.State.ACTIVE),
    )
    if columns:
        columns["uid"] = compaction.uid
    if compaction.created_at is not None:
        columns["created_at"] = from_millis(compaction.created_at)
    Compaction.objects.filter(id=added.id).update(**columns)


def add_labels(session: Session, conversation: Conversation, counts: Counts) -> None:
    """Label the messages that have no label here."""
    labels = Label.objects.filter(session=session)
    known = set(labels.values_list("message__uid", flat=True))
    for uid, text in conversation.labels.items():
        counts.labels += 1
        if uid not in known:
            set_label(session=session, uid=uid, text=text)
            counts.new_labels += 1


def count_usage(session: Session, conversation: Conversation, counts: Counts) -> None:
    """
    Put in the ledger what is not there.

    What the agent has under the same response id from another session is the same
    spending, in a copy of the conversation.
    """
    spent = [(m, m.usage) for m in conversation.messages if m.usage]
    if not spent:
        return
    known = _counted_before(session, [message for message, _ in spent])
    keys = dict(Message.objects.filter(session=session).values_list("uid", "id"))
    rows = [
        _row(session, keys.get(message.uid), message.draft.created_at, usage)
        for message, usage in spent
        if usage.response_id not in known
    ]
    fresh = add_usage_rows(session=session, rows=rows)
    counts.usage = len(spent)
    counts.new_usage = len(fresh)
    counts.cost = sum((usage.cost or Decimal(0) for _, usage in spent), Decimal(0))
    counts.new_cost = Decimal(sum(row.cost_nanos or 0 for row in fresh)) / NANOS


def _row(
    session: Session, message: int | None, created_at: int | None, usage: ImportedUsage
) -> Usage:
    return Usage(
        agent_id=session.agent_id,
        session=session,
        message_id=message,
        provider=usage.provider,
        model=usage.model,
        purpose=PURPOSE,
        cost_nanos=None if usage.cost is None else to_nanos(usage.cost),
        response_id=usage.response_id,
        raw=usage.raw,
        created_at=now() if created_at is None else from_millis(created_at),
        **usage.tokens,
    )


def _counted_before(
    session: Session, spent: Iterable[ImportedMessage]
) -> set[str | None]:
    """Return the response ids of the agent's imports in the time of the conversation."""
    times = [m.draft.created_at for m in spent if m.draft.created_at is not None]
    if not times:
        return set()
    rows = Usage.objects.filter(
        agent=session.agent_id,
        purpose=PURPOSE,
        created_at__gte=from_millis(min(times)),
        created_at__lte=from_millis(max(times)),
    )
    return set(rows.values_list("response_id", flat=True))
