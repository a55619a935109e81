"""Lists that are shown a page at a time, with ``?page=`` in the address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

from sessions_app.dash.access import PageRequest

SIZE = 50


def page_of(
    request: PageRequest, rows: QuerySet[Any] | Sequence[Any], size: int = SIZE
) -> Page[Any]:
    """Return the page that is asked for; one that is not there is the nearest that is."""
    return Paginator(rows, size).get_page(request.GET.get("page"))
