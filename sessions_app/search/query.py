"""
What a user types, read into a query that is safe to run.

Words must all be there. ``"two words"`` stand together in that order, ``OR`` parts
alternatives, ``-word`` must not be there, ``word*`` is a beginning, and ``*part*`` or
``*part`` stands anywhere, inside words too. Nothing is an error but a query that
cannot be answered: a quote left open is closed at the end, and punctuation is passed
over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from sessions_app.errors import Invalid
from sessions_app.search.cjk import holds_cjk
from sessions_app.search.unicode61 import WORD
from sessions_app.search.words import lexeme, stems

LONGEST_QUERY = 1_000
MOST_TERMS = 50

TERM = re.compile(
    r"""
    (?P<minus> - (?=[^\s-]) )?         # so that --option is a word
    (?P<before> \*+ )?
    (?: " (?P<quoted> [^"]* ) (?: " | $ )
      | (?P<bare> [^\s"*] [^\s"]*? (?= \** (?: [\s"] | $ )))
    )
    (?P<after> \*+ )?
    """,
    re.VERBOSE,
)
# What no database can be asked for.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class InvalidQuery(Invalid):
    """A query that cannot be answered as it stands."""

    code: ClassVar[str] = "invalid_query"


@dataclass(frozen=True, slots=True)
class Term:
    """
    One thing to look for.

    ``words`` stand next to each other in this order; of a ``prefix`` the last word
    may go on; a ``substring`` is taken as it is, but for case.
    """

    text: str
    kind: Literal["words", "prefix", "substring"]


@dataclass(frozen=True, slots=True)
class Group:
    """Found where every wanted term is, and no excluded one."""

    wanted: tuple[Term, ...]
    excluded: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """Found where any group is. False when there is nothing to look for."""

    groups: tuple[Group, ...]

    def __bool__(self) -> bool:
        return bool(self.groups)


def parse_query(text: str) -> Query:
    """
    Read a query as its user typed it.

    :raises InvalidQuery: if it is too long, has too many terms, or asks only for
        what is not there.
    """
    text = UNSTORABLE.sub(" ", text).strip()
    if len(text) > LONGEST_QUERY:
        raise InvalidQuery(
            f"The query is too long: use at most {LONGEST_QUERY:,} characters",
            length=len(text),
        )

    groups = [group for group in _groups(text) if group.wanted or group.excluded]

    terms = sum(len(group.wanted) + len(group.excluded) for group in groups)
    if terms > MOST_TERMS:
        raise InvalidQuery(
            f"The query has too many terms: use at most {MOST_TERMS}", terms=terms
        )
    for group in groups:
        if not group.wanted:
            raise InvalidQuery(
                "A query cannot only exclude: add a word to look for next to"
                f" -{group.excluded[0].text}"
            )
    return Query(tuple(groups))


def _groups(text: str) -> Iterator[Group]:
    wanted: list[Term] = []
    excluded: list[Term] = []
    for match in TERM.finditer(text):
        if match[0] == "OR":
            yield Group(tuple(wanted), tuple(excluded))
            wanted, excluded = [], []
        elif term := _term(match):
            (excluded if match["minus"] else wanted).append(term)
    yield Group(tuple(wanted), tuple(excluded))


def _term(match: re.Match[str]) -> Term | None:
    text = match["bare"] if match["quoted"] is None else match["quoted"]
    found = list(WORD.finditer(text))
    if not found:
        return None
    if match["before"]:
        return Term(text, "substring")
    bare = text[found[0].start() : found[-1].end()]
    if holds_cjk(bare):
        return Term(bare, "substring")
    return Term(bare, "prefix" if match["after"] else "words")


def fts5_expression(group: Group) -> str | None:
    """
    Write a group's words for MATCH of an FTS5 table. Substrings are left out.

    None if it wants no words. FTS5 cannot exclude from nothing, so then its excluded
    words are left out too: look each up as a group of its own, and take it away.
    """
    wanted = [_quoted(term) for term in group.wanted if term.kind != "substring"]
    excluded = [_quoted(term) for term in group.excluded if term.kind != "substring"]
    if not wanted:
        return None
    if not excluded:
        return " AND ".join(wanted)
    return f"({' AND '.join(wanted)}) NOT ({' OR '.join(excluded)})"


def _quoted(term: Term) -> str:
    """Of what was typed, only letters and digits come to stand between the quotes."""
    phrase = f'"{" ".join(WORD.findall(term.text))}"'
    return f"{phrase} *" if term.kind == "prefix" else phrase


def tsquery(group: Group) -> str | None:
    """
    Write a group's words to be cast to ``tsquery``. Substrings are left out.

    None if it has no words at all, wanted or excluded.
    """
    wanted = [_lexemes(term) for term in group.wanted if term.kind != "substring"]
    excluded = [_lexemes(term) for term in group.excluded if term.kind != "substring"]
    return " & ".join([*wanted, *(f"!({phrase})" for phrase in excluded)]) or None


def _lexemes(term: Term) -> str:
    phrase = " <-> ".join(map(lexeme, stems(term.text)))
    # FTS5 stems a prefix too.
    return f"{phrase}:*" if term.kind == "prefix" else phrase
