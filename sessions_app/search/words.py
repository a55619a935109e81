"""
The words of a text, as the tokenizer ``porter unicode61`` of SQLite's FTS5 sees them.

PostgreSQL is given these stems to index, so that it finds what SQLite finds, and
snippets are marked by them on both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sessions_app.search.porter import porter
from sessions_app.search.unicode61 import FOLDS, WORD

ASCII_WORD = re.compile("[0-9A-Za-z]+")

# FTS5 stems words of 3 to 64 bytes, and keeps this many bytes of any other.
STEMMED = range(3, 65)
KEPT = 32_768
# PostgreSQL refuses a lexeme of more bytes than this.
LEXEME = 2_046


@dataclass(frozen=True, slots=True)
class Word:
    """Where a word stands, counted in code points, and what it is found by."""

    start: int
    end: int
    stem: str


def words(text: str) -> Iterator[Word]:
    for match in scanner(text).finditer(text):
        yield Word(match.start(), match.end(), stem(match[0]))


def stems(text: str) -> list[str]:
    """The stems alone, in order. Faster than ``words``, by four times or so."""
    tokens: list[str] = scanner(text).findall(text)
    longest = max(map(len, tokens), default=0)
    return list(map(_known_stem if longest < STEMMED.stop else stem, tokens))


def scanner(text: str) -> re.Pattern[str]:
    """The expression to find words with: a shorter one does for ASCII, twice as fast."""
    return ASCII_WORD if text.isascii() else WORD


def stem(token: str) -> str:
    """What one word is found by. It must be a word: no space, no punctuation."""
    # A long token is data rather than a word, and would only fill the cache.
    return _known_stem(token) if len(token) < STEMMED.stop else _stem(token)


def lexeme(stem: str) -> str:
    """The stem as PostgreSQL reads it in the text of a tsvector or a tsquery."""
    if len(stem) * 4 > LEXEME:
        stem = stem.encode()[:LEXEME].decode(errors="ignore")
    doubled = stem.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"


def _stem(token: str) -> str:
    folded = token.translate(FOLDS)
    encoded = folded.encode()
    if len(encoded) not in STEMMED:
        return folded if len(encoded) <= KEPT else _readable(encoded[:KEPT])
    # FTS5 stems bytes. It may cut a letter in two, as if it were a double consonant.
    return _readable(porter(encoded.decode("latin-1")).encode("latin-1"))


def _readable(encoded: bytes) -> str:
    return encoded.decode(errors="replace")


_known_stem = lru_cache(maxsize=65_536)(_stem)
