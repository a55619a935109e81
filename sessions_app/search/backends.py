from __future__ import annotations

import functools
from collections.abc import Mapping
from types import ModuleType

from django.db import connection

from sessions_app.search import postgres, sqlite

BACKENDS: Mapping[str, ModuleType] = {"sqlite": sqlite, "postgresql": postgres}


@functools.cache
def backend() -> ModuleType:
    """Return the module that knows how the database in use searches."""
    return BACKENDS[connection.vendor]
