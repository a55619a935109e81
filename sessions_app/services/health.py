"""How the server is: its versions, its database, its index, its queue."""

from __future__ import annotations

import platform
from typing import Any

import django
from django.db import connection
from django.utils.timezone import now

from sessions_app import search
from sessions_app.models import Job, Message, Session


def versions() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "django": django.__version__,
        "database": f"{connection.vendor} {_database_version()}",
    }


def _database_version() -> str:
    return ".".join(map(str, connection.get_database_version()))


def state() -> dict[str, Any]:
    """Return what an operator asks first. Counts messages: takes their time."""
    unfinished = Job.objects.filter(finished_at=None)
    return {
        "versions": versions(),
        "sessions": Session.objects.count(),
        "messages": Message.objects.count(),
        "search": {"missing": search.missing(), "orphans": search.orphans()},
        "jobs": {
            "waiting": unfinished.count(),
            "due": unfinished.filter(run_after__lte=now()).count(),
            "failed": Job.objects.exclude(finished_at=None).exclude(error="").count(),
        },
    }
