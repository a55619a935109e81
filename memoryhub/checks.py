"""What must be right about the machine before MemoryHub starts."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, register
from django.db import connection

from memoryhub import sqlite
from sessions_app.services.compaction.summarizers import (
    SUMMARIZERS,
    UnknownSummarizer,
    choose,
)

MACHINE = "machine"


@register(MACHINE)
def safe_sqlite(**kwargs: Any) -> list[CheckMessage]:
    """Refuse a SQLite that can corrupt a WAL database, unless told otherwise."""
    if connection.vendor != "sqlite" or sqlite.is_safe():
        return []
    kind = checks.Warning if settings.ALLOW_UNSAFE_SQLITE else checks.Error
    return [
        kind(
            f"SQLite {sqlite.VERSION} can corrupt a database in WAL mode",
            hint="Install a pysqlite3 that carries SQLite 3.51.3 or newer, or accept the "
            "risk with MEMORYHUB_ALLOW_UNSAFE_SQLITE=1",
            id="memoryhub.E001",
        )
    ]


@register(MACHINE)
def known_summarizer(**kwargs: Any) -> list[CheckMessage]:
    """Refuse a summarizer that is not there, or that has no address to ask."""
    try:
        choose()
    except UnknownSummarizer as error:
        names = ", ".join(["auto", *SUMMARIZERS])
        hint = f"MEMORYHUB_SUMMARIZER is one of {names}"
        return [checks.Error(error.message, hint=hint, id="memoryhub.E002")]
    return []
