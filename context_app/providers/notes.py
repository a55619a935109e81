"""Notes that a model searches: found through the project's one search index."""

from __future__ import annotations

from context_app.models import Block, Entry
from sessions_app import search
from sessions_app.models import SearchDocument
from sessions_app.models.fields import now_millis
from sessions_app.search import Others
from sessions_app.search.query import parse_query

KIND = SearchDocument.Kind.ENTRY
# How many a search gives a model.
BEST = 10

OF_BLOCK = (
    "document.ref IN (SELECT id FROM context_app_entry WHERE block_id = %(block)s)"
)


class StoredNotes:
    """Entries of which the prompt only says how many there are."""

    def __init__(self, block: Block) -> None:
        self.block = block

    def get(self) -> str | None:
        count = self.block.entries.count()
        return f"{count} entries indexed." if count else None

    def load(self, key: str) -> str | None:
        return None

    def search(self, query: str) -> str | None:
        """
        Return the ten best, as the reference prints them (section 8.3 of its spec).

        :raises InvalidQuery: if the query cannot be answered as it stands
        """
        found = [f"[{entry.key}]\n{entry.content}" for entry in find(self.block, query)]
        return "\n\n".join(found) or None


def find(block: Block, query: str, limit: int = BEST) -> list[Entry]:
    """
    Return the entries of a block that a query finds, best first.

    :raises InvalidQuery: if the query cannot be answered as it stands
    """
    among = Others(KIND, OF_BLOCK, {"block": block.pk})
    found = search.find(
        parse_query(query), among, limit=limit, offset=0, now=now_millis()
    )
    documents = [match.document for match in found.matches[:limit]]
    refs = dict(
        SearchDocument.objects.filter(id__in=documents).values_list("id", "ref")
    )
    entries = Entry.objects.in_bulk(list(refs.values()))
    # One may have been deleted since it was found.
    return [
        entries[refs[document]]
        for document in documents
        if document in refs and refs[document] in entries
    ]
