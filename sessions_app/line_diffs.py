"""Which lines of two texts differ, in a time that is bounded."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

# Of longer stretches that differ no lines are matched: that takes the square of their
# number in time.
MOST_LINES = 2_000

# What becomes of lines i to j of the old, k to m of the new: as difflib's opcodes.
Stretch = tuple[str, int, int, int, int]


def stretches(
    old: Sequence[str], new: Sequence[str], most: int = MOST_LINES
) -> list[Stretch]:
    """Return equal, delete, insert and replace in the order of the lines."""
    start, end = same_ends(old, new)
    old_end, new_end = len(old) - end, len(new) - end
    found: list[Stretch] = [("equal", 0, start, 0, start)] if start else []
    if max(old_end, new_end) - start > most:
        found.append(("replace", start, old_end, start, new_end))
    else:
        matcher = SequenceMatcher(None, old[start:old_end], new[start:new_end])
        found += [
            (tag, start + i, start + j, start + k, start + m)
            for tag, i, j, k, m in matcher.get_opcodes()
        ]
    if end:
        found.append(("equal", old_end, len(old), new_end, len(new)))
    return found


def same_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return how many lines are the same from the start, and of the rest from the end."""
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    left = shorter - start
    end = next((i for i in range(left) if old[-1 - i] != new[-1 - i]), left)
    return start, end
