"""The addresses of all pages, by their routes, filled in from `tests.everything`."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver

from tests.everything import Places


def routes(urlconf: str = "memoryhub.dash.urls") -> Iterator[str]:
    yield from _routes(get_resolver(urlconf))


def _routes(resolver: URLResolver) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLPattern):
            yield str(pattern.pattern)
        else:
            yield from _routes(pattern)


def address(route: str, places: Places, **instead: str) -> str:
    """
    Return a route's address; what is to stand for a part of it else is in ``instead``.

    A page of new things says in `tests.everything` which it is looked at with.
    """
    if "/entries/" in route:
        place = "entries"
    else:
        place = instead.pop("place", route.partition("/")[0])
    path = "/" + route
    for converter in ("int", "str"):
        for name in ("pk", "uid", "name", "change"):
            part = f"<{converter}:{name}>"
            if part in path:
                value = instead.get(name, places.get(place, {}).get(name))
                assert value is not None, (
                    f"tests/everything.py has no {name} for {route}"
                )
                path = path.replace(part, str(value))
    assert "<" not in path, f"tests/everything.py has nothing for {route}"
    return path
