"""
Ids with a slash in them.

WSGI hands over a path with its escapes undone, so an id's ``%2F`` cannot be told
from a slash between segments. A path that no route takes as it stands is therefore
tried again with slashes allowed in the ids.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import URLPattern, URLResolver, re_path

View = Callable[..., HttpResponseBase]
Route = URLPattern | URLResolver

# As long as an id may be, which keeps the search for the slashes short.
PARAMETER = re.compile(r"<(\w+)>")
WIDE = r"(?P<\1>(?s:.){1,200}?)"


def with_wide_ids(patterns: Sequence[Route]) -> list[Route]:
    """Return routes, and after them those same with slashes in the ids."""
    routes = {
        str(each.pattern): each.callback
        for each in patterns
        if isinstance(each, URLPattern)
    }
    wide = [route for route in routes if PARAMETER.search(route)]
    # Those that say the most come first: an id reaches no further than it has to.
    wide.sort(key=lambda route: (route.count("/"), -route.count("<")), reverse=True)
    return [
        *patterns,
        *(
            re_path(rf"^{PARAMETER.sub(WIDE, route)}\Z", _known(routes[route]))
            for route in wide
        ),
    ]


def _known(view: View) -> View:
    """Return the view, for which a method that it lacks is a path that is not there."""

    @functools.wraps(view)
    def known(request: HttpRequest, **ids: Any) -> HttpResponseBase:
        response = view(request, **ids)
        if response.status_code == 405:
            raise Http404
        return response

    return known
