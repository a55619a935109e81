"""Making the search index anew, for when it is not in step any more."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import transaction

from sessions_app import search
from sessions_app.messages import parse_body, search_text
from sessions_app.models import Message, SearchDocument
from sessions_app.services.jobs import enqueue, job

BATCH = 500
JOB = "rebuild search"


def reindex_all() -> Iterator[int]:
    """
    Write the document of every message again; yield how many were done, a batch at a time.

    The server may run on meanwhile: each batch is a transaction of its own.
    """
    search.rebuild()
    SearchDocument.objects.filter(kind=SearchDocument.Kind.MESSAGE).exclude(
        ref__in=Message.objects.values("id")
    ).delete()
    last = 0
    while done := _reindex_batch(last):
        last = done[-1]
        yield len(done)


@job
def rebuild_search_index() -> None:
    """Do it in the background."""
    for _ in reindex_all():
        pass


def ask_for_rebuild() -> bool:
    """Have it done in the background; False where it is asked for already."""
    return enqueue(rebuild_search_index, dedupe_key=JOB) is not None


@transaction.atomic
def _reindex_batch(after: int) -> list[int]:
    messages = list(Message.objects.filter(id__gt=after).order_by("id")[:BATCH])
    search.remove([message.id for message in messages])
    by_session: dict[int, list[tuple[int, str]]] = {}
    for message in messages:
        text = search_text(parse_body(message.body))
        by_session.setdefault(message.session_id, []).append((message.id, text))
    for session, texts in by_session.items():
        search.index(session, texts)
    return [message.id for message in messages]
