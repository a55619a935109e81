"""What must be right about the database before MemoryHub runs on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections

TRIGGERS = {
    "sessions_app_search_ai",
    "sessions_app_search_ad",
    "sessions_app_search_au",
    "sessions_app_trigrams_ai",
    "sessions_app_trigrams_ad",
    "sessions_app_trigrams_bu",
    "sessions_app_trigrams_au",
}

FOUND = "SELECT name FROM sqlite_master WHERE type = 'trigger'"


@register(Tags.database)
def search_triggers(
    *, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """
    On SQLite, say which of the triggers that keep search in step are gone.

    A migration that remakes the documents' table drops them without a word.
    """
    connection = connections["default"]
    if "default" not in (databases or ()) or connection.vendor != "sqlite":
        return []
    tables = connection.introspection.table_names()
    if "sessions_app_search" not in tables:
        return []
    with connection.cursor() as cursor:
        cursor.execute(FOUND)
        missing = TRIGGERS - {name for (name,) in cursor.fetchall()}
    return [
        Error(
            f"The search index has lost its trigger {name}",
            hint="Migrate back to sessions_app 0001 and forward again: nothing is lost",
            id="sessions_app.E001",
        )
        for name in sorted(missing)
    ]
