"""The shape of a look-up: one statement's worth of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sessions_app.search.query import Group, Term

SHORTEST_TRIGRAM = 3


@dataclass(frozen=True, slots=True)
class Lookup:
    """
    Where documents are found, as parts of a statement.

    A ``scan`` has no index to go by: it reads the newest documents of the scope.
    ``within`` is a condition that lets the index pass by what cannot be of a session,
    ``within_kind`` what cannot be of a kind.
    """

    source: str
    score: str
    conditions: Sequence[str]
    params: dict[str, Any] = field(default_factory=dict)
    scan: bool = False
    within: str = ""
    within_kind: str = ""


SCAN_SOURCE = "sessions_app_searchdocument document"


def split(groups: Sequence[Group]) -> tuple[list[Group], list[Group]]:
    """Part the groups that the word index answers alone from those with substrings."""
    plain: list[Group] = []
    others: list[Group] = []
    for group in groups:
        terms = [*group.wanted, *group.excluded]
        kinds = {term.kind for term in terms}
        (others if "substring" in kinds else plain).append(group)
    return plain, others


def of_kind(terms: Sequence[Term], *, substring: bool) -> tuple[Term, ...]:
    return tuple(term for term in terms if (term.kind == "substring") == substring)


def like_pattern(term: Term) -> str:
    """Return a LIKE pattern, with ``!`` as its escape, that finds a substring."""
    escaped = term.text
    for special in "!%_":
        escaped = escaped.replace(special, f"!{special}")
    return f"%{escaped}%"


def like_conditions(group: Group, operator: str) -> tuple[list[str], dict[str, str]]:
    """Return conditions on a document's text for a group's substrings."""
    conditions: list[str] = []
    params: dict[str, str] = {}
    for negation, terms in (("", group.wanted), ("NOT ", group.excluded)):
        for term in of_kind(terms, substring=True):
            name = f"like{len(params)}"
            conditions.append(
                f"document.text {negation}{operator} %({name})s ESCAPE '!'"
            )
            params[name] = like_pattern(term)
    return conditions, params
