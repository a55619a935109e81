"""Lists that are searched with the search index, and not by reading the rows."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest

from sessions_app import search
from sessions_app.models import SearchDocument
from sessions_app.search import Scope
from sessions_app.search.query import InvalidQuery, parse_query

# How many of the best matches a list holds.
MOST_MATCHES = 1_000


def matching_documents(request: HttpRequest, text: str) -> list[int]:
    """
    Return the primary keys of the documents that match; say so if there are more.

    Where the list is narrowed to a session, only that is searched.
    """
    session = request.GET.get("session", "")
    is_number = session.isdecimal() and len(session) < 19
    scope = Scope(session=int(session) if is_number else None)
    try:
        # Here one sees expired sessions as well: at the time 0 none had expired.
        found = search.find(
            parse_query(text), scope, limit=MOST_MATCHES, offset=0, now=0
        )
    except InvalidQuery as refusal:
        messages.error(request, refusal.message)
        return []
    if len(found.matches) > MOST_MATCHES or not found.complete:
        text = (
            f"There are more matches than the {MOST_MATCHES:,} best, which are listed."
        )
        messages.warning(request, text)
    return [match.document for match in found.matches[:MOST_MATCHES]]


def matching_messages(request: HttpRequest, text: str) -> list[int]:
    """Return the primary keys of the messages that match, as ``matching_documents``."""
    documents = SearchDocument.objects.filter(
        kind=SearchDocument.Kind.MESSAGE, id__in=matching_documents(request, text)
    )
    return list(documents.values_list("ref", flat=True))
