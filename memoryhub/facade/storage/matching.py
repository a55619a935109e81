"""Search without an index: the syntax of the product's search, over texts at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from sessions_app.search.matches import find_matches
from sessions_app.search.query import Group, Query, Term, parse_query

T = TypeVar("T")


def rank(query: str, items: Iterable[T], text_of: Callable[[T], str]) -> list[T]:
    """
    Return the items that a query finds, those with the most matches first.

    :raises InvalidQuery: if the query cannot be answered as it stands
    """
    parsed = parse_query(query)
    found = [item for item in items if _is_found(text_of(item), parsed)]
    return sorted(found, key=lambda item: -_count(text_of(item), parsed))


def _is_found(text: str, query: Query) -> bool:
    return any(
        all(_holds(text, term) for term in group.wanted)
        and not any(_holds(text, term) for term in group.excluded)
        for group in query.groups
    )


def _holds(text: str, term: Term) -> bool:
    return _count(text, Query((Group((term,), ()),))) > 0


def _count(text: str, query: Query) -> int:
    return sum(1 for _ in find_matches(text, query))
