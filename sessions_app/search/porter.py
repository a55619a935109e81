"""
Porter's stemmer, as the ``porter`` tokenizer of SQLite's FTS5 has it.

The algorithm is M. F. Porter, "An algorithm for suffix stripping", Program 14 (1980)
130-137, with the two changes of Porter's own later version (``bli`` for ``abli``,
and ``logi``). Where an
ending is the whole word, it is not an ending.
"""

from __future__ import annotations

# Steps 2 and 3 apply where the rest has a vowel and then a consonant (m > 0).
STEP_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "logi": "log",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
}
STEP_3 = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
}
# Step 4 drops these where the rest has that twice (m > 1).
STEP_4 = [
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"),
    *("sion", "tion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"),
]


def porter(word: str) -> str:
    """Stem a folded word, in which one character stands for one byte of UTF-8."""
    word = _inflection(_plural(word))
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(_replaced(word, STEP_2), STEP_3)
    return _final_letter(_derivation(word))


def _shape(stem: str) -> str:
    """Write ``v`` for a vowel and ``c`` for a consonant; y is a vowel after one."""
    shape = ""
    for letter in stem:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(stem: str) -> int:
    """Porter's m: how often a vowel is followed by a consonant."""
    return _shape(stem).count("vc")


def _closed(stem: str) -> bool:
    """Porter's *o: it ends as in ``hop``, so an ``e`` may have been dropped."""
    return _shape(stem).endswith("cvc") and stem[-1] not in "wxy"


def _plural(word: str) -> str:
    """Step 1a."""
    if word.endswith(("sses", "ies")) and word not in ("sses", "ies"):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _inflection(word: str) -> str:
    """Step 1b."""
    if word.endswith("eed") and word != "eed":
        return word[:-1] if _measure(word[:-3]) else word
    for suffix in ("ed", "ing"):
        stem = word.removesuffix(suffix)
        if stem != word and "v" in _shape(stem):
            return _mended(stem)
    return word


def _mended(stem: str) -> str:
    """Give a stem back what was changed to add ``ed`` or ``ing``."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if stem[-1:] == stem[-2:-1] and stem[-1] not in "aeioulsz":
        return stem[:-1]
    if _measure(stem) == 1 and _closed(stem):
        return stem + "e"
    return stem


def _replaced(word: str, endings: dict[str, str]) -> str:
    """Steps 2 and 3: the first ending that fits decides."""
    for ending, instead in endings.items():
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            return stem + instead if _measure(stem) else word
    return word


def _derivation(word: str) -> str:
    """Step 4."""
    for ending in STEP_4:
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            if ending in ("sion", "tion"):
                stem += ending[0]
            return stem if _measure(stem) > 1 else word
    return word


def _final_letter(word: str) -> str:
    """Step 5."""
    stem = word[:-1]
    if word.endswith("e") and (
        _measure(stem) > 1 or (_measure(stem) == 1 and not _closed(stem))
    ):
        word = stem
    if word.endswith("ll") and _measure(word) > 1:
        return word[:-1]
    return word
