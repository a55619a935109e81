"""
The routes of the API: found without a look at all of them, with slashes in ids.

WSGI hands over a path with its escapes undone, so an id's ``%2F`` cannot be told
from a slash between segments. A path that no route takes as it stands is therefore
tried again with slashes allowed in the ids.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import ResolverMatch, URLPattern, URLResolver, re_path
from django.urls.resolvers import RegexPattern

View = Callable[..., HttpResponseBase]
Route = URLPattern | URLResolver

# As long as an id may be, which keeps the search for the slashes short.
PARAMETER = re.compile(r"<(\w+)>")
WIDE = r"(?P<\1>(?s:.){1,200}?)"


class Shape(NamedTuple):
    """What of a path is seen at once; of a route, ``last`` is empty where it varies."""

    slashes: int
    last: str


# That of no path: routes that take any shape are tried for it.
NONE = Shape(-1, "")


class Routes(URLResolver):
    """Tries no routes but those that a path can be of by its shape, in their order."""

    def resolve(self, path: str) -> ResolverMatch:
        shape = shape_of(path)
        if shape not in self.by_shape:
            shape = Shape(shape.slashes, "")
        return self.by_shape.get(shape, self.by_shape[NONE]).resolve(path)

    @functools.cached_property
    def by_shape(self) -> dict[Shape, URLResolver]:
        routes = [(self._shape_of(each), each) for each in self.url_patterns]
        shapes = {shape for shape, _ in routes if shape}
        shapes |= {Shape(shape.slashes, "") for shape in shapes}
        return {
            shape: URLResolver(
                self.pattern,
                [route for own, route in routes if own is None or _takes(own, shape)],
                self.default_kwargs,
                self.app_name,
                self.namespace,
            )
            for shape in (*shapes, NONE)
        }

    def _shape_of(self, route: Route) -> Shape | None:
        """Return the shape of all paths that a route takes, if they have one."""
        if isinstance(route.pattern, RegexPattern):
            return None
        slashes, last = shape_of(f"{self.pattern}{route.pattern}")
        return Shape(slashes, "" if PARAMETER.search(last) else last)


def shape_of(path: str) -> Shape:
    return Shape(path.count("/"), path.rpartition("/")[2])


def _takes(route: Shape, path: Shape) -> bool:
    return route.slashes == path.slashes and route.last in ("", path.last)


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
