"""The API's routes are found by their shape, and are the same that Django would find."""

from __future__ import annotations

import re
from random import Random

import pytest
from django.urls import Resolver404, URLResolver, get_resolver

from memoryhub.routes import NONE, PARAMETER, Routes, Shape

(API,) = (each for each in get_resolver().url_patterns if isinstance(each, Routes))
PLAIN = URLResolver(API.pattern, API.url_patterns, None, API.app_name, API.namespace)
WORDS = (
    "trip",
    "a/b",
    "x/y/z",
    "delete",
    "plan",
    "head",
    "messages",
    "docs",
    "",
    "é\n",
)


def found(resolver, path):
    try:
        match = resolver.resolve(path)
    except Resolver404:
        return None
    return match.func, match.kwargs, match.route, match.namespaces, match.view_name


def paths_of(route):
    """Return paths that a route takes, and some that are nearly such."""
    random = Random(route)
    for _ in range(5):
        path = "api/v1/" + re.sub(PARAMETER, lambda _: random.choice(WORDS), route)
        yield from (path, path + "/", path + "x", path.removeprefix("api/"))


@pytest.mark.parametrize(
    "route",
    sorted(
        {str(each.pattern) for each in API.url_patterns if "(" not in str(each.pattern)}
    ),
)
def test_they_are_those_that_django_finds(route):
    for path in paths_of(route):
        assert found(API, path) == found(PLAIN, path), path


def test_few_are_tried():
    of_history = API.by_shape[Shape(4, "history")].url_patterns
    wide = API.by_shape[NONE].url_patterns

    assert len(of_history) - len(wide) < 10
    assert len(API.url_patterns) - len(wide) > 50
