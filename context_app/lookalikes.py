"""
A text as a model reads it.

To a model "ιgnоrе" is "ignore", whatever alphabets its letters are from, and so is
"i g n o r e". To a pattern they are nothing, until they are made the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

# Letters that look like those of ASCII, and that Unicode does not say to be variants
# of them: Cyrillic, Greek, Armenian, and of the rest of Latin.
LOOKALIKES = dict(
    zip(
        "асеһіјкӏмоԛрѕтухѡԁԝ" "АВСЕНІЈКМОРЅТУХԚԜ"
        "αεγηικνορτυχω" "ΑΒΕΗΙΚΜΝΟΡΤΥΧΖ"
        "օոսհցզ" "ıɑɡɩłøđħŧǀ" "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
        "acehijklmoqpstyxwdw" "ABCEHIJKMOPSTYXQW"
        "aeynikvoptuxw" "ABEHIKMNOPTYXZ"
        "onuhgq" "iagilodhtl" "abcdefghijklmnoprstuvwyz",
        strict=True,
    )
)  # fmt: skip
SOFT_HYPHEN = "\u00ad"
MARKS = ("Mn", "Me")

# Three letters or more, each set apart from the next in the same way.
SPACED = re.compile(r"(?<!\w)[^\W_]([ ._*~|-])[^\W_](?:\1[^\W_])+(?!\w)")


class _Folding(dict[int, str]):
    """What characters are read as, found when they first come."""

    MOST = 10_000

    def __missing__(self, code: int) -> str:
        if len(self) >= self.MOST:
            self.clear()
        self[code] = folded = fold(chr(code))
        return folded


def fold(char: str) -> str:
    """Return the letter that a character is read as: without marks, of ASCII if it can be."""
    if char == SOFT_HYPHEN or unicodedata.category(char) in MARKS:
        return ""
    bare = "".join(
        LOOKALIKES.get(each, each)
        for each in unicodedata.normalize("NFKD", char)
        if unicodedata.category(each) not in MARKS
    )
    # A sign that stands for several ("…") is no letter: patterns go by such signs.
    is_known = bare.isascii() and (len(bare) == 1 or bare.isalnum())
    return bare if is_known else char


_folding = _Folding()


def as_read(text: str) -> tuple[str, Sequence[int]]:
    """Return a text as it is read, and for each of its characters where that stood."""
    read, places = (text, range(len(text))) if text.isascii() else _folded(text)
    gaps = {gap for run in SPACED.finditer(read) for gap in range(*run.span())[1::2]}
    if not gaps:
        return read, places
    kept = [number for number in range(len(read)) if number not in gaps]
    return "".join([read[number] for number in kept]), [places[n] for n in kept]


def _folded(text: str) -> tuple[str, Sequence[int]]:
    pieces = [_folding[ord(char)] for char in text]
    read = "".join(pieces)
    if all(map(len, pieces)) and len(read) == len(text):
        return read, range(len(text))
    return read, [place for place, piece in enumerate(pieces) for _ in piece]
