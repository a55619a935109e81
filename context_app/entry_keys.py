"""
The key of an entry that a model writes, made from its title or its content.

The same as the reference's (../spec/sessions.md, section 7), which counts in UTF-16
code units: so what an agent wrote there is found under the same key here.
"""

from __future__ import annotations

import re

from sessions_app.tokens import WORD

SLUG_UNITS = 60
OTHER = re.compile("[^a-z0-9]+")
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"

# FNV-1a, 32 bits.
OFFSET = 0x811C9DC5
PRIME = 0x01000193


def entry_key(content: str, title: str | None = None) -> str:
    """
    Return the key of an entry: of its title if that is not blank, else of its content.

    The same title gives the same key, so that a model can write an entry again.
    """
    if title is not None and WORD.search(title):
        return slug(title) or f"entry-{fnv1a(title)}"
    return f"{slug(content) or 'entry'}-{fnv1a(content)}"


def slug(text: str) -> str:
    # Of at most so many characters, as many units: the rest need not be encoded. What
    # is half a pair at the cut is no letter, and so a dash, in any case.
    units = text[:SLUG_UNITS].encode("utf-16-le", "surrogatepass")
    start = units[: SLUG_UNITS * 2].decode("utf-16-le", "replace")
    dashed = OTHER.sub("-", start.lower())
    return dashed.removeprefix("-").removesuffix("-")


def fnv1a(text: str) -> str:
    """Return the hash of a text over its code units, in base 36."""
    units = text.encode("utf-16-le", "surrogatepass")
    value = OFFSET
    for at in range(0, len(units), 2):
        unit = units[at] | units[at + 1] << 8
        value = (value ^ unit) * PRIME & 0xFFFFFFFF
    return _base36(value)


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = DIGITS[digit] + digits
    return digits or "0"
